<?php

/**
 * The classes of the extension `toolwire` that compare, for editors and static analysers. Not to be
 * included.
 */

namespace Toolwire {
    use Toolwire\Exception\InvalidArgument;
    use Toolwire\Exception\WrongType;

    /**
     * What changed between two texts, two values or two sets of fields.
     *
     * The time is nearly linear for every input: where a minimal diff would take longer, the diff
     * is not minimal.
     *
     *     $diff = Toolwire\Diff::text("Hello\nWorld\n", "Hello\nPHP\nWorld\n");
     *     echo $diff->changeSummary(); // +1
     */
    final class Diff
    {
        private function __construct()
        {
        }

        /**
         * Finds the lines that were removed and added.
         *
         * Equal texts have an empty diff. A removed or added last line without an end is followed
         * by `\ No newline at end of file`; if both texts have that line, the diff ends with it.
         *
         *     $diff = Toolwire\Diff::text("red\ngreen\n", "red\nblue\n", type: 'line_by_line');
         *     $lines = explode("\n", $diff->diffOutput);
         *     echo json_encode(array_slice($lines, 2)); // ["  red","- green","+ blue",""]
         *
         * @param string $type how it is written: `unified`, `context`, or `line_by_line` with every
         *     line; `json_patch` gives a unified diff under that name
         * @param int $contextLines how many lines before and behind a change are shown
         * @param string $fromFile what the old text is called; quoted if it holds control
         *     characters other than a tab
         * @param string $toFile what the new text is called
         *
         * @throws InvalidArgument for an unknown type or a negative number of lines
         */
        public static function text(
            string $old,
            string $new,
            string $type = 'unified',
            int $contextLines = 3,
            string $fromFile = 'a/original',
            string $toFile = 'b/modified',
        ): DiffResult {
        }

        /**
         * Finds the operations of an RFC 6902 patch that makes the old value the new one.
         *
         * Types matter: 1, 1.0 and true differ. Null at the root counts as an empty object. An
         * empty array is a list; pass an object without properties for `{}`.
         *
         *     $old = ['name' => 'Alice', 'age' => 30];
         *     $diff = Toolwire\Diff::json($old, ['name' => 'Alice', 'age' => 31]);
         *     echo json_decode($diff->diffOutput)[0]->path; // /age
         *
         * @throws WrongType for a value that nests deeper than 512 levels or holds millions of
         *     values
         */
        public static function json(mixed $old, mixed $new): DiffResult
        {
        }

        /**
         * Finds the fields that were removed, added and changed, in this order; values are compared
         * and shown as JSON, objects as `json_encode()` writes them.
         *
         *     $old = ['status' => 'draft', 'n' => 1];
         *     $diff = Toolwire\Diff::structured($old, ['status' => 'live', 'n' => 2], ['n']);
         *     echo $diff->changes[1]->content; // status: "live"
         *
         * @param array<array-key, mixed> $old
         * @param array<array-key, mixed> $new
         * @param list<array-key>|null $ignoreKeys fields that are left out
         *
         * @throws WrongType for a key to ignore that is neither a string nor an integer
         */
        public static function structured(
            array $old,
            array $new,
            ?array $ignoreKeys = null,
        ): DiffResult {
        }
    }

    /** What changed. */
    final class DiffResult
    {
        /** How the diff is written: `unified`, `context`, `json_patch` or `line_by_line`. */
        public readonly string $diffType;

        /** The diff as text. */
        public readonly string $diffOutput;

        /** @var list<DiffLine> the lines of the diff, in order; none of a JSON Patch */
        public readonly array $changes;

        /**
         * How many lines, fields or values were added. A replaced value counts as added.
         */
        public readonly int $additions;

        /** How many lines, fields or values were removed. */
        public readonly int $deletions;

        /** How many lines of the diff are on both sides. */
        public readonly int $unchanged;

        /** How similar the sides are, from 0 to 1, rounded to three decimals. */
        public readonly float $similarity;

        /** The old text, or the old value as JSON; null for null and for fields. */
        public readonly ?string $oldContent;

        /** The new text, or the new value as JSON; null for null and for fields. */
        public readonly ?string $newContent;

        private function __construct()
        {
        }

        /** Whether anything was added or removed. */
        public function hasChanges(): bool
        {
        }

        /**
         * The counts as a text for people.
         *
         *     echo Toolwire\Diff::text("a\n", "b\nc\n")->changeSummary(); // +2 -1
         */
        public function changeSummary(): string
        {
        }

        /**
         * @return array<string, mixed> every field, by its name in snake case, but for the contents
         */
        public function toArray(): array
        {
        }
    }

    /** A line of a diff. */
    final class DiffLine
    {
        /** `equal`, `add` or `remove`. */
        public readonly string $type;

        /** The line with its end, or a field as it is shown. */
        public readonly string $content;

        /** Its number in the old text, from 1; null where it is not in it. */
        public readonly ?int $lineNumberOld;

        /** Its number in the new text, from 1; null where it is not in it. */
        public readonly ?int $lineNumberNew;

        private function __construct()
        {
        }

        /**
         * @return array{type: string, content: string, line_number_old: ?int, line_number_new:
         *     ?int}
         */
        public function toArray(): array
        {
        }
    }
}
