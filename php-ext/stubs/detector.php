<?php

/** Stubs of the detector, its streams, and calls that were seen. */

namespace Toolwire {
    use Countable;
    use Iterator;
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
         *     $detector = new Toolwire\Detector(model: 'Qwen/Qwen3-8B');
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
         *     apart by how they are written, the definition of a format, or a list of these; those
         *     of the model, or else `auto`, by default
         * @param list<string|array<string, mixed>>|null $tools what may be called: names;
         *     definitions with a `name` and a JSON Schema in `parameters`, `input_schema` or
         *     `inputSchema`; or OpenAI's `['type' => 'function', 'function' => [...]]`. Any name by
         *     default
         * @param array<string, string>|null $aliases old names, each with the one that a call gets
         *     instead
         * @param array<string, string>|null $legacy retired names, each with its successor; a call
         *     of one is rejected as `legacy_tool`
         * @param string|null $preset a set of options by name: `memberpress`, which has formats,
         *     tools and retired names; other options replace its values
         * @param string|null $fences which fenced blocks count: `json` (those that hold nothing but
         *     a call of that format; the default), `all`, `none`
         * @param string|null $reasoning what becomes of reasoning: `separate` sets it apart from the
         *     text, `keep` leaves it in the text, `calls` sets it apart and lets the calls in it
         *     count; `separate` by default
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
         * @param Profile|string|array<array-key, mixed>|null $model the model that wrote: its name
         *     (see {@see Detector::profileFor()}), its profile, or the definition of one. Its formats
         *     are looked for unless `$formats` names others
         * @param string|null $template the text of the model's chat template, which says the same
         * @param string|null $prompt the prompt that the model went on from; its end says whether
         *     the message begins in reasoning
         * @param bool|array<array-key, mixed>|null $thinking whether the model was asked to think:
         *     true or false, or the variables that the request gave its chat template
         * @param string|null $calls `read` (the default), or `refuse` for a request in which no
         *     call counts: each is rejected as `no_tools`, and its markup is not shown; an empty
         *     list of tools says the same
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
            ?string $reasoning = null,
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
            Profile|string|array|null $model = null,
            ?string $template = null,
            ?string $prompt = null,
            bool|array|null $thinking = null,
            ?string $calls = null,
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

        /**
         * Writes a call as a model of the format writes it. A detector with this format alone reads
         * exactly the same call.
         *
         *     $call = Toolwire\Detector::renderCall('add', ['a' => 1], 'functionary_v31');
         *     echo $call; // <function=add>{"a": 1}</function>
         *
         * @param mixed $arguments an array, an object, or the text of a JSON object
         * @param string|array<string, mixed>|null $format the name of a built-in format, or a
         *     definition; `hermes` by default
         * @param string|null $id written where the format has a place for one
         * @param list<string|array<string, mixed>>|null $tools the tools as the detector will know
         *     them. In formats whose values only a schema types, each value must have the type that
         *     the schema names. By default a schema that fits the values is assumed
         *
         * @throws InvalidArgument `cannot_render` when the format cannot hold the name, the id or
         *     an argument; `invalid_arguments` when the arguments are no JSON object; also for an
         *     unknown format, a faulty definition or tool
         * @throws WrongType for a value of another type
         */
        public static function renderCall(
            string $name,
            mixed $arguments,
            string|array|null $format = null,
            ?string $id = null,
            ?array $tools = null,
        ): string {
        }

        /**
         * Writes several calls as one turn of a model of the format.
         *
         *     $calls = [['name' => 'a', 'arguments' => ['n' => 1]], ['name' => 'b', 'arguments' => []]];
         *     echo Toolwire\Detector::renderCalls($calls, 'pythonic'); // [a(n=1), b()]
         *
         * @param array<array-key, ToolCall|array<string, mixed>> $calls calls, or arrays with
         *     `name`, `arguments` and, if there is one, `id`
         * @param string|array<string, mixed>|null $format as for {@see Detector::renderCall()}
         * @param list<string|array<string, mixed>>|null $tools likewise
         *
         * @throws InvalidArgument as {@see Detector::renderCall()}
         * @throws WrongType for a value of another type
         */
        public static function renderCalls(
            array $calls,
            string|array|null $format = null,
            ?array $tools = null,
        ): string {
        }

