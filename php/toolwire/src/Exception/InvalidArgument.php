<?php

declare(strict_types=1);

namespace Toolwire\Exception;

use InvalidArgumentException;
use Toolwire\Plain\Misuse;

/** An argument or option has a value that is not allowed. */
final class InvalidArgument extends InvalidArgumentException implements ToolwireThrowable
{
    public function getKind(): string
    {
        return Misuse::slug($this->code);
    }
}
