<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Exception;
use RuntimeException;
use stdClass;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\ToolUndoFailed;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;

/**
 * Runs a case of the topic `tools`.
 *
 * Times, durations, ids of requests and names of classes differ from run to run, so cases have
 * `<time>`, `<ms>`, `<request>` and `<class>` instead. A case has the beginning of an error's
 * message. Where the message of stageflow, which only Python gives, differs, it has both.
 */
final class ToolsCase
{
    private const TOOL = [
        'name', 'id',
    ];
    private const TOOL_OPTIONS = [
        'aliases', 'allowed_modes', 'requires_approval', 'approval_message', 'undoable',
        'capability', 'rate_limit',
        'input_schema',
    ];
    private const SETTINGS = [
        'emit_events' => 'emitEvents', 'ask_approval' => 'requireApprovalForRisky',
        'store_undo' => 'storeUndoData',
    ];

    /** @return array{mixed, mixed} what came out, and what is expected */
    public static function run(stdClass $case): array
    {
        $expected = self::own(Cases::arrays($case->output));
        $made = match ($case->input->function) {
            'run' => self::runTool($case->input),
            'asked' => self::asked($case->input),
            'resolve' => self::resolve($case->input),
            'payload_summary' => self::summary($case->input),
            default => throw new RuntimeException("unknown function {$case->input->function}"),
        };
        return [self::shorten($made, $expected), $expected];
    }

    /** What is expected, with the project's own message where a case has two. */
    private static function own(mixed $expected): mixed
    {
        if (!is_array($expected)) {
            return $expected;
        }
        $isMessage = array_keys($expected) === ['own', 'stageflow'];
        return $isMessage ? $expected['own'] : array_map(self::own(...), $expected);
    }

    /** Cuts each message to the length of the expected beginning. */
    private static function shorten(mixed $made, mixed $expected): mixed
    {
        if (!is_array($made) || !is_array($expected)) {
            return $made;
        }
        foreach ($made as $key => $value) {
            $wanted = $expected[$key] ?? null;
            $made[$key] = in_array($key, ['message', 'error'], true)
                && is_string($value)
                && is_string($wanted)
                ? substr($value, 0, strlen($wanted))
                : self::shorten($value, $wanted);
        }
        return $made;
    }

    /** @param array<string, mixed> $settings */
    private static function definition(
        stdClass $tool,
        callable $handler,
        ?callable $undo = null,
    ): ToolDefinition {
        Cases::fields($tool, self::TOOL, self::TOOL_OPTIONS);
        $options = [];
        foreach (Cases::arrays($tool) as $field => $value) {
            $options[lcfirst(str_replace('_', '', ucwords($field, '_')))] = $value;
        }
        return new ToolDefinition(...$options, handler: $handler, undoHandler: $undo);
    }

    /** @return array<string, mixed> */
    private static function runTool(stdClass $input): array
    {
        Cases::fields($input, ['function', 'tool', 'handler', 'payload'], [
            'context', 'permission', 'runs', 'approval', 'settings', 'redact', 'undo', 'changes',
            'look',
        ]);
        $undo = $input->undo ?? null;
        $undoes = !($input->tool->undoable ?? false) ? null : static function () use ($undo): void {
            $undo === true || throw new Exception($undo);
        };
        $registry = new Registry();
        $looked = [];
        $handler = self::handler($input->handler);
        $handle = static function (ToolInput $given) use ($handler, &$looked): ToolOutput {
            $looked['handler'] = self::json($given);
            return $handler();
        };
        $registry->register(self::definition($input->tool, $handle, $undoes));
        $options = isset($input->redact) ? ['redact' => $input->redact] : [];
        foreach ($input->settings ?? [] as $setting => $value) {
            $options[self::SETTINGS[$setting]] = $value;
        }
        if (isset($input->permission)) {
            $options['permission'] = static function (
                ToolInput $given
            ) use ($input, &$looked): bool|string {
                $looked['permission'] = self::json($given);
                return $input->permission;
            };
        }
        if (isset($input->changes)) {
            $changes = Cases::arrays($input->changes);
            $options['changes'] = static function () use (&$changes): mixed {
                return array_shift($changes);
            };
        }
        $approval = $input->approval ?? null;
        $options['approvalTimeout'] = $approval === 'expired' ? 0.001 : 60.0;
        $store = new Memory();
        $executor = new Executor($registry, $store, ...$options);
        $told = [];
        $executor->listen(static function (string $type, array $data) use (&$told): void {
            $told[] = ['type' => $type, 'data' => self::plain($type, $data)];
        });
        $context = isset($input->context) ? Cases::arrays($input->context) : null;
        $action = [
            'id' => 'a1',
            'type' => $input->tool->id,
            'payload' => Cases::arrays($input->payload),
        ];
        for ($run = 0; $run < ($input->runs ?? 1); $run++) {
            $told = [];
            $execution = $executor->execute($action, $context);
        }
        if ($approval !== null) {
            $approvals = new ApprovalService($store);
            $id = (string) $execution->approvalId;
            $request = $approvals->get($id);
            $looked += [
                'approver' => $approvals->arguments($id), 'size' => $request->size,
                'fingerprint' => $request->fingerprint,
            ];
            $shown = $approvals->changes($id);
            $looked += $shown === null ? [] : ['changes' => $shown];
            self::decide($approvals, $id, $approval);
            $execution = $executor->resume('a1');
        }
        $error = $execution->error;
        $made = [
            'state' => $execution->state,
            'error' => $error === null
                ? null
                : ['kind' => $error->getKind(), 'message' => $error->getMessage()],
        ];
        $made['events'] = $told;
        if ($input->look ?? false) {
            ksort($looked);
            $made['looked'] = $looked;
        }
        if ($undo !== null) {
            try {
                $undone = $executor->undo('a1', $context);
            } catch (ToolUndoFailed $failure) {
                $undone = $failure->getMessage();
            }
            $made = array_replace($made, ['events' => $told, 'undone' => $undone]);
        }
        return $made;
    }

