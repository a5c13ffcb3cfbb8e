<?php

/**
 * The classes of the extension `toolwire`, for editors and static analysers. Not to be included.
 *
 * Text is bytes, and all positions count bytes. No text makes a method throw. Misuse by the
 * programmer throws an exception that implements {@see \Toolwire\Exception\ToolwireThrowable}. All
 * classes but some exceptions are final, and their objects are not cloned. An object is constructed
 * once: `$object->__construct()` throws an `Error`.
 */

namespace Toolwire {
    use Countable;
    use Iterator;
    use IteratorAggregate;
    use JsonSerializable;
    use stdClass;
    use Toolwire\Exception\InvalidArgument;
    use Toolwire\Exception\InvalidState;
    use Toolwire\Exception\WrongType;

    /**
     * Finds tool calls in text that a model wrote.
     *
     * One object can search any number of texts.
     *
     *     $text = 'Hi <tool:wp_api>{"action":"list"}</tool>';
     *     $detection = (new Toolwire\Detector())->detect($text);
     *     echo $detection->calls[0]->arguments['action']; // list
     */
    final class Detector
    {
        /**
         * An omitted option, or null, means the default.
         *
         *     $call = '{"name": "search", "arguments": {"q": "red"}}';
         *     $detector = new Toolwire\Detector(formats: 'auto');
         *     $detection = $detector->detect("<tool_call>\n$call\n</tool_call>");
         *     echo $detection->calls[0]->format; // hermes
         *
         *     $arrow = ['slug' => 'arrow', 'body' => 'named',
         *         'call' => ['open' => '=>', 'name_end' => ':', 'close' => ';']];
         *     $detector = new Toolwire\Detector(formats: ['tag', $arrow]);
         *     echo $detector->detect('=>add:{"a":1};')->calls[0]->name; // add
         *
         * @param string|array<array-key, mixed>|null $formats what to look for: the name of a
         *     built-in format (see {@see Detector::formats()}), `auto` for all that can be told
         *     apart by how they are written, the definition of a format, or a list of these; `tag`,
         *     `json` and `html` by default
         * @param list<string|array<string, mixed>>|null $tools what may be called: names;
         *     definitions with a `name` and a JSON Schema in `parameters`, `input_schema` or
         *     `inputSchema`; or OpenAI's `['type' => 'function', 'function' => [...]]`. Any name by
         *     default
         * @param array<string, string>|null $aliases old names, each with the one that a call gets
         *     instead
         * @param array<string, string>|null $legacy retired names, each with its successor; a call
         *     of one is rejected as `legacy_tool`
         * @param string|null $preset a set of options by name: `memberpress`; other options add to
         *     it
         * @param string|null $fences which fenced blocks count: `json` (those that hold nothing but
         *     a call of that format; the default), `all`, `none`
         * @param bool|null $reasoning whether calls inside `<think>…</think>` count; false by
         *     default
         * @param string|null $repair `off` (the default) or `safe`: arguments that are almost JSON
         *     are repaired, and the call says so
         * @param Seen|null $seen where calls are remembered; one that is in it is rejected as
         *     `duplicate`
         * @param string|null $validate what is done about arguments that do not match their tool's
         *     schema: `off` (the default), `report`, `reject`
         * @param bool|null $coerce whether values are made of the type that the tool's schema
         *     names, where that is possible; false by default
         * @param int|null $maxInput bytes of text that are searched; 16 MiB by default
         * @param int|null $maxCalls calls in one text; 256 by default
         * @param int|null $maxRejections rejections that are kept, the others are counted; 1,000 by
         *     default
         * @param int|null $maxDepth nesting of a call's JSON; 128 by default
         * @param int|null $maxArguments bytes of one call's arguments; 4 MiB by default
         * @param string|null $htmlClass the class that marks an element as a call; `mpai-tool-call`
         *     by default
         *
         * @throws InvalidArgument for a value that is not allowed; the message names the option and
         *     what is
         * @throws WrongType for a value of another type
         */
        public function __construct(
            string|array|null $formats = null,
            ?array $tools = null,
            ?array $aliases = null,
            ?array $legacy = null,
            ?string $preset = null,
            ?string $fences = null,
            ?bool $reasoning = null,
            ?string $repair = null,
            ?Seen $seen = null,
            ?string $validate = null,
            ?bool $coerce = null,
            ?int $maxInput = null,
            ?int $maxCalls = null,
            ?int $maxRejections = null,
            ?int $maxDepth = null,
            ?int $maxArguments = null,
            ?string $htmlClass = null,
        ) {
        }

