<?php

declare(strict_types=1);

namespace Toolwire\Exception;

use TypeError;
use Toolwire\Plain\Misuse;

/** An argument or option, or what a callback returned, is of the wrong type. */
final class WrongType extends TypeError implements ToolwireThrowable
{
    public function getKind(): string
    {
        return Misuse::slug($this->code);
    }
}
