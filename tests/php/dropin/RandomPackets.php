<?php

declare(strict_types=1);

namespace Toolwire\Tests\Dropin;

use ArrayObject;
use SimpleXMLElement;
use stdClass;

/** Random packets of every odd kind; the same seed gives the same packets. */
final class RandomPackets
{
    private const TYPES = [
        'tool_result', 'tool_result', 'ai_handler_complete', 'ai_handler_complete', 'fetch', '', 5,
        null,
    ];
    private const HANDLERS = [
        'alpha', 'alpha', 'beta', 'beta', 'Alpha', '', '0', '5', 5, 0, null, 1.5, false, "\xff\0",
    ];
    private const METADATA = [
        'handler_tool', 'tool_success', 'tool_result', 'tool_result_envelope', 'tool_result_data',
    ];
    private const ENVELOPE = [
        'success', 'error', 'message', 'code', 'tool_name', 'ability', 'executor', 'wp_error_code',
        'wp_error_data',
        'result', 'data', 'post_id', 'metadata', '7', 'Success', "\xff",
    ];

    /** Keys with the hashes of the finder's keys, as texts and as numbers. */
    private const SAME_HASH = [
        'tyqD', 'metadau@', 'handler_topK', PHP_INT_MIN | 6_385_745_159,
        PHP_INT_MIN | 7_572_665_281_747_366, -3_240_691_053_586_785_376,
    ];

    private int $state;
    private mixed $shared = null;
    private int $shelves = 0;
    public bool $overwrites = false;
    /** @var list<Shelf> */
    private array $armed = [];

    public function __construct(int $seed)
    {
        $this->state = $seed;
    }

    /** A number from 0 to `$count - 1`. */
    private function number(int $count): int
    {
        // A linear congruential generator, without its low bits: its numbers are the same in every
        // version of PHP.
        $this->state = ($this->state * 1_103_515_245 + 12_345) & 0x7fff_ffff;
        return ($this->state >> 8) % $count;
    }

    private function chance(int $percent): bool
    {
        return $this->number(100) < $percent;
    }

    private function one(array $choices): mixed
    {
        return $choices[$this->number(count($choices))];
    }

    public function handler(): mixed
    {
        return $this->one(self::HANDLERS);
    }

    /** A handler as an argument: mostly a text. */
    public function handlerArgument(): mixed
    {
        return $this->chance(85)
            ? $this->one(['alpha', 'beta', '', '0', '5', "\xff\0"])
            : $this->value(1);
    }

    /** @return array<array-key, mixed> */
    public function handlers(): array
    {
        $handlers = [];
        for ($i = $this->number(5); $i > 0; $i--) {
            $handlers[] = $this->chance(90) ? $this->handler() : $this->value(1);
        }
        if ($handlers !== [] && $this->chance(10)) {
            $shared = $handlers[0];
            $handlers['named'] = &$shared;
        }
        return $handlers;
    }

    /** @return array<array-key, mixed> */
    public function packets(): array
    {
        $this->armed = [];
        $packets = [];
        // Most lists are short; a few are long enough for packets to be fetched ahead.
        $count = $this->chance(1) && $this->chance(10) ? 5000 : $this->number(16);
        $parsed = $this->chance(20);
        for ($i = 0; $i < $count; $i++) {
            $packet = $this->chance($count > 1000 ? 100 : 93) ? $this->packet() : $this->value(1);
            $packets[$this->key($i)] = $parsed ? self::parsed($packet) : $packet;
        }
        if ($packets !== [] && $this->chance(15)) {
            $keys = array_keys($packets);
            $shared = &$packets[$this->one($keys)];
            foreach ($this->armed as $shelf) {
                $shelf->aimAt($shared);
                $this->overwrites = true;
            }
            if ($this->chance(30)) {
                unset($packets[$this->one($keys)]);
            }
            $packets['again'] = &$shared;
        }
        return $packets;
    }

    /** A value that shares nothing, if JSON can hold it. */
    private static function parsed(mixed $value): mixed
    {
        $json = is_array($value) ? json_encode($value) : false;
        return $json === false ? $value : json_decode($json, true);
    }

    /** An array with other slots: after a hole, or after a key with the hash of another one. */
    private function moved(array $fields): array
    {
        if ($this->chance(5)) {
            $fields = [$this->one(self::SAME_HASH) => $this->one(['tool_result', 'alpha', []])]
                + $fields;
        }
        if ($this->chance(10)) {
            $fields = ['gone' => 'tool_result'] + $fields;
            unset($fields['gone']);
        }
        return $fields;
    }

