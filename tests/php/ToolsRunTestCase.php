<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use Toolwire\Tools\Execution;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;

/** Runs a tool, and keeps the events that its executor sent. */
abstract class ToolsRunTestCase extends TestCase
{
    /** The keys that every event of a tool begins with. */
    protected const BASE = ['tool_name', 'run_id', 'parent_id', 'request_id', 'timestamp'];
    /** The keys of each event, in their order. */
    protected const KEYS = [
        'tool.invoked' => [...self::BASE, 'payload_summary', 'mode'],
        'tool.started' => self::BASE,
        'tool.completed' => [...self::BASE, 'duration_ms', 'output_summary', 'artifacts_count'],
        'tool.undone' => [...self::BASE, 'duration_ms', 'ran_at'],
        'tool.undo_failed' => [...self::BASE, 'error_message', 'reason'],
        'tool.undo_store_failed' => [...self::BASE, 'error_code', 'error_message'],
        'approval.requested' => [
            'request_id', 'tool_name', 'run_id', 'parent_id', 'approval_message',
            'timestamp',
        ],
        'approval.decided' => [
            'request_id', 'tool_name', 'run_id', 'decision', 'decided_by', 'parent_id',
            'timestamp',
        ],
    ];
    /** The keys of `tool.failed`. */
    protected const FAILED = [...self::BASE, 'duration_ms', 'error_code', 'error_message'];
    /** The first keys of `tool.denied`; more follow for some reasons. */
    protected const DENIED = [...self::BASE, 'reason', 'mode', 'allowed_modes'];
    protected const ACTION = ['id' => 'a1', 'type' => 'EDIT'];
    protected const CONTEXT = [
        'mode' => 'chat', 'parent_id' => 'p1', 'request_id' => 5, 'other' => [],
    ];

    protected Memory $store;
    /** @var list<array{string, array<string, mixed>}> type and data of each event */
    protected array $told = [];

    protected function setUp(): void
    {
        $this->store = new Memory();
        $this->told = [];
    }

    /** @param array<string, mixed> $definition */
    protected static function tool(?callable $handler = null, mixed ...$definition): ToolDefinition
    {
        $handler ??= static fn (ToolInput $input): ToolOutput => ToolOutput::ok([
            'got' => $input->payload,
        ]);
        return new ToolDefinition(
            ...['name' => 'edit', 'id' => 'EDIT', 'handler' => $handler, ...$definition]
        );
    }

    protected function executor(ToolDefinition $tool, mixed ...$options): Executor
    {
        $registry = new Registry();
        $registry->register($tool);
        $executor = new Executor($registry, ...['store' => $this->store, ...$options]);
        $executor->listen(function (string $type, array $data): void {
            $this->told[] = [$type, $data];
        });
        return $executor;
    }

    /** @param array<string, mixed> $payload */
    protected function runTool(
        ToolDefinition $tool,
        array $payload = [],
        mixed ...$options,
    ): Execution {
        $action = [...self::ACTION, 'payload' => $payload];
        return $this->executor($tool, ...$options)->execute($action, self::CONTEXT);
    }

    /** @param list<string> $names the types of the events that are expected */
    protected function assertTold(array $names, ?Execution $execution = null): void
    {
        self::assertSame($names, array_column($this->told, 0));
        foreach ($this->told as [$type, $data]) {
            if (isset(self::KEYS[$type])) {
                self::assertSame(self::KEYS[$type], array_keys($data), $type);
            }
            self::assertMatchesRegularExpression(
                '/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$/',
                $data['timestamp']
            );
            self::assertSame(
                ['edit', 'a1', 'p1'],
                [$data['tool_name'], $data['run_id'], $data['parent_id']]
            );
        }
        if ($execution !== null) {
            $events = array_map(
                static fn (array $event): array => [$event['type'], $event['data']],
                $execution->events
            );
            self::assertSame($this->told, $events);
        }
    }
}
