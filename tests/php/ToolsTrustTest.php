<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Toolwire\Detector;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Execution;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;
use Toolwire\Tools\UndoMetadata;

/** A run has the arguments that were validated and approved, and can be undone. */
final class ToolsTrustTest extends TestCase
{
    /** Keys to which the JSON library in core gives a meaning of its own. */
    private const NUMBER = '{"$serde_json::private::Number":"5"}';
    private const RAW = '{"$serde_json::private::RawValue":"{\"role\":\"administrator\"}"}';

    private Memory $store;
    /** @var list<array<mixed>> */
    private array $handled = [];

    protected function setUp(): void
    {
        $this->store = new Memory();
        $this->handled = [];
    }

    private function executor(mixed ...$definition): Executor
    {
        $handler = function (ToolInput $input): ToolOutput {
            $this->handled[] = $input->payload;
            return ToolOutput::ok(undoMetadata: ['was' => $input->payload]);
        };
        $registry = new Registry();
        $registry->register(
            new ToolDefinition(
                ...['name' => 'edit', 'id' => 'EDIT', 'handler' => $handler, ...$definition]
            )
        );
        return new Executor($registry, $this->store);
    }

    private function approve(Executor $executor, Execution $waiting): ?Execution
    {
        (new ApprovalService($this->store))->decide($waiting->approvalId, true);
        return $executor->resume($waiting->id);
    }

    public function testAPrivateKeyOfAJsonLibraryHidesNothingFromTheSchema(): void
    {
        $user = ['type' => 'object', 'properties' => ['role' => ['enum' => ['subscriber']]]];
        $schema = [
            'type' => 'object',
            'properties' => ['n' => ['type' => 'integer'], 'user' => $user],
        ];
        $json = '{"n":5.0,"user":' . self::RAW . '}';
        $expected = ['n' => 5, 'user' => json_decode(self::RAW, true)];
        [$call] = (new Detector())->detect("<tool:edit>$json</tool>")->calls;
        foreach ([false, true] as $asks) {
            $executor = $this->executor(inputSchema: $schema, requiresApproval: $asks);
            foreach ([
                $call,
                ['type' => 'EDIT', 'payload' => json_decode($json, true)],
            ] as $action) {
                $execution = $executor->execute($action);
                $execution = $asks ? $this->approve($executor, $execution) : $execution;
                self::assertSame('completed', $execution->state);
                self::assertSame($expected, array_pop($this->handled));
            }
        }
    }

    public function testAPrivateKeyOfAJsonLibraryIsNoNumber(): void
    {
        $schema = ['properties' => ['post_id' => ['type' => 'integer']]];
        [$call] = (new Detector())->detect(
            '<tool:edit>{"post_id":' . self::NUMBER . '}</tool>'
        )->calls;
        foreach ([false, true] as $asks) {
            $execution = $this
                ->executor(inputSchema: $schema, requiresApproval: $asks)
                ->execute($call);
            self::assertSame(
                ['denied', 'invalid_input'],
                [$execution->state, $execution->error->getKind()]
            );
        }
        $waiting = $this->executor(requiresApproval: true)->execute($call);
        $shown = (new ApprovalService($this->store))->arguments($waiting->approvalId);
        self::assertSame('{"post_id":' . self::NUMBER . '}', $shown);
    }

    /** @return iterable<string, array{int, bool}> */
    public static function depths(): iterable
    {
        foreach ([126, 127, 128] as $depth) {
            yield "$depth" => [$depth, true];
        }
        foreach ([129, 130, 200] as $depth) {
            yield "$depth" => [$depth, false];
        }
    }

    /** @dataProvider depths */
    #[DataProvider('depths')]
    public function testWhatIsKeptForAnApprovalCanBeRun(int $depth, bool $fits): void
    {
        $payload = ['a' => []];
        for ($nested = 2; $nested < $depth; ++$nested) {
            $payload = ['a' => $payload];
        }
        $executor = $this->executor(requiresApproval: true);
        $waiting = $executor->execute(['id' => 'a1', 'type' => 'EDIT', 'payload' => $payload]);
        if (!$fits) {
            self::assertSame(['failed', 'raised'], [$waiting->state, $waiting->error->getKind()]);
            self::assertSame([], (new ApprovalService($this->store))->pending());
            return;
        }
        self::assertSame('waiting', $waiting->state);
        self::assertSame('completed', $this->approve($executor, $waiting)->state);
        self::assertSame([$payload], $this->handled);
    }

    public function testTheRunsOfACallIdThatAModelRepeatsAreUndoneOneByOne(): void
    {
        $undone = [];
        $undo = static function (UndoMetadata $metadata) use (&$undone): void {
            $undone[] = $metadata->undoData['was']['v'];
        };
        $executor = $this->executor(undoable: true, undoHandler: $undo);
        foreach ([1, 2] as $v) {
            $execution = $executor->execute([
                'id' => 'call_1', 'type' => 'EDIT', 'payload' => ['v' => $v],
            ]);
            self::assertSame('completed', $execution->state);
        }
        self::assertTrue($executor->undo('call_1'));
        self::assertSame([2], $undone);
        self::assertTrue($executor->undo('call_1'));
        self::assertSame([2, 1], $undone);
        self::assertFalse($executor->undo('call_1'));
    }

    public function testAPersonMayDenyWhatChangedMeanwhile(): void
    {
        $executor = $this->executor(requiresApproval: true);
        $waiting = $executor->execute(['id' => 'a1', 'type' => 'EDIT']);
        $denied = (new ApprovalService($this->store))->decide(
            $waiting->approvalId,
            false,
            fingerprint: 'old'
        );
        self::assertSame('denied', $denied->status);
        self::assertSame('denied', $executor->resume('a1')->state);
        self::assertSame([], $this->handled);
    }
}
