<?php

/** Stubs of agents. */

namespace Toolwire\Tools {
    use Toolwire\Detector;

    /**
     * A model, its tools, and a store for their conversations: from a user's text to an answer.
     *
     * The agent asks the model, runs the calls that it writes, tells it what they gave, and asks
     * again until the model answers. What was said is in the executor's store, so any request goes
     * on with a conversation, also after a person has approved a call.
     *
     *     $registry = new Toolwire\Tools\Registry();
     *     $wipe = static fn ($input) => "wiped {$input->payload['disk']}";
     *     $registry->register(
     *         new Toolwire\Tools\ToolDefinition('wipe', 'WIPE', $wipe, requiresApproval: true)
     *     );
     *     $executor = new Toolwire\Tools\Executor($registry);
     *     // Yours sends the body to a server.
     *     $model = static function (array $body): array {
     *         $last = end($body['messages']);
     *         $call = ['name' => 'wipe', 'arguments' => '{"disk": 7}'];
     *         $calls = [['id' => 'call_0', 'type' => 'function', 'function' => $call]];
     *         return ['choices' => [['message' => $last['role'] === 'tool'
     *             ? ['role' => 'assistant', 'content' => "It is $last[content]."]
     *             : ['role' => 'assistant', 'content' => null, 'tool_calls' => $calls]]]];
     *     };
     *     $agent = new Toolwire\Tools\Agent($model, 'qwen3', $executor);
     *     $answer = $agent->run('Wipe disk 7.', 'chat 7');
     *     echo $answer->state; // waiting
     *     $executor->approve($answer->waiting[0]->approvalId);
     *     echo $agent->run(conversation: 'chat 7')->text; // It is wiped 7.
     */
    final class Agent
    {
        /**
         * @param callable(array<string, mixed>): (ModelResponse|array<mixed>|object|string) $client
         *     sends the body of a request, in which an object without members is a `stdClass`; its
         *     response is a {@see ModelResponse}, JSON, or decoded. What it throws ends the run
         * @param string $model the model's name
         * @param Executor $tools whose store has the conversations too
         * @param string $system what the model is told before all else
         * @param string $api whose bodies they are: `openai`, `openai_responses`, `anthropic`,
         *     `gemini`, `bedrock`, `ollama`, `mistral`, `cohere`
         * @param ?Detector $detector reads the calls in the text of a model whose server leaves
         *     them there
         * @param string $interrupted what becomes of a call whose request died: `ask` waits for a
         *     person, `tell` tells the model that the outcome is unknown
         * @param ?array<string, mixed> $options more members of each request, such as
         *     `temperature`
         * @param ?int $maxBytes how much of a result the model is shown
         * @param \Toolwire\Redaction|array<string>|null $redact what of a result is masked
         * @param bool $streams whether the server is asked to stream. The client returns an
         *     `Iterator` then, of decoded events or JSON; or a {@see ModelResponse}
         * @param ?callable(string, string, string, string): (Execution|ToolOutput) $runCall runs a
         *     call instead of the executor: by the tool's name, its arguments as JSON, the id of
         *     the conversation, and the call's place there (`MESSAGE:INDEX`), which is always the
         *     same for one call. It is asked again for a call that has no result yet, and returns
         *     the run that there is, or an output; an execution that waits makes the conversation
         *     wait
         * @param ?array<string, mixed> $constrain for a server of chat completions that takes
         *     grammars: options of {@see Detector::constrain()} but `tools` and `toolChoice`, such
         *     as `['backend' => 'gbnf']`. It holds the model to its calls: the request gets the
         *     grammar and no tools, the text of the system names the tools, and the calls are read
         *     in the text
         * @throws \Toolwire\Exception\InvalidArgument
         * @throws \Toolwire\Exception\WrongType
         */
        public function __construct(
            callable $client,
            string $model,
            Executor $tools,
            string $system = '',
            string $api = 'openai',
            ?AgentLimits $limits = null,
            ?Detector $detector = null,
            string $interrupted = 'ask',
            ?array $options = null,
            ?int $maxBytes = null,
            \Toolwire\Redaction|array|null $redact = null,
            bool $streams = false,
            ?callable $runCall = null,
            ?array $constrain = null,
        ) {
        }