        /**
         * Writes a message as a model of the profile writes it behind its prompt: the reasoning,
         * the text, the calls, and the tokens that frame them and end the turn. A detector for the
         * profile reads the same message, with the white space at the ends of the reasoning and of
         * the text left out.
         *
         *     $message = ['reasoning' => 'I add.', 'text' => 'Done.'];
         *     $text = Toolwire\Detector::renderMessage($message, 'mistral');
         *     echo $text; // [THINK]I add.[/THINK]Done.</s>
         *
         * @param Detection|array<string, mixed> $message what was detected, or an array with
         *     `reasoning`, `text` and `calls`, each of which may be missing
         * @param Profile|string|array<string, mixed> $profile a profile, the name of a model, or a
         *     definition
         * @param list<string|array<string, mixed>>|null $tools as for {@see Detector::renderCall()}
         *
         * @throws InvalidArgument `cannot_render` when the profile cannot hold a part of it;
         *     `invalid_arguments` when the arguments of a call are no JSON object; also for an
         *     unknown model, a faulty definition or tool
         * @throws WrongType for a value of another type
         */
        public static function renderMessage(
            Detection|array $message,
            Profile|string|array $profile,
            ?array $tools = null,
        ): string {
        }

        /**
         * Makes the grammar to which an inference server holds a model while it writes: calls of
         * these tools only, in the model's own format, with arguments that fit the schemas.
         *
         *     $constraint = Toolwire\Detector::constrain(['now'], 'qwen2.5-7b', backend: 'gbnf');
         *     echo $constraint->format, ' ', key($constraint->request); // hermes grammar
         *
         * @param list<string|array<string, mixed>> $tools as for {@see Detector::__construct()}
         * @param Profile|string|array<array-key, mixed>|null $model the model that writes; or its
         *     `$template` or `$prompt`, or `$thinking`, as for {@see Detector::__construct()}
         * @param string|array<array-key, mixed>|null $format instead of a model: the calls of this
         *     format alone
         * @param string|null $backend `structural_tag` (the default: vLLM, SGLang, TensorRT-LLM),
         *     `lark` (llguidance) or `gbnf` (llama.cpp)
         * @param string|array<string, mixed>|null $toolChoice `auto` (the default), `required`,
         *     `none`, or the name of a tool: exactly one call of it
         * @param bool|null $parallel whether a second call may follow; true by default, where the
         *     format has a place for one
         * @param bool|string|null $reasoning true: the grammar has a place for it; false: none;
         *     `engine`: the server's reasoning parser reads over it. True by default, if the family
         *     reasons
         * @param bool|array<array-key, mixed>|null $text true (the default); false; a schema: the
         *     text is JSON by it
         * @param array<array-key, mixed>|null $specialTokens the tokens that the model's tokenizer
         *     keeps whole: a list of names, or their ids by name. Only `lark` needs them
         * @param bool|null $strict whether a keyword that cannot be held is an error; false by
         *     default
         * @param string|null $server for whom `request` is: `vllm`, `sglang`, `trtllm`, `llama.cpp`,
         *     `mistral.rs`; by the backend by default
         *
         * @throws InvalidArgument `cannot_constrain` for what no grammar can hold, `unknown_tool`
         *     for a choice that is not among the tools; also for an unknown model or format, for
         *     options that do not go together, for a faulty tool or schema
         * @throws WrongType for a value of another type
         */
        public static function constrain(
            array $tools,
            Profile|string|array|null $model = null,
            ?string $template = null,
            ?string $prompt = null,
            bool|array|null $thinking = null,
            string|array|null $format = null,
            ?string $backend = null,
            string|array|null $toolChoice = null,
            ?bool $parallel = null,
            bool|string|null $reasoning = null,
            bool|array|null $text = null,
            ?array $specialTokens = null,
            ?bool $strict = null,
            ?string $server = null,
        ): Constraint {
        }

        /**
         * The built-in profiles, in order.
         *
         *     $slugs = array_map(fn ($profile) => $profile->slug, Toolwire\Detector::profiles());
         *     echo in_array('kimi_k2', $slugs, true) ? 'yes' : 'no'; // yes
         *
         * @return list<Profile>
         */
        public static function profiles(): array
        {
        }

        /**
         * The built-in profile for a model: its name on Hugging Face, in Ollama or at a provider,
         * the path of a GGUF file, or the name of an inference server's parser; null if no profile
         * is known.
         *
         *     echo Toolwire\Detector::profileFor('zai-org/GLM-4.5-Air')->formats[0]; // glm4
         */
        public static function profileFor(string $model): ?Profile
        {
        }

        /** The profile that `model`, `template` or `prompt` named; null without these options. */
        public function profile(): ?Profile
        {
        }

