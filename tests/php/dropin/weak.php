<?php

/** Calls a method without strict_types. */
function weakly(string $class, string $method, array $arguments): mixed
{
    return $class::$method(...$arguments);
}
