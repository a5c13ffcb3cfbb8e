<?php

/** Stubs of what undo needs, and where it is kept. */

namespace Toolwire\Tools {
    use Countable;

    /** What an undo handler is given. */
    final class UndoMetadata
    {
        public readonly string $runId;
        public readonly string $toolName;
        /** @var array<mixed> */
        public readonly array $undoData;
        public readonly string $createdAt;

        private function __construct()
        {
        }

        /**
         * @return array{run_id: string, tool_name: string, undo_data: array<mixed>, created_at:
         *     string}
         */
        public function toArray(): array
        {
        }
    }

    /** The undo data of actions that have run, in a store. */
    final class UndoStore implements Countable
    {
        /** @param float $ttl the seconds for which a run may be undone */
        public function __construct(Store $store, float $ttl = 3600.0)
        {
        }

        /**
         * Stores undo data on top of what the id has: if an id ran more than once, the
         * newest run is undone first. At most 32 runs with one id are kept; one more throws.
         *
         * @param array<mixed> $undoData what JSON can say
         */
        public function store(
            string $runId,
            string $toolName,
            array $undoData,
            ?float $ttl = null,
        ): UndoMetadata {
        }

        public function get(string $runId): ?UndoMetadata
        {
        }

        /** Whether there was an entry. */
        public function delete(string $runId): bool
        {
        }

        /**
         * @return list<UndoMetadata> the newest of each action, in the order in which the actions
         *     first had some
         */
        public function all(): array
        {
        }

        /** Removes the expired entries, and returns their number. */
        public function cleanupExpired(): int
        {
        }

        /** The number of actions, with those that have expired and were not removed. */
        public function count(): int
        {
        }
    }
}