        /**
         * The built-in formats, in order; `example` is a call in the format, `body` says how its
         * arguments are written: `bare`, `element`, `json`, `named`, `tagged` or `literal`.
         *
         *     $slugs = array_column(Toolwire\Detector::formats(), 'slug');
         *     echo implode(' ', array_slice($slugs, 0, 4)); // tag json html hermes
         *
         * @return list<array{slug: string, models: string, body: string, example: string}>
         */
        public static function formats(): array
        {
        }

        /** Finds the calls in a text of any bytes. The text is shared, not copied. */
        public function detect(string $text): Detection
        {
        }

        /** Starts the detection in a text that comes in pieces. */
        public function stream(): Stream
        {
        }
    }

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

        /** The text without the calls' markup. */
        public readonly string $text;

        /**
         * @var list<Segment> text and calls in order; their spans, joined, are the searched text
         */
        public readonly array $segments;

        private function __construct()
        {
        }

        /** The number of calls. */
        public function count(): int
        {
        }

        /** @return Iterator<int, ToolCall> */
        public function getIterator(): Iterator
        {
        }

        /**
         * The searched text, in which each call is replaced by what `$replacement` returns for it.
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
         * beyond 64 bits is a string of its digits. The last value of a repeated key counts.
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
        /** `text` or `call`. */
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

    /**
     * Detection in a text that comes in pieces. The result does not depend on where the text is
     * cut.
     */
    final class Stream
    {
        private function __construct()
        {
        }

        /**
         * Takes the next piece, and returns the events that are now certain.
         *
         * @return list<Event>
         *
         * @throws InvalidState after `finish()`
         */
        public function feed(string $chunk): array
        {
        }

        /**
         * Ends the text, and returns the events that were still open.
         *
         * @return list<Event>
         *
         * @throws InvalidState when called again
         */
        public function finish(): array
        {
        }

        /**
         * The result for the whole text.
         *
         * @throws InvalidState before `finish()`
         */
        public function detection(): Detection
        {
        }
    }

    /**
     * Something that a stream found.
     *
     * A call begins, its arguments come bit by bit, and it ends. The events of one call have the
     * same number.
     *
     *     $stream = (new Toolwire\Detector())->stream();
     *     $events = [];
     *     foreach (['I look. ', '<tool:wp_api>{"action":', '"list"}</tool>'] as $piece) {
     *         array_push($events, ...$stream->feed($piece));
     *     }
     *     $types = array_column($events, 'type');
     *     echo implode(' ', array_unique($types)); // text call_start arguments_delta call_end
     *     echo $events[1]->name, $events[2]->json, $events[3]->json; // wp_api{"action":"list"}
     *     echo $events[4]->call->arguments['action']; // list
     */
    final class Event
    {
        /** `text`, `call_start`, `arguments_delta`, `call_end` or `rejection`. */
        public readonly string $type;

        /** The number of the call that begins, goes on or ends, counted from 0. */
        public readonly ?int $number;

        /** The tool's name, an alias resolved; of a `call_start`. */
        public readonly ?string $name;

        /**
         * The next bit of the arguments' JSON, of an `arguments_delta`: the bits add up to
         * `argumentsRaw`.
         */
        public readonly ?string $json;

        /** Text that is not part of a call; of a `text`. */
        public readonly ?string $text;

        /** The call, of a `call_end`; null for a refused call, whose text comes as text. */
        public readonly ?ToolCall $call;

        /** A rejection; its text comes as text. */
        public readonly ?Rejection $rejection;

        private function __construct()
        {
        }
    }

    /** Remembers calls that were detected, for all detectors that share it. */
    final class Seen implements Countable
    {
        /**
         * @param int|null $capacity how many calls it holds; full, it forgets the oldest
         *
         * @throws InvalidArgument for a capacity below 1
         */
        public function __construct(?int $capacity = null)
        {
        }

        /** The number of calls in it. */
        public function count(): int
        {
        }

        /** Whether a call with this id is in it. */
        public function containsId(string $id): bool
        {
        }

        /** Forgets every call. */
        public function clear(): void
        {
        }
    }

