<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Exception;
use PHPUnit\Framework\TestCase;
use Toolwire\Detector;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Report;
use Toolwire\ToolResult;
use Toolwire\ToolResultFinder;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\ApprovalException;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;
use WeakReference;

/** Nothing leaks, and nothing is copied without need. */
final class MemoryTest extends TestCase
{
    /** The memory that the process holds, in bytes. */
    private static function resident(): int
    {
        preg_match(
            '/^VmRSS:\s+(\d+) kB/m',
            (string) file_get_contents('/proc/self/status'),
            $found
        );
        return (int) $found[1] * 1024;
    }

    private function assertFlat(int $times, callable $round): void
    {
        for ($i = 0; $i < intdiv($times, 10); $i++) {
            $round();
        }
        gc_collect_cycles();
        $before = [memory_get_usage(), self::resident()];
        for ($i = 0; $i < $times; $i++) {
            $round();
        }
        gc_collect_cycles();
        self::assertLessThan($before[0] + 4096, memory_get_usage());
        self::assertLessThan($before[1] + 2 * 1024 * 1024, self::resident());
    }

    public function testManyTextsOneAfterTheOther(): void
    {
        $detector = new Detector();
        $texts = array_fill(0, 20, str_repeat('x', 5000) . '<tool:a>{"k":[1]}</tool>');
        $this->assertFlat(2_000, static function () use ($detector, $texts): void {
            foreach ($detector->detectAll($texts) as $detection) {
                $detection->calls[0]->arguments;
            }
            $detector->detectAll((static fn () => yield from $texts)())->current();
        });
    }

    public function testAMillionCalls(): void
    {
        $detector = new Detector();
        $text = 'x ' . str_repeat('<tool:a>{"k":[1,{"x":"y"}]}</tool> ', 100)
            . '<tool:bad>{nothing}</tool>';
        $this->assertFlat(10_000, static function () use ($detector, $text): void {
            $detection = $detector->detect($text);
            $last = null;
            foreach ($detection as $call) {
                $last = $call->arguments;
            }
            if (count($detection) !== 100 || $last !== ['k' => [1, ['x' => 'y']]]) {
                throw new Exception('wrong');
            }
        });
    }

    public function testEverythingElse(): void
    {
        $detector = new Detector();
        $text = 'x <tool:a>{"k":{"é":"\u00e9"}}</tool> <tool:bad>{nothing}</tool>';
        $data = [
            [
                'type' => 'tool_result',
                'metadata' => ['handler_tool' => 'a', 'tool_result' => ['x' => 1]],
            ],
        ];
        ToolResultFinder::setFilter(static fn (?array $result): ?array => $result);
        $this->assertFlat(5_000, static function () use ($detector, $text, $data): void {
            $detection = $detector->detect($text);
            $detection->segments;
            $detection->rejections[0]->toArray();
            $call = $detection->calls[0];
            $call->toArray();
            $call->argumentsObject();
            $call->toHtml();
            $detection->replace(static fn ($call): string => $call->name);
            try {
                $detection->replace(static fn () => throw new Exception());
            } catch (Exception) {
            }
            try {
                new Detector(formats: ['none']);
            } catch (ToolwireThrowable) {
            }
            $stream = $detector->stream();
            $stream->feed($text);
            $stream->finish();
            $stream->detection()->calls;
            ToolResultFinder::findHandlerResult($data, 'a');
            ToolResultFinder::findAllHandlerResults($data, ['a', 'b']);
            ToolResultFinder::projectResultData($data[0]);
            $report = new Report();
            $report->add(new ToolResult('t', true, ['a' => [1, 2]]));
            $report->summary();
            $report->toJson();
            $report->toArray();
        });
        ToolResultFinder::setFilter(null);
    }

