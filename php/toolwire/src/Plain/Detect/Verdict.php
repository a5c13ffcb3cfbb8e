<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

/** What a reader decided about a stretch of text. */
final class Verdict
{
    public const CALLS = 1;
    public const PROSE = 2;
    public const REFUSED = 3;
    /** Larger than allowed: the rest of the JSON is text, however long it is. */
    public const OVERSIZED = 4;

    /** @var int */
    public $kind;

    /** @var list<Candidate|Refusal> */
    public $found = [];

    /** @var Refusal|null */
    public $refusal = null;

    /** @var int where the search goes on */
    public $end;

    private function __construct(int $kind, int $end)
    {
        $this->kind = $kind;
        $this->end = $end;
    }

    /** @param list<Candidate|Refusal> $found */
    public static function calls(array $found, int $end): self
    {
        $verdict = new self(self::CALLS, $end);
        $verdict->found = $found;
        return $verdict;
    }

    public static function prose(int $end): self
    {
        return new self(self::PROSE, $end);
    }

    public static function refused(Refusal $refusal, int $end): self
    {
        $verdict = new self(self::REFUSED, $end);
        $verdict->refusal = $refusal;
        return $verdict;
    }

    public static function oversized(?Refusal $refusal): self
    {
        $verdict = new self(self::OVERSIZED, 0);
        $verdict->refusal = $refusal;
        return $verdict;
    }
}
