<?php

declare(strict_types=1);

namespace Toolwire\Plain\Agent;

use stdClass;
use Toolwire\Plain\Json\Plain;
use Toolwire\Tools\AgentLimits;
use Toolwire\Tools\Exception\AgentException;

/**
 * What was said in a conversation, and from it what comes next. Nothing else is kept.
 *
 * Messages have the form in which the extension keeps them, so a conversation goes on where the
 * extension comes or goes.
 */
final class Conversation
{
    private const UNKNOWN = 'It is not known whether this tool ran. Do not repeat the call '
        . 'unasked.';

    /** @var string */
    public $id;

    /** @var list<stdClass> each has one member: `user`, `model` or `result` */
    public $messages = [];

    /** @var int how many of them the store has */
    public $stored = 0;

    public function __construct(string $id)
    {
        $this->id = $id;
    }

    /** @throws AgentException `conversation_waiting` while calls have no result */
    public function say(string $text): void
    {
        if ($this->next(new AgentLimits())[0] === 'run') {
            $message = "calls of the conversation \"$this->id\" have no result yet; decide on them "
                . 'and go on without a new text first';
            throw AgentException::of('conversation_waiting', $message);
        }
        $this->messages[] = (object) ['user' => (object) ['text' => $text]];
    }

    /**
     * What comes next: `ask` with the limit for which the model is asked to end, `run` with the
     * places of calls, `end` with the limit that was reached, or null if nobody has said anything.
     *
     * @return array{string|null, mixed}
     */
    public function next(AgentLimits $limits): array
    {
        for ($last = count($this->messages) - 1; $last >= 0; $last--) {
            if (!isset($this->messages[$last]->result)) {
                break;
            }
        }
        if ($last < 0) {
            return [null, null];
        }
        $turn = $this->messages[$last]->model ?? null;
        if ($turn === null) {
            return ['ask', null];
        }
        if ($turn->ends_for !== null) {
            return ['end', $turn->ends_for];
        }
        $open = [];
        foreach ($turn->calls as $index => $call) {
            if ($call->refusal === null && $this->result($last, $index) === null) {
                $open[] = [$last, $index];
            }
        }
        if ($open !== []) {
            return ['run', $open];
        }
        $hasAnswered = $turn->calls === [] && $turn->refusals === [] && !$turn->paused;
        return $hasAnswered ? ['end', null] : ['ask', $this->reached($limits)];
    }

    /** Adds what the model wrote. At a limit none of its calls runs. */
    public function take(stdClass $turn, AgentLimits $limits): void
    {
        $this->messages[] = (object) ['model' => $turn];
        $limit = $turn->ends_for ?? $this->reached($limits);
        if ($limit === null) {
            return;
        }
        foreach ($turn->calls as $call) {
            $call->refusal = $call->refusal ?? "The tool was not run: the limit of this "
                . "conversation ($limit) is reached. Answer with what you know.";
        }
    }

    /** @param mixed $data */
    public function addResult(
        int $message,
        int $index,
        bool $success,
        $data,
        ?string $error,
        int $took
    ): void {
        $this->messages[] = (object) ['result' => (object) [
            'message' => $message,
            'index' => $index,
            'run' => null,
            'success' => $success,
            'data' => $data,
            'error' => $error,
            'took_ms' => $took,
        ]];
    }

    public function call(int $message, int $index): ?stdClass
    {
        return $this->messages[$message]->model->calls[$index] ?? null;
    }

    public function lastTurn(): ?stdClass
    {
        for ($number = count($this->messages) - 1; $number >= 0; $number--) {
            if (isset($this->messages[$number]->model)) {
                return $this->messages[$number]->model;
            }
        }
        return null;
    }

    /** @return array{int, int} the tokens of all requests, and of all answers */
    public function usage(): array
    {
        $usage = [0, 0];
        foreach ($this->messages as $message) {
            $usage[0] += $message->model->input_tokens ?? 0;
            $usage[1] += $message->model->output_tokens ?? 0;
        }
        return $usage;
    }

    /** @return list<stdClass> the messages of a request of chat completions */
    public function request(string $system): array
    {
        $written = $system === '' ? [] : [self::said('system', $system)];
        foreach ($this->messages as $number => $message) {
            if (isset($message->user)) {
                $written[] = self::said('user', $message->user->text);
            } elseif (isset($message->model)) {
                array_push($written, ...$this->written($number, $message->model));
            }
        }
        return $written;
    }

