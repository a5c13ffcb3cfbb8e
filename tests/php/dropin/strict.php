<?php

declare(strict_types=1);

/** Calls a method under strict_types. */
function strictly(string $class, string $method, array $arguments): mixed
{
    return $class::$method(...$arguments);
}
