<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Marked;

use Toolwire\Plain\Span;

/** How the value of a tagged parameter ends: at an end tag, at its call's end, or in damage. */
final class ValueEnd
{
    /** @var Span|null the end tag; an empty one where the end of the call stands */
    public $tag = null;

    /** @var StandingTag|null the tag that should not stand where it does */
    public $damage = null;

    /** @var int|null where an end tag stands behind JSON, if the value may end within the JSON */
    public $ambiguous = null;

    /** At this end tag. */
    public static function at(Span $tag): self
    {
        $end = new self();
        $end->tag = $tag;
        return $end;
    }

    /** The end tag is missing; the end of the call stands at this place. */
    public static function atCallEnd(int $at): self
    {
        return self::at(new Span($at, $at));
    }

    /** At the end tag at this place, behind JSON, or at one in a string of the JSON. */
    public static function ambiguous(int $at): self
    {
        $end = new self();
        $end->ambiguous = $at;
        return $end;
    }

    public static function damaged(StandingTag $tag): self
    {
        $end = new self();
        $end->damage = $tag;
        return $end;
    }
}
