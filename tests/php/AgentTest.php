<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use RuntimeException;
use Toolwire\Detector;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\WrongType;
use Toolwire\Tools\Agent;
use Toolwire\Tools\AgentLimits;
use Toolwire\Tools\Exception\AgentException;
use Toolwire\Tools\Exception\StoreException;
use Toolwire\Tools\Execution;
use Toolwire\Tools\Executor;
use Toolwire\Tools\ModelResponse;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store;
use Toolwire\Tools\Store\Sqlite;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;

/** Agents: what PHP alone can get wrong. The rules of conversations have their tests in the core. */
final class AgentTest extends TestCase
{
    /** @var list<array<string, mixed>> */
    private array $asked = [];
    /** @var list<int> */
    private array $wiped = [];
    private string $file;

    protected function setUp(): void
    {
        $this->file = (string) tempnam(sys_get_temp_dir(), 'agent');
    }

    protected function tearDown(): void
    {
        array_map(unlink(...), glob("$this->file*") ?: []);
    }

    private function executor(bool $asks = false, ?Store $store = null): Executor
    {
        $registry = new Registry();
        $wipe = function ($input): string {
            $this->wiped[] = $input->payload['disk'];
            return "wiped {$input->payload['disk']}";
        };
        $tool = new ToolDefinition('wipe', 'WIPE', $wipe, requiresApproval: $asks);
        $registry->register($tool);
        return new Executor($registry, $store);
    }

    /** @return array<string, mixed> */
    private static function calls(string $name = 'wipe', string $arguments = '{"disk": 7}'): array
    {
        $function = ['name' => $name, 'arguments' => $arguments];
        $calls = [['id' => 'call_0', 'type' => 'function', 'function' => $function]];
        return self::message(['role' => 'assistant', 'content' => null, 'tool_calls' => $calls]);
    }

    /**
     * @param array<string, mixed> $message
     * @return array<string, mixed>
     */
    private static function message(array $message): array
    {
        $usage = ['prompt_tokens' => 3, 'completion_tokens' => 4];
        return ['choices' => [['message' => $message]], 'usage' => $usage];
    }

    /** @return array<string, mixed> */
    private static function says(string $text): array
    {
        return self::message(['role' => 'assistant', 'content' => $text]);
    }

    /** A model that writes these, one after the other. */
    private function model(mixed ...$responses): callable
    {
        return function (array $body) use (&$responses): mixed {
            $this->asked[] = $body;
            $response = array_shift($responses);
            return $response instanceof \Throwable ? throw $response : $response;
        };
    }

    public function testACallWaitsAndAnotherAgentAnswers(): void
    {
        $first = $this->executor(true, new Sqlite($this->file));
        $calls = '<think>Hm.</think>I do. <tool_call>{"name": "wipe", "arguments": {"disk": 7}}</tool_call>';
        $detector = new Detector(model: 'qwen3');
        $agent = new Agent($this->model(self::says($calls)), 'qwen3', $first, detector: $detector);
        $answer = $agent->run('Wipe disk 7.', 'chat');
        self::assertSame(['waiting', 'I do. ', 'Hm.'], [$answer->state, $answer->text, $answer->reasoning]);
        self::assertSame('wipe', $answer->waiting[0]->tool);
        try {
            $agent->run('And now?', 'chat');
            self::fail('a text was taken');
        } catch (AgentException $refused) {
            self::assertSame('conversation_waiting', $refused->getKind());
        }
        $second = $this->executor(true, new Sqlite($this->file));
        $second->approve((string) $answer->waiting[0]->approvalId);
        $agent = new Agent($this->model(self::says('Wiped.')), 'qwen3', $second);
        self::assertSame('Wiped.', $agent->run(conversation: 'chat')->text);
        $again = $agent->run(conversation: 'chat');
        self::assertSame(['done', 'Wiped.', 6, 8], [
            $again->state, $again->text, $again->inputTokens, $again->outputTokens,
        ]);
        self::assertSame([7], $this->wiped);
        self::assertCount(2, $this->asked);
        self::assertStringContainsString('wiped 7', (string) json_encode($this->asked[1]));
        self::assertSame(['chat'], $agent->list());
        self::assertTrue($agent->forget('chat'));
        self::assertSame([], $agent->list());
    }

    public function testWhatTheModelWroteGoesBackAsItCame(): void
    {
        $registry = new Registry();
        $registry->register(new ToolDefinition('look', 'LOOK', static fn () => 'seen'));
        $content = '[{"type": "thinking", "thinking": "", "signature": "c2ln"},'
            . ' {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}]';
        $text = '[{"type": "text", "text": "Seen."}]';
        $answers = array_map(
            static fn (string $said): string => '{"type": "message", "role": "assistant", "content": ' . $said . '}',
            [$content, $text],
        );
        $agent = new Agent($this->model(...$answers), 'claude', new Executor($registry), api: 'anthropic');
        self::assertSame('Seen.', $agent->run('Look.', 'chat')->text);
        $sent = json_encode($this->asked[1]['messages'][1]['content']);
        self::assertJsonStringEqualsJsonString($content, (string) $sent);
        self::assertStringContainsString('"properties":{}', (string) json_encode($this->asked[0]['tools']));
    }

