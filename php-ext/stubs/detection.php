<?php

/** Stubs of what a detection gives: calls, rejections, segments; and of the HTML of a call. */

namespace Toolwire {
    use Countable;
    use Iterator;
    use IteratorAggregate;
    use JsonSerializable;
    use Toolwire\Exception\InvalidArgument;
    use Toolwire\Exception\WrongType;
    use stdClass;

    /**
     * The result of a detection. `count()` and `foreach` go over its calls.
     *
     * @implements IteratorAggregate<int, ToolCall>
     */
    final class Detection implements Countable, IteratorAggregate
    {
        /** @var list<ToolCall> the calls, in the text's order; their spans do not overlap */
        public readonly array $calls;

        /** @var list<Rejection> what looked like a call and was refused, in the text's order */
        public readonly array $rejections;

        /** The number of rejections beyond `maxRejections`. */
        public readonly int $rejectionsDropped;

        /** Whether the text ends in reasoning that nothing closes. */
        public readonly bool $reasoningOpen;

        /** What a person should see: the text without calls, reasoning and framing tokens. */
        public readonly string $text;

        /**
         * What the model thought, or null; an empty line divides several parts.
         *
         *     $detection = (new Toolwire\Detector())->detect("<think>Hm.</think>\n\nHello");
         *     echo "$detection->reasoning $detection->text"; // Hm. Hello
         */
        public readonly ?string $reasoning;

        /**
         * @var list<Segment> the parts of the message in order; their spans, joined, are the
         *     searched text
         */
        public readonly array $segments;

        private function __construct()
        {
        }

        /** The number of calls. */
        public function count(): int
        {
        }

        /**
         * The calls of other formats, and damaged ones, that a detector of a few formats did not
         * read: rejections of the codes `other_format` and `malformed`. The text is searched again.
         *
         *     $detector = new Toolwire\Detector(formats: 'kimi_k2');
         *     $left = $detector->detect('<tool_call>{"name": "f", "arguments": {}}</tool_call>');
         *     echo $left->unread()[0]->format; // hermes
         *
         * @return list<Rejection>
         */
        public function unread(): array
        {
        }

        /** @return Iterator<int, ToolCall> */
        public function getIterator(): Iterator
        {
        }

        /**
         * What a person should see, with each call replaced by what `$replacement` returns for it.
         *
         * @param callable(ToolCall): string $replacement
         *
         * @throws WrongType if it is not callable, or returns anything but a string; what it throws
         *     comes through
         */
        public function replace(callable $replacement): string
        {
        }

        /**
         * The spans of calls that are given by their markup, in the given order; null for markup
         * that is not in the text. The markup of a detected call has the span of that call, and of
         * several equal calls the first that is left. Other markup has its first occurrence. The
         * spans do not overlap.
         *
         *     $detection = (new Toolwire\Detector())->detect('I run <tool:a>{}</tool> now.');
         *     $spans = $detection->locate(['<tool:a>{}</tool>', 'x']);
         *     echo json_encode($spans); // [{"start":6,"end":23},null]
         *
         * @param array<array-key, string> $originals
         * @return list<array{start: int, end: int}|null>
         *
         * @throws WrongType for anything but a string
         */
        public function locate(array $originals): array
        {
        }

        /**
         * Every field, by its name in snake case.
         *
         * @return array<string, mixed>
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
        public static function fromArray(array $fields): Detection
        {
        }

        /** The code that `var_export()` writes calls this method. */
        public static function __set_state(array $properties): Detection
        {
        }

        public function __serialize(): array
        {
        }

        public function __unserialize(array $fields): void
        {
        }
    }

    /** A request by a model to run a tool. It can outlive its detection. */
    final class ToolCall implements JsonSerializable
    {
        /** The id written in the text, else a new one. */
        public readonly string $id;

        /** Whether the id was written in the text. */
        public readonly bool $idGiven;

        /** The position among the text's calls, from 0. */
        public readonly int $index;

        /** The tool's name. */
        public readonly string $name;

        /**
         * The arguments, built at the first access. An empty object is an empty array. An integer
         * beyond 64 bits is a string of its digits, and so is a number beyond a float. The last
         * value of a repeated key counts.
         *
         * @var array<array-key, mixed>
         */
        public readonly array $arguments;

        /** The JSON text of the arguments, verbatim where the format has JSON. */
        public readonly string $argumentsRaw;

        /** The slug of the format the call was written in. */
        public readonly string $format;

        /** The whole markup, verbatim. */
        public readonly string $original;

        /**
         * @var array{start: int, end: int} where the markup stands: its first byte, and the one
         *     behind its last
         */
        public readonly array $span;

