<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Marked;

use Toolwire\Plain\Detect\Refusal;

/** How the calls from one opening marker on end. */
final class MarkedOutcome
{
    /** All calls are read. The markup reaches to `end`. */
    public const CLOSED = 1;
    /** The text behind the last call is not a call of this format. */
    public const PROSE = 2;
    /**
     * Words stand behind the marker that opens a wrapper: the marker, which ends here, is framing.
     */
    public const WORDS = 3;
    /** Refused; the search goes on at `end`. */
    public const REFUSED = 4;

    /** @var int */
    public $kind;

    /** @var int */
    public $end = 0;

    /** @var bool whether the end marker is missing */
    public $missing = false;

    /** @var Refusal|null */
    public $refusal = null;

    /** @var list<int> the brackets at which no call can start */
    public $brackets = [];

    private function __construct(int $kind, int $end = 0)
    {
        [$this->kind, $this->end] = [$kind, $end];
    }

    public static function closed(int $end, bool $missing): self
    {
        $outcome = new self(self::CLOSED, $end);
        $outcome->missing = $missing;
        return $outcome;
    }

    public static function prose(): self
    {
        return new self(self::PROSE);
    }

    public static function words(int $end): self
    {
        return new self(self::WORDS, $end);
    }

    /** @param list<int> $brackets */
    public static function refused(Refusal $refusal, int $resume, array $brackets = []): self
    {
        $outcome = new self(self::REFUSED, $resume);
        [$outcome->refusal, $outcome->brackets] = [$refusal, $brackets];
        return $outcome;
    }
}
