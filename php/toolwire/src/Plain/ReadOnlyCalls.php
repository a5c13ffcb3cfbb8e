<?php

declare(strict_types=1);

namespace Toolwire\Plain;

use LogicException;
use stdClass;
use Throwable;
use Toolwire\Plain\Agent\ChatCalls;
use Toolwire\Plain\Agent\Refusal;
use Toolwire\Plain\Json\Builder;
use Toolwire\Plain\Json\Plain;
use Toolwire\Plain\Schema\Infinite;
use Toolwire\Plain\Schema\InputSchema;
use Toolwire\Tools\RateLimiter;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;

/**
 * Runs calls of tools that only read, in the order of checks of the extension's executor: the
 * arguments, the schema, the permission, the rate. Nothing is kept, so whoever calls it sees to it
 * that a call runs once. A tool that needs approval, can be undone, or does not say that it only
 * reads is refused.
 */
final class ReadOnlyCalls
{
    use Unsaved;

    /** @var Registry */
    private $tools;

    /** @var callable|null */
    private $permission;

    /** @var Store */
    private $store;

    /**
     * @param ?callable(ToolInput, ToolDefinition): (bool|string) $permission true, or false or why
     * @param ?Store $store where rates are counted
     */
    public function __construct(
        Registry $tools,
        ?callable $permission = null,
        ?Store $store = null
    ) {
        if (extension_loaded('toolwire')) {
            throw new LogicException('the extension is loaded: its Executor runs calls');
        }
        $this->tools = $tools;
        $this->permission = $permission;
        $this->store = $store ?? new Memory();
    }

    /** Whether a tool is one of those that are run. */
    public static function takes(ToolDefinition $tool): bool
    {
        return $tool->readOnly === true && !$tool->requiresApproval && !$tool->undoable;
    }

    /**
     * Runs a call.
     *
     * @param string $arguments JSON text
     * @param string $id names the run for the tool
     * @param string $caller whose calls are counted together
     * @param ?callable(mixed): void $before is given the arguments, with objects as `stdClass`,
     *     once they are read
     * @param ?callable(): void $started is called when nothing is left but to run the tool
     */
    public function run(
        string $name,
        string $arguments,
        string $id,
        string $caller = '',
        ?callable $before = null,
        ?callable $started = null
    ): ReadOnlyCall {
        $tool = $this->tools->get($name);
        if ($tool === null || !self::takes($tool)) {
            $code = $tool === null ? 'tool_not_found' : 'only_reads';
            $why = $tool === null
                ? "There is no tool '$name'"
                : "Tool '$name' denied: on this host only tools that read are run";
            return ReadOnlyCall::refused($code, $why);
        }
        $read = ChatCalls::arguments($arguments);
        $value = is_string($read) ? Plain::exact($read)[0] ?? null : null;
        if (!$value instanceof stdClass) {
            [$code, $why] = is_array($read) ? $read : ['bad_json', 'the arguments are not JSON'];
            return ReadOnlyCall::refused($code, Refusal::ofArguments($code, $why, ''));
        }
        if ($before !== null) {
            $before(Builder::read((string) $read, Builder::OBJECTS)[0] ?? null);
        }
        $input = $this->checked($tool, $value, $id);
        $denied = $input instanceof ReadOnlyCall ? $input : $this->limited($tool, $caller);
        if ($denied !== null) {
            return $denied;
        }
        if ($started !== null) {
            $started();
        }
        return $this->handled($tool, $input);
    }

    /** @return ToolInput|ReadOnlyCall what the handler is given, or why it may not run */
    private function checked(ToolDefinition $tool, stdClass $value, string $id)
    {
        $schema = InputSchema::of($tool->inputSchema, $tool->name);
        $infinite = Infinite::in($value);
        $problems = $infinite !== null ? [$infinite] : $schema->problems($value);
        if ($problems === null) {
            $why = 'the schema cannot be applied to the arguments within the limits on steps, '
                . 'depth and memory';
            return ReadOnlyCall::denied('schema_limit', "Tool '$tool->name' denied: $why");
        }
        if ($problems !== []) {
            $listed = array_map(static function (array $problem): string {
                $path = $problem['path'] === '' ? '/' : $problem['path'];
                return "$path: $problem[message]";
            }, $problems);
            $why = "Tool '$tool->name' denied: invalid input: " . implode('; ', $listed);
            $code = $infinite !== null ? 'bad_number' : 'invalid_input';
            return ReadOnlyCall::denied($code, $why, ['problems' => $problems]);
        }
        $json = Plain::line($schema->withIntegers($value));
        $payload = Builder::read($json, Builder::ARRAYS)[0] ?? null;
        if (!is_array($payload)) {
            // A tool must not run without the arguments that it was given.
            throw new LogicException('the arguments cannot be written as JSON');
        }
        $input = ToolInput::of($id, $tool->name, $payload, $json, hash('sha256', "$id\0$json"));
        return $this->forbidden($tool, $input) ?? $input;
    }

    /** What became of a call that is not permitted; null for one that is. */
    private function forbidden(ToolDefinition $tool, ToolInput $input): ?ReadOnlyCall
    {
        $began = microtime(true);
        try {
            $answer = $this->permission === null ? true : ($this->permission)($input, $tool);
            if (!is_bool($answer) && !is_string($answer)) {
                $message = 'the permission check must return a bool or a reason, got '
                    . Misuse::typeName($answer);
                throw Misuse::of('wrong_type', $message);
            }
        } catch (Throwable $thrown) {
            return self::raised($tool, $thrown, $began);
        }
        $reason = $answer === false ? 'the caller may not run it' : $answer;
        return $reason === true ? null : ReadOnlyCall::denied(
            'permission_denied',
            "Tool '$tool->name' denied: $reason",
            ['reason' => $reason]
        );
    }

    private static function raised(ToolDefinition $tool, Throwable $why, float $began): ReadOnlyCall
    {
        $message = "Tool '$tool->name' failed: " . $why->getMessage();
        return ReadOnlyCall::raised($message, microtime(true) - $began);
    }

    private function limited(ToolDefinition $tool, string $caller): ?ReadOnlyCall
    {
        if ($tool->rateLimit === null) {
            return null;
        }
        $limiter = new RateLimiter($this->store, $tool->rateLimit[0], (float) $tool->rateLimit[1]);
        $checked = $limiter->check($tool->id, $caller);
        if ($checked['allowed']) {
            return null;
        }
        $seconds = sprintf('%.3F', $checked['retry_after']);
        $message = "Tool '$tool->name' denied: rate limited, try again in $seconds s";
        $details = ['retry_after' => $checked['retry_after']];
        return ReadOnlyCall::denied('rate_limited', $message, $details);
    }

    /** Sets PHP's own limit, where the host lets a program do so. */
    private static function limitTime(?int $seconds): void
    {
        if ($seconds !== null && function_exists('set_time_limit')) {
            set_time_limit($seconds);
        }
    }

    private function handled(ToolDefinition $tool, ToolInput $input): ReadOnlyCall
    {
        $began = microtime(true);
        $limit = $tool->timeoutSeconds === null ? null : (int) ceil($tool->timeoutSeconds);
        try {
            self::limitTime($limit);
            $given = ($tool->handler)($input);
        } catch (Throwable $thrown) {
            return self::raised($tool, $thrown, $began);
        } finally {
            self::limitTime($limit === null ? null : (int) ini_get('max_execution_time'));
        }
        $output = $given instanceof ToolOutput ? $given : ToolOutput::ok($given);
        return ReadOnlyCall::ran($output, microtime(true) - $began);
    }
}
