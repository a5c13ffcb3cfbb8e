<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Span;

/** A marked element that the reader has passed; its end is null when the text ends first. */
final class MarkedElement
{
    /** @var Span */
    public $tag;

    /** @var int|null */
    public $end;

    public function __construct(Span $tag, ?int $end)
    {
        $this->tag = $tag;
        $this->end = $end;
    }
}
