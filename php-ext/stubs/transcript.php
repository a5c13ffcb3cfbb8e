<?php

/** Stubs of logs of agents, read into entries and patches. */

namespace Toolwire {
    use Countable;
    use Toolwire\Exception\InvalidArgument;

    /**
     * A whole log of an agent, its calls joined with their results.
     *
     * Each access makes a new list.
     */
    final class Transcript implements Countable
    {
        /** @var list<Entry> the entries as they are at the end */
        public readonly array $entries;

        /** @var list<Patch> the changes that made the entries */
        public readonly array $patches;

        /** @var list<Entry> the entries that are calls */
        public readonly array $calls;

        /** @var list<Entry> the calls that have no result */
        public readonly array $pending;

        /** The session's id, if the log names it. */
        public readonly ?string $sessionId;

        /** Whose log it is, one of `dialects()`; null when that is not known. */
        public readonly ?string $dialect;

        /**
         * What was in the log: how many records were understood, skipped, repaired and damaged, and
         * how many calls have their result.
         *
         * @var array<string, mixed>
         */
        public readonly array $account;

        /** What the log looks like, if no dialect is known for it; else null. */
        public readonly ?string $look;

        private function __construct()
        {
        }

        /**
         * Reads a whole log. No log throws: a line that is no event becomes an entry too.
         *
         * @param string|null $worktree the folder that the agent worked in, from which paths are
         *     shown
         * @param string|null $stderr what the agent wrote to standard error
         * @param string $dialect whose log it is, or `auto`
         * @param bool $faithful whether entries are byte for byte those of vibe-kanban's Droid log
         *     normaliser
         *
         * @throws InvalidArgument for an unknown dialect
         */
        public static function normalize(
            string $text,
            ?string $worktree = null,
            ?string $stderr = null,
            string $dialect = 'auto',
            bool $faithful = false
        ): Transcript {
        }

        /**
         * Writes an index of the pages of many sessions, the newest first: one HTML page with a
         * filter that loads no other file.
         *
         *     $session = Toolwire\Transcript::normalize('Hello');
         *     $index = Toolwire\Transcript::indexHtml(['a b.html' => $session]);
         *     echo str_contains($index, '<a href="./a%20b.html">') ? 'linked' : 'lost'; // linked
         *
         * @param array<string, Transcript> $pages each session by the path of its page, from the
         *     index on
         *
         * @throws WrongType for anything but transcripts
         */
        public static function indexHtml(array $pages): string
        {
        }

        /** @return list<string> the dialects that are known */
        public static function dialects(): array
        {
        }

        /** @return list<ToolResult> the results of the calls that have one, for a report */
        public function toResults(): array
        {
        }

        /**
         * The session as one HTML page without other files. Nothing from the log is markup in it.
         */
        public function toHtml(): string
        {
        }

        /** The number of entries. */
        public function count(): int
        {
        }
    }

    /**
     * Joins calls with their results while a log grows. It holds the calls that wait for a result
     * and nothing else of the log, so it reads logs of any size.
     */
    final class Reader
    {
        /** The session's id, once the log has named it. */
        public readonly ?string $sessionId;

        /** Whose log it is; null while that is not known. */
        public readonly ?string $dialect;

        /** @var list<Entry> the calls that wait for a result, the oldest first */
        public readonly array $pending;

        /**
         * How many calls were dropped because more than 16 MiB of calls waited; their entries stay
         * as they were created.
         */
        public readonly int $givenUp;

        /** @var array<string, mixed> what was in the log so far */
        public readonly array $account;

        /** What the log looks like, if no dialect is known for it; else null. */
        public readonly ?string $look;

        /**
         * The parameters are those of {@see Transcript::normalize()}.
         *
         * @throws InvalidArgument for an unknown dialect
         */
        public function __construct(
            ?string $worktree = null,
            string $dialect = 'auto',
            bool $faithful = false,
        ) {
        }

        /**
         * Takes in a line, with its line end or without, or several.
         *
         * @return list<Patch>
         */
        public function feed(string $line): array
        {
        }

