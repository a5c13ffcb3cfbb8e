<?php

/**
 * The classes of other projects that the extension `toolwire` declares when the INI setting
 * `toolwire.dropins` names them, for editors and static analysers. Not to be included. None is
 * declared by default.
 *
 * Text is bytes. See docs/dropins.md.
 */

namespace DataMachine\Engine\AI\Tools {
    use Error;

    /**
     * Data Machine's live finder; declared for `datamachine`.
     *
     * Behaves exactly as the PHP class that it replaces. Arguments are coerced and refused with
     * PHP's own messages. Objects among the packets are read by `ArrayAccess`, in the same order.
     * The found packet itself is returned, with the references in it. The setting
     * `toolwire.dropins_strict` changes what counts as success.
     */
    class ToolResultFinder
    {
        /**
         * What a packet's tool gave: `metadata.tool_result_data` if it is an array that is not
         * empty, else what the envelope carries, else `[]`.
         *
         * @param array<array-key, mixed> $entry
         * @return array<array-key, mixed>
         */
        public static function projectResultData(array $entry): array
        {
        }

        /**
         * What an envelope carries: `result` or else `data` if it is an array, else the envelope
         * without `success`, `error`, `message`, `code`, `tool_name`, `ability`, `executor`,
         * `wp_error_code` and `wp_error_data`.
         *
         * @param array<array-key, mixed> $envelope
         * @return array<array-key, mixed>
         */
        public static function projectEnvelopeData(array $envelope): array
        {
        }

        /**
         * The envelope of a packet: `metadata.tool_result_envelope` or else `tool_result` if it is
         * an array, else one made of `tool_success` and `tool_result_data`, else `[]`.
         *
         * @param array<array-key, mixed> $entry
         * @return array<array-key, mixed>
         */
        public static function projectResultEnvelope(array $entry): array
        {
        }

        /**
         * Whether a packet's tool succeeded: the envelope's `success`, else
         * `metadata.tool_success`, else whether the packet's type is `ai_handler_complete`.
         *
         * @param array<array-key, mixed> $entry
         */
        public static function projectResultSuccess(array $entry): bool
        {
        }

        /**
         * The first packet of a handler: of type `ai_handler_complete`, or of type `tool_result`
         * with a true `metadata.tool_success`. Without one, it calls `do_action('datamachine_log',
         * 'error', 'AI did not execute handler tool', [...])`.
         *
         * @param array<array-key, mixed> $dataPackets
         * @return array<array-key, mixed>|null
         *
         * @throws Error for a packet that is an object without offsets, and when there is no
         *     `do_action()`
         */
        public static function findHandlerResult(
            array $dataPackets,
            string $handler,
            string $flow_step_id,
            bool $log_error_on_missing = true,
        ): ?array {
        }

        /**
         * The packets of each handler in turn, by the same conditions. Without any, it calls
         * `do_action('datamachine_log', 'error', 'AI did not execute any handler tools', [...])`.
         *
         * @param array<array-key, mixed> $dataPackets
         * @param array<array-key, mixed> $handler_slugs
         * @return list<mixed>
         *
         * @throws Error for a packet that is an object without offsets, and when there is no
         *     `do_action()`
         */
        public static function findAllHandlerResults(
            array $dataPackets,
            array $handler_slugs,
            string $flow_step_id,
        ): array {
        }
    }
}

namespace DataMachine\Engine\AI {
    use Toolwire\Exception\InvalidArgument;
    use Toolwire\Exception\WrongType;

    /**
     * The finder of Data Machine's document; declared for `datamachine`.
     *
     * Does what {@see \Toolwire\ToolResultFinder} does, and shares its filter.
     */
    class ToolResultFinder
    {
        /**
         * The first packet of a handler; null when there is none. Nothing is logged.
         *
         * @param array<array-key, mixed> $data
         * @return array<array-key, mixed>|null
         *
         * @throws InvalidArgument for a type that is not known
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
         * Every packet of any of the handlers, in the packets' order, each once.
         *
         * @param array<array-key, mixed> $data
         * @param string|list<string> $handlers
         * @return list<array<array-key, mixed>>
         *
         * @throws InvalidArgument for a type that is not known
         * @throws WrongType for a handler that is no string
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
         * What a packet's tool gave.
         *
         * @param array<array-key, mixed> $entry
         * @return array<array-key, mixed>
         */
        public static function projectResultData(array $entry): array
        {
        }

        /**
         * What an envelope carries.
         *
         * @param array<array-key, mixed> $envelope
         * @return array<array-key, mixed>
         */
        public static function projectEnvelopeData(array $envelope): array
        {
        }

        /**
         * The envelope of a packet.
         *
         * @param array<array-key, mixed> $entry
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
         * Sets the function that filters every result of `findHandlerResult`; null removes it.
         *
         * @param (callable(?array, array, string): ?array)|null $filter
         */
        public static function setFilter(?callable $filter = null): void
        {
        }
    }
}