    public function testAResponseOverHttpSaysWhetherItPasses(): void
    {
        $busy = new ModelResponse(503, '{"error": {"message": "busy"}}');
        $limited = new ModelResponse(429, '{}', 0);
        $body = new ModelResponse(200, (string) json_encode(self::says('Here.')));
        $agent = new Agent($this->model($busy, $limited, $body), 'm', $this->executor());
        self::assertSame('Here.', $agent->run('Hello', 'chat')->text);
        self::assertCount(3, $this->asked);
        $refused = new ModelResponse(401, '{"error": {"message": "no such key"}}');
        $agent = new Agent($this->model($refused), 'm', $this->executor());
        try {
            $agent->run('Hello', 'chat');
            self::fail('it was refused');
        } catch (AgentException $thrown) {
            self::assertSame('model_refused', $thrown->getKind());
            self::assertStringContainsString('no such key (HTTP 401)', $thrown->getMessage());
        }
    }

    public function testWhatTheClientThrowsArrivesAndTheConversationStands(): void
    {
        $executor = $this->executor();
        $failed = new RuntimeException('no client');
        $agent = new Agent($this->model($failed, self::says('Here.')), 'm', $executor);
        try {
            $agent->run('Hello', 'chat');
            self::fail('nothing was thrown');
        } catch (RuntimeException $thrown) {
            self::assertSame($failed, $thrown);
        }
        self::assertSame('Here.', $agent->run(conversation: 'chat')->text);
        foreach ([null, 7, 'no JSON', ['choices' => []], INF, fopen('php://memory', 'r')] as $odd) {
            try {
                (new Agent($this->model($odd), 'm', $this->executor()))->run('Hello', 'chat');
                self::fail('it was read');
            } catch (AgentException | InvalidArgument | \Toolwire\Exception\WrongType $refused) {
                self::assertNotSame('', $refused->getMessage());
            }
        }
    }

    public function testACallOfNoToolIsToldTheNearest(): void
    {
        $model = $this->model(self::calls('wipes'), self::calls('wipe', '{"disk": '), self::says('Sorry.'));
        $agent = new Agent($model, 'm', $this->executor());
        self::assertSame('Sorry.', $agent->run('Wipe.', 'chat')->text);
        $told = (string) json_encode($this->asked[1], JSON_UNESCAPED_SLASHES);
        self::assertStringContainsString("There is no tool 'wipes'; nearest: wipe", $told);
        self::assertSame([], $this->wiped);
    }

    public function testAListenerIsToldWhatHappensAsItComes(): void
    {
        $said = '<think>Hm.</think>I do. <tool_call>{"name": "wipe", "arguments": {"disk": 7}}</tool_call>';
        $stream = static function (string $text, mixed ...$more): iterable {
            foreach (str_split($text, 3) as $piece) {
                yield ['choices' => [['index' => 0, 'delta' => ['content' => $piece]]]];
            }
            yield '{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}';
            yield from $more;
            yield '[DONE]';
        };
        $model = $this->model(
            $stream($said),
            $stream('Nothing.', new ModelResponse(503, 'overloaded')),
            $stream('Wiped.'),
        );
        $detector = new Detector(model: 'qwen3');
        $agent = new Agent($model, 'qwen3', $this->executor(), detector: $detector, streams: true);
        $told = [];
        $answer = $agent->run('Wipe.', 'chat', listener: static function (string $type, array $data) use (&$told): void {
            $text = $data['text'] ?? '';
            $last = array_key_last($told);
            if ($text !== '' && ($told[$last][0] ?? '') === $type) {
                $told[$last][1] .= $text;
            } else {
                $told[] = [$type, $text];
            }
        });
        self::assertSame(['done', 'Wiped.'], [$answer->state, $answer->text]);
        self::assertTrue($this->asked[0]['stream']);
        $broken = array_splice($told, 6, 2);
        self::assertSame(['text', 'retracted'], array_column($broken, 0));
        self::assertSame([
            ['user', 'Wipe.'], ['reasoning', 'Hm.'], ['text', 'I do. '], ['call', ''], ['usage', ''],
            ['result', ''], ['text', 'Wiped.'], ['usage', ''],
        ], $told);
        $events = $agent->events('chat');
        self::assertSame(array_column($told, 0), array_column($events, 'type'));
        self::assertSame(['disk' => 7], $events[3]['data']['arguments']);
        self::assertSame([], $agent->events('other'));
    }

    public function testAListenerThatThrowsStopsNothing(): void
    {
        $agent = new Agent($this->model(self::says('Here.')), 'm', $this->executor());
        $warned = 0;
        set_error_handler(static function () use (&$warned): bool {
            return (bool) ++$warned;
        });
        try {
            $answer = $agent->run('Hello', 'chat', listener: static fn () => throw new RuntimeException('no page'));
        } finally {
            restore_error_handler();
        }
        self::assertSame('Here.', $answer->text);
        self::assertSame(3, $warned);
    }

