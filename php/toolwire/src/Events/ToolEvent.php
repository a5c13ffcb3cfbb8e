<?php

declare(strict_types=1);

namespace Toolwire\Tools\Events;

/** An event of a run, as an object for a dispatcher. `docs/tools-php.md` lists the types. */
final class ToolEvent
{
    /** @param array<string, mixed> $data without secrets, as every listener gets it */
    public function __construct(public readonly string $type, public readonly array $data)
    {
    }
}
