<?php

/** Stubs of providers' objects, read and written. */

namespace Toolwire {
    use Toolwire\Exception\InvalidArgument;
    use Toolwire\Exception\InvalidState;
    use Toolwire\Exception\WrongType;
    use stdClass;

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
         * @param 'off'|'safe' $repair with `safe`, arguments that are almost JSON are repaired, and
         *     each repair is noted on the call
         *
         * @throws InvalidArgument for an unknown provider or repair, and for what JSON cannot say
         * @throws WrongType for an object of another class
         */
        public static function parse(
            mixed $object,
            ?string $provider = null,
            string $repair = 'off'
        ): Exchange {
        }

        /**
         * Writes a call, a result or what a run gave in the provider's format. A map whose keys are
         * those of a list is a `stdClass`, so that `json_encode()` writes an object: an empty one
         * stays `{}`.
         *
         * What a run gave goes out within a bound and without secrets, whatever it holds.
         *
         * The provider that sent a call also gets back what it wrote beside it, such as a signature.
         *
         * @param ToolCall|ProviderResult|ProviderItem|Tools\Execution|Tools\ToolOutput $item an item
         *     goes back to its own provider alone
         * @param ToolCall|Tools\ResolvedToolCall|Tools\UnresolvedToolCall|array<mixed>|string|null
         *     $call the call that a run answers: what the executor was given, or the id; an
         *     execution may go without it
         * @param ?int $maxBytes the most bytes of what a run gave, at least 256; 256 KiB by default
         * @param Redaction|list<string>|null $redact what is a secret: a redaction, or keys in
         *     place of the usual ones
         *
         * @return array<string, mixed>
         *
         * @throws InvalidArgument for an unknown provider, for `maxBytes`, and for a call's or a
         *     result's data that JSON cannot say or that nest deeper than 128
         * @throws WrongType for any other item or call
         */
        public static function dump(
            mixed $item,
            string $provider,
            mixed $call = null,
            ?int $maxBytes = null,
            Redaction|array|null $redact = null,
        ): array {
        }

        /**
         * The id that a provider's message gives a call with this id; `message()` and `Chunks` give
         * it too, unless an earlier call of the message has the same id. So the id of a call is
         * known when the event `call_start` tells of it.
         *
         *     $start = (new Toolwire\Detector())->stream()->feed('<tool:now>{')[0];
         *     echo strlen(Toolwire\Provider::callId($start->id, 'mistral')); // 9
         *
         * @throws InvalidArgument for an unknown provider
         */
        public static function callId(string $id, string $provider): string
        {
        }

        /**
         * Writes what the model is told of a call that was refused: a message of the user, to be
         * sent behind the model's own. It says in one sentence what was wrong, at which place, and
         * how the form is written.
         *
         *     $found = (new Toolwire\Detector())->detect('<tool:now>soon</tool>');
         *     $message = Toolwire\Provider::refusal($found->rejections[0], 'openai');
         *     echo $message['role']; // user
         *
         * @param Rejection|ProviderRejection $rejection
         * @param string $provider `openai`, `anthropic`, `gemini`, `openai_responses`, `bedrock`,
         *     `mistral`, `cohere` or `ollama`
         *
         * @return array<string, mixed>
         *
         * @throws InvalidArgument for another provider
         * @throws WrongType for anything but a rejection
         */
        public static function refusal(
            mixed $rejection,
            string $provider
        ): array {
        }

        /**
         * The options of the detector that reads the answer to a request of any provider, as named
         * arguments of its constructor. What the request says of the model, the tools, the choice
         * among them, calls in parallel and thinking becomes `model`, `tools`, `calls`, `maxCalls`
         * and `thinking`. A request without tools lets nothing be called.
         *
         *     $request = ['model' => 'qwen3', 'tools' => [['name' => 'now']]];
         *     $detector = new Toolwire\Detector(...Toolwire\Provider::options($request));
         *     $text = '<tool_call>{"name": "now", "arguments": {}}</tool_call>';
         *     echo $detector->detect($text)->calls[0]->name; // now
         *
         * @param array<string, mixed> $request the body, as `json_decode()` gives it with arrays
         *
         * @return array<string, mixed>
         *
         * @throws InvalidArgument for a choice of a tool that the request does not offer
         * @throws WrongType for tools that are no list
         */
        public static function options(array $request): array
        {
        }

