<?php

declare(strict_types=1);

namespace Toolwire\Plain\Json;

/** The limits on a call's JSON, and whether it is repaired. */
final class Tolerance
{
    /** @var int */
    public $depth;

    /** @var int */
    public $bytes;

    /** @var bool */
    public $repairs;

    public function __construct(int $depth, int $bytes, bool $repairs)
    {
        $this->depth = $depth;
        $this->bytes = $bytes;
        $this->repairs = $repairs;
    }
}
