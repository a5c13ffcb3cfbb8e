<?php

declare(strict_types=1);

namespace Toolwire\Exception;

use Toolwire\Plain\Misuse;

/** The kinds of errors. */
final class ErrorKind
{
    private function __construct()
    {
    }

    /** @return array<string, array{number: int, exception: class-string<ToolwireThrowable>}> */
    public static function all(): array
    {
        return Misuse::kinds();
    }
}