        /** `complete`, or `repaired`. */
        public readonly string $status;

        /**
         * @var list<array{code: string, message: string, offset: int}> notes on what was ignored or
         *     repaired
         */
        public readonly array $diagnostics;

        /**
         * What the provider wrote beside the call and wants back with it, such as a signature: the
         * JSON text of an object; null for a call without any.
         */
        public readonly ?string $providerData;

        private function __construct()
        {
        }

        /**
         * Every field: `id`, `id_given`, `index`, `name`, `arguments`, `arguments_raw`, `format`,
         * `original`, `span`, `status`, `diagnostics`.
         *
         * @return array<string, mixed>
         */
        public function toArray(): array
        {
        }

        /**
         * The arguments, with JSON objects as objects, so that `{}` and `[]` differ. A new object
         * each time.
         */
        public function argumentsObject(): stdClass
        {
        }

        /** The call as a block of HTML, every value escaped. */
        public function toHtml(string $status = 'processing'): string
        {
        }

        /**
         * The fields of `toArray()` for `json_encode()`, with `{}` and `[]` as the model wrote
         * them. Numbers that it cannot write become strings of digits: integers beyond 64 bits, and
         * numbers beyond a float. The last value of a repeated key counts, and `1.0` needs
         * `JSON_PRESERVE_ZERO_FRACTION`; see {@see ToolCall::toJson()}.
         */
        public function jsonSerialize(): mixed
        {
        }

        /** The fields of `toArray()` as JSON text, with the arguments byte for byte. */
        public function toJson(): string
        {
        }

        /**
         * Makes an object from the result of `toArray()`.
         *
         * @param array<string, mixed> $fields
         * @throws InvalidArgument `invalid_record`, when a field is missing or cannot be
         */
        public static function fromArray(array $fields): ToolCall
        {
        }

        /** The code that `var_export()` writes calls this method. */
        public static function __set_state(array $properties): ToolCall
        {
        }

        public function __serialize(): array
        {
        }

        public function __unserialize(array $fields): void
        {
        }
    }

    /** Something that looked like a call and was refused; its text stays text. */
    final class Rejection
    {
        /** Why: `bad_json`, `bad_name`, `unknown_tool`, `incomplete`, … */
        public readonly string $code;

        /** Why, for a person. */
        public readonly string $message;

        /**
         * @var array{start: int, end: int} from the candidate's first byte to the one that decided
         */
        public readonly array $span;

        /** The line of the first byte, from 1. */
        public readonly int $line;

        /** The code point of the first byte in its line, from 1. */
        public readonly int $column;

        /** The candidate's first 120 characters at most. */
        public readonly string $excerpt;

        /**
         * The slug of the format that it seemed to have; null for a limit of the whole text.
         */
        public readonly ?string $format;

        private function __construct()
        {
        }

        /**
         * Every field by its name.
         *
         * @return array<string, mixed>
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
        public static function fromArray(array $fields): Rejection
        {
        }

        /** The code that `var_export()` writes calls this method. */
        public static function __set_state(array $properties): Rejection
        {
        }

        public function __serialize(): array
        {
        }

        public function __unserialize(array $fields): void
        {
        }
    }

    /** A part of a text: the markup of a call, or the text between calls. */
    final class Segment
    {
        /** `text`, `reasoning`, `call` or `frame`. */
        public readonly string $type;

        /** The part of the text, verbatim; of a call its markup. */
        public readonly string $text;

        /** @var array{start: int, end: int} where it stands */
        public readonly array $span;

        /** The call, of a segment of type `call`. */
        public readonly ?ToolCall $call;

        private function __construct()
        {
        }

        /**
         * Every field, by its name in snake case.
         *
         * @return array<string, mixed>
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
        public static function fromArray(array $fields): Segment
        {
        }

        /** The code that `var_export()` writes calls this method. */
        public static function __set_state(array $properties): Segment
        {
        }

        public function __serialize(): array
        {
        }

        public function __unserialize(array $fields): void
        {
        }
    }

    /** Calls and results as HTML, with every value escaped for its place. */
    final class Html
    {
        private function __construct()
        {
        }

        /**
         * The block of a call.
         *
         * @param array<array-key, mixed>|stdClass|string|null $arguments as a call has them: an
         *     array, an object, or JSON text
         *
         * @throws InvalidArgument for a value that JSON cannot represent
         */
        public static function call(
            string $name,
            mixed $arguments,
            string $status = 'processing',
            string $id = '',
        ): string {
        }

        /** The block of a result. */
        public static function result(string $name, bool $success, string $result): string
        {
        }
    }
}
