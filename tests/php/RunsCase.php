<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Exception;
use RuntimeException;
use stdClass;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\ApprovalException;
use Toolwire\Tools\Exception\RunException;
use Toolwire\Tools\Execution;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;

/** Takes the steps of a case of the topic `runs` with one run, and tells how it stands after each. */
final class RunsCase
{
    private Executor $executor;
    private ApprovalService $approvals;
    private string $id = '';
    private int $ran = 0;
    /** @var list<string> */
    private array $events = [];

    /** @return array<string, mixed> */
    public static function run(stdClass $input): array
    {
        Cases::fields($input, ['handler', 'steps'], ['approval', 'left', 'permission', 'schema', 'timeout_ms']);
        $world = new self($input);
        return ['stands' => array_map($world->step(...), $input->steps)];
    }

    private function __construct(stdClass $input)
    {
        $handler = $input->handler;
        $registry = new Registry();
        $registry->register(new ToolDefinition(
            'wipe',
            'WIPE',
            function (ToolInput $given) use (&$handler): ToolOutput {
                $this->ran++;
                $does = self::following($handler);
                if ($does === 'echo') {
                    return ToolOutput::ok($given->payload);
                }
                Cases::fields($does, [], ['ok', 'raise']);
                return isset($does->raise)
                    ? throw new Exception($does->raise)
                    : ToolOutput::ok($does->ok, undoMetadata: ['disk' => 7]);
            },
            requiresApproval: $input->approval ?? false,
            undoable: true,
            undoHandler: static fn () => null,
            inputSchema: json_decode((string) json_encode($input->schema ?? null), true) ?? [],
        ));
        $permission = $input->permission ?? [];
        $seconds = ($input->timeout_ms ?? 60000) / 1000;
        $store = new Memory();
        if (isset($input->left)) {
            Cases::fields($input->left, ['key', 'value'], []);
            $value = (string) json_encode($input->left->value);
            $store->put($input->left->key, $value, 0, null, 0);
            $this->id = $input->left->value->id;
        }
        $this->approvals = new ApprovalService($store);
        $this->executor = new Executor(
            $registry,
            $store,
            permission: $permission === [] ? null
                : static function () use (&$permission): bool|string {
                    return self::following($permission);
                },
            approvalTimeout: $seconds,
        );
        $this->executor->listen(function (string $type): void {
            $this->events[] = $type;
        });
    }

    /**
     * Takes the next of some values, and the last one again and again.
     *
     * @param list<mixed> $values
     */
    private static function following(array &$values): mixed
    {
        return count($values) > 1 ? array_shift($values) : $values[0];
    }

    /** @return array<string, mixed> */
    private function step(string $step): array
    {
        $this->events = [];
        try {
            $run = $this->take($step);
            $made = $run === null ? ['state' => null] : self::told($run);
            $this->id = $run === null ? $this->id : $run->id;
        } catch (ApprovalException | RunException $refused) {
            $made = ['refused' => $refused->getKind()];
        }
        return $made + ['ran' => $this->ran, 'events' => $this->events];
    }

    private function take(string $step): ?Execution
    {
        $call = ['id' => 'call_1', 'type' => 'WIPE', 'payload' => ['disk' => 7]];
        $other = ['payload' => ['disk' => 8]] + $call;
        switch ($step) {
            case 'start':
                return $this->executor->start($call);
            case 'start again':
                return $this->executor->start($call, again: true);
            case 'start other':
                return $this->executor->start($other);
            case 'start written otherwise':
                return $this->executor->start(['payload' => ['disk' => 7.0]] + $call);
            case 'resume':
                return $this->executor->resume($this->id);
            case 'retry':
                return $this->executor->retry($this->id);
            case 'approve changed':
            case 'approve bad':
                $request = (string) $this->executor->run($this->id)->approvalId;
                $disk = $step === 'approve bad' ? 'nine' : 9;
                $this->executor->approve($request, ['disk' => $disk]);
                break;
            case 'approve':
            case 'deny':
                $request = (string) $this->executor->run($this->id)->approvalId;
                $this->approvals->decide($request, $step === 'approve');
                break;
            case 'wait':
                usleep(60000);
                break;
            case 'undo':
                $this->executor->undo($this->id);
                break;
            case 'forget':
                $this->executor->forget($this->id);
                break;
            default:
                $step === 'look' || throw new RuntimeException("unknown step $step");
        }
        return $this->executor->run($this->id);
    }

    /** @return array<string, mixed> */
    private static function told(Execution $run): array
    {
        return [
            'state' => $run->state,
            'code' => $run->error?->getKind(),
            'output' => $run->output?->data,
        ];
    }
}
