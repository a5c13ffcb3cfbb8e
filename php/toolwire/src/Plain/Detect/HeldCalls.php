<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Span;

/**
 * The calls that start at one marker, which are not handed out yet: spans depend on what follows.
 */
final class HeldCalls
{
    /** @var SoughtMarker the marker that opens them */
    public $sought;

    /** @var list<Candidate|Refusal> */
    public $held = [];

    /** @var int where the next call's share of the wrapper starts */
    public $share;

    /** @var bool whether anything was handed out */
    public $resolved = false;

    /** @var Span the marker with which they begin */
    public $opening;

    public function __construct(SoughtMarker $sought, Span $opening)
    {
        [$this->sought, $this->opening, $this->share] = [$sought, $opening, $opening->start];
    }

    /** The end of the last call that is held, whether it counts or is refused. */
    public function heldEnd(): int
    {
        $last = end($this->held);
        return $last === false ? 0 : $last->span->end;
    }

    /** Whether a call may be handed out before the end of its wrapper is known. */
    public function handsOutEarly(): bool
    {
        $format = $this->sought->format;
        $isRequired = $format->wrapper !== null && $format->wrapper->end === 'required';
        return !$format->plain && !$isRequired;
    }
}