        /**
         * Goes on with a conversation until the model answers, calls wait, or a limit is reached.
         *
         * With a text, the user says it first, and the conversation begins if there is none.
         * Without one, what is missing is done: an answer that the store has is given again without
         * a request.
         *
         * @param ?array<string, mixed> $context as for {@see Executor::start()}
         * @param ?callable(string, array<string, mixed>): void $listener is told of each event as
         *     it comes, with its type and data; what it throws becomes a warning
         * @throws Exception\AgentException
         * @throws Exception\StoreException
         */
        public function run(
            ?string $text = null,
            ?string $conversation = null,
            ?array $context = null,
            ?callable $listener = null,
        ): AgentAnswer {
        }

        /**
         * Has the user say a text, and asks nothing: another request goes on, by {@see run()}
         * without a text. The conversation begins if there is none.
         *
         * @throws Exception\AgentException
         * @throws Exception\StoreException
         */
        public function say(string $text, ?string $conversation = null): void
        {
        }

        /**
         * What happened in a conversation so far, the oldest first: what a listener was told,
         * without the pieces; empty if there is no such conversation.
         *
         * @return list<array{type: string, data: array<string, mixed>}>
         */
        public function events(string $conversation): array
        {
        }

        /** @return list<string> the ids of conversations, in the order of their keys */
        public function list(int $limit = 100, ?string $after = null): array
        {
        }

        /** Deletes a conversation, and says whether there was one; its runs stay. */
        public function forget(string $conversation): bool
        {
        }
    }

    /** What an agent gives for a text. */
    final class AgentAnswer
    {
        /** `done`, `waiting` while calls have no result, or `stopped` at a limit. */
        public readonly string $state;
        /** The model's last text; what it wrote beside its calls while they wait. */
        public readonly string $text;
        /** The reasoning of the same message, where its provider shows it. */
        public readonly string $reasoning;
        /** Whether that message was cut off at the model's limit of tokens. */
        public readonly bool $cutOff;
        /** @var list<Execution> the runs of the calls that have no result yet */
        public readonly array $waiting;
        /** The limit that was reached: `turns`, `calls`, `tokens`, `seconds`, `repairs`, `same_call`. */
        public readonly ?string $reason;
        /** The tokens of all requests of the conversation. */
        public readonly int $inputTokens;
        /** The tokens of all its answers. */
        public readonly int $outputTokens;

        private function __construct()
        {
        }
    }

    /**
     * How much an agent may do for one text of its user, counted from what the store keeps.
     *
     *     echo (new Toolwire\Tools\AgentLimits(turns: 5))->sameCall; // 3
     */
    final class AgentLimits
    {
        /** How often the model is asked: 20. */
        public readonly int $turns;
        /** How many calls it may make: 50. */
        public readonly int $calls;
        /** How many tokens the requests and answers may have together; null for no limit. */
        public readonly ?int $tokens;
        /** For how many seconds the model and the tools may work: 600. */
        public readonly int $seconds;
        /** How often in a row the model is told that a call could not be read: 3. */
        public readonly int $repairs;
        /** How often one call with the same arguments may give the same result: 3. */
        public readonly int $sameCall;

        /** @throws \Toolwire\Exception\InvalidArgument for a negative number */
        public function __construct(
            ?int $turns = null,
            ?int $calls = null,
            ?int $tokens = null,
            ?int $seconds = null,
            ?int $repairs = null,
            ?int $sameCall = null,
        ) {
        }
    }

    /**
     * What a model's server answered over HTTP, for an agent to read.
     *
     * The statuses 408, 409, 425, 5xx and 0 are passing, 429 and 529 ask to be left alone: the
     * agent tries again, twice at most. Any other one above 299 is a refusal.
     *
     *     $response = new Toolwire\Tools\ModelResponse(503, 'busy', retryAfter: 2);
     *     echo $response::class; // Toolwire\Tools\ModelResponse
     */
    final class ModelResponse
    {
        /**
         * @param int $status 0 if there was no response
         * @param string $body the response as it came; for the status 0, why there is none
         * @param ?int $retryAfter the seconds of the header of that name
         */
        public function __construct(int $status, string $body = '', ?int $retryAfter = null)
        {
        }
    }
}
