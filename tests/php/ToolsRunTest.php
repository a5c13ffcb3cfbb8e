<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use ArrayObject;
use DateTimeImmutable;
use DateTimeZone;
use DomainException;
use JsonSerializable;
use PHPUnit\Framework\Attributes\DataProvider;
use stdClass;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\WrongType;
use Toolwire\Provider;
use Toolwire\Tools\Exception\StoreException;
use Toolwire\Tools\Exception\ToolException;
use Toolwire\Tools\Exception\ToolExecutionFailed;
use Toolwire\Tools\Exception\ToolNotFound;
use Toolwire\Tools\Execution;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;
use Toolwire\Tools\UndoStore;

enum Suit: string
{
    case Hearts = 'H';
}

enum Side
{
    case Left;
}

/** How a run ends: its state, and its events with their keys in order. */
final class ToolsRunTest extends ToolsRunTestCase
{
    public function testSuccess(): void
    {
        $execution = $this->runTool(self::tool(), ['n' => 1]);
        $this->assertTold(['tool.invoked', 'tool.started', 'tool.completed'], $execution);
        self::assertSame(
            ['completed', 'a1', 'edit'],
            [$execution->state, $execution->id, $execution->tool]
        );
        self::assertTrue($execution->succeeded());
        self::assertSame(['got' => ['n' => 1]], $execution->output->data);
        self::assertNull($execution->error);
        [, $invoked] = $this->told[0];
        self::assertSame(['n' => 1], $invoked['payload_summary']);
        self::assertSame(['chat', '5'], [$invoked['mode'], $invoked['request_id']]);
        [, $completed] = $this->told[2];
        self::assertIsFloat($completed['duration_ms']);
        self::assertSame(0, $completed['artifacts_count']);
        self::assertSame(
            ['success' => true, 'has_data' => true, 'has_error' => false, 'has_artifacts' => false,
                'has_undo_metadata' => false],
            $completed['output_summary']
        );
    }

    public function testAHandlerSeesTheWholeInput(): void
    {
        $seen = null;
        $this->runTool(self::tool(static function (ToolInput $input) use (&$seen): ToolOutput {
            $seen = $input->toArray();
            return ToolOutput::ok();
        }), ['x' => [1, ['y' => null]]]);
        self::assertSame([
            'run_id' => 'a1', 'tool_name' => 'edit', 'payload' => ['x' => [1, ['y' => null]]],
            'mode' => 'chat', 'parent_id' => 'p1', 'request_id' => '5',
        ], $seen);
    }

    public function testAnOutputOfFailureCompletes(): void
    {
        $handler = static fn (): ToolOutput => ToolOutput::fail('no such page', ['id' => 3]);
        $execution = $this->runTool(self::tool($handler, undoable: true));
        $this->assertTold(['tool.invoked', 'tool.started', 'tool.completed'], $execution);
        self::assertSame('completed', $execution->state);
        self::assertFalse($execution->succeeded());
        self::assertFalse($this->told[2][1]['output_summary']['success']);
        self::assertSame(
            ['success' => false, 'data' => ['id' => 3], 'error' => 'no such page'],
            $execution->output->toArray()
        );
    }

    public function testAnUnknownTypeTellsNothing(): void
    {
        $execution = $this->executor(self::tool())->execute(['type' => 'NOPE']);
        $this->assertTold([]);
        self::assertSame('failed', $execution->state);
        self::assertInstanceOf(ToolNotFound::class, $execution->error);
        self::assertSame(
            "There is no tool 'NOPE'",
            $execution->error->getMessage()
        );
        self::assertSame('tool_not_found', $execution->error->getKind());
        self::assertSame('NOPE', $execution->error->getTool());
    }

