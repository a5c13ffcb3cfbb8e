<?php

declare(strict_types=1);

namespace Toolwire\Tools\Exception;

use RuntimeException;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Plain\OfKind;

/** A store failed. */
class StoreException extends RuntimeException implements ToolwireThrowable
{
    use OfKind;
}
