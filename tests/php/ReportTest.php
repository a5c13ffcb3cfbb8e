<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use ArrayObject;
use DomainException;
use PHPUnit\Framework\TestCase;
use stdClass;
use Stringable;
use Toolwire\Exception\WrongType;
use Toolwire\Report;
use Toolwire\ToolResult;
use TypeError;

/** Results and reports over values that only PHP has. */
final class ReportTest extends TestCase
{
    public function testAResultKeepsWhatItWasGiven(): void
    {
        $data = ['object' => new stdClass()];
        $result = new ToolResult(tool: "t\xff", success: true, data: $data, confidence: 0.5);
        self::assertSame($data, $result->data);
        self::assertNull($result->errorMessage);
        $expected = [
            'tool' => "t\xff", 'success' => true, 'data' => $data, 'confidence' => 0.5,
            'error_message' => null,
        ];
        self::assertSame($expected, $result->toArray());
    }

    public function testAReportCounts(): void
    {
        $report = new Report();
        self::assertCount(0, $report);
        self::assertNull($report->successRate());
        self::assertSame([], $report->byTool());
        $results = [
            new ToolResult('7', true, ['a' => 1], null, 0.5),
            new ToolResult('x', false, [], 'boom'),
            new ToolResult('7', true, ['a' => 2], null, 1.0),
        ];
        foreach ($results as $result) {
            $report->add($result);
        }
        self::assertSame($results, $report->results());
        self::assertCount(3, $report);
        self::assertSame([2, 1], [$report->succeeded(), $report->failed()]);
        self::assertSame(2 / 3, $report->successRate());
        self::assertSame(0.75, $report->meanConfidence());
        self::assertSame([7, 'x'], array_keys($report->byTool()));
        self::assertSame(2, $report->byTool()[7]['total']);
        $expected = "\n**7** (Success, Confidence: 50.0%):\n- a: 1\n\n\n**x** (Failed): boom\n\n"
            . "\n**7** (Success, Confidence: 100.0%):\n- a: 2\n";
        self::assertSame($expected, $report->summary());
    }

    public function testToolsAreAMapInJsonWhateverTheyAreCalled(): void
    {
        $report = new Report();
        self::assertEquals(new stdClass(), json_decode($report->toJson())->by_tool);
        $report->add(new ToolResult('0', true, []));
        self::assertSame(1, json_decode($report->toJson())->by_tool->{'0'}->total);
    }

    public function testObjectsAreShownAsPhpShowsThem(): void
    {
        $shown = new class implements Stringable {
            public function __toString(): string
            {
                return 'shown';
            }
        };
        $data = [
            's' => $shown, 'o' => new ArrayObject(), 'm' => (object) ['x' => 1], 5 => [],
            'f' => 1e16, 'n' => null,
        ];
        $expected = "- s: shown\n- o: ArrayObject\n- m: 1 properties\n"
            . "- 5: 0 items\n- f: 1e+16\n- n: None";
        self::assertSame($expected, Report::summarizeData($data));
    }

    public function testPhpCodeThatRunsInBetweenMayDoAnything(): void
    {
        $report = new Report();
        $list = ['first', 'second'];
        $map = new stdClass();
        $shown = new class ($report, $list, $map) implements Stringable {
            public function __construct(
                private Report $report,
                private array &$list,
                private stdClass $map,
            ) {
            }

            public function __toString(): string
            {
                $this->report->add(new ToolResult('added', false, []));
                $this->list = [];
                for ($i = 0; $i < 100; $i++) {
                    $this->map->{"p$i"} = str_repeat('x', 100);
                }
                unset($this->map->a, $this->map->shown);
                return 'shown';
            }
        };
        $list[] = &$shown;
        $list[] = 'last';
        $map->a = ['nested' => &$list];
        $map->shown = $shown;
        $map->z = 'end';
        $report->add(new ToolResult('t', true, ['map' => $map, 'list' => &$list]));
        $data = json_decode($report->toJson())->results[0]->data;
        self::assertSame(['first', 'second', 'shown', 'last'], $data->map->a->nested);
        self::assertSame([], $data->list);
        self::assertSame(['a', 'shown', 'z'], array_keys(get_object_vars($data->map)));
        self::assertGreaterThan(1, count($report));
    }

    public function testWhatAnObjectThrowsComesThrough(): void
    {
        $thrown = new DomainException('mine');
        $object = new class ($thrown) implements Stringable {
            public function __construct(private DomainException $thrown)
            {
            }

            public function __toString(): string
            {
                throw $this->thrown;
            }
        };
        try {
            Report::summarizeData(['o' => $object]);
            self::fail('nothing was thrown');
        } catch (DomainException $caught) {
            self::assertSame($thrown, $caught);
        }
    }

    public function testDataThatHoldsItselfIsRefused(): void
    {
        $data = [];
        $data['self'] = &$data;
        $report = new Report();
        $report->add(new ToolResult('t', true, $data));
        self::assertStringContainsString('- self: 1 properties', $report->summary());
        try {
            $report->toJson();
            self::fail('nothing was thrown');
        } catch (WrongType $error) {
            self::assertSame('wrong_type', $error->getKind());
        }
        unset($data['self']);
    }

    public function testMisuse(): void
    {
        $tries = [
            fn () => Report::summarizeData([1, 2]),
            fn () => Report::summarizeData('text'),
            fn () => (new Report())->add(new stdClass()),
            fn () => (new Report())->add(null),
            fn () => new ToolResult(1, true, []),
        ];
        foreach ($tries as $place => $try) {
            try {
                $try();
                self::fail("$place: nothing was thrown");
            } catch (TypeError $error) {
                self::assertNotSame('', $error->getMessage());
            }
        }
    }
}
