<?php

/** Stubs of a tool's result, and of a report of many. */

namespace Toolwire {
    use Countable;
    use Toolwire\Exception\InvalidArgument;
    use Toolwire\Exception\WrongType;

    /** The result of running one tool. */
    final class ToolResult
    {
        /** The tool's name. */
        public readonly string $tool;

        /** Whether it ran without an error. */
        public readonly bool $success;

        /** Its data. */
        public readonly mixed $data;

        /** What went wrong. */
        public readonly ?string $errorMessage;

        /** How sure the tool is, from 0 to 1. */
        public readonly float $confidence;

        public function __construct(
            string $tool,
            bool $success,
            mixed $data,
            ?string $errorMessage = null,
            float $confidence = 0.0,
        ) {
        }

        /**
         * Makes a result from what a tool returned. The tool failed if it returned false, or an
         * array or `stdClass` whose `success` is false or that has an `error` and no `success`. The
         * error message is the first of these that is a text: the `error`, its `message`, the
         * `message`. Else it is null.
         *
         *     $returned = ['success' => false, 'message' => 'Not you.'];
         *     $denied = Toolwire\ToolResult::fromReturned('wp_api', $returned);
         *     echo $denied->errorMessage; // Not you.
         */
        public static function fromReturned(string $tool, mixed $returned): ToolResult
        {
        }

        /**
         * @return array{tool: string, success: bool, data: mixed, confidence: float, error_message:
         *     ?string}
         */
        public function toArray(): array
        {
        }

        /**
         * Makes an object from the result of `toArray()`.
         *
         * @param array<string, mixed> $fields
         * @throws InvalidArgument `invalid_record`, when a field is missing or cannot be
         */
        public static function fromArray(array $fields): ToolResult
        {
        }

        /** The code that `var_export()` writes calls this method. */
        public static function __set_state(array $properties): ToolResult
        {
        }

        public function __serialize(): array
        {
        }

        public function __unserialize(array $fields): void
        {
        }
    }

    /** Results with their counts. `count()` is the number of results. */
    final class Report implements Countable
    {
        public function __construct()
        {
        }

        /** Adds a result. */
        public function add(ToolResult $result): void
        {
        }

        /** The number of results. */
        public function count(): int
        {
        }

        /** The number of results that succeeded. */
        public function succeeded(): int
        {
        }

        /** The number of results that failed. */
        public function failed(): int
        {
        }

        /** The share that succeeded, from 0 to 1; null of no results. */
        public function successRate(): ?float
        {
        }

        /** The mean confidence of the results that succeeded; null when none did. */
        public function meanConfidence(): ?float
        {
        }

        /**
         * The counts of each tool, in the order of first appearance.
         *
         * @return array<array-key, array{total: int, succeeded: int, failed: int, success_rate:
         *     ?float, mean_confidence: ?float}>
         */
        public function byTool(): array
        {
        }

        /** @return list<ToolResult> the results, in the order they were added */
        public function results(): array
        {
        }

        /**
         * The results as text for a prompt.
         *
         * @param int|null $maxTokens about so many tokens (1.3 a word) are kept: lines of data are
         *     left out, the largest first, then whole results, and the text says how many
         *
         * @throws WrongType if a successful result's data is neither a map nor empty
         */
        public function summary(?int $maxTokens = null): string
        {
        }

        /**
         * One tool's data as text for a prompt, a line for each entry.
         *
         * @throws WrongType if the data is neither a map nor empty
         */
        public static function summarizeData(mixed $data): string
        {
        }

        /**
         * The counts, those of each tool under `by_tool`, and the `results`.
         *
         * @return array<string, mixed>
         */
        public function toArray(): array
        {
        }

        /**
         * The same as JSON text, indented.
         *
         * @throws WrongType if data nests too deep, or holds itself
         */
        public function toJson(): string
        {
        }
    }
}
