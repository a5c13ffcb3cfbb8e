<?php

declare(strict_types=1);

namespace Toolwire\Plain;

use Throwable;

/** An exception of a kind, and why it was thrown. */
trait OfKind
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
