<?php

declare(strict_types=1);

namespace Toolwire\Plain\Agent;

use stdClass;
use Toolwire\Detection;
use Toolwire\Detector;
use Toolwire\Plain\Json\Plain;
use Toolwire\Text;
use Toolwire\ToolCall;
use Toolwire\Tools\Exception\AgentException;

/** Reads a response of chat completions into what a conversation keeps of it. */
final class Turn
{
    private const CUT_OFF = 'Your tool call was not run: your message was cut off at its limit of '
        . 'tokens, so the call may be a part only. Write it again, shorter.';

    /** The reasons with which servers say that the model was cut off. */
    private const CUT_OFF_REASONS = [
        'length', 'max_tokens', 'MAX_TOKENS', 'max_output_tokens', 'model_length',
        'model_context_window_exceeded',
    ];

    /** The members with a message's reasoning; servers that write two write the same in both. */
    private const REASONING = ['reasoning_content', 'reasoning', 'thinking'];

    /** Rejections of what was only thought, shown or repeated. */
    private const NOT_MEANT = ['after_end', 'duplicate', 'in_code', 'in_reasoning'];

    /**
     * @param mixed $response decoded, with objects as `stdClass`
     * @throws AgentException `answer_unreadable`
     */
    public static function of($response, ?Detector $detector): stdClass
    {
        $message = self::message($response);
        [$text, $reasoning] = self::said($message);
        $usage = $response->usage ?? null;
        $turn = (object) [
            'raw' => [$message],
            'text' => $text,
            'reasoning' => $reasoning,
            'calls' => [],
            'refusals' => [],
            'paused' => false,
            'input_tokens' => self::count($usage->prompt_tokens ?? $usage->input_tokens ?? 0),
            'output_tokens' => self::count($usage->completion_tokens ?? $usage->output_tokens ?? 0),
            'took_ms' => 0,
            'cut_off' => self::isCutOff($response),
            'ends_for' => null,
        ];
        $calls = $message->tool_calls ?? [];
        if (is_array($calls) && $calls !== []) {
            self::takeCalls($turn, $calls);
            if ($detector !== null) {
                self::takeSaid($turn, $detector->detect($turn->text));
            }
        } elseif ($detector !== null) {
            self::takeText($turn, $detector);
        }
        if ($turn->cut_off && $turn->calls !== []) {
            $last = $turn->calls[count($turn->calls) - 1];
            $last->refusal = $last->refusal ?? self::CUT_OFF;
        }
        return $turn;
    }

    /** @param mixed $response */
    private static function message($response): stdClass
    {
        $choices = $response->choices ?? null;
        $first = null;
        foreach (is_array($choices) ? $choices : [] as $choice) {
            if (($choice->index ?? 0) === 0) {
                $first = $choice->message ?? null;
                break;
            }
        }
        if (!is_array($choices)) {
            $words = $response->error->message ?? null;
            $why = is_string($words)
                ? Failure::withoutSecrets($words)
                : 'this has the shape of no known provider\'s response';
            $message = "the model's answer: $why";
            throw AgentException::of('answer_unreadable', Text::visible($message));
        }
        if (!$first instanceof stdClass || get_object_vars($first) === []) {
            $message = 'the model\'s answer holds no message; its server may have refused the '
                . 'request';
            throw AgentException::of('answer_unreadable', $message);
        }
        return self::withObjects($first);
    }

    /** A message in which PHP's empty arrays, which stand for arguments, are objects. */
    private static function withObjects(stdClass $message): stdClass
    {
        foreach (is_array($message->tool_calls ?? null) ? $message->tool_calls : [] as $call) {
            if (($call->function->arguments ?? null) === []) {
                $call->function->arguments = new stdClass();
            }
        }
        return $message;
    }

    /** @return array{string, string} the text and the reasoning */
    private static function said(stdClass $message): array
    {
        $reasoning = '';
        foreach (self::REASONING as $name) {
            if (is_string($message->$name ?? null)) {
                $reasoning = $message->$name;
                break;
            }
        }
        $content = $message->content ?? '';
        if (!is_array($content)) {
            return [is_string($content) ? $content : '', $reasoning];
        }
        $text = '';
        foreach ($content as $part) {
            $type = $part->type ?? '';
            if ($type === '' || $type === 'text' || $type === 'output_text') {
                $text .= is_string($part->text ?? null) ? $part->text : '';
            } elseif ($type === 'refusal') {
                $text .= is_string($part->refusal ?? null) ? $part->refusal : '';
            } elseif ($type === 'thinking') {
                $reasoning .= self::thinking($part->thinking ?? '');
            }
        }
        return [$text, $reasoning];
    }