        /**
         * Writes messages that `message()` has written as the provider's whole response.
         *
         *     $found = (new Toolwire\Detector())->detect('<tool:now>{}</tool>');
         *     $message = Toolwire\Provider::message($found, 'openai');
         *     $response = Toolwire\Provider::response($message, 'openai', 'mine');
         *     echo $response['choices'][0]['finish_reason']; // tool_calls
         *
         * @param array<mixed> $messages one of them, or a list for `openai`, `mistral` and `gemini`
         * @param string $provider `openai`, `anthropic`, `gemini`, `openai_responses`, `bedrock`,
         *     `mistral`, `cohere` or `ollama`
         * @param string|null $id the id of the response; a new one if it is null
         * @param int|null $created seconds of Unix time; now if it is null
         * @param array<mixed>|null $logprobs what the model's server gave for the message, or a
         *     list of it for a list of messages
         *
         * @return array<string, mixed>
         *
         * @throws InvalidArgument for another provider, a message that was not written for it, and
         *     several messages of a provider that gives one
         */
        public static function response(
            array $messages,
            string $provider,
            string $model = '',
            ?string $id = null,
            ?int $created = null,
            ?int $inputTokens = null,
            ?int $outputTokens = null,
            ?array $logprobs = null
        ): array {
        }

        /**
         * Returns what a response adds to the history that the next request of the same provider
         * brings along: the assistant's message or content, or the items of OpenAI's Responses.
         * What the provider wrote beside text and calls is kept: signatures, encrypted reasoning,
         * the order of blocks, what its own tools gave.
         *
         *     $message = ['role' => 'assistant', 'content' => 'Hi.', 'reasoning_content' => 'greet'];
         *     $response = ['choices' => [['index' => 0, 'message' => $message]]];
         *     echo Toolwire\Provider::history($response)[0]['reasoning_content']; // greet
         *
         * @param array<array-key, mixed>|stdClass|mixed $response the whole body as `json_decode()` gives
         *     it, or the list of its stream's events. An empty array in the place of a call's
         *     arguments is the empty object; with arrays, other empty objects are lists
         *
         * @return list<array<string, mixed>>
         *
         * @throws InvalidArgument `unknown_provider` for another shape
         */
        public static function history(mixed $response): array
        {
        }

        /**
         * Reads the content of each choice of a response of chat completions, and writes its
         * reasoning, text and calls as OpenAI's clients expect them. A message of which calls were
         * refused has them as `rejections`. All else stays as it is: a choice whose server has read
         * its calls, and an answer without choices, such as an error.
         *
         *     $message = ['role' => 'assistant', 'content' => 'Now. <tool:weather>{}</tool>'];
         *     $response = ['choices' => [['index' => 0, 'message' => $message]]];
         *     $read = Toolwire\Provider::withCalls($response, new Toolwire\Detector());
         *     echo $read['choices'][0]['finish_reason']; // tool_calls
         *
         * @param array<mixed> $response the body as `json_decode()` gives it with arrays
         *
         * @return array<mixed>
         *
         * @throws InvalidArgument for arguments that nest deeper than 128
         */
        public static function withCalls(array $response, Detector $detector): array
        {
        }

