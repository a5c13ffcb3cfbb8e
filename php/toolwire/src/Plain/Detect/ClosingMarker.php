<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

/** What a marker does that closes a call or a part of it. */
final class ClosingMarker
{
    public const WRAPPER = 1;
    public const CALL = 2;
    public const PARAMETER = 3;
    /** The name of a call; its arguments follow. */
    public const NAME = 4;

    /** @var string */
    public $format;

    /** @var int */
    public $closes;

    /** @var bool whether nothing of the format is open behind it */
    public $isLast;

    public function __construct(string $format, int $closes, bool $isLast)
    {
        [$this->format, $this->closes, $this->isLast] = [$format, $closes, $isLast];
    }
}