    public function testRecords(): void
    {
        $text = 'x <tool:a>{"k":{"é":[1,{}]}}</tool> <tool:bad>{nothing}</tool>';
        $detection = (new Detector())->detect($text);
        $result = new ToolResult('t', false, ['a' => [1, 2]], 'broken');
        $bad = str_replace('"bad_json"', '"not_code"', serialize($detection));
        self::assertNotSame($bad, serialize($detection));
        $this->assertFlat(5_000, static function () use ($detection, $result, $bad): void {
            foreach ([$detection, $detection->calls[0], $result] as $record) {
                $same = unserialize(serialize($record)) == $record::fromArray($record->toArray());
                if (!$same || $record::__set_state(get_object_vars($record)) != $record) {
                    throw new Exception('wrong');
                }
                json_encode($record);
            }
            try {
                unserialize($bad);
                throw new Exception('taken');
            } catch (ToolwireThrowable) {
            }
        });
    }

    public function testAHundredThousandExecutions(): void
    {
        $registry = new Registry();
        $tool = static fn (string $name, callable $handler, mixed ...$more) => $registry->register(
            new ToolDefinition(
                ...['name' => $name, 'id' => $name, 'handler' => $handler, ...$more]
            )
        );
        $tool('ok', static fn (ToolInput $input) => ToolOutput::ok($input->toArray(), [[1]]));
        $tool('bad', static fn () => throw new Exception('x'));
        $tool('none', static fn () => null);
        $tool(
            'denied',
            static fn () => null,
            inputSchema: ['required' => ['x']],
            allowedModes: ['chat']
        );
        $executor = new Executor($registry, emitEvents: true);
        $heard = 0;
        $executor->listen(static function () use (&$heard): void {
            $heard++;
        });
        $call = [
            'id' => 'c',
            'function' => ['name' => 'ok', 'arguments' => '{"a": [1, {"b": "c"}]}'],
        ];
        $this->assertFlat(25_000, static function () use ($executor, $registry, $call): void {
            [[$resolved]] = $registry->parseAndResolve([$call, 5]);
            $executor->execute($resolved)->toArray();
            $executor
                ->execute(['id' => 'a', 'type' => 'bad', 'payload' => ['password' => ['x']]])->error
                ->toArray();
            $executor->execute(['type' => 'none'])->events;
            $executor
                ->execute(['type' => 'denied', 'id' => 5], ['mode' => 'chat'])
                ->toArray();
        });
        self::assertGreaterThan(25_000 * 10, $heard);
    }

    public function testRunsThatWait(): void
    {
        foreach ([new Memory(), new ArrayStore()] as $store) {
            $registry = new Registry();
            $registry->register(new ToolDefinition(
                'edit',
                'EDIT',
                static fn ($input) => ToolOutput::ok(undoMetadata: $input->payload),
                requiresApproval: true,
                undoable: true,
                undoHandler: static fn ($metadata) => $metadata->undoData['x'] === 1
                    || throw new Exception('wrong'),
                rateLimit: [1_000_000, 1],
            ));
            $executor = new Executor($registry, $store);
            $approvals = new ApprovalService($store);
            $this->assertFlat(500, static function () use ($executor, $approvals): void {
                $id = $executor->execute([
                    'id' => 'a', 'type' => 'EDIT', 'payload' => ['x' => 1],
                ])->approvalId;
                $approvals->pending()[0]->toArray();
                $approvals->decide($id, true)->toArray();
                $executor->resume('a')->toArray();
                $executor->undo('a') || throw new Exception('not undone');
                $approvals->forget($id);
                try {
                    $approvals->decide($id, false);
                } catch (ApprovalException) {
                }
            });
        }
    }

