<?php

declare(strict_types=1);

namespace Toolwire\Tools\Exception;

use RuntimeException;
use Throwable;
use Toolwire\Exception\ToolwireThrowable;

/** A store failed. */
class StoreException extends RuntimeException implements ToolwireThrowable
{
    /** @var string */
    protected $kind = '';

    /** @internal for the library */
    public static function of(string $kind, string $message, ?Throwable $why = null): self
    {
        $made = new self($message, 0, $why);
        $made->kind = $kind;
        return $made;
    }

    public function getKind(): string
    {
        return $this->kind;
    }
}
