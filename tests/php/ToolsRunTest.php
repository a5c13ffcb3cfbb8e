<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use DomainException;
use PHPUnit\Framework\Attributes\DataProvider;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\WrongType;
use Toolwire\Tools\Exception\StoreException;
use Toolwire\Tools\Exception\ToolException;
use Toolwire\Tools\Exception\ToolExecutionFailed;
use Toolwire\Tools\Exception\ToolNotFound;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;
use Toolwire\Tools\UndoStore;

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
        self::assertSame(['chat', '5'], [$invoked['behavior'], $invoked['request_id']]);
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
            'action_id' => 'a1', 'tool_name' => 'edit', 'payload' => ['x' => [1, ['y' => null]]],
            'behavior' => 'chat', 'pipeline_run_id' => 'p1', 'request_id' => '5',
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
            'No tool registered for action type: NOPE',
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
        self::assertSame("Tool 'edit' execution failed: boom", $error->getMessage());
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
            'action_id' => 'a1',
            'cause' => 'DomainException', 'cause_message' => 'boom',
        ], $error->toArray());
    }

    /** @return iterable<string, array{mixed}> */
    public static function nonsense(): iterable
    {
        yield 'null' => [null];
        yield 'an array' => [['success' => true]];
        yield 'another object' => [new Memory()];
    }

    /** @dataProvider nonsense */
    #[DataProvider('nonsense')]
    public function testAHandlerThatReturnsNonsenseFails(mixed $nonsense): void
    {
        $execution = $this->runTool(self::tool(static fn () => $nonsense));
        $this->assertTold(['tool.invoked', 'tool.started', 'tool.failed'], $execution);
        self::assertInstanceOf(WrongType::class, $execution->error->getPrevious());
        self::assertStringContainsString(
            'must return a Toolwire\Tools\ToolOutput',
            $execution->error->getMessage()
        );
        self::assertSame('Toolwire\Exception\WrongType', $this->told[2][1]['error_code']);
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
        yield 'no type' => [['payload' => []], InvalidArgument::class];
        yield 'a text' => ['EDIT', WrongType::class];
        yield 'an object' => [new Memory(), WrongType::class];
        yield 'a payload that is none' => [['type' => 'EDIT', 'payload' => 'x'], WrongType::class];
        $call = ['function' => ['name' => 'edit', 'arguments' => '{"n"']];
        yield "a provider's call that is cut off" => [$call, InvalidArgument::class];
        $two = [['functionCall' => ['name' => 'a']], ['functionCall' => ['name' => 'b']]];
        yield 'two calls' => [['parts' => $two], InvalidArgument::class];
        yield 'an id that is none' => [['type' => 'EDIT', 'id' => []], WrongType::class];
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
