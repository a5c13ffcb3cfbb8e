<?php

declare(strict_types=1);

namespace Toolwire\Tools\Events;

use Psr\EventDispatcher\EventDispatcherInterface;

/**
 * Hands the events of an executor to a dispatcher of PSR-14, each as a {@see ToolEvent}:
 * `$executor->listen(new EventDispatch($dispatcher));`.
 */
final class EventDispatch
{
    public function __construct(private EventDispatcherInterface $dispatcher)
    {
    }

    /** @param array<string, mixed> $data */
    public function __invoke(string $type, array $data): void
    {
        $this->dispatcher->dispatch(new ToolEvent($type, $data));
    }
}
