<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Marked;

use Toolwire\Plain\Detect\Candidate;
use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Detect\Format\NamePlace;
use Toolwire\Plain\Detect\Refusal;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Span;

/** The end of a call: its marker, or what may stand in place of it; and calls only mentioned. */
trait EndsCalls
{
    /** @return Candidate|Refusal|null */
    private function readEnd()
    {
        $call = $this->format->call;
        $argumentsEnd = $this->read->span->end;
        if ($call->close === []) {
            return $this->accept($argumentsEnd, null);
        }
        $pos = $argumentsEnd + strspn($this->text, Arguments::BLANK, $argumentsEnd);
        $name = $this->name->of($this->text);
        $length = Marker::first($call->close, $this->text, $pos, $name);
        if ($length >= 0) {
            $own = $this->format->body === 'tagged' && $this->read->made === '{}'
                ? OwnMarkup::of($this->format, $this->text)
                : null;
            if ($own !== null && $own->goesBeyond($pos + $length)) {
                $this->bad = self::beyondEnd($pos + $length);
                return null;
            }
            return $this->accept($pos + $length, null);
        }
        // A part of an end marker at the end of the text belongs to the markup.
        $textEnd = strlen($this->text);
        $cut = Marker::first($call->close, $this->text, $pos, $name, false) === Marker::CUT;
        $end = $cut && $pos < $textEnd ? $textEnd : $argumentsEnd;
        if ($call->end === 'optional') {
            return $this->accept($argumentsEnd, null);
        }
        if ($cut) {
            return $this->accept($end, $end);
        }
        if ($call->end === 'lenient') {
            return $this->accept($argumentsEnd, $argumentsEnd);
        }
        $reason = $call->close[0]->written . ' is expected behind the arguments';
        $span = new Span($this->start, $pos);
        return $this->refuse(new Refusal($this->format->slug, 'bad_json', $span, $reason));
    }

    private function accept(int $end, ?int $missingEnd): Candidate
    {
        $candidate = new Candidate(
            $this->format->slug,
            $this->bareName(),
            $this->read->span,
            $this->read->made,
            new Span($this->start, $end),
            $this->read->notes
        );
        $candidate->id = $this->id === null ? null : $this->id->of($this->text);
        if ($missingEnd !== null) {
            $candidate->missesEnd($missingEnd);
        }
        return $candidate;
    }

    /** Whether a call without parameters is only mentioned, in a sentence about the markers. */
    private function isMentioned(): bool
    {
        if ($this->format->call->isToolTag()) {
            return !$this->beginsLine();
        }
        return $this->isWordInASentence()
            && !($this->rules->hasTools() && $this->rules->knows($this->bareName()));
    }

    /** Whether nothing but blanks stands in front of the call in its line, or another tag. */
    private function beginsLine(): bool
    {
        $at = $this->start - 1;
        while ($at >= 0 && ($this->text[$at] === ' ' || $this->text[$at] === "\t")) {
            $at--;
        }
        return $at < 0 || strpos("\n\r>", $this->text[$at]) !== false;
    }

    /**
     * Whether spaces stand on both sides of the name, though the format puts the name next to its
     * markers.
     */
    private function isWordInASentence(): bool
    {
        $before = $this->name->start > 0 ? $this->text[$this->name->start - 1] : '';
        $behind = $this->text[$this->name->end] ?? '';
        return $this->format->isVague()
            && $this->format->call->place->kind === NamePlace::INLINE
            && ($before === ' ' || $before === "\t")
            && ($behind === ' ' || $behind === "\t");
    }
}