    /** @return list<stdClass> */
    private function written(int $number, stdClass $turn): array
    {
        $written = [];
        foreach ($turn->raw as $message) {
            $holds = ($message->content ?? '') !== '' && ($message->content ?? []) !== [];
            $calls = ($message->tool_calls ?? []) !== [];
            if ($holds || $calls || ($message->role ?? '') !== 'assistant') {
                $written[] = self::takenBack($message);
            }
        }
        foreach ($turn->calls as $index => $call) {
            $content = self::content($call, $this->result($number, $index));
            if ($call->id === null) {
                $written[] = (object) [
                    'role' => 'function', 'name' => $call->name, 'content' => $content,
                ];
            } else {
                $written[] = (object) [
                    'role' => 'tool', 'tool_call_id' => $call->id, 'content' => $content,
                ];
            }
        }
        foreach ($turn->refusals as $refusal) {
            $written[] = self::said('user', $refusal);
        }
        return $written;
    }

    /** A message as servers take it back: they refuse arguments that are no object. */
    private static function takenBack(stdClass $message): stdClass
    {
        $message = unserialize(serialize($message));
        foreach (is_array($message->tool_calls ?? null) ? $message->tool_calls : [] as $call) {
            $text = $call->function->arguments ?? null;
            if (is_string($text) && !((Plain::read($text)[0] ?? null) instanceof stdClass)) {
                $call->function->arguments = '{}';
            }
        }
        return $message;
    }

    private static function content(stdClass $call, ?stdClass $result): string
    {
        if ($call->refusal !== null || $result === null) {
            return Plain::line((object) ['error' => $call->refusal ?? self::UNKNOWN]);
        }
        return $result->success ? Shown::text($result->data) : Shown::error($result);
    }

    private static function said(string $role, string $text): stdClass
    {
        return (object) ['role' => $role, 'content' => $text];
    }

    /** The result of a call; results stand behind the message of their call. */
    public function result(int $message, int $index): ?stdClass
    {
        for ($number = $message + 1; isset($this->messages[$number]->result); $number++) {
            $result = $this->messages[$number]->result;
            if ($result->message === $message && $result->index === $index) {
                return $result;
            }
        }
        return null;
    }

    /** The limit that was reached since the newest text of the user, if any. */
    private function reached(AgentLimits $limits): ?string
    {
        [$turns, $calls, $tokens, $worked, $repairs] = [0, 0, 0, 0, 0];
        for ($since = count($this->messages) - 1; $since > 0; $since--) {
            if (isset($this->messages[$since]->user)) {
                break;
            }
        }
        foreach (array_slice($this->messages, max(0, $since)) as $message) {
            $turn = $message->model ?? null;
            $worked += $turn->took_ms ?? $message->result->took_ms ?? 0;
            if ($turn === null) {
                continue;
            }
            $turns++;
            $calls += count($turn->calls);
            $tokens += $turn->input_tokens + $turn->output_tokens;
            $runs = array_filter($turn->calls, static function (stdClass $call): bool {
                return $call->refusal === null;
            });
            $isRepair = $runs === [] && ($turn->refusals !== [] || $turn->calls !== []);
            $repairs = $isRepair ? $repairs + 1 : 0;
        }
        $reached = [
            'turns' => $turns >= $limits->turns,
            'calls' => $calls > $limits->calls,
            'tokens' => $limits->tokens !== null && $tokens >= $limits->tokens,
            'seconds' => intdiv($worked, 1000) >= $limits->seconds,
            'repairs' => $repairs > $limits->repairs,
            'same_call' => $this->repeats(max(0, $since)) >= $limits->sameCall,
        ];
        $first = array_search(true, $reached, true);
        return $first === false ? null : $first;
    }

    /** How often the newest call gave what it gave, with the same arguments. */
    private function repeats(int $since): int
    {
        $outcomes = [];
        foreach (array_slice($this->messages, $since) as $message) {
            $result = $message->result ?? null;
            $call = $result === null ? null : $this->call($result->message, $result->index);
            if ($call !== null) {
                $known = [$call->name, $call->arguments, $result->data, $result->error];
                $outcomes[] = Plain::line($known);
            }
        }
        $newest = end($outcomes);
        return $newest === false ? 0 : count(array_keys($outcomes, $newest, true));
    }
}