        /** Finds the calls in a text of any bytes. The text is shared, not copied. */
        public function detect(string $text): Detection
        {
        }

        /**
         * Finds the calls in each text, when its detection is asked for; one that was used is not
         * kept. The keys are those of the texts.
         *
         *     $texts = ['a' => '<tool:add>{"x":1}</tool>', 'b' => 'Done.'];
         *     foreach ((new Toolwire\Detector())->detectAll($texts) as $key => $detection) {
         *         $counts[] = $key . count($detection);
         *     }
         *     echo implode(' ', $counts); // a1 b0
         *
         * @param iterable<array-key, string> $texts
         * @return Iterator<array-key, Detection>
         *
         * @throws WrongType for a value that is no iterable, and at a text that is no string
         */
        public function detectAll(mixed $texts): Iterator
        {
        }

        /** Starts the detection in a text that comes in pieces. */
        public function stream(): Stream
        {
        }
    }

    /** How the models of a family write a message. */
    final class Profile
    {
        /** The name of the profile. */
        public readonly string $slug;

        /**
         * Whether it is the profile of the model that was named: false where the model's family is
         * known and its version is not, so that this is the profile of the nearest version.
         */
        public readonly bool $exact;

        /** The models that it is for, as text for people. */
        public readonly string $models;

        /** @var list<string> the names of inference servers' parsers for these models */
        public readonly array $aliases;

        /** @var list<string> the formats of the calls; none where no format is known */
        public readonly array $formats;

        /** @var list<string> the formats that the models write besides, which are read too */
        public readonly array $siblings;

        /** @var list<string> the styles of the reasoning, as `think` for `<think>…</think>` */
        public readonly array $reasoning;

        /** The style of the reasoning that the prompt has already begun. */
        public readonly ?string $reasoningBegun;

        /** Whether a call inside the reasoning counts. */
        public readonly bool $callsInReasoning;

        /**
         * @var list<string>|null the variables of the chat template that switch thinking; none
         *     where the models always think, null where it is not known
         */
        public readonly ?array $thinking;

        /** @var list<string> the tokens with which the models end their turn, as far as known */
        public readonly array $stop;

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
     *     foreach (['I look.', '<tool:wp_api>{"action":', '"list"}</tool>'] as $piece) {
     *         array_push($events, ...$stream->feed($piece));
     *     }
     *     $types = array_column($events, 'type');
     *     echo implode(' ', array_unique($types)); // text call_start arguments_delta call_end
     *     echo $events[1]->name, $events[2]->json, $events[3]->json; // wp_api{"action":"list"}
     *     echo $events[4]->call->arguments['action']; // list
     */
    final class Event
    {
        /**
         * `text`, `reasoning`, `reasoning_end`, `call_start`, `arguments_delta`, `call_end`,
         * `call_retracted` or `rejection`.
         *
         * `call_retracted` says that what began as a call is none. `reasoning_end` says that all
         * text so far was reasoning: text that was reported before does not count, and the calls
         * in it are retracted.
         */
        public readonly string $type;

        /** The number of the call that begins, goes on or ends, counted from 0. */
        public readonly ?int $number;

        /** The tool's name, an alias resolved; of a `call_start`. */
        public readonly ?string $name;

        /** The id of the call, of a `call_start`; one written behind the arguments replaces it. */
        public readonly ?string $id;

        /**
         * Whether nothing behind a `call_start` can show that the call was only a thought. A call
         * that is damaged is still refused.
         */
        public readonly ?bool $certain;

        /**
         * The next bit of the arguments' JSON, of an `arguments_delta`: the bits add up to
         * `argumentsRaw`.
         */
        public readonly ?string $json;

        /** Text for a person, of a `text`; or reasoning. */
        public readonly ?string $text;

        /** The call, of a `call_end`. */
        public readonly ?ToolCall $call;

        /** A rejection; its text comes as text. */
        public readonly ?Rejection $rejection;

        private function __construct()
        {
        }
    }

    /**
     * What {@see Detector::detectAll()} gives.
     *
     * @implements Iterator<array-key, Detection>
     */
    final class Detections implements Iterator
    {
        private function __construct()
        {
        }

        /** Starts again, if the texts can. */
        public function rewind(): void
        {
        }

        /** Whether there is a text. */
        public function valid(): bool
        {
        }

        /** The key of the text. */
        public function key(): mixed
        {
        }

        /** The detection in the text; the same one until the next text. */
        public function current(): mixed
        {
        }

        /** Goes to the next text. */
        public function next(): void
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
}