    public function testWhatAHandlerThrowsIsTheCause(): void
    {
        $line = __LINE__ + 1;
        $tool = self::tool(static fn () => throw new DomainException('boom', 7));
        $execution = $this->executor($tool)->execute(self::ACTION, self::CONTEXT);
        $this->assertTold(['tool.invoked', 'tool.started', 'tool.failed'], $execution);
        [, $failed] = $this->told[2];
        self::assertSame(self::FAILED, array_keys($failed));
        self::assertSame(
            ['DomainException', 'boom'],
            [$failed['error_code'], $failed['error_message']]
        );
        self::assertSame('failed', $execution->state);
        self::assertNull($execution->output);
        $error = $execution->error;
        self::assertInstanceOf(ToolExecutionFailed::class, $error);
        self::assertInstanceOf(ToolException::class, $error);
        self::assertSame("Tool 'edit' failed: boom", $error->getMessage());
        self::assertSame('raised', $error->getKind());
        self::assertSame(__FILE__, $error->getFile());
        self::assertNotSame([], $error->getTrace());
        $cause = $error->getPrevious();
        self::assertInstanceOf(DomainException::class, $cause);
        self::assertSame(
            [7, __FILE__, $line],
            [$cause->getCode(), $cause->getFile(), $cause->getLine()]
        );
        self::assertSame([
            'kind' => 'raised', 'message' => $error->getMessage(), 'tool' => 'edit',
            'run_id' => 'a1',
            'cause' => 'DomainException', 'cause_message' => 'boom',
        ], $error->toArray());
    }

    /** @return iterable<string, array{mixed, mixed}> what a handler returns, and its JSON */
    public static function returned(): iterable
    {
        $object = (object) ['a' => new stdClass(), 'b' => [], 'c' => (object) ['0' => 'x']];
        $date = new DateTimeImmutable('2026-01-02 03:04:05', new DateTimeZone('UTC'));
        $model = new class implements JsonSerializable {
            public function jsonSerialize(): mixed
            {
                return ['id' => 5, 'price' => 9.5, 'none' => null];
            }
        };
        $self = new class implements JsonSerializable {
            public int $shown = 1;
            protected int $hidden = 2;

            public function jsonSerialize(): mixed
            {
                return $this;
            }
        };
        $outer = new class ([$model, Suit::Hearts]) {
            public function __construct(public array $all, private string $secret = 's')
            {
            }
        };
        yield 'an array' => [['sent' => 'ann'], '{"sent":"ann"}'];
        yield 'an array that looks like an output' => [['success' => false], '{"success":false}'];
        yield 'a list' => [[1, 'two', 3.5, true, null], '[1,"two",3.5,true,null]'];
        yield 'an empty array' => [[], '[]'];
        yield 'a text' => ['sent', '"sent"'];
        yield 'an empty text' => ['', '""'];
        yield 'an integer' => [0, '0'];
        yield 'a float' => [9.0, '9.0'];
        yield 'false' => [false, 'false'];
        yield 'nothing' => [null, 'null'];
        yield 'a plain object' => [$object, '{"a":{},"b":[],"c":{"0":"x"}}'];
        yield 'an empty object' => [new stdClass(), '{}'];
        yield 'a model' => [$model, '{"id":5,"price":9.5,"none":null}'];
        yield 'a model that is its own JSON' => [$self, '{"shown":1}'];
        yield 'models in a list' => [[$model, [$model]], json_encode([$model, [$model]])];
        yield 'an enum' => [['suit' => Suit::Hearts], '{"suit":"H"}'];
        yield 'a date' => [$date, json_encode($date)];
        yield 'an object with models' => [$outer, json_encode($outer)];
        yield 'letters' => [['ä/😀' => "é\n"], '{"ä/😀":"é\n"}'];
        yield 'an iterator' => [new ArrayObject(['x' => 1]), '{"x":1}'];
    }

