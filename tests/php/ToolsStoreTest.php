<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use Toolwire\Tools\ApprovalRequest;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Executor;
use Toolwire\Tools\RateLimiter;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\Store\Sqlite;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;
use Toolwire\Tools\UndoStore;

/** What every store promises, and runs that outlive their process. */
final class ToolsStoreTest extends ToolsStoreTestCase
{
    /** @return iterable<string, array{callable(string): Store}> */
    public static function stores(): iterable
    {
        yield 'memory' => [static fn (string $folder): Store => new Memory()];
        yield 'sqlite' => [static fn (string $folder): Store => new Sqlite("$folder/state.db")];
        yield 'php' => [static fn (string $folder): Store => new ArrayStore()];
    }

    public function testOnlyAFileIsShared(): void
    {
        foreach (self::stores() as $name => [$make]) {
            self::assertSame($name === 'sqlite', $make($this->folder)->shared(), $name);
        }
    }

    /** @dataProvider stores */
    #[DataProvider('stores')]
    public function testEverythingWorksOverAnyStore(callable $make): void
    {
        $store = $make($this->folder);
        $undone = [];
        $registry = new Registry();
        $registry->register(new ToolDefinition(
            'edit',
            'EDIT',
            static fn ($input) => ToolOutput::ok($input->payload, undoMetadata: ['was' => 'x']),
            requiresApproval: true,
            undoable: true,
            undoHandler: static function ($metadata) use (&$undone): void {
                $undone[] = $metadata->undoData;
            },
            rateLimit: [3, 60.0],
        ));
        $executor = new Executor($registry, store: $store);
        $approvals = new ApprovalService($store);
        foreach (['a1', 'a2', 'a3'] as $id) {
            self::assertSame(
                'waiting',
                $executor->execute(['id' => $id, 'type' => 'EDIT'])->state
            );
        }
        self::assertSame(
            'rate_limited',
            $executor->execute(['id' => 'a4', 'type' => 'EDIT'])->error->getKind()
        );
        $pending = array_map(
            static fn (ApprovalRequest $request) => $request->runId,
            $approvals->pending()
        );
        self::assertSame(['a1', 'a2', 'a3'], $pending);
        $approvals->decide('a2', true);
        $approvals->decide('a3', false);
        $states = array_map(
            static fn (string $id) => $executor->resume($id)->state,
            ['a1', 'a2', 'a3']
        );
        self::assertSame(['waiting', 'completed', 'denied'], $states);
        $undo = new UndoStore($store);
        self::assertSame(
            ['a2'],
            array_map(static fn ($metadata) => $metadata->runId, $undo->all())
        );
        self::assertTrue($executor->undo('a2'));
        self::assertSame([['was' => 'x']], $undone);
        self::assertCount(0, $undo);
        self::assertFalse($undo->delete('a2'));
        self::assertSame('b', $undo->store('b', 'edit', [], 5.0)->runId);
        self::assertSame([], $undo->get('b')->undoData);
        $permit = (new RateLimiter($store, 1, 60.0))->check('other', 'me');
        self::assertSame(['allowed' => true, 'remaining' => 0, 'retry_after' => 0.0], $permit);
    }

    public function testARunIsGoneOnWithInAnotherProcess(): void
    {
        $path = "{$this->folder}/state.db";
        $setUp = 'use Toolwire\Tools\{ApprovalService, Executor, Registry, ToolDefinition, '
            . 'ToolOutput};'
            . 'use Toolwire\Tools\Store\Sqlite;'
            . '$store = new Sqlite($argv[1]); $registry = new Registry();'
            . '$registry->register(new ToolDefinition("send", "SEND", fn ($input) =>'
            . '    ToolOutput::ok('
            . '        ["sent" => $input->payload, "mode" => $input->mode],'
            . '        undoMetadata: ["id" => 9]'
            . '    ), requiresApproval: true, undoable: true,'
            . '    undoHandler: function ($m) { echo "undo ", $m->undoData["id"]; }));'
            . '$executor = new Executor($registry, $store);';
        $names = ' echo " ", implode(" ", array_column($run->events, "type"));';
        $php = static function (string $code) use ($setUp, $path): string {
            [$output, $status] = ToolsSafetyTest::php($setUp . $code, $path);
            self::assertSame(0, $status, $output);
            return $output;
        };
        $action = '["id" => "m1", "type" => "SEND",'
            . ' "payload" => ["to" => "Ünal", "n" => 1.0, "big" => 9007199254740993]]';
        $execute = "\$run = \$executor->execute($action, ['mode' => 'chat']);"
            . "echo \$run->state;$names";
        self::assertSame('waiting tool.invoked approval.requested', $php($execute));
        $resume = "\$run = \$executor->resume('m1'); echo \$run?->state ?? 'none';";
        self::assertSame('waiting', $php($resume));
        self::assertSame(
            'approved',
            $php('echo (new ApprovalService($store))->decide("m1", true)->status;')
        );
        $done = $php(
            $resume . $names
                . ' echo " ", json_encode($run->output->data, JSON_PRESERVE_ZERO_FRACTION);'
        );
        self::assertSame(
            'completed approval.decided tool.started tool.completed '
            . '{"sent":{"to":"\u00dcnal","n":1.0,"big":9007199254740993},"mode":"chat"}',
            $done
        );
        self::assertSame('none', $php($resume));
        self::assertSame('undo 91', $php('echo $executor->undo("m1");'));
    }

    public function testAHandlerThatDiesIsNotRunAgain(): void
    {
        $path = "{$this->folder}/state.db";
        $setUp = 'use Toolwire\Tools\{ApprovalService, Executor, Registry, ToolDefinition};'
            . '$store = new Toolwire\Tools\Store\Sqlite($argv[1]); $registry = new Registry();'
            . '$registry->register(new ToolDefinition("send", "SEND", function () { echo "ran"; '
            . 'exit(9); }, requiresApproval: true));'
            . '$executor = new Executor($registry, $store);';
        ToolsSafetyTest::php(
            $setUp . '$executor->execute(["id" => "m1", "type" => "SEND"]);',
            $path
        );
        ToolsSafetyTest::php($setUp . '(new ApprovalService($store))->decide("m1", true);', $path);
        self::assertSame(
            ['ran', 9],
            ToolsSafetyTest::php($setUp . '$executor->resume("m1");', $path)
        );
        self::assertSame(
            ['interrupted', 0],
            ToolsSafetyTest::php($setUp . 'echo $executor->resume("m1")->state;', $path)
        );
    }
}
