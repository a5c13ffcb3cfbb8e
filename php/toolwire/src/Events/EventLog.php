<?php

declare(strict_types=1);

namespace Toolwire\Tools\Events;

use Psr\Log\LoggerInterface;

/**
 * Writes the events of an executor to a logger of PSR-3:
 * `$executor->listen(new EventLog($logger));`.
 *
 * The message names the tool and the event, and the context has the data, without secrets.
 */
final class EventLog
{
    /** What went wrong is an error, what was refused a warning; steps are for debugging. */
    public const LEVELS = [
        'tool.invoked' => 'debug',
        'tool.started' => 'debug',
        'tool.completed' => 'info',
        'tool.undone' => 'info',
        'approval.requested' => 'notice',
        'approval.decided' => 'notice',
        'tool.denied' => 'warning',
        'tool.failed' => 'error',
        'tool.interrupted' => 'error',
        'tool.undo_failed' => 'error',
        'tool.undo_store_failed' => 'error',
    ];

    /** @var array<string, string> */
    private array $levels;

    /**
     * @param array<string, string> $levels other levels, by the type of the event
     */
    public function __construct(private LoggerInterface $logger, array $levels = [])
    {
        $this->levels = $levels + self::LEVELS;
    }

    /** @param array<string, mixed> $data */
    public function __invoke(string $type, array $data): void
    {
        $context = ['event' => $type] + $data;
        $this->logger->log($this->levels[$type] ?? 'info', '{tool_name}: {event}', $context);
    }
}