        /**
         * Takes in a piece of the log that may end anywhere; gives the patches of the lines that it
         * completes.
         *
         * @return list<Patch>
         */
        public function feedPiece(string $piece): array
        {
        }

        /**
         * Ends the log. The text behind the last line end counts as a line.
         *
         * @return list<Patch>
         */
        public function finish(): array
        {
        }
    }

    /**
     * One entry of a transcript: a message, or a call with its result. Fields that only calls have
     * are null for a message.
     */
    final class Entry
    {
        /**
         * `system_message`, `user_message`, `assistant_message`, `thinking`, `error_message` or
         * `tool_use`.
         */
        public readonly string $type;

        /** The text of a message; for a call, one line that describes it. */
        public readonly string $content;

        /**
         * The kind of tool (`read`, `edit`, `bash`, `search`, `fetch`, `todo`), else the tool's
         * name.
         */
        public readonly ?string $toolName;

        /** The tool's name in the log. */
        public readonly ?string $name;

        /** The id of the call; empty for none. */
        public readonly ?string $id;

        /** `created`, `success` or `failed`. */
        public readonly ?string $status;

        /** The arguments. */
        public readonly mixed $arguments;

        /** The JSON text of the arguments. */
        public readonly ?string $argumentsRaw;

        /**
         * @var array<string, mixed>|null what the call does: `action` and what belongs to it, as
         *     `path` and `changes`
         */
        public readonly ?array $action;

        /**
         * @var array{kind: string, message: string}|null what went wrong; null unless the call
         *     failed
         */
        public readonly ?array $error;

        /** When the call was made, in milliseconds since 1970, where the log says it. */
        public readonly ?int $started;

        /** How long the tool ran, in milliseconds, where the log says it. */
        public readonly ?int $duration;

        /**
         * @var array<string, mixed>|null what else the log says of the entry: `at`, `model`,
         *     `tokens`, `cost`, `stop`, `parent`, `agent`, `session`, `folder`
         */
        public readonly ?array $about;

        /** The result of the call; null while there is none. */
        public readonly ?ToolResult $result;

        /** @var array<string, mixed> all of it, for `fromArray()` */
        public readonly array $record;

        private function __construct()
        {
        }

        /**
         * @return array{timestamp: null, entry_type: array<string, mixed>, content: string,
         *     metadata: ?array<string, mixed>}
         */
        public function toArray(): array
        {
        }

        /**
         * Makes an object from `record`.
         *
         * @param array<string, mixed> $fields
         * @throws InvalidArgument `invalid_record`, when a field is missing or cannot be
         */
        public static function fromArray(array $fields): Entry
        {
        }

        /** The code that `var_export()` writes calls this method. */
        public static function __set_state(array $properties): Entry
        {
        }

        public function __serialize(): array
        {
        }

        public function __unserialize(array $fields): void
        {
        }
    }

    /**
     * One change of the list of entries: a new entry, or a new state of an entry.
     */
    final class Patch
    {
        /** `add` or `replace`. */
        public readonly string $op;

        /** The entry's place in the list. */
        public readonly int $index;

        /** The JSON Pointer of the entry. */
        public readonly string $path;

        /** The entry after the change. */
        public readonly Entry $entry;

        /** @var array<string, mixed> all of it, for `fromArray()` */
        public readonly array $record;

        private function __construct()
        {
        }

        /**
         * @return array{op: string, path: string, value: array<string, mixed>} an operation of JSON
         *     Patch (RFC 6902)
         */
        public function toArray(): array
        {
        }

        /**
         * Makes an object from `record`.
         *
         * @param array<string, mixed> $fields
         * @throws InvalidArgument `invalid_record`, when a field is missing or cannot be
         */
        public static function fromArray(array $fields): Patch
        {
        }

        /** The code that `var_export()` writes calls this method. */
        public static function __set_state(array $properties): Patch
        {
        }

        public function __serialize(): array
        {
        }

        public function __unserialize(array $fields): void
        {
        }
    }
}