    /**
     * A handler that returned has done its work, whatever it returned: a run that says it failed
     * would be tried again.
     *
     * @dataProvider returned
     */
    #[DataProvider('returned')]
    public function testWhatAHandlerReturnsIsTheOutputsData(mixed $returned, string $json): void
    {
        $tool = self::tool(static fn () => $returned);
        $execution = $this->runTool($tool);
        $this->assertTold(['tool.invoked', 'tool.started', 'tool.completed'], $execution);
        self::assertSame(['completed', null], [$execution->state, $execution->outputGap]);
        self::assertSame($returned, $execution->output->data);
        self::assertTrue($execution->succeeded());
        $store = new Memory();
        $start = static function () use ($store, $tool): Execution {
            $registry = new Registry();
            $registry->register($tool);
            return (new Executor($registry, $store))->start(['id' => 'c1', 'type' => 'EDIT']);
        };
        [$first, $later] = [$start(), $start()];
        self::assertSame($json, json_encode(
            $later->output->data,
            JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION
        ));
        $told = array_map(static function (object $answered): mixed {
            $content = Provider::dump($answered, 'openai', 'c1')['content'];
            return json_decode($content) ?? $content;
        }, [$execution, $first, $later, ToolOutput::ok($returned)]);
        self::assertEquals([$told[0], $told[0], $told[0], $told[0]], $told);
        if (!in_array($returned, [null, ''], true)) {
            self::assertEquals(is_string($returned) ? $returned : json_decode($json), $told[0]);
        }
    }

    /** @return iterable<string, array{mixed}> what no JSON has */
    public static function noJson(): iterable
    {
        yield 'NAN' => [['x' => NAN]];
        yield 'infinity' => [-INF];
        yield 'bytes' => [['x' => ["\xff"]]];
        yield 'a key of bytes' => [["\xff" => 1]];
        yield 'a resource' => [fopen('php://memory', 'r')];
        yield 'an enum without values' => [[Side::Left]];
        yield 'a model that throws' => [new class implements JsonSerializable {
            public function jsonSerialize(): mixed
            {
                throw new DomainException('mine');
            }
        }];
        yield 'a model of NAN' => [[new class implements JsonSerializable {
            public function jsonSerialize(): mixed
            {
                return NAN;
            }
        }]];
        $twice = [];
        for ($i = 0; $i < 100; $i++) {
            $twice = [$twice, $twice];
        }
        yield 'an array that holds others twice, and so on' => [$twice];
        $itself = [];
        $itself['self'] = &$itself;
        yield 'an array that holds itself' => [$itself];
        $deep = [];
        for ($i = 0; $i < 200; $i++) {
            $deep = [$deep];
        }
        yield 'what nests too deep' => [$deep];
    }

    /** @dataProvider noJson */
    #[DataProvider('noJson')]
    public function testAnOutputThatIsNoJsonHasCompletedAndSaysSo(mixed $returned): void
    {
        foreach ([static fn () => $returned, static fn () => ToolOutput::ok($returned)] as $handler) {
            $store = new Memory();
            $start = static function () use ($store, $handler): Execution {
                $registry = new Registry();
                $registry->register(self::tool($handler));
                return (new Executor($registry, $store))->start(['id' => 'c1', 'type' => 'EDIT']);
            };
            [$first, $later] = [$start(), $start()];
            self::assertSame(['completed', 'not_json'], [$first->state, $first->outputGap]);
            self::assertSame(['completed', 'not_json'], [$later->state, $later->outputGap]);
            self::assertNotNull($first->output);
            self::assertNull($later->output);
            $executed = $this->runTool(self::tool($handler));
            self::assertSame(['completed', 'not_json'], [$executed->state, $executed->outputGap]);
            foreach ([$first, $later, $executed] as $answered) {
                $content = Provider::dump($answered, 'openai', 'c1')['content'];
                self::assertStringContainsString('ran, but what it gave cannot be shown', $content);
                self::assertStringContainsString('Do not repeat the call', $content);
            }
        }
    }

