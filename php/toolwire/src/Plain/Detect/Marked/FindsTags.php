<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Marked;

use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Span;
use Toolwire\Plain\TextEnded;

/** The search for the tags of a format. */
trait FindsTags
{
    /** The first tag at a place or behind it; `$name` is that of the innermost open parameter. */
    public function find(int $from, string $name): ?StandingTag
    {
        $length = strlen($this->text);
        while ($this->beginnings !== '' && $from < $length) {
            $from += strcspn($this->text, $this->beginnings, $from);
            $found = $from < $length ? $this->at($from, $name) : null;
            if ($found !== null) {
                return $found;
            }
            $from++;
        }
        return null;
    }

    /** @return array<int, list<Marker>> */
    private function groups(): array
    {
        $wrapper = $this->format->wrapper;
        return [
            $wrapper === null ? [] : $wrapper->open,
            $wrapper === null ? [] : $wrapper->close,
            $this->format->call->open,
            $this->format->call->close,
            $this->parameter->close,
            $this->parameter->open,
        ];
    }

    /** The tag that stands at a place. */
    private function at(int $at, string $name): ?StandingTag
    {
        if ($this->hasToolTags()) {
            return $this->tagAt($at, $name);
        }
        foreach (array_slice($this->groups(), 0, 5) as $group => $markers) {
            $length = Marker::first($markers, $this->text, $at, $name);
            if ($length >= 0) {
                // The tags are numbered as the groups are.
                return new StandingTag($group + 1, new Span($at, $at + $length));
            }
        }
        try {
            $length = $this->opensParameter($at);
            $opening = $length === null ? 0 : $this->parameter($at + $length);
        } catch (TextEnded $ended) {
            $opening = 0;
        }
        // An element of a list has a type and no name.
        $isElement = $opening instanceof Opening && $opening->kind !== null
            && $this->parameter->hasTypedElements() && !$opening->closes;
        if ($opening instanceof Opening && ($opening->name->length() > 0 || $isElement)) {
            $span = new Span($at, $opening->end);
            return new StandingTag(StandingTag::OPENS_PARAMETER, $span, $opening->name);
        }
        foreach ($this->parameter->close as $close) {
            $lead = $close->lead;
            if ($close->echoes() && substr($this->text, $at, strlen($lead)) === $lead) {
                $span = new Span($at, $at + strlen($lead));
                return new StandingTag(StandingTag::CLOSES_OTHER, $span);
            }
        }
        $length = $this->piece($at);
        return $length === null
            ? null
            : new StandingTag(StandingTag::PIECE, new Span($at, $at + $length));
    }

    /** The length of a piece of a marker at a place. */
    private function piece(int $pos): ?int
    {
        foreach ($this->parameter->pieces as $piece) {
            if (substr($this->text, $pos, strlen($piece)) === $piece) {
                return strlen($piece);
            }
        }
        return null;
    }
}
