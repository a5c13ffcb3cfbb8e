<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Marked;

use Toolwire\Plain\Detect\ToolName;
use Toolwire\Plain\Span;
use Toolwire\Plain\TextEnded;
use Toolwire\Plain\Utf8;

/**
 * Calls whose tag is the name of the tool, and whose parameters are elements.
 *
 * A value may be any text, HTML and code among it. So in a value, only these tags count: those of
 * its own parameter, and those of known tools. Between parameters, each tag opens one.
 */
trait ReadsToolTags
{
    /** Whether the tag of a call is the name of its tool. */
    public function hasToolTags(): bool
    {
        return $this->format->call->isToolTag();
    }

    /**
     * The tag at a place that holds nothing but a name: the name, whether it closes, its length.
     *
     * @return array{string, bool, int}|null
     */
    private function namedTag(int $pos, bool $whole): ?array
    {
        if (($this->text[$pos] ?? '<') !== '<') {
            return null;
        }
        $closes = ($this->text[$pos + 1] ?? '') === '/';
        $start = min(strlen($this->text), $pos + ($closes ? 2 : 1));
        $length = strspn($this->text, ToolName::OF_NAMES, $start, ToolName::LONGEST);
        $name = (string) substr($this->text, $start, $length);
        $behind = $this->text[$start + $length] ?? '';
        if ($behind === '' && !$whole) {
            throw new TextEnded();
        }
        $isName = preg_match('/^[A-Za-z0-9_]/', $name) === 1 && substr($name, -1) !== '/';
        return $behind === '>' && $isName ? [$name, $closes, $start + $length + 1 - $pos] : null;
    }

    private function knows(string $name): bool
    {
        return isset($this->format->call->names[$name]);
    }

    private function closesCall(string $name): bool
    {
        return $this->format->call->close[0]->lead === "</$name>";
    }

    private function tagFollows(int $pos, bool $whole): ?int
    {
        $tag = $this->namedTag($pos, $whole);
        if ($tag === null) {
            return null;
        }
        [$name, $closes] = $tag;
        if ($closes) {
            return $this->closesCall($name) ? self::END : null;
        }
        $known = $this->schema === null ? null : $this->schema->names(Utf8::lossy($name));
        if ($known === true) {
            return self::PARAMETER;
        }
        if ($this->knows($name)) {
            return self::CALL;
        }
        return $known === null ? self::PARAMETER : self::UNKNOWN_PARAMETER;
    }

    /** The tag at a place that counts in a value of the parameter `$key`. */
    private function tagAt(int $at, string $key): ?StandingTag
    {
        $tag = $this->namedTag($at, true);
        if ($tag === null) {
            return null;
        }
        [$name, $closes, $length] = $tag;
        $span = new Span($at, $at + $length);
        if ($name === $key) {
            return $closes
                ? new StandingTag(StandingTag::CLOSES_PARAMETER, $span)
                : new StandingTag(
                    StandingTag::OPENS_PARAMETER,
                    $span,
                    new Span($at + 1, $at + 1 + strlen($key))
                );
        }
        if ($closes && $this->closesCall($name)) {
            return new StandingTag(StandingTag::CLOSES_CALL, $span);
        }
        if (!$this->knows($name)) {
            return null;
        }
        $kind = $closes ? StandingTag::CLOSES_OTHER : StandingTag::OPENS_CALL;
        return new StandingTag($kind, $span);
    }

    /** Whether a tag stands a second time behind it: one of the two is one too many. */
    public function isRepeated(Span $tag): bool
    {
        $space = $this->blank($tag->end);
        $text = $tag->of($this->text);
        return $space <= self::MOST_SPACE
            && substr($this->text, $tag->end + $space, strlen($text)) === $text;
    }
}
