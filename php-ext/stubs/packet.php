<?php

/** Stubs of the finder of one handler's results in data packets. */

namespace Toolwire {
    use Toolwire\Exception\InvalidArgument;
    use Toolwire\Exception\WrongType;

    /**
     * Finds a handler's tool results in a pipeline's data packets.
     *
     * A packet counts when its `type` is `tool_result` or `ai_handler_complete` and its
     * `metadata.handler_tool` is the handler. Packets are read in place: the methods return the
     * caller's own arrays. An entry that is not an array, or lacks a field, is skipped. Nothing is
     * logged.
     */
    final class ToolResultFinder
    {
        private function __construct()
        {
        }

        /**
         * The first packet of a handler, in the array's order; null when there is none.
         *
         * @param array<array-key, mixed> $data the packets
         * @param bool $partialMatch whether a handler that contains `$handler` counts
         * @param string|null $type the only type that counts
         * @param bool $successOnly whether the tool must have succeeded, as
         *     `projectResultSuccess()` tells
         *
         * @return array<array-key, mixed>|null
         *
         * @throws InvalidArgument for an unknown type
         */
        public static function findHandlerResult(
            array $data,
            string $handler,
            bool $partialMatch = false,
            ?string $type = null,
            bool $successOnly = false,
        ): ?array {
        }

        /**
         * Every packet of any of the handlers, in the array's order, each once. The filter does not
         * see them.
         *
         * @param array<array-key, mixed> $data the packets
         * @param string|list<string> $handlers
         *
         * @return list<array<array-key, mixed>>
         *
         * @throws InvalidArgument for an unknown type
         * @throws WrongType for a handler that is not a string
         */
        public static function findAllHandlerResults(
            array $data,
            string|array $handlers,
            bool $partialMatch = false,
            ?string $type = null,
            bool $successOnly = false,
        ): array {
        }

        /**
         * The result of a packet's tool; an empty array when there is none.
         *
         * @param array<array-key, mixed> $entry
         *
         * @return array<array-key, mixed>
         */
        public static function projectResultData(array $entry): array
        {
        }

        /**
         * The data of an envelope: its `result`, its `data`, or its fields without the status
         * fields.
         *
         * @param array<array-key, mixed> $envelope
         *
         * @return array<array-key, mixed>
         */
        public static function projectEnvelopeData(array $envelope): array
        {
        }

        /**
         * The envelope of a packet; an empty array when it has none.
         *
         * @param array<array-key, mixed> $entry
         *
         * @return array<array-key, mixed>
         */
        public static function projectResultEnvelope(array $entry): array
        {
        }

        /**
         * Whether a packet's tool succeeded.
         *
         * @param array<array-key, mixed> $entry
         */
        public static function projectResultSuccess(array $entry): bool
        {
        }

        /**
         * Sets a function that filters the results of `findHandlerResult()` for the rest of the
         * request; null removes it. While it runs, searches of its own fiber are not filtered, and
         * those of other fibers are.
         *
         * @param (callable(array<array-key, mixed>|null, array<array-key, mixed>, string):
         *     ?array<array-key, mixed>)|null $filter takes the result, the packets and the handler;
         *     returns the result
         *
         * @throws WrongType if it is not callable; the finder throws it if the filter returns
         *     anything but an array or null, and `InvalidState` (`nested_too_deep`) if the filter
         *     runs in 10,000 fibers at once. What the filter throws comes through
         */
        public static function setFilter(?callable $filter = null): void
        {
        }
    }
}
