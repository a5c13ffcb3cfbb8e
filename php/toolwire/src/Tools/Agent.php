<?php

declare(strict_types=1);

namespace Toolwire\Tools;

use Throwable;
use TypeError;
use Toolwire\Detector;
use Toolwire\Plain\Agent\Conversation;
use Toolwire\Plain\Agent\Conversations;
use Toolwire\Plain\Agent\Events;
use Toolwire\Plain\Agent\Failure;
use Toolwire\Plain\Agent\Shown;
use Toolwire\Plain\Agent\Turn;
use Toolwire\Plain\Json\Plain;
use Toolwire\Plain\LeftOut;
use Toolwire\Plain\Misuse;
use Toolwire\Plain\Nearest;
use Toolwire\Plain\Providers;
use Toolwire\Plain\Unsaved;
use Toolwire\Redaction;
use Toolwire\Tools\Exception\AgentException;

/**
 * A model, its tools, and a store for their conversations: from a user's text to an answer.
 *
 * It asks servers of chat completions for whole answers, and has its calls run by `runCall`. What
 * the store has of a conversation is what the extension would keep.
 */
final class Agent
{
    use Unsaved;

    /** @var callable */
    private $client;

    /** @var string */
    private $model;

    /** @var Registry */
    private $tools;

    /** @var string */
    private $system;

    /** @var AgentLimits */
    private $limits;

    /** @var Detector|null */
    private $detector;

    /** @var array<string, mixed> */
    private $options;

    /** @var Shown */
    private $shown;

    /** @var callable */
    private $runCall;

    /** @var Conversations */
    private $conversations;

    /** @var callable|null */
    private $listener = null;

    /**
     * @param ?array<string, mixed> $options
     * @param Redaction|list<string>|null $redact
     * @param ?array<string, mixed> $constrain
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
        $redact = null,
        bool $streams = false,
        ?callable $runCall = null,
        ?array $constrain = null
    ) {
        Providers::onlyChat($api, 'models', 'an agent for the API');
        LeftOut::refuse($streams, 'an agent that streams');
        LeftOut::refuse($runCall === null, 'an agent without runCall');
        LeftOut::refuse($constrain !== null, 'an agent held to a grammar');
        if (!in_array($interrupted, ['ask', 'tell'], true)) {
            $message = "interrupted must be \"ask\" or \"tell\", got \"$interrupted\"";
            throw Misuse::of('invalid_option', $message);
        }
        if ($redact !== null && !is_array($redact) && !$redact instanceof Redaction) {
            throw new TypeError(__METHOD__ . '(): Argument #11 ($redact) must be of type '
                . 'Toolwire\Redaction|array|null, ' . Misuse::typeName($redact) . ' given');
        }
        [$this->tools, $store] = $tools->parts();
        $this->client = $client;
        $this->model = $model;
        $this->system = $system;
        $this->limits = $limits ?? new AgentLimits();
        $this->detector = $detector;
        $this->options = $options ?? [];
        $this->shown = new Shown($maxBytes, is_array($redact) ? Redaction::only($redact) : $redact);
        $this->runCall = $runCall;
        $this->conversations = new Conversations($store, $api, $model);
    }

    /**
     * Goes on with a conversation until the model answers or a limit is reached.
     *
     * @param ?array<string, mixed> $context
     * @param ?callable(string, array<string, mixed>): void $listener
     * @throws AgentException
     */
    public function run(
        ?string $text = null,
        ?string $conversation = null,
        ?array $context = null,
        ?callable $listener = null
    ): AgentAnswer {
        $this->listener = $listener;
        $talk = $this->takenUp($text, (string) $conversation);
        while (true) {
            [$step, $what] = $talk->next($this->limits);
            if ($step === 'ask') {
                $this->ask($talk, $what);
            } elseif ($step === 'run') {
                foreach ($what as [$message, $index]) {
                    $this->runOne($talk, $message, $index);
                }
            } elseif ($step === 'end') {
                return $this->answer($talk, $what);
            } else {
                throw self::unknown((string) $conversation);
            }
        }
    }

    /** Has the user say a text, and asks nothing. The conversation begins if there is none. */
    public function say(string $text, ?string $conversation = null): void
    {
        $this->listener = null;
        $this->takenUp($text, (string) $conversation);
    }

    /** @return list<array{type: string, data: array<string, mixed>}> the oldest first */
    public function events(string $conversation): array
    {
        $talk = $this->conversations->find($conversation);
        return $talk === null ? [] : Events::of($talk, 0);
    }

    /** @return list<string> the ids of conversations, in the order of their keys */
    public function list(int $limit = 100, ?string $after = null): array
    {
        return $this->conversations->ids($limit, $after);
    }

