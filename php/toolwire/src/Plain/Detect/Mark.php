<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Span;

/** What a marker does that belongs to the message and not to a call. */
final class Mark
{
    public const OPENS_REASONING = 1;
    public const CLOSES_REASONING = 2;
    /** It frames the message, and is not shown. */
    public const FRAMES = 3;
    /** The same; what follows is for a person, and no call of it counts. */
    public const OPENS_ANSWER = 4;
    /** It opens the turn of somebody else. */
    public const OPENS_TURN = 5;
    /** It opens a call of a format which is not looked for. */
    public const OPENS_OTHER = 6;
    /** It is part of the markup of some call. */
    public const STRAY = 7;

    /** @var int */
    public $kind;

    /** @var int|string|null the style of reasoning, or the format that is not looked for */
    public $what;

    /** @var Span|null where it stands */
    public $span = null;

    /** @param int|string|null $what */
    public function __construct(int $kind, $what = null)
    {
        [$this->kind, $this->what] = [$kind, $what];
    }

    public function at(Span $span): self
    {
        $mark = clone $this;
        $mark->span = $span;
        return $mark;
    }

    /** Whether it is part of a message that is read. */
    public function isRead(): bool
    {
        return $this->kind !== self::OPENS_OTHER && $this->kind !== self::STRAY;
    }

    /** Whether another mark of this length says more than this one. */
    public function yieldsTo(self $other, int $length): bool
    {
        return $this->isRead() === $other->isRead()
            ? $this->span->length() < $length
            : $other->isRead();
    }

    /** Whether a marker of this length opens a call here all the same. */
    public function letsOpen(int $length): bool
    {
        return !$this->isRead() || $this->span->length() <= $length;
    }
}
