<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use DomainException;
use Toolwire\Tools\Exception\ToolUndoFailed;
use Toolwire\Tools\ToolOutput;
use Toolwire\Tools\UndoMetadata;
use Toolwire\Tools\UndoStore;

/** What a run keeps for its undo, and the undo. */
final class ToolsUndoTest extends ToolsRunTestCase
{
    public function testUndo(): void
    {
        $undone = [];
        $tool = self::tool(
            static fn () =>
                ToolOutput::ok(artifacts: [['id' => 1]], undoMetadata: ['before' => ['x' => 1.5]]),
            undoable: true,
            undoHandler: static function (UndoMetadata $metadata) use (&$undone): void {
                $undone[] = [$metadata->runId, $metadata->toolName, $metadata->undoData];
            },
        );
        $executor = $this->executor($tool);
        self::assertFalse($executor->undo('a1'));
        $execution = $executor->execute(['id' => 'a1', 'type' => 'EDIT'], self::CONTEXT);
        $this->assertTold(['tool.invoked', 'tool.started', 'tool.completed'], $execution);
        self::assertTrue($this->told[2][1]['output_summary']['has_undo_metadata']);
        self::assertSame(1, $this->told[2][1]['artifacts_count']);
        self::assertCount(1, new UndoStore($this->store));
        $this->told = [];
        self::assertTrue($executor->undo('a1', self::CONTEXT));
        $this->assertTold(['tool.undone']);
        self::assertSame([['a1', 'edit', ['before' => ['x' => 1.5]]]], $undone);
        self::assertFalse($executor->undo('a1'));
    }

    public function testAnUndoThatThrowsMayBeTriedAgain(): void
    {
        $tries = 0;
        $undo = static function () use (&$tries): void {
            ++$tries > 1 || throw new DomainException('not now');
        };
        $tool = self::tool(
            static fn () => ToolOutput::ok(undoMetadata: ['x' => 1]),
            undoable: true,
            undoHandler: $undo
        );
        $executor = $this->executor($tool);
        $executor->execute(['id' => 'a1', 'type' => 'EDIT'], self::CONTEXT);
        $this->told = [];
        try {
            $executor->undo('a1', self::CONTEXT);
            self::fail('nothing was thrown');
        } catch (ToolUndoFailed $error) {
            self::assertSame(
                "Tool 'edit' did not undo the run 'a1': not now",
                $error->getMessage()
            );
            self::assertInstanceOf(DomainException::class, $error->getPrevious());
        }
        $this->assertTold(['tool.undo_failed']);
        self::assertSame(
            ['not now', 'DomainException'],
            array_slice(array_values($this->told[0][1]), 5)
        );
        self::assertTrue($executor->undo('a1'));
    }

    public function testUndoDataExpire(): void
    {
        $tool = self::tool(
            static fn () => ToolOutput::ok(undoMetadata: ['x' => 1]),
            undoable: true,
            undoHandler: static fn () => 1
        );
        $executor = $this->executor($tool, undoTtl: 0.01);
        $executor->execute(['id' => 'a1', 'type' => 'EDIT']);
        usleep(15_000);
        self::assertFalse($executor->undo('a1'));
        self::assertSame(1, (new UndoStore($this->store))->cleanupExpired());
    }

    public function testUndoDataThatCannotBeKeptAreTold(): void
    {
        $tool = self::tool(
            static fn () => ToolOutput::ok(undoMetadata: ['x' => NAN]),
            undoable: true
        );
        $execution = $this->runTool($tool);
        $this->assertTold(
            ['tool.invoked', 'tool.started', 'tool.completed', 'tool.undo_store_failed'],
            $execution
        );
        self::assertSame('completed', $execution->state);
        self::assertTrue($execution->succeeded());
        self::assertNull($execution->error);
    }
}