    /** The payload as PHP code sees it; it must equal its JSON. */
    private static function json(ToolInput $input): string
    {
        $options = JSON_PRESERVE_ZERO_FRACTION | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;
        $seen = json_encode($input->payload === [] ? new stdClass() : $input->payload, $options);
        $seen === $input->json() || throw new RuntimeException("$seen is not {$input->json()}");
        return $seen;
    }

    private static function handler(stdClass $does): callable
    {
        Cases::fields($does, [], ['ok', 'fail', 'raise']);
        $ok = Cases::arrays($does->ok ?? null);
        return match (array_keys(get_object_vars($does))) {
            ['ok'] => static fn () =>
                ToolOutput::ok(
                    $ok['data'] ?? null,
                    $ok['artifacts'] ?? null,
                    $ok['undo_metadata'] ?? null
                ),
            ['fail'] => static fn () => ToolOutput::fail($does->fail),
            ['raise'] => static fn () => throw new Exception($does->raise),
        };
    }

    private static function decide(
        ApprovalService $approvals,
        string $id,
        stdClass|string $approval,
    ): void {
        if ($approval instanceof stdClass) {
            Cases::fields($approval, ['granted'], ['reason']);
            $approvals->decide($id, $approval->granted, reason: $approval->reason ?? null);
        } elseif ($approval === 'cancelled') {
            $approvals->cancel($id);
        } else {
            $approval === 'expired' || throw new RuntimeException("unknown approval $approval");
            usleep(2000);
        }
    }

    /**
     * @param array<string, mixed> $data
     * @return array<string, mixed>
     */
    private static function plain(string $type, array $data): array
    {
        $volatile = [
            'timestamp' => '<time>', 'ran_at' => '<time>',
            'duration_ms' => '<ms>',
            'error_code' => '<class>',
        ];
        if (str_starts_with($type, 'approval.')) {
            $volatile['request_id'] = '<request>';
        }
        if ($type === 'tool.undo_failed') {
            $volatile['reason'] = '<class>';
        }
        return array_replace($data, array_intersect_key($volatile, $data));
    }

    /**
     * Runs the tool `mail`, which gives its arguments back.
     *
     * @return array<string, mixed>
     */
    private static function asked(stdClass $input): array
    {
        Cases::fields($input, ['function', 'value'], []);
        $mail = static fn (ToolInput $given) => ToolOutput::ok($given->payload);
        $registry = new Registry();
        $registry->register(new ToolDefinition('mail', 'MAIL', $mail));
        $executor = new Executor($registry);
        $run = $executor->execute(Cases::arrays($input->value));
        $again = $executor->start($input->value);
        $states = [$run->state, $again->state, $again->error?->getKind()];
        $states === [$again->state, $run->state, $run->error?->getKind()]
            || throw new RuntimeException('start() differs: ' . json_encode($states));
        if ($run->error === null) {
            return ['state' => $run->state, 'arguments' => $run->output->data];
        }
        $told = $run->error->toArray();
        return [
            'state' => $run->state,
            'code' => $run->error->getKind(),
            'path' => $told['problems'][0]['path'] ?? null,
        ];
    }

    /** @return array<string, mixed> */
    private static function resolve(stdClass $input): array
    {
        $options = ['id_field', 'name_field', 'arguments_field', 'function_wrapper', 'repair'];
        Cases::fields($input, ['function', 'tools', 'calls'], $options);
        $registry = new Registry();
        foreach ($input->tools as $tool) {
            $registry->register(self::definition($tool, static fn () => ToolOutput::ok()));
        }
        $given = [];
        foreach (
            array_intersect_key(get_object_vars($input), array_flip($options)) as $option => $value
        ) {
            $given[lcfirst(str_replace('_', '', ucwords($option, '_')))] = $value;
        }
        [$resolved, $unresolved] = $registry->parseAndResolve(
            Cases::arrays($input->calls),
            ...$given
        );
        return [
            'resolved' => array_map(
                static fn ($call) => ['tool' => $call->tool->id] + $call->toArray(),
                $resolved
            ),
            'unresolved' => array_map(static fn ($call) => $call->toArray(), $unresolved),
        ];
    }

    /** @return array<string, mixed> */
    private static function summary(stdClass $input): array
    {
        Cases::fields($input, ['function', 'payload'], ['redact']);
        $registry = new Registry();
        $registry->register(new ToolDefinition('t', 'T', static fn () => ToolOutput::ok()));
        $executor = new Executor($registry, redact: $input->redact ?? null);
        $execution = $executor->execute([
            'type' => 'T',
            'payload' => Cases::arrays($input->payload),
        ]);
        return ['summary' => $execution->events[0]['data']['payload_summary']];
    }
}