    /** Deletes a conversation, and says whether there was one. */
    public function forget(string $conversation): bool
    {
        return $this->conversations->forget($conversation);
    }

    private function takenUp(?string $text, string $id): Conversation
    {
        $talk = $this->conversations->find($id);
        if ($talk === null && $text === null) {
            throw self::unknown($id);
        }
        $talk = $talk ?? $this->conversations->begin($id);
        if ($text !== null) {
            $from = count($talk->messages);
            $talk->say(\Toolwire\Plain\Utf8::lossy($text));
            $this->conversations->save($talk);
            $this->tell(Events::of($talk, $from));
        }
        return $talk;
    }

    /** Asks the model, and keeps what it wrote before anything of it runs. */
    private function ask(Conversation $talk, ?string $endsFor): void
    {
        $began = microtime(true);
        $from = count($talk->messages);
        $body = ['model' => $this->model];
        $body['messages'] = Plain::arrays($talk->request($this->system));
        $tools = $this->tools->toProvider('openai');
        if ($tools !== []) {
            $body['tools'] = Plain::arrays($tools);
            $body += $endsFor === null ? [] : ['tool_choice' => 'none'];
        }
        $turn = Turn::of($this->send(array_replace($body, $this->options)), $this->detector);
        $turn->took_ms = self::since($began);
        $turn->ends_for = $endsFor;
        $talk->take($turn, $this->limits);
        $this->conversations->save($talk);
        $this->tell(Events::of($talk, $from));
    }

    /**
     * Sends a request, and again after a failure that is passing.
     *
     * @param array<string, mixed> $body
     * @return mixed
     */
    private function send(array $body)
    {
        for ($tries = 0; true; $tries++) {
            $given = ($this->client)($body);
            try {
                if (is_string($given)) {
                    $given = new ModelResponse(200, $given);
                }
                if ($given instanceof ModelResponse) {
                    return Failure::response($given);
                }
                return Plain::objects($given)[0] ?? null;
            } catch (Failure $failure) {
                $pause = $failure->pause($tries);
                if ($pause === null) {
                    throw $failure->exception();
                }
                usleep((int) ($pause * 1000000));
            }
        }
    }

    private function runOne(Conversation $talk, int $message, int $index): void
    {
        $began = microtime(true);
        $from = count($talk->messages);
        $call = $talk->call($message, $index);
        if ($this->tools->get($call->name) === null) {
            $names = array_map(static function (ToolDefinition $tool): string {
                return $tool->name;
            }, $this->tools->list());
            $why = "There is no tool '$call->name'" . Nearest::suggestion($call->name, $names);
            $output = ToolOutput::fail($why);
        } elseif (!$call->arguments instanceof \stdClass) {
            $output = ToolOutput::fail('The arguments of the call cannot be read');
        } else {
            $arguments = Plain::line($call->arguments);
            $output = ($this->runCall)($call->name, $arguments, $talk->id, "$message:$index");
            if (!$output instanceof ToolOutput) {
                $given = Misuse::typeName($output);
                $wanted = 'runCall must return a Toolwire\\Tools\\Execution or a '
                    . "Toolwire\\Tools\\ToolOutput, got $given";
                throw Misuse::of('wrong_type', $wanted);
            }
        }
        [$success, $data, $error] = $this->shown->of($call->name, $output);
        $talk->addResult($message, $index, $success, $data, $error, self::since($began));
        $this->conversations->save($talk);
        $this->tell(Events::of($talk, $from));
    }

    private function answer(Conversation $talk, ?string $reason): AgentAnswer
    {
        $turn = $talk->lastTurn();
        [$input, $output] = $talk->usage();
        return AgentAnswer::of([
            'state' => $reason === null ? 'done' : 'stopped',
            'text' => $turn->text ?? '',
            'reasoning' => $turn->reasoning ?? '',
            'cutOff' => $turn->cut_off ?? false,
            'waiting' => [],
            'reason' => $reason,
            'inputTokens' => $input,
            'outputTokens' => $output,
        ]);
    }

    /**
     * Tells the listener; what it throws becomes a warning.
     *
     * @param list<array{type: string, data: array<string, mixed>}> $events
     */
    private function tell(array $events): void
    {
        foreach ($this->listener === null ? [] : $events as $event) {
            try {
                ($this->listener)($event['type'], $event['data']);
            } catch (Throwable $thrown) {
                $what = get_class($thrown) . ': ' . $thrown->getMessage();
                trigger_error("the agent's listener threw $what", E_USER_WARNING);
            }
        }
    }

    private static function since(float $began): int
    {
        return (int) ((microtime(true) - $began) * 1000);
    }

    private static function unknown(string $id): AgentException
    {
        $message = "the store has no conversation \"$id\"; begin it with a text";
        return AgentException::of('unknown_conversation', $message);
    }
}