        /**
         * Writes all that was found in a model's text as the provider's assistant message: the
         * message's members, and beside them why it ended. Reasoning and text keep their order,
         * and calls come last. A call keeps the id that the model wrote, where the provider takes
         * it; any other id is derived from the call's own.
         *
         *     $found = (new Toolwire\Detector())->detect('Now. <tool:now>{}</tool>');
         *     $written = Toolwire\Provider::message($found, 'openai');
         *     echo $written['content'], $written['finish_reason']; // Now. tool_calls
         *
         * @param string $provider `openai`, `anthropic`, `gemini`, `openai_responses`, `bedrock`,
         *     `mistral`, `cohere` or `ollama`
         * @param bool $cutOff whether the model was cut off at its limit of tokens
         *
         * @return array<string, mixed>
         *
         * @throws InvalidArgument for another provider, and for arguments that nest deeper than 128
         * @throws WrongType for anything but a detection
         */
        public static function message(
            Detection $detection,
            string $provider,
            bool $cutOff = false
        ): array {
        }
    }

    /** Joins the events of a streamed response to calls. */
    final class Accumulator
    {
        /**
         * @param string|null $provider whose the events are, where several share a shape
         * @param 'off'|'safe' $repair what is done about arguments that are almost JSON
         *
         * @throws InvalidArgument for an unknown provider or repair
         */
        public function __construct(?string $provider = null, string $repair = 'off')
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

    /**
     * Writes the events of a stream as the chunks of a provider's stream.
     *
     * Text and reasoning are sent at once, calls at the end: until then a marker may show that they
     * stood in reasoning, and no protocol can take back a call. With `arguments: 'streamed'` a call
     * is sent from its name on, and its arguments as the model writes them; their last character
     * waits until the call counts.
     *
     *     $stream = (new Toolwire\Detector())->stream();
     *     $chunks = new Toolwire\Chunks('openai', model: 'mine', sse: true);
     *     $sent = $chunks->feed($stream->feed('Hi <tool:echo>{}</tool>'));
     *     array_push($sent, ...$chunks->feed($stream->finish()), ...$chunks->finish());
     *     echo count($sent), ' ', trim(end($sent)); // 5 data: [DONE]
     */
    final class Chunks
    {
        /**
         * @param string $provider `openai`, `anthropic` or `openai_responses`
         * @param string|null $id the message's id; a new one if it is null
         * @param int|null $created when it began, in seconds of Unix time; now if it is null
         * @param bool $sse whether a chunk is the text of an event of `text/event-stream`
         * @param string $arguments `whole` or `streamed`
         *
         * @param int $choices how many choices the response has, for `openai`; each has a stream
         *
         * @throws InvalidArgument for another provider, another word for the arguments, and several
         *     choices of a provider that gives one
         */
        public function __construct(
            string $provider,
            string $model = '',
            ?string $id = null,
            ?int $created = null,
            bool $sse = false,
            string $arguments = 'whole',
            int $choices = 1
        ) {
        }

        /**
         * Takes events of a stream; returns the chunks to send.
         *
         * @param list<Event> $events
         * @param int $choice the choice whose events they are, from 0
         * @param array<mixed>|null $logprobs what the model's server gave for the tokens; the
         *     choice's next chunk has it
         *
         * @return list<array<string, mixed>>|list<string>
         *
         * @throws InvalidArgument for a choice that there is not
         * @throws InvalidState after `finish()`
         * @throws WrongType for anything but events
         */
        public function feed(array $events, int $choice = 0, ?array $logprobs = null): array
        {
        }

        /**
         * Says that the model was cut off at its limit of tokens in a choice.
         *
         * @throws InvalidArgument for a choice that there is not
         * @throws InvalidState after `finish()`
         */
        public function cutOff(int $choice): void
        {
        }

        /**
         * Ends the message; returns the last chunks: its calls, and why it ended.
         *
         * @param bool $cutOff whether the model was cut off at its limit of tokens
         *
         * @return list<array<string, mixed>>|list<string>
         *
         * @throws InvalidArgument for arguments that nest deeper than 128
         * @throws InvalidState when called again
         */
        public function finish(
            bool $cutOff = false,
            ?int $inputTokens = null,
            ?int $outputTokens = null
        ): array {
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

        /**
         * @var list<ProviderItem> what the provider runs itself or asks a person; none of it is a
         *     call
         */
        public readonly array $items;

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

    /**
     * An item that a provider keeps for itself: a call that it runs, its result, or a question for
     * a person. It is never a call of the program's, and goes back as it was sent.
     */
    final class ProviderItem
    {
        /** `call`, `result`, `approval_request` or `other`. */
        public readonly string $kind;

        /** The provider's word for it, such as `mcp_call`. */
        public readonly string $word;

        /** Its id, or the id of the call that it belongs to; null where there is none. */
        public readonly ?string $id;

        /** The JSON text of the whole item. */
        public readonly string $raw;

        /** Its place: a JSON Pointer into the object, or into the list of the stream's events. */
        public readonly string $path;

        /** The slug of the provider. */
        public readonly string $format;

        private function __construct()
        {
        }

        /**
         * The whole item, as it was sent.
         *
         * @return array<string, mixed>
         */
        public function object(): array
        {
        }

        /**
         * A person's answer to an approval request, for the next request.
         *
         * @return array<string, mixed>
         *
         * @throws InvalidArgument for an item that asks nothing
         */
        public function decided(bool $approved): array
        {
        }

        /** @return array<string, ?string> */
        public function toArray(): array
        {
        }

        /**
         * Makes an object from the result of `toArray()`.
         *
         * @param array<string, mixed> $fields
         * @throws InvalidArgument `invalid_record`, when a field is missing or cannot be
         */
        public static function fromArray(array $fields): ProviderItem
        {
        }

        /** The code that `var_export()` writes calls this method. */
        public static function __set_state(array $properties): ProviderItem
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