    public function testCyclesThroughAnExecutorAreCollected(): void
    {
        $made = [];
        for ($i = 0; $i < 50; $i++) {
            $registry = new Registry();
            $executor = new Executor(
                $registry,
                permission: static fn () => isset($executor) || true
            );
            $handler = static function ($input) use (&$executor, &$registry, $i): ToolOutput {
                return ToolOutput::ok([$i, $executor, $registry]);
            };
            $tool = new ToolDefinition(
                't',
                'T',
                $handler,
                undoHandler: static fn () => [$executor, $registry]
            );
            $registry->register($tool);
            $executor->listen(static function () use ($executor, $tool): void {
            });
            if ($i % 2 === 0) {
                self::assertSame($handler, $tool->handler);
                self::assertSame($i, $executor->execute(['type' => 'T'])->output->data[0]);
            }
            array_push(
                $made,
                ...array_map(WeakReference::create(...), [$registry, $executor, $handler, $tool])
            );
            unset($registry, $executor, $handler, $tool);
            gc_collect_cycles();
        }
        gc_collect_cycles();
        self::assertSame(
            [],
            array_filter($made, static fn (WeakReference $object): bool => $object->get() !== null)
        );
    }

    public function testWhatIsInUseIsNotCollected(): void
    {
        $registry = new Registry();
        $registry->register(
            new ToolDefinition('t', 'T', static fn () => ToolOutput::ok(['alive']))
        );
        $executor = new Executor($registry);
        unset($registry);
        for ($i = 0; $i < 100; $i++) {
            gc_collect_cycles();
            self::assertSame(['alive'], $executor->execute(['type' => 'T'])->output->data);
        }
    }

    public function testTheTextIsShared(): void
    {
        $text = str_repeat('prose ', 1 << 20) . '<tool:a>{}</tool>';
        $before = memory_get_usage();
        $detection = (new Detector())->detect($text);
        $call = $detection->calls[0];
        self::assertSame('a', $call->name);
        self::assertLessThan($before + 100_000, memory_get_usage());
        unset($detection, $text);
        self::assertSame('<tool:a>{}</tool>', $call->original);
    }

    public function testReferenceCountsComeBack(): void
    {
        $handler = str_repeat('h', 20);
        $packet = [
            'type' => 'tool_result',
            'metadata' => ['handler_tool' => $handler],
            'x' => [$handler],
        ];
        $data = [$packet];
        $count = static fn (mixed $value): string => self::dump($value);
        $before = $count($data);
        for ($i = 0; $i < 10; $i++) {
            ToolResultFinder::findHandlerResult($data, $handler);
            ToolResultFinder::findAllHandlerResults($data, [$handler]);
            ToolResultFinder::projectResultEnvelope($packet);
            ToolResultFinder::projectEnvelopeData($packet);
        }
        self::assertSame($before, $count($data));
        $found = ToolResultFinder::findHandlerResult($data, $handler);
        self::assertNotSame($before, $count($data), 'what was found is the packet itself');
        unset($found);
        self::assertSame($before, $count($data));
    }

    private static function dump(mixed $value): string
    {
        ob_start();
        debug_zval_dump($value);
        return (string) ob_get_clean();
    }

    public function testValgrindFindsNothing(): void
    {
        if (trim((string) shell_exec('command -v valgrind')) === '') {
            self::markTestSkipped('valgrind is not installed');
        }
        $extension = (string) realpath(
            (string) (getenv('TOOLWIRE_SO') ?: Cases::ROOT . '/build/toolwire.so')
        );
        $command = 'USE_ZEND_ALLOC=0 ZEND_DONT_UNLOAD_MODULES=1 valgrind -q --error-exitcode=9 '
            . '--leak-check=full '
            . '--errors-for-leak-kinds=definite --show-leak-kinds=definite '
            . escapeshellarg(PHP_BINARY) . ' -n -d extension=' . escapeshellarg($extension)
            . ' -d toolwire.dropins=datamachine ' . escapeshellarg(__DIR__ . '/valgrind.php')
            . ' 2>&1';
        exec($command, $output, $status);
        self::assertSame(0, $status, implode("\n", $output));
        self::assertSame('done', end($output));
    }
}
