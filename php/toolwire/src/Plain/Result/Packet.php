<?php

declare(strict_types=1);

namespace Toolwire\Plain\Result;

use stdClass;
use Toolwire\Plain\Values;

/** Reads what a tool gave from a data packet, and what a tool's return value says. */
final class Packet
{
    /** The types of packets that carry a tool's result. */
    public const TYPES = ['tool_result', 'ai_handler_complete'];

    /** The keys of an envelope that describe the run, not its outcome. */
    private const STATUS_KEYS = [
        'success', 'error', 'message', 'code', 'tool_name', 'ability', 'executor', 'wp_error_code',
        'wp_error_data',
    ];

    /**
     * The handler of a packet, if it has one that is a text.
     *
     * @param array<array-key, mixed> $packet
     */
    public static function handler(array $packet): ?string
    {
        $metadata = $packet['metadata'] ?? null;
        $handler = is_array($metadata) ? $metadata['handler_tool'] ?? null : null;
        return is_string($handler) ? $handler : null;
    }

    /**
     * The envelope of a packet; null when it has none.
     *
     * @param array<array-key, mixed> $packet
     * @return array<array-key, mixed>|null
     */
    public static function envelope(array $packet): ?array
    {
        $metadata = self::container($packet, 'metadata');
        return $metadata === null ? null : self::envelopeIn($metadata) ?? self::made($metadata);
    }

    /**
     * What an envelope carries: a container `result` or `data`, or itself without status keys.
     *
     * @param array<array-key, mixed> $envelope
     * @return array<array-key, mixed>
     */
    public static function envelopeData(array $envelope): array
    {
        $carried = self::container($envelope, 'result') ?? self::container($envelope, 'data');
        if ($carried !== null) {
            return $carried;
        }
        if (!Values::isList($envelope)) {
            foreach (self::STATUS_KEYS as $key) {
                unset($envelope[$key]);
            }
        }
        return $envelope;
    }

    /**
     * What a packet's tool gave; empty when it gave nothing.
     *
     * @param array<array-key, mixed> $packet
     * @return array<array-key, mixed>
     */
    public static function data(array $packet): array
    {
        $metadata = self::container($packet, 'metadata') ?? [];
        $data = self::container($metadata, 'tool_result_data');
        if ($data !== null && $data !== []) {
            return $data;
        }
        $envelope = self::envelopeIn($metadata);
        if ($envelope === null) {
            return $data ?? [];
        }
        return $envelope === [] ? [] : self::envelopeData($envelope);
    }

    /**
     * Whether a packet's tool succeeded.
     *
     * @param array<array-key, mixed> $packet
     */
    public static function succeeded(array $packet): bool
    {
        $metadata = self::container($packet, 'metadata');
        if ($metadata !== null) {
            $envelope = self::envelopeIn($metadata) ?? self::made($metadata);
            if ($envelope !== null && array_key_exists('success', $envelope)) {
                return Values::truthy($envelope['success']);
            }
            if (array_key_exists('tool_success', $metadata)) {
                return Values::truthy($metadata['tool_success']);
            }
        }
        return ($packet['type'] ?? null) === 'ai_handler_complete';
    }

    /**
     * Whether a tool's return value says that the tool failed, and the text that says why.
     *
     * @param mixed $returned
     * @return array{bool, ?string}
     */
    public static function failure($returned): array
    {
        $members = self::members($returned);
        $error = $members['error'] ?? null;
        $failed = array_key_exists('success', $members)
            ? !Values::truthy($members['success'])
            : Values::truthy($error);
        if (!$failed) {
            return [$returned === false, null];
        }
        $inner = self::members($error)['message'] ?? null;
        foreach ([$error, $inner, $members['message'] ?? null] as $reason) {
            if (is_string($reason) && $reason !== '') {
                return [true, $reason];
            }
        }
        return [true, null];
    }

    /**
     * @param array<array-key, mixed> $metadata
     * @return array<array-key, mixed>|null
     */
    private static function envelopeIn(array $metadata): ?array
    {
        return self::container($metadata, 'tool_result_envelope')
            ?? self::container($metadata, 'tool_result');
    }

    /**
     * The envelope that is made where there is data without one.
     *
     * @param array<array-key, mixed> $metadata
     * @return array<array-key, mixed>|null
     */
    private static function made(array $metadata): ?array
    {
        $data = self::container($metadata, 'tool_result_data');
        if ($data === null) {
            return null;
        }
        $success = Values::truthy($metadata['tool_success'] ?? false);
        return ['success' => $success, 'result' => $data];
    }

    /**
     * @param array<array-key, mixed> $array
     * @return array<array-key, mixed>|null
     */
    private static function container(array $array, string $key): ?array
    {
        $value = $array[$key] ?? null;
        return is_array($value) ? $value : null;
    }

    /**
     * @param mixed $value
     * @return array<array-key, mixed>
     */
    private static function members($value): array
    {
        return is_array($value) ? $value : ($value instanceof stdClass ? (array) $value : []);
    }
}