    private function key(int $number): int|string
    {
        return $this->chance(95) ? $number : $this->one(["k$number", $number * 3, "$number"]);
    }

    /** A packet: mostly an array, sometimes an object with the same offsets. */
    public function packet(): mixed
    {
        $fields = [];
        foreach ($this->shuffled(['type', 'metadata', 'content', 'Type', 3]) as $field) {
            if ($this->chance(10)) {
                continue;
            }
            // Some keys are strings of their own, and others are interned.
            $key = is_string($field) && $this->chance(20) ? substr("$field.", 0, -1) : $field;
            $fields[$key] = match ($field) {
                'type' => $this->chance(95) ? $this->one(self::TYPES) : $this->value(1),
                'metadata' => $this->metadata(),
                default => $this->value(2),
            };
        }
        if (isset($fields['metadata']) && $this->chance(5)) {
            $metadata = $fields['metadata'];
            $fields['metadata'] = &$metadata;
            $fields['same'] = &$metadata;
        }
        return $this->chance(2) ? $this->object($fields) : $this->moved($fields);
    }

    private function metadata(): mixed
    {
        // Some packets share one array.
        if ($this->chance(5)) {
            return $this->shared;
        }
        $fields = [];
        foreach ($this->shuffled(self::METADATA) as $field) {
            if ($this->chance($field === 'handler_tool' ? 10 : 45)) {
                continue;
            }
            $fields[$field] = match ($field) {
                'handler_tool' => $this->chance(95) ? $this->handler() : $this->value(2),
                'tool_success' => $this->chance(60) ? true : $this->value(1),
                default => $this->chance(70) ? $this->envelope() : $this->value(2),
            };
        }
        return $this->shared = match (true) {
            $this->chance(2) => $this->object($fields),
            $this->chance(4) => $this->value(1),
            default => $this->moved($fields),
        };
    }

    /** @return array<array-key, mixed> */
    public function envelope(): array
    {
        $envelope = [];
        for ($i = $this->number(8); $i > 0; $i--) {
            $envelope[$this->one(self::ENVELOPE)] = $this->value(2);
        }
        if ($envelope !== [] && $this->chance(10)) {
            $shared = 'shared';
            $envelope['kept'] = &$shared;
            $envelope['error'] = &$shared;
        }
        return $envelope;
    }

    /** An object with offsets, or one without. */
    private function object(array $fields): object
    {
        if ($this->chance(40)) {
            $element = new SimpleXMLElement('<a type="tool_result"/>');
            return $this->one([(object) $fields, new ArrayObject($fields), $element]);
        }
        $manner = $this->one([
            'fair', 'fair', 'fair', 'fair', 'throws early', 'throws late', 'overwrites',
        ]);
        $shelf = new Shelf($fields, $manner, $this->shelves++);
        if ($manner === 'overwrites') {
            $this->armed[] = $shelf;
        }
        return $shelf;
    }

    /** A value of any kind. */
    public function value(int $depth): mixed
    {
        $kind = $this->number($depth > 0 ? 24 : 18);
        return match ($kind) {
            0, 1 => null,
            2, 3 => true,
            4, 5 => false,
            6 => 0,
            7 => $this->number(10) - 5,
            8 => '',
            9 => '0',
            10 => 'false',
            11 => '0.0',
            12 => -0.0,
            13 => NAN,
            14 => 1.5,
            15 => $this->one(['alpha', 'tool_result', 'text', "\xff\xfe"]),
            16 => [],
            17 => [0],
            18 => new stdClass(),
            19 => new SimpleXMLElement('<a/>'),
            20 => static fn (): int => 1,
            21 => Suit::Spades,
            default => $this->nested($depth - 1),
        };
    }

    /** @return array<array-key, mixed> */
    private function nested(int $depth): array
    {
        $nested = [];
        for ($i = $this->number(4); $i > 0; $i--) {
            $nested[$this->one(['a', 'b', '7', 7, -1, 'result', 'success'])] = $this->value($depth);
        }
        return $nested;
    }

    private function shuffled(array $values): array
    {
        for ($i = count($values) - 1; $i > 0; $i--) {
            $j = $this->chance(80) ? $i : $this->number($i + 1);
            [$values[$i], $values[$j]] = [$values[$j], $values[$i]];
        }
        return $values;
    }
}

enum Suit
{
    case Spades;
}
