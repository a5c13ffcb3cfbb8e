<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\ApprovalException;
use Toolwire\Tools\Execution;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;

/** A tool that needs approval, and the arguments that each of its callables received. */
abstract class ToolsApprovalTestCase extends TestCase
{
    protected const SCHEMA = [
        'type' => 'object',
        'properties' => ['post_id' => ['type' => 'integer']],
    ];

    protected Memory $store;
    protected ApprovalService $approvals;
    /** @var list<array{string, mixed}> each callable and its arguments */
    protected array $seen = [];

    protected function setUp(): void
    {
        $this->store = new Memory();
        $this->approvals = new ApprovalService($this->store);
        $this->seen = [];
    }

    /** What the handler does besides. */
    protected ?\Closure $whenRun = null;

    protected function executor(mixed ...$options): Executor
    {
        $handler = function (ToolInput $input): ToolOutput {
            $this->seen[] = ['handler', $input->payload];
            ($this->whenRun ?? static fn () => null)();
            return ToolOutput::ok();
        };
        $registry = new Registry();
        $registry->register(new ToolDefinition(
            'update_post',
            'UPDATE_POST',
            $handler,
            inputSchema: self::SCHEMA,
            requiresApproval: true,
            capability: 'edit_posts',
        ));
        $permission = function (ToolInput $input): bool {
            $this->seen[] = ['permission', $input->payload];
            return true;
        };
        return new Executor(
            $registry,
            ...['store' => $this->store, 'permission' => $permission, ...$options]
        );
    }

    /** @param array<string, mixed> $payload */
    protected function ask(Executor $executor, array $payload = ['post_id' => 5]): Execution
    {
        return $executor->execute(['id' => 'a1', 'type' => 'UPDATE_POST', 'payload' => $payload]);
    }

    protected static function code(callable $step): string
    {
        try {
            $step();
        } catch (ApprovalException $refusal) {
            return $refusal->getKind();
        }
        return 'none';
    }
}
