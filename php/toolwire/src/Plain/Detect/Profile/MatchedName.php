<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Profile;

/** A pattern that stands in a model's name. */
final class MatchedName
{
    /** @var NamePattern */
    public $pattern;

    /** @var int */
    public $start;

    /** @var int */
    public $end;

    /** @var bool whether the version of the name is one that is known */
    public $exact = true;

    public function __construct(NamePattern $pattern, int $start, int $end)
    {
        [$this->pattern, $this->start, $this->end] = [$pattern, $start, $end];
    }
}
