<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

/** Tracks the text in which a `<` is not the start of a tag. */
final class Hiding
{
    /** @var int */
    private $until = 0;

    /** @var HiddenContent|null */
    private $open = null;

    /** @var int the offset from which to search for its end */
    private $from = 0;

    /** Whether the `<` at a place is hidden. The places of successive calls must not fall. */
    public function hides(string $text, int $pos): bool
    {
        if ($this->open !== null) {
            // An end counts only before this `<`. Calls that the search passed are not looked into.
            $reach = $this->open->isRawText() ? strlen($text) : $pos;
            [$end, $found] = $this->open->end($text, $this->from, $reach);
            if ($found && $end <= $pos) {
                $this->until($end);
                $this->open = null;
            } else {
                $this->from = $end;
            }
        }
        return $this->open !== null || $pos < $this->until;
    }

    /** Hides everything before a place. */
    public function until(int $end): void
    {
        $this->until = max($this->until, $end);
    }

    /** Hides the text from a place on, up to the end of the content. */
    public function hideFrom(HiddenContent $hidden, int $from): void
    {
        [$this->open, $this->from] = [$hidden, $from];
    }
}