    /** Calls and results as HTML, with every value escaped for its place. */
    final class Html
    {
        private function __construct()
        {
        }

        /** The block of a call, whose arguments are JSON text. */
        public static function call(
            string $name,
            string $arguments,
            string $status = 'processing',
            string $id = '',
        ): string {
        }

        /** The block of a result. */
        public static function result(string $name, bool $success, string $result): string
        {
        }
    }

    /** The JSON of a model's reply. */
    final class Reply
    {
        private function __construct()
        {
        }

        /**
         * The one JSON value that a reply is about, or null; objects become arrays.
         *
         * It prefers, in this order: the whole reply, of any type; an object with one of the
         * expected keys; an object or array that fills a code block; an object, or an array of
         * objects, in the text; one of these after a repair; an empty object or array; any other
         * value that fills a code block. A part of a broken object is returned only for its
         * expected keys.
         *
         * @param list<string>|null $keys keys that the object should have; one that has any of them
         *     is preferred to all others
         * @param string|null $repair `off` (by default) mends commas before closing brackets and
         *     keys in single quotes; `safe` makes every repair that is made for a call
         * @param int|null $maxDepth brackets that may be open at once; 128 by default
         */
        public static function extractJson(
            string $text,
            ?array $keys = null,
            ?string $repair = null,
            ?int $maxDepth = null,
        ): mixed {
        }
    }

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
         * request; null removes it. While it runs, searches of its own are not filtered.
         *
         * @param (callable(array<array-key, mixed>|null, array<array-key, mixed>, string):
         *     ?array<array-key, mixed>)|null $filter takes the result, the packets and the handler;
         *     returns the result
         *
         * @throws WrongType if it is not callable; the finder throws it if the filter returns
         *     anything but an array or null. What the filter throws comes through
         */
        public static function setFilter(?callable $filter = null): void
        {
        }
    }

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

    /**
     * Reads and writes calls and results in the formats of providers.
     *
     * The providers are `openai`, `openai_responses`, `anthropic`, `gemini`, `bedrock`, `ollama`,
     * `mistral`, `cohere`, `mcp`, `wordpress`, `data_machine`, `stageflow` and `droid`.
     *
     *     $part = ['type' => 'tool_use', 'id' => 't1', 'name' => 'now', 'input' => new stdClass()];
     *     $call = Toolwire\Provider::parse(['content' => [$part]])->calls[0];
     *     $written = Toolwire\Provider::dump($call, 'openai');
     *     echo json_encode($written['function']); // {"name":"now","arguments":"{}"}
     */
    final class Provider
    {
        private function __construct()
        {
        }

        /**
         * Finds the calls and results in an object that a provider sent: a response, a message, a
         * part, a conversation, a log. Nothing that a model writes makes it throw.
         *
         * @param array<array-key, mixed>|stdClass|mixed $object as `json_decode()` gives it, as
         *     arrays or as objects; an empty array where a call has its arguments counts as the
         *     empty object, and the call notes it
         * @param string|null $provider whose the object is, where several share a shape
         *
         * @throws InvalidArgument for an unknown provider, and for what JSON cannot say
         * @throws WrongType for an object of another class
         */
        public static function parse(mixed $object, ?string $provider = null): Exchange
        {
        }

        /**
         * Writes a call or a result in the provider's format. A map whose keys are those of a list
         * is a `stdClass`, so that `json_encode()` writes an object: an empty one stays `{}`.
         *
         * @param ToolCall|ProviderResult $item
         *
         * @return array<string, mixed>
         *
         * @throws InvalidArgument for an unknown provider, and for data that JSON cannot say or
         *     that nest deeper than 128
         * @throws WrongType for any other item
         */
        public static function dump(mixed $item, string $provider): array
        {
        }
    }

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

        /**
         * Whose log it is: `droid`, `claude_code`, `codex`, `openai`, `anthropic`; null when that
         * is not known.
         */
        public readonly ?string $dialect;

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

    /** Joins the events of a streamed response to calls. */
    final class Accumulator
    {
        /**
         * @param string|null $provider whose the events are, where several share a shape
         *
         * @throws InvalidArgument for an unknown provider
         */
        public function __construct(?string $provider = null)
        {
        }

        /**
         * Takes the next event as `json_decode()` gives it, or a list of events.
         *
         * @throws InvalidState after `finish()`
         */
        public function feed(mixed $event): void
        {
        }

        /**
         * Ends the stream. A call that is cut off is rejected as `incomplete`.
         *
         * @throws InvalidState when called again
         */
        public function finish(): Exchange
        {
        }
    }

    /** The calls and results in one object, or in the events of a stream. */
    final class Exchange
    {
        /**
         * @var list<ToolCall> the calls, in the object's order; they have the provider as format,
         *     and no span
         */
        public readonly array $calls;

        /** @var list<ProviderResult> the results, in the object's order */
        public readonly array $results;

        /** @var list<ProviderRejection> what looked like a call or a result and was refused */
        public readonly array $rejections;

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
        public static function fromArray(array $fields): Exchange
        {
        }

        /** The code that `var_export()` writes calls this method. */
        public static function __set_state(array $properties): Exchange
        {
        }

        public function __serialize(): array
        {
        }

        public function __unserialize(array $fields): void
        {
        }
    }

    /** A tool's outcome, and the call that it answers. */
    final class ProviderResult
    {
        /**
         * The result. Its tool is empty when the provider does not name it and the call is not in
         * the same object.
         */
        public readonly ToolResult $result;

        /** The id of the call; null where the provider gives none. */
        public readonly ?string $callId;

        /**
         * The slug of the provider that it was read from; empty for a result that a program made.
         */
        public readonly string $format;

        public function __construct(ToolResult $result, ?string $callId = null)
        {
        }

        /** @return array{call_id: ?string, format: string, result: array<string, mixed>} */
        public function toArray(): array
        {
        }

        /**
         * Makes an object from the result of `toArray()`.
         *
         * @param array<string, mixed> $fields
         * @throws InvalidArgument `invalid_record`, when a field is missing or cannot be
         */
        public static function fromArray(array $fields): ProviderResult
        {
        }

        /** The code that `var_export()` writes calls this method. */
        public static function __set_state(array $properties): ProviderResult
        {
        }

        public function __serialize(): array
        {
        }

        public function __unserialize(array $fields): void
        {
        }
    }

    /** Something in an object that looked like a call or a result and was refused. */
    final class ProviderRejection
    {
        /** Why: `bad_json`, `missing_name`, `incomplete`, … */
        public readonly string $code;

        /** Why, for a person. */
        public readonly string $message;

        /**
         * Its place: a JSON Pointer into the object, or into the list of the stream's events.
         */
        public readonly string $path;

        /** The slug of the provider that it seemed to be from; null when that is not known. */
        public readonly ?string $format;

        private function __construct()
        {
        }

        /** @return array{code: string, message: string, path: string, format: ?string} */
        public function toArray(): array
        {
        }

        /**
         * Makes an object from the result of `toArray()`.
         *
         * @param array<string, mixed> $fields
         * @throws InvalidArgument `invalid_record`, when a field is missing or cannot be
         */
        public static function fromArray(array $fields): ProviderRejection
        {
        }

        /** The code that `var_export()` writes calls this method. */
        public static function __set_state(array $properties): ProviderRejection
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

namespace Toolwire\Exception {
    use InvalidArgumentException;
    use LogicException;
    use Throwable;
    use TypeError;

    /**
     * What every exception of this extension implements; its code is the number of its kind, 0 in
     * `Toolwire\Tools`.
     */
    interface ToolwireThrowable extends Throwable
    {
        /** The slug of the kind, as `unknown_format`; empty for an exception that PHP code made. */
        public function getKind(): string;
    }

    /** An argument or option has a value that is not allowed. */
    final class InvalidArgument extends InvalidArgumentException implements ToolwireThrowable
    {
        public function getKind(): string
        {
        }
    }

    /** An argument or option, or what a callback returned, is of the wrong type. */
    final class WrongType extends TypeError implements ToolwireThrowable
    {
        public function getKind(): string
        {
        }
    }

    /** A method was called at the wrong time. */
    final class InvalidState extends LogicException implements ToolwireThrowable
    {
        public function getKind(): string
        {
        }
    }

    /** The kinds of errors. */
    final class ErrorKind
    {
        private function __construct()
        {
        }

        /**
         * @return array<string, array{number: int, exception: class-string<ToolwireThrowable>}>
         *     every kind, by slug
         */
        public static function all(): array
        {
        }
    }
}
