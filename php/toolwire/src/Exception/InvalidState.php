<?php

declare(strict_types=1);

namespace Toolwire\Exception;

use LogicException;
use Toolwire\Plain\Misuse;

/** A method was called at the wrong time. */
final class InvalidState extends LogicException implements ToolwireThrowable
{
    public function getKind(): string
    {
        return Misuse::slug($this->code);
    }
}
