<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Span;

/** A call that was accepted. */
final class FoundCall
{
    /** @var string */
    public $id;

    /** @var bool */
    public $idGiven;

    /** @var int */
    public $index;

    /** @var string */
    public $name;

    /** @var Span where the arguments stand in the text */
    public $arguments;

    /** @var string|null the arguments, where they were made and do not stand in the text */
    public $made;

    /** @var string */
    public $format;

    /** @var Span */
    public $span;

    /** @var string */
    public $status;

    /** @var list<array{code: string, message: string, offset: int}> */
    public $notes;
}