    public function testNamesInMessagesOfExceptionsShowWhatNobodySees(): void
    {
        $name = "a\0b\e[31m\u{202E}c\r";
        $executor = new Executor(new Registry());
        $unknown = $executor->execute(['type' => $name])->error;
        self::assertSame(
            "There is no tool 'a⟨U+0000⟩b⟨U+001B⟩[31m⟨U+202E⟩c⟨U+000D⟩'",
            $unknown->getMessage()
        );
        self::assertSame($name, $unknown->getTool());
        $thrown = static fn () => throw new DomainException("no $name");
        $failed = $this->runTool(self::tool($thrown))->error;
        self::assertStringEndsWith('failed: no a⟨U+0000⟩b⟨U+001B⟩[31m⟨U+202E⟩c⟨U+000D⟩', $failed->getMessage());
        self::assertSame("no $name", $failed->getPrevious()->getMessage());
        try {
            new \Toolwire\Detector($name);
            self::fail('nothing was thrown');
        } catch (\Toolwire\Exception\InvalidArgument $error) {
            self::assertSame(0, preg_match('/[\x00-\x1f]|\x{202E}/u', $error->getMessage()));
        }
    }

    public function testOptionsTurnThingsOff(): void
    {
        $tool = self::tool(
            static fn () => ToolOutput::ok(undoMetadata: ['x' => 1]),
            undoable: true,
            requiresApproval: true
        );
        $execution = $this->runTool(
            $tool,
            [],
            emitEvents: false,
            storeUndoData: false,
            requireApprovalForRisky: false
        );
        self::assertSame(['completed', []], [$execution->state, $execution->events]);
        $this->assertTold([]);
        self::assertCount(0, new UndoStore($this->store));
    }

    /** @return iterable<string, array{array<mixed>}> */
    public static function providersCalls(): iterable
    {
        $function = ['name' => 'edit', 'arguments' => '{"n":1}'];
        $openai = ['id' => 'call_1', 'type' => 'function', 'function' => $function];
        yield 'OpenAI' => [$openai];
        yield 'a message of OpenAI' => [['role' => 'assistant', 'tool_calls' => [$openai]]];
        $use = ['type' => 'tool_use', 'id' => 'toolu_1', 'name' => 'edit', 'input' => ['n' => 1]];
        yield 'Anthropic' => [$use];
        yield 'Gemini' => [['functionCall' => ['name' => 'edit', 'args' => ['n' => 1]]]];
    }

    /**
     * @param array<mixed> $call
     * @dataProvider providersCalls
     */
    #[DataProvider('providersCalls')]
    public function testAProvidersCallRunsInOneStep(array $call): void
    {
        foreach (['execute', 'start'] as $method) {
            $execution = $this->executor(self::tool())->$method($call, self::CONTEXT);
            self::assertSame('completed', $execution->state);
            self::assertSame(['got' => ['n' => 1]], $execution->output->data);
        }
    }

    /** @return iterable<string, array{mixed, class-string}> */
    public static function misuse(): iterable
    {
        yield 'an object' => [new Memory(), WrongType::class];
        yield 'a function' => [static fn () => 1, WrongType::class];
        $payload = ['type' => 'EDIT', 'payload' => new Memory()];
        yield 'a payload that is an object' => [$payload, WrongType::class];
    }

    /** @dataProvider misuse */
    #[DataProvider('misuse')]
    public function testMisuseThrows(mixed $action, string $class): void
    {
        $this->expectException($class);
        $this->executor(self::tool())->execute($action);
    }

    public function testAClosedStoreFailsTheRunAndNothingIsAsked(): void
    {
        $path = sys_get_temp_dir() . '/toolwire-' . getmypid() . '-closed.db';
        $sqlite = new \Toolwire\Tools\Store\Sqlite($path);
        $sqlite->close();
        $execution = $this->runTool(self::tool(null, requiresApproval: true), [], store: $sqlite);
        array_map('unlink', glob("$path*") ?: []);
        $this->assertTold(['tool.invoked', 'tool.failed'], $execution);
        self::assertSame('failed', $execution->state);
        $cause = $execution->error->getPrevious();
        self::assertInstanceOf(StoreException::class, $cause);
        self::assertSame('closed', $cause->getKind());
    }
}
