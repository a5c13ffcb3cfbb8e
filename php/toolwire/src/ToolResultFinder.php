<?php

declare(strict_types=1);

namespace Toolwire;

use Fiber;
use Toolwire\Plain\Misuse;
use Toolwire\Plain\Nearest;
use Toolwire\Plain\Result\Packet;
use Toolwire\Plain\Utf8;

/** Finds a handler's tool results in a pipeline's data packets. */
final class ToolResultFinder
{
    /** In how many fibers the filter may run at the same time. */
    private const MOST_FILTERING = 10000;

    /** @var callable|null */
    private static $filter = null;

    /**
     * The fibers in which the filter runs, by their ids, and 0 for none: its own searches are not
     * filtered, and those of other fibers are while it is suspended.
     *
     * @var array<int, true>
     */
    private static $filtering = [];

    private function __construct()
    {
    }

    /**
     * The first packet of a handler, in the array's order; null when there is none.
     *
     * @param array<array-key, mixed> $data
     * @return array<array-key, mixed>|null
     */
    public static function findHandlerResult(
        array $data,
        ?string $handler,
        bool $partialMatch = false,
        ?string $type = null,
        bool $successOnly = false
    ): ?array {
        self::checkType($type);
        $handler = (string) $handler;
        $handlers = [$handler => true];
        foreach ($data as $packet) {
            if (self::counts($packet, $handlers, $partialMatch, $type, $successOnly)) {
                return self::filtered($packet, $data, $handler);
            }
        }
        return self::filtered(null, $data, $handler);
    }

    /**
     * Every packet of any of the handlers, in the array's order, each once.
     *
     * @param array<array-key, mixed> $data
     * @param string|list<string>|null $handlers
     * @return list<array<array-key, mixed>>
     */
    public static function findAllHandlerResults(
        array $data,
        $handlers,
        bool $partialMatch = false,
        ?string $type = null,
        bool $successOnly = false
    ): array {
        self::checkType($type);
        $names = [];
        if ($handlers === null || is_scalar($handlers) || is_callable([$handlers, '__toString'])) {
            $handlers = (string) $handlers;
        }
        foreach (is_array($handlers) ? $handlers : [$handlers] as $name) {
            if (!is_string($name)) {
                $message = 'handlers must be strings, not ' . Misuse::typeName($name);
                throw Misuse::of('wrong_type', $message);
            }
            $names[$name] = true;
        }
        $found = [];
        foreach ($data as $packet) {
            if (self::counts($packet, $names, $partialMatch, $type, $successOnly)) {
                $found[] = $packet;
            }
        }
        return $found;
    }

    /**
     * The result of a packet's tool; an empty array when there is none.
     *
     * @param array<array-key, mixed> $entry
     * @return array<array-key, mixed>
     */
    public static function projectResultData(array $entry): array
    {
        return Packet::data($entry);
    }

    /**
     * The data of an envelope: its `result`, its `data`, or its fields without the status fields.
     *
     * @param array<array-key, mixed> $envelope
     * @return array<array-key, mixed>
     */
    public static function projectEnvelopeData(array $envelope): array
    {
        return Packet::envelopeData($envelope);
    }

    /**
     * The envelope of a packet; an empty array when it has none.
     *
     * @param array<array-key, mixed> $entry
     * @return array<array-key, mixed>
     */
    public static function projectResultEnvelope(array $entry): array
    {
        return Packet::envelope($entry) ?? [];
    }

    /**
     * Whether a packet's tool succeeded.
     *
     * @param array<array-key, mixed> $entry
     */
    public static function projectResultSuccess(array $entry): bool
    {
        return Packet::succeeded($entry);
    }

    /**
     * Sets a function that filters the results of `findHandlerResult()`; null removes it.
     *
     * @param callable|null $filter takes the result, the packets and the handler
     */
    public static function setFilter($filter = null): void
    {
        if ($filter !== null && !is_callable($filter)) {
            $message = 'filter must be callable or null, not ' . Misuse::typeName($filter);
            throw Misuse::of('wrong_type', $message);
        }
        self::$filter = $filter;
    }

    private static function checkType(?string $type): void
    {
        if ($type !== null && !in_array($type, Packet::TYPES, true)) {
            $message = 'unknown packet type "' . Utf8::shown($type, false) . '"'
                . Nearest::suggestion($type, Packet::TYPES);
            throw Misuse::of('unknown_packet_type', $message);
        }
    }

    /**
     * Whether a packet is found. An empty handler finds nothing by a part of the name.
     *
     * @param mixed $packet
     * @param array<array-key, true> $handlers
     */
    private static function counts(
        $packet,
        array $handlers,
        bool $partial,
        ?string $type,
        bool $successOnly
    ): bool {
        if (!is_array($packet)) {
            return false;
        }
        $name = Packet::handler($packet);
        if ($name === null || !self::names($name, $handlers, $partial)) {
            return false;
        }
        $kind = $packet['type'] ?? null;
        $wanted = $type === null ? in_array($kind, Packet::TYPES, true) : $kind === $type;
        return $wanted && (!$successOnly || Packet::succeeded($packet));
    }

    /** @param array<array-key, true> $handlers */
    private static function names(string $name, array $handlers, bool $partial): bool
    {
        if (!$partial) {
            return isset($handlers[$name]);
        }
        foreach ($handlers as $handler => $_) {
            if ($handler !== '' && strpos($name, (string) $handler) !== false) {
                return true;
            }
        }
        return false;
    }

    /**
     * @param array<array-key, mixed>|null $found
     * @param array<array-key, mixed> $data
     * @return array<array-key, mixed>|null
     */
    private static function filtered(?array $found, array $data, string $handler): ?array
    {
        $fiber = class_exists('Fiber', false) ? Fiber::getCurrent() : null;
        $place = $fiber === null ? 0 : spl_object_id($fiber);
        if (self::$filter === null || isset(self::$filtering[$place])) {
            return $found;
        }
        if (count(self::$filtering) >= self::MOST_FILTERING) {
            $message = 'the filter runs in ' . self::MOST_FILTERING . ' fibers already; it must '
                . 'not search in a fiber that it starts';
            throw Misuse::of('nested_too_deep', $message);
        }
        self::$filtering[$place] = true;
        try {
            $given = (self::$filter)($found, $data, $handler);
        } finally {
            unset(self::$filtering[$place]);
        }
        if ($given !== null && !is_array($given)) {
            $message = 'the filter must return an array or null, not ' . Misuse::typeName($given);
            throw Misuse::of('wrong_type', $message);
        }
        return $given;
    }
}
