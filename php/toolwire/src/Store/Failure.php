<?php

declare(strict_types=1);

namespace Toolwire\Tools\Store;

use Throwable;
use Toolwire\Tools\Exception\StoreException;

/** The error of a store on a server, with a kind that the extension passes on. */
final class Failure extends StoreException
{
    public function __construct(string $kind, string $message, ?Throwable $previous = null)
    {
        parent::__construct($message, 0, $previous);
        $this->kind = $kind;
    }
}
