<?php

declare(strict_types=1);

namespace Toolwire\Tools\Store;

use RuntimeException;

/** Why a Redis server gave no answer: it refused the command, or the connection broke. */
final class RedisFault extends RuntimeException
{
    /** @param bool $refused whether the server answered, so that the connection is whole */
    public function __construct(string $message, public readonly bool $refused = false)
    {
        parent::__construct($message);
    }
}
