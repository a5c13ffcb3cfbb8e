<?php

namespace Toolwire\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\ToolDenied;
use Toolwire\Tools\Exception\ToolExecutionFailed;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Sqlite;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;

/** Runs that a store keeps: started once for each call, resumed in any request. */
final class ToolsDurableTest extends TestCase
{
    private string $folder;
    private string $path;
    private int $ran = 0;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/toolwire-runs-' . bin2hex(random_bytes(8));
        mkdir($this->folder, 0700);
        $this->path = "{$this->folder}/state.db";
    }

    protected function tearDown(): void
    {
        array_map('unlink', glob("{$this->folder}/*"));
        rmdir($this->folder);
    }

    /** An executor as a new request makes it. */
    private function executor(bool $asks = false, ?callable $handler = null): Executor
    {
        $handler ??= function (ToolInput $input): ToolOutput {
            $this->ran++;
            return ToolOutput::ok(['to' => $input->payload['to'], 'key' => $input->idempotencyKey]);
        };
        $registry = new Registry();
        $registry->register(new ToolDefinition('mail', 'MAIL', $handler, requiresApproval: $asks));
        return new Executor($registry, new Sqlite($this->path));
    }

    private function decide(string $approvalId, bool $granted): void
    {
        (new ApprovalService(new Sqlite($this->path)))->decide($approvalId, $granted);
    }

    private const CALL = ['id' => 'call_1', 'type' => 'MAIL', 'payload' => ['to' => 'ann']];

    public function testACallRunsOnceAndKeepsItsOutput(): void
    {
        $first = $this->executor()->start(self::CALL);
        $again = $this->executor()->start(self::CALL);
        self::assertSame(['completed', 'completed'], [$first->state, $again->state]);
        self::assertSame($first->id, $again->id);
        self::assertSame($first->output->data, $again->output->data);
        self::assertSame('ann', $again->output->data['to']);
        self::assertNotSame($first->id, $again->output->data['key']);
        self::assertTrue($again->succeeded());
        self::assertSame(1, $this->ran);
        self::assertSame([], $this->executor()->waiting());
    }

    public function testARunWaitsAndGoesOnInAnotherRequest(): void
    {
        $run = $this->executor(asks: true)->start(self::CALL);
        self::assertSame('waiting', $run->state);
        $again = $this->executor(asks: true)->start(self::CALL);
        self::assertSame([$run->id, $run->approvalId], [$again->id, $again->approvalId]);
        $waiting = $this->executor(asks: true)->waiting();
        self::assertSame([$run->id], array_column($waiting, 'id'));
        self::assertSame('waiting', $this->executor(asks: true)->run($run->id)->state);
        self::assertSame('waiting', $this->executor(asks: true)->resume($run->id)->state);
        $this->decide($run->approvalId, true);
        $done = $this->executor(asks: true)->resume($run->id);
        self::assertSame(['completed', 'ann'], [$done->state, $done->output->data['to']]);
        $later = $this->executor(asks: true)->resume($run->id);
        self::assertEquals($done->output->data, $later->output->data);
        self::assertSame(1, $this->ran);
    }

    public function testADenialIsKept(): void
    {
        $run = $this->executor(asks: true)->start(self::CALL);
        $this->decide($run->approvalId, false);
        self::assertSame('denied', $this->executor(asks: true)->resume($run->id)->state);
        $again = $this->executor(asks: true)->start(self::CALL);
        self::assertSame(['denied', 'approval_denied'], [$again->state, $again->error->getKind()]);
        self::assertSame(0, $this->ran);
    }

    public function testAnIdOfAnotherCallIsDenied(): void
    {
        $this->executor()->start(self::CALL);
        $other = $this->executor()->start(['payload' => ['to' => 'bob']] + self::CALL);
        self::assertInstanceOf(ToolDenied::class, $other->error);
        self::assertSame('call_id_reused', $other->error->getKind());
        $scoped = $this->executor()->start(['payload' => ['to' => 'bob']] + self::CALL, scope: 'x');
        self::assertSame('completed', $scoped->state);
        self::assertSame(2, $this->ran);
    }

    public function testAHandlerThatThrowsFailsForGood(): void
    {
        $throws = static fn () => throw new \LogicException('no');
        $first = $this->executor(handler: $throws)->start(self::CALL);
        self::assertInstanceOf(\LogicException::class, $first->error->getPrevious());
        $again = $this->executor()->start(self::CALL);
        self::assertInstanceOf(ToolExecutionFailed::class, $again->error);
        self::assertSame($first->error->getMessage(), $again->error->getMessage());
        self::assertSame(['failed', 0], [$again->state, $this->ran]);
    }

    public function testAnOutputThatIsTooLongLeavesItsReason(): void
    {
        $long = static fn () => ToolOutput::ok(['text' => str_repeat('x', 1 << 20)]);
        $first = $this->executor(handler: $long)->start(self::CALL);
        self::assertSame(1 << 20, strlen($first->output->data['text']));
        $again = $this->executor()->start(self::CALL);
        self::assertSame(['completed', 'too_long'], [$again->state, $again->outputGap]);
        self::assertNull($again->output);
        self::assertSame('too_long', $again->toArray()['output_gap']);
    }

    /** @return iterable<string, array{string, int, string}> */
    public static function ends(): iterable
    {
        yield 'exit' => ['exit(9);', 9, 'interrupted'];
        // Nobody knows of a kill before the lease ends.
        yield 'kill' => ['exec("kill -9 " . getmypid());', 137, 'running'];
    }

    /**
     * The handler of a process that ends in it is not run again.
     *
     * @dataProvider ends
     */
    #[DataProvider('ends')]
    public function testAHandlerThatEndsItsProcessIsNotRunAgain(
        string $ending,
        int $status,
        string $state,
    ): void {
        $setUp = 'use Toolwire\Tools\{Executor, Registry, ToolDefinition};'
            . '$registry = new Registry(); $registry->register(new ToolDefinition("mail", "MAIL",'
            . " function () { echo 'ran'; $ending }));"
            . '$store = new Toolwire\Tools\Store\Sqlite($argv[1]);'
            . '$executor = new Executor($registry, $store);'
            . '$call = ["id" => "call_1", "type" => "MAIL"];';
        $start = $setUp . 'echo $executor->start($call)->state;';
        [$told, $ended] = ToolsSafetyTest::php($start, $this->path);
        self::assertStringStartsWith('ran', $told);
        self::assertSame($status, $ended);
        self::assertSame([$state, 0], ToolsSafetyTest::php($start, $this->path));
    }

    public function testARunThatIsForgottenLeavesNothing(): void
    {
        $run = $this->executor(asks: true)->start(self::CALL);
        self::assertTrue($this->executor()->forget($run->id));
        self::assertFalse($this->executor()->forget($run->id));
        self::assertSame([], $this->executor()->waiting());
        self::assertNull($this->executor()->resume($run->id));
        self::assertNull($this->executor()->run($run->id));
        self::assertSame([], (new Sqlite($this->path))->scan('run/', null, 10, PHP_INT_MIN));
    }

    public function testARunThatNobodyKnowsIsNull(): void
    {
        self::assertNull($this->executor()->resume('none'));
    }

    public function testAnIdThatComesAgainInALaterMessageIsAnotherCall(): void
    {
        $call = ['id' => 'call_0', 'name' => 'mail', 'arguments' => ['to' => 'ann']];
        $start = fn (string $message, ?int $index = null) =>
            $this->executor()->start($call, scope: 'chat 7', message: $message, index: $index)->id;
        self::assertNotSame($start('1'), $start('3'));
        self::assertSame($start('3'), $start('3'));
        self::assertNotSame($start('3', 0), $start('3', 1));
        self::assertSame(4, $this->ran);
    }

    public function testNoCraftedIdReachesARunOfAnotherScope(): void
    {
        $call = fn (string $id) => ['id' => $id, 'name' => 'mail', 'arguments' => ['to' => 'ann']];
        $theirs = $this->executor()->start($call('call_1'), scope: 'chat 7')->id;
        $crafted = [['', "chat 7\0call_1"], ["chat 7\0", 'call_1'], ['', $theirs], ['chat 8', $theirs]];
        foreach ($crafted as $number => [$scope, $id]) {
            $run = $this->executor()->start($call($id), scope: $scope);
            self::assertNotSame($theirs, $run->id);
            self::assertSame($number + 2, $this->ran);
        }
        $ofAnn = $this->executor()->start($call('call_1'), ['caller' => 'ann'], scope: 'chat 7');
        self::assertNotSame($theirs, $ofAnn->id);
        $own = $this->executor()->start(['id' => $theirs] + self::CALL);
        self::assertSame(['denied', 6], [$own->state, $this->ran]);
    }

    public function testAProgramGivesARunItsId(): void
    {
        $id = '0b4d2a4e-5d0a-4c8e-9d53-0a3d6a1f7c2e';
        foreach (['start', 'execute'] as $method) {
            $run = $this->executor()->$method(self::CALL, ['run_id' => $id]);
            self::assertSame($id, $run->id);
        }
        foreach (['', 'call_1', strtoupper($id)] as $bad) {
            try {
                $this->executor()->start(self::CALL, ['run_id' => $bad]);
                self::fail($bad);
            } catch (\Toolwire\Exception\InvalidArgument $refusal) {
                self::assertStringContainsString('run_id', $refusal->getMessage());
            }
        }
    }

    public function testTwoProgramsNeverShareAKey(): void
    {
        $first = $this->executor()->start(self::CALL)->output->data['key'];
        unlink($this->path);
        $second = $this->executor()->start(self::CALL)->output->data['key'];
        self::assertNotSame($first, $second);
    }
}