    /** @param mixed $thinking */
    private static function thinking($thinking): string
    {
        $parts = is_array($thinking) ? array_column($thinking, 'text') : [$thinking];
        return implode('', array_filter($parts, 'is_string'));
    }

    /** @param mixed $response */
    private static function isCutOff($response): bool
    {
        $reason = $response->choices[0]->finish_reason ?? $response->finish_reason ?? null;
        return in_array($reason, self::CUT_OFF_REASONS, true);
    }

    /** @param mixed $tokens */
    private static function count($tokens): int
    {
        return is_int($tokens) && $tokens > 0 ? $tokens : 0;
    }

    /**
     * Takes the calls that the server has read.
     *
     * @param array<mixed> $calls
     */
    private static function takeCalls(stdClass $turn, array $calls): void
    {
        foreach (array_values($calls) as $number => $call) {
            $read = ChatCalls::read($call, "/choices/0/message/tool_calls/$number");
            $id = is_string($call->id ?? null) && $call->id !== '' ? $call->id : null;
            if (isset($read['arguments'])) {
                $arguments = Plain::exact($read['arguments'])[0] ?? null;
                $turn->calls[] = self::call($id, $read['name'], $arguments);
                continue;
            }
            $told = Refusal::ofObject($read);
            if ($id === null) {
                $turn->refusals[] = $told;
                continue;
            }
            $name = is_string($call->function->name ?? null) ? $call->function->name : '';
            $turn->calls[] = self::call($id, $name, null, $told);
        }
    }

    /** Takes the reasoning and the calls that stand in the text of a message. */
    private static function takeText(stdClass $turn, Detector $detector): void
    {
        $found = $detector->detect($turn->text);
        self::takeSaid($turn, $found);
        foreach (self::worthTelling($found) as $rejection) {
            $turn->refusals[] = Refusal::ofText($rejection);
        }
        if ($found->calls === []) {
            return;
        }
        [$written, $used] = [[], []];
        foreach ($found->calls as $call) {
            $id = self::idOf($call, $used);
            $used[$id] = true;
            $arguments = Plain::exact($call->argumentsRaw)[0] ?? null;
            $arguments = $arguments instanceof stdClass ? $arguments : $call->argumentsObject();
            $turn->calls[] = self::call($id, $call->name, $arguments);
            $function = ['name' => $call->name, 'arguments' => $call->argumentsRaw];
            $written[] = ['id' => $id, 'type' => 'function', 'function' => (object) $function];
        }
        $content = trim($turn->text) === '' ? null : $turn->text;
        $message = ['role' => 'assistant', 'content' => $content];
        if ($turn->reasoning !== '') {
            $message['reasoning_content'] = $turn->reasoning;
        }
        $message['tool_calls'] = array_map(static function (array $call): stdClass {
            return (object) $call;
        }, $written);
        $turn->raw = [(object) $message];
    }

    private static function takeSaid(stdClass $turn, Detection $found): void
    {
        $turn->text = $found->text;
        $turn->reasoning .= (string) $found->reasoning;
    }

    /** @return list<\Toolwire\Rejection> the refused calls that the model is told of */
    private static function worthTelling(Detection $found): array
    {
        $meant = array_filter($found->rejections, static function ($rejection): bool {
            return !in_array($rejection->code, self::NOT_MEANT, true);
        });
        $saysMore = $found->calls !== [] || $meant !== [] || trim($found->text) !== '';
        return array_values($saysMore ? $meant : $found->rejections);
    }

    /**
     * The id of a call in a text: the one that the model wrote, where a server takes it and no
     * other call has it.
     *
     * @param array<array-key, true> $used
     */
    private static function idOf(ToolCall $call, array $used): string
    {
        $isTaken = preg_match('/^[\x21-\x7E]{1,40}$/D', $call->id) === 1
            && preg_match('/^call_[0-9a-f]{32}$/D', $call->id) !== 1;
        if ($isTaken && !isset($used[$call->id])) {
            return $call->id;
        }
        $signs = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
        for ($attempt = 0; true; $attempt++) {
            $suffix = $attempt === 0 ? '' : "\0" . pack('J', $attempt);
            $id = 'call_';
            foreach (str_split(substr(hash('sha256', $call->id . $suffix, true), 0, 24)) as $byte) {
                $id .= $signs[ord($byte) % 62];
            }
            if (!isset($used[$id])) {
                return $id;
            }
        }
    }

    private static function call(
        ?string $id,
        string $name,
        ?stdClass $arguments,
        ?string $refusal = null
    ): stdClass {
        $call = compact('id', 'name', 'arguments', 'refusal');
        return (object) $call;
    }
}
