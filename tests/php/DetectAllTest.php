<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use ArrayObject;
use DomainException;
use Error;
use Generator;
use Iterator;
use IteratorAggregate;
use PHPUnit\Framework\TestCase;
use Toolwire\Detection;
use Toolwire\Detections;
use Toolwire\Detector;
use Toolwire\Exception\WrongType;
use WeakReference;
use stdClass;

/** Detection in many texts, one after the other. */
final class DetectAllTest extends TestCase
{
    private const CALL = '<tool:echo>{"a":1}</tool>';

    /** @return array<array-key, int> the number of calls by key */
    private static function counts(mixed $texts): array
    {
        return array_map(count(...), iterator_to_array((new Detector())->detectAll($texts)));
    }

    /** @return Generator<array-key, mixed> */
    private static function each(mixed ...$texts): Generator
    {
        yield from $texts;
    }

    public function testEveryIterableIsTaken(): void
    {
        $texts = ['a' => self::CALL, 5 => 'none', 'b' => self::CALL . self::CALL];
        $expected = ['a' => 1, 5 => 0, 'b' => 2];
        self::assertSame($expected, self::counts($texts));
        self::assertSame($expected, self::counts(new ArrayObject($texts)));
        self::assertSame([1, 0], self::counts(self::each(self::CALL, 'none')));
        self::assertSame([], self::counts([]));
        $outer = new class ($texts) implements IteratorAggregate {
            public function __construct(private array $texts)
            {
            }

            public function getIterator(): Iterator
            {
                return (new ArrayObject($this->texts))->getIterator();
            }
        };
        self::assertSame($expected, self::counts($outer));
        self::assertInstanceOf(Detections::class, (new Detector())->detectAll([]));
    }

    public function testATextIsAskedForWhenItsDetectionIs(): void
    {
        $asked = [];
        $texts = static function () use (&$asked): Generator {
            foreach ([1, 2, 3] as $number) {
                $asked[] = $number;
                yield str_repeat(self::CALL, $number);
            }
        };
        $all = (new Detector())->detectAll($texts());
        self::assertSame([], $asked);
        foreach ($all as $index => $found) {
            self::assertCount($index + 1, $found);
            self::assertSame($found, $all->current());
            self::assertSame(range(1, $index + 1), $asked);
        }
    }

    public function testADetectionThatWasUsedIsNotKept(): void
    {
        $before = null;
        foreach ((new Detector())->detectAll([self::CALL, self::CALL, self::CALL]) as $found) {
            self::assertTrue($before === null || $before->get() === null);
            $before = WeakReference::create($found);
            unset($found);
        }
        self::assertInstanceOf(WeakReference::class, $before);
    }

    public function testAnArrayCanBeReadAgain(): void
    {
        $all = (new Detector())->detectAll([self::CALL, 'none']);
        self::assertCount(2, iterator_to_array($all));
        self::assertCount(2, iterator_to_array($all));
        $once = (new Detector())->detectAll(self::each('none'));
        self::assertCount(1, iterator_to_array($once));
        $this->expectExceptionMessage('generator');
        iterator_to_array($once);
    }

    public function testMisuseIsTold(): void
    {
        foreach ([5, null, 'text', new stdClass()] as $wrong) {
            try {
                (new Detector())->detectAll($wrong);
                self::fail('nothing was thrown');
            } catch (WrongType $error) {
                self::assertStringContainsString('texts must be an array', $error->getMessage());
            }
        }
        foreach ([5, null, ['x'], new stdClass()] as $wrong) {
            $found = [];
            try {
                foreach ((new Detector())->detectAll([self::CALL, $wrong]) as $detection) {
                    $found[] = $detection;
                }
                self::fail('nothing was thrown');
            } catch (WrongType $error) {
                self::assertStringContainsString('must be string, got', $error->getMessage());
            }
            self::assertCount(1, $found);
        }
    }

    public function testWhatTheTextsThrowIsThrown(): void
    {
        $throws = static function (): Generator {
            yield self::CALL;
            throw new DomainException('the disk is gone');
        };
        $found = [];
        try {
            foreach ((new Detector())->detectAll($throws()) as $detection) {
                $found[] = $detection;
            }
            self::fail('nothing was thrown');
        } catch (DomainException $error) {
            self::assertSame('the disk is gone', $error->getMessage());
            self::assertNull($error->getPrevious());
        }
        self::assertCount(1, $found);
        $aggregate = new class implements IteratorAggregate {
            public function getIterator(): Iterator
            {
                throw new DomainException('not today');
            }
        };
        $this->expectException(DomainException::class);
        (new Detector())->detectAll($aggregate);
    }

    public function testItIsNeitherMadeNorSavedAlone(): void
    {
        $all = (new Detector())->detectAll([self::CALL]);
        foreach ([static fn () => serialize($all), static fn () => clone $all] as $use) {
            try {
                $use();
                self::fail('nothing was thrown');
            } catch (Error | \Exception $error) {
                self::assertNotSame('', $error->getMessage());
            }
        }
        $this->expectException(Error::class);
        new Detections();
    }

    public function testACircleIsCollected(): void
    {
        $holder = new ArrayObject();
        $holder['text'] = self::CALL;
        $iterator = $holder->getIterator();
        $all = (new Detector())->detectAll($iterator);
        $holder->all = $all;
        $watch = WeakReference::create($all);
        unset($holder, $iterator, $all);
        gc_collect_cycles();
        self::assertNull($watch->get());
    }

    public function testDetectorsOfEqualOptionsShareTheirForms(): void
    {
        $arrow = ['slug' => 'arrow', 'body' => 'named',
            'call' => ['open' => '=>', 'name_end' => ':', 'close' => ';']];
        $make = static fn (): Detector => new Detector(formats: ['auto', $arrow], maxCalls: 9);
        $resident = static function (): int {
            preg_match('/^VmRSS:\s+(\d+)/m', file_get_contents('/proc/self/status'), $found);
            return (int) $found[1] * 1024;
        };
        $kept = [$make(), $make()];
        $before = $resident();
        for ($i = 0; $i < 200; $i++) {
            $kept[] = $make();
        }
        // Each has 850 KB of its own otherwise.
        self::assertLessThan($before + 20_000_000, $resident());
        $found = $kept[100]->detect('=>add:{"a": 1};');
        self::assertInstanceOf(Detection::class, $found);
        self::assertSame('add', $found->calls[0]->name);
    }
}
