<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Literal;

use Exception;
use Toolwire\Plain\Json\Bad;

/** The text is no literal. */
final class NoLiteral extends Exception
{
    /** @var Bad */
    public $bad;

    public function __construct(Bad $bad)
    {
        parent::__construct($bad->reason);
        $this->bad = $bad;
    }
}
