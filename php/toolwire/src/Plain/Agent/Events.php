<?php

declare(strict_types=1);

namespace Toolwire\Plain\Agent;

use stdClass;
use Toolwire\Plain\Json\Plain;

/** What happened in a conversation, for people who look at it. */
final class Events
{
    /** @return list<array{type: string, data: array<string, mixed>}> from a message on */
    public static function of(Conversation $conversation, int $from): array
    {
        $events = [];
        foreach (array_slice($conversation->messages, $from, null, true) as $number => $message) {
            if (isset($message->user)) {
                $events[] = self::event('user', $number, ['text' => $message->user->text]);
            } elseif (isset($message->model)) {
                array_push($events, ...self::ofTurn($message->model, $number));
            } else {
                $result = $message->result;
                $call = $conversation->call($result->message, $result->index);
                $events[] = self::event('result', $number, [
                    'call_message' => $result->message,
                    'index' => $result->index,
                    'name' => $call->name ?? '',
                    'run' => $result->run,
                    'success' => $result->success,
                    'data' => Plain::arrays($result->data),
                    'error' => $result->error,
                ]);
            }
        }
        return $events;
    }

    /** @return list<array{type: string, data: array<string, mixed>}> */
    private static function ofTurn(stdClass $turn, int $number): array
    {
        $events = [];
        foreach (['reasoning', 'text'] as $type) {
            if ($turn->$type !== '') {
                $events[] = self::event($type, $number, ['text' => $turn->$type]);
            }
        }
        foreach ($turn->calls as $index => $call) {
            $known = ['index' => $index, 'name' => $call->name];
            $events[] = $call->refusal === null
                ? self::event('call', $number, $known + [
                    'arguments' => Plain::arrays($call->arguments),
                ])
                : self::event('rejected', $number, $known + ['reason' => $call->refusal]);
        }
        foreach ($turn->refusals as $reason) {
            $events[] = self::event('rejected', $number, ['reason' => $reason]);
        }
        $events[] = self::event('usage', $number, [
            'input_tokens' => $turn->input_tokens,
            'output_tokens' => $turn->output_tokens,
        ]);
        return $events;
    }

    /**
     * @param array<string, mixed> $data
     * @return array{type: string, data: array<string, mixed>}
     */
    private static function event(string $type, int $number, array $data): array
    {
        return ['type' => $type, 'data' => ['message' => $number] + $data];
    }
}