    public function testLimitsStop(): void
    {
        $limits = new AgentLimits(turns: 2);
        self::assertSame([2, 50, null, 600, 3, 3], [
            $limits->turns, $limits->calls, $limits->tokens, $limits->seconds, $limits->repairs,
            $limits->sameCall,
        ]);
        $model = $this->model(self::calls(), self::calls(), self::says('Enough.'));
        $agent = new Agent($model, 'm', $this->executor(), limits: $limits, options: ['temperature' => 0.5]);
        $answer = $agent->run('Wipe.', 'chat');
        self::assertSame(['stopped', 'turns', 'Enough.'], [$answer->state, $answer->reason, $answer->text]);
        self::assertSame([7], $this->wiped);
        self::assertSame(0.5, $this->asked[0]['temperature']);
        $this->expectException(InvalidArgument::class);
        new AgentLimits(calls: -1);
    }

    public function testATextThatIsSaidIsAnsweredByWhoGoesOn(): void
    {
        $executor = $this->executor();
        (new Agent($this->model(), 'm', $executor))->say('Hello', 'chat');
        self::assertSame([], $this->asked);
        $agent = new Agent($this->model(self::says('Here.')), 'm', $executor);
        self::assertSame(['user'], array_column($agent->events('chat'), 'type'));
        self::assertSame('Here.', $agent->run(conversation: 'chat')->text);
    }

    public function testAProgramRunsTheCallsItself(): void
    {
        $executor = $this->executor(asks: true);
        $ran = [];
        $id = 'a1b2c3d4-0000-4000-8000-000000000001';
        $run = function (string ...$call) use (&$ran, $executor, $id): Execution|ToolOutput {
            $ran[] = $call;
            if ($call[3] === '3:0') {
                return ToolOutput::fail('not again');
            }
            $action = ['type' => 'wipe', 'payload' => json_decode($call[1], true)];
            return $executor->resume($id) ?? $executor->start($action, ['run_id' => $id]);
        };
        $model = $this->model(self::calls(), self::calls(), self::says('Enough.'));
        $agent = new Agent($model, 'm', $executor, runCall: $run);
        $answer = $agent->run('Wipe.', 'chat');
        self::assertSame(['waiting', $id], [$answer->state, $answer->waiting[0]->id]);
        self::assertSame('waiting', $agent->run(conversation: 'chat')->state);
        $executor->approve((string) $answer->waiting[0]->approvalId);
        self::assertSame('Enough.', $agent->run(conversation: 'chat')->text);
        self::assertSame([7], $this->wiped);
        self::assertSame(['wipe', '{"disk":7}', 'chat', '1:0'], $ran[0]);
        self::assertSame(['1:0', '1:0', '1:0', '3:0'], array_column($ran, 3));
        $told = array_column($this->asked[2]['messages'], 'content', null);
        self::assertStringContainsString('not again', (string) end($told));
    }

    public function testWhatRunsACallMustSayWhatCameOfIt(): void
    {
        $model = $this->model(self::calls());
        $agent = new Agent($model, 'm', $this->executor(), runCall: static fn (): string => 'done');
        $this->expectException(WrongType::class);
        $this->expectExceptionMessage('runCall must return');
        $agent->run('Wipe.', 'chat');
    }

    public function testAStoreThatThrowsIsNamed(): void
    {
        $store = new ArrayStore();
        $agent = new Agent($this->model(self::says('Here.')), 'm', $this->executor(store: $store));
        self::assertSame('Here.', $agent->run('Hello', 'chat')->text);
        $store = new ArrayStore(static fn () => throw new RuntimeException('gone'));
        $agent = new Agent($this->model(), 'm', $this->executor(store: $store));
        try {
            $agent->run('Hello', 'chat');
            self::fail('the store failed');
        } catch (StoreException $thrown) {
            self::assertSame('gone', $thrown->getPrevious()?->getMessage());
        }
    }

    public function testATurnedAgentIsCollected(): void
    {
        $holder = new class {
            public ?Agent $agent = null;
        };
        $holder->agent = new Agent(fn (): array => $holder->agent?->list() ?? [], 'm', $this->executor());
        $seen = \WeakReference::create($holder);
        unset($holder);
        gc_collect_cycles();
        self::assertNull($seen->get());
    }

    public function testAConversationHasAnId(): void
    {
        $agent = new Agent($this->model(), 'm', $this->executor());
        foreach (['Hello', null] as $text) {
            try {
                $agent->run($text);
                self::fail('it was taken');
            } catch (AgentException $refused) {
                self::assertSame('invalid_agent', $refused->getKind());
            }
        }
        self::assertSame([], $this->asked);
    }

    public function testWrongOptionsAreRefused(): void
    {
        $model = static fn (): array => [];
        foreach ([['api' => 'opnai'], ['interrupted' => 'wait'], ['options' => [1, 2]]] as $wrong) {
            try {
                new Agent($model, 'm', $this->executor(), ...$wrong);
                self::fail('it was taken');
            } catch (InvalidArgument $refused) {
                self::assertNotSame('', $refused->getMessage());
            }
        }
    }
}
