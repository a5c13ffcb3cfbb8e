<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Marked;

use Toolwire\Plain\Span;

/** A tag of a format that stands in the text. */
final class StandingTag
{
    public const OPENS_WRAPPER = 1;
    public const CLOSES_WRAPPER = 2;
    public const OPENS_CALL = 3;
    public const CLOSES_CALL = 4;
    public const CLOSES_PARAMETER = 5;
    /** The whole opening of a parameter, with its key. */
    public const OPENS_PARAMETER = 6;
    /** A closing tag whose name is that of no open parameter. */
    public const CLOSES_OTHER = 7;
    /** A tag that is only a part of a marker. */
    public const PIECE = 8;

    /** @var int */
    public $tag;

    /** @var Span */
    public $span;

    /** @var Span|null the key of a parameter that it opens */
    public $key;

    public function __construct(int $tag, Span $span, ?Span $key = null)
    {
        [$this->tag, $this->span, $this->key] = [$tag, $span, $key];
    }
}
