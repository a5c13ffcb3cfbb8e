<?php

namespace DataMachine\Engine\AI\Tools;

/**
 * Data Machine's live finder as plain PHP. Tests compare the drop-in with it.
 *
 * The class has a name of its own so that both can be declared; everything else is as the live
 * class has it.
 */
class PlainToolResultFinder
{
    private const STATUS = [
        'success', 'error', 'message', 'code', 'tool_name', 'ability', 'executor', 'wp_error_code',
        'wp_error_data',
    ];

    public static function projectResultData(array $entry): array
    {
        $metadata = self::metadata($entry);
        $data = $metadata['tool_result_data'] ?? null;
        if (is_array($data) && $data !== []) {
            return $data;
        }
        $envelope = self::projectResultEnvelope($entry);
        return $envelope === [] ? [] : self::projectEnvelopeData($envelope);
    }

    public static function projectEnvelopeData(array $envelope): array
    {
        foreach (['result', 'data'] as $key) {
            if (is_array($envelope[$key] ?? null)) {
                return $envelope[$key];
            }
        }
        foreach (self::STATUS as $key) {
            unset($envelope[$key]);
        }
        return $envelope;
    }

    public static function projectResultEnvelope(array $entry): array
    {
        $metadata = self::metadata($entry);
        foreach (['tool_result_envelope', 'tool_result'] as $key) {
            if (is_array($metadata[$key] ?? null)) {
                return $metadata[$key];
            }
        }
        if (!is_array($metadata['tool_result_data'] ?? null)) {
            return [];
        }
        return [
            'success' => (bool) ($metadata['tool_success'] ?? false),
            'result' => $metadata['tool_result_data'],
        ];
    }

    public static function projectResultSuccess(array $entry): bool
    {
        $envelope = self::projectResultEnvelope($entry);
        if (array_key_exists('success', $envelope)) {
            return (bool) $envelope['success'];
        }
        $metadata = self::metadata($entry);
        if (array_key_exists('tool_success', $metadata)) {
            return (bool) $metadata['tool_success'];
        }
        return ($entry['type'] ?? '') === 'ai_handler_complete';
    }

    public static function findHandlerResult(
        array $dataPackets,
        string $handler,
        string $flow_step_id,
        bool $log_error_on_missing = true
    ): ?array {
        foreach ($dataPackets as $packet) {
            $type = $packet['type'] ?? '';
            if ($type === 'ai_handler_complete') {
                if (($packet['metadata']['handler_tool'] ?? '') === $handler) {
                    return $packet;
                }
            } elseif ($type === 'tool_result') {
                $named = $packet['metadata']['handler_tool'] ?? '';
                $succeeded = $packet['metadata']['tool_success'] ?? false;
                if ($named === $handler && $succeeded) {
                    return $packet;
                }
            }
        }
        if ($log_error_on_missing) {
            $context = ['handler' => $handler, 'flow_step_id' => $flow_step_id];
            do_action('datamachine_log', 'error', 'AI did not execute handler tool', $context);
        }
        return null;
    }

    public static function findAllHandlerResults(
        array $dataPackets,
        array $handler_slugs,
        string $flow_step_id,
    ): array {
        $found = [];
        foreach ($handler_slugs as $slug) {
            foreach ($dataPackets as $packet) {
                $type = $packet['type'] ?? '';
                $named = $packet['metadata']['handler_tool'] ?? '';
                if ($named !== $slug) {
                    continue;
                }
                $completed = $type === 'ai_handler_complete';
                if (
                    $completed
                    || ($type === 'tool_result' && ($packet['metadata']['tool_success'] ?? false))
                ) {
                    $found[] = $packet;
                }
            }
        }
        if ($found === []) {
            $context = ['handlers' => $handler_slugs, 'flow_step_id' => $flow_step_id];
            do_action('datamachine_log', 'error', 'AI did not execute any handler tools', $context);
        }
        return $found;
    }

    private static function metadata(array $entry): array
    {
        $metadata = $entry['metadata'] ?? [];
        return is_array($metadata) ? $metadata : [];
    }
}
