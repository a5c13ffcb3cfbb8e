<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use ArrayIterator;
use DomainException;
use Error;
use Exception;
use PHPUnit\Framework\TestCase;
use Toolwire\Detection;
use Toolwire\Detector;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Exception\WrongType;
use Toolwire\Html;
use Toolwire\Seen;
use Toolwire\ToolCall;
use TypeError;
use stdClass;

/** Detection as PHP code meets it: objects, properties, callbacks. */
final class DetectorTest extends TestCase
{
    private const TEXT = 'a <tool:one>{"x":1}</tool> b <tool:two>{"y":{}}</tool> c';

    private function detect(string $text = self::TEXT): Detection
    {
        return (new Detector())->detect($text);
    }

    public function testNumbersAndKeysAreThoseOfJsonDecode(): void
    {
        $longest = str_repeat('9', 18);
        $numbers = [
            '0', '-0', '7', '-7', $longest, "-$longest", "1$longest", '1' . str_repeat('0', 18),
            '9223372036854775807', '-9223372036854775808', '9223372036854775808', '1.5', '-1e3',
            '1E-2', '0.0',
        ];
        foreach ($numbers as $number) {
            $json = "{\"a\":$number,\"b\":[$number, $number],"
                . '"7":1,"-7":2,"07":3,":":4,"/":5,"":6}';
            $call = (new Detector())->detect("<tool:a>$json</tool>")->calls[0];
            self::assertSame(
                json_decode($json, true, 512, JSON_BIGINT_AS_STRING),
                $call->arguments,
                $number
            );
        }
    }

    public function testADetectionIsCountableAndIterable(): void
    {
        $detection = $this->detect();
        self::assertCount(2, $detection);
        $names = [];
        foreach ($detection as $index => $call) {
            foreach ($detection as $inner) {
                $names[] = "$index {$call->name} {$inner->name}";
            }
        }
        self::assertSame(['0 one one', '0 one two', '1 two one', '1 two two'], $names);
        self::assertInstanceOf(ArrayIterator::class, $detection->getIterator());
    }

    public function testListsAreTheSameEachTime(): void
    {
        $detection = $this->detect();
        self::assertSame($detection->calls, $detection->calls);
        self::assertSame($detection->calls[1], $detection->segments[3]->call);
        self::assertSame('a  b  c', $detection->text);
    }

    public function testACallOutlivesItsDetectionAndItsText(): void
    {
        $text = str_repeat('x', 100) . self::TEXT;
        $call = $this->detect($text)->calls[1];
        unset($text);
        self::assertSame('<tool:two>{"y":{}}</tool>', $call->original);
        self::assertSame(['y' => []], $call->arguments);
        self::assertEquals((object) ['y' => new stdClass()], $call->argumentsObject());
        self::assertNotSame($call->argumentsObject(), $call->argumentsObject());
    }

    public function testArgumentsAreTheCallersToChange(): void
    {
        $call = $this->detect()->calls[0];
        $arguments = $call->arguments;
        $arguments['x'] = 2;
        self::assertSame(['x' => 1], $call->arguments);
    }

    public function testArgumentsAreWhatPhpMakesOfJson(): void
    {
        $json = '{"big":12345678901234567890,"huge":1e999,"neg":-9223372036854775808,"zero":-0,'
            . '"f":-0.0,"7":"seven","07":1,"":2,"\u0000k":3,"e":"\u00e9\ud83d\ude00\n\/","n":null,'
            . '"l":[[],{},[1,[2]]],"t":true,"7":"last"}';
        $call = $this->detect("<tool:t>$json</tool>")->calls[0];
        $expected = [
            'big' => '12345678901234567890', 'huge' => '1e999', 'neg' => PHP_INT_MIN, 'zero' => 0,
            'f' => -0.0,
            7 => 'last', '07' => 1, '' => 2, "\0k" => 3, 'e' => "é😀\n/", 'n' => null,
            'l' => [[], [], [1, [2]]], 't' => true,
        ];
        self::assertSame($expected, $call->arguments);
        $names = array_keys((array) $call->argumentsObject());
        self::assertSame(array_keys($expected), $names);
    }

    public function testAnEmptyListCountsAsNoArguments(): void
    {
        $call = $this->detect('<tool:t>[]</tool>')->calls[0];
        self::assertSame([], $call->arguments);
        self::assertEquals(new stdClass(), $call->argumentsObject());
        self::assertSame('[]', $call->argumentsRaw);
    }

    public function testABlockOfACallTakesTheArgumentsAsTheCallHasThem(): void
    {
        $text = '<tool:t>{"a":"<é/>","n":[1.5,{"k":[]}],"7":0}</tool>';
        $call = (new Detector())->detect($text)->calls[0];
        $html = Html::call('t', $call->argumentsRaw);
        self::assertSame($html, Html::call($call->name, $call->arguments));
        self::assertSame($html, Html::call($call->name, $call->argumentsObject()));
        self::assertSame(Html::call('t', '{}'), Html::call('t', []));
        self::assertSame(Html::call('t', '{}'), Html::call('t', new stdClass()));
        $this->expectException(InvalidArgument::class);
        Html::call('t', ['n' => NAN]);
    }

    public function testToArrayAndToHtml(): void
    {
        $call = $this->detect()->calls[0];
        self::assertSame([
            'id', 'id_given', 'index', 'name', 'arguments', 'arguments_raw', 'format', 'original',
            'span', 'status',
            'diagnostics',
        ], array_keys($call->toArray()));
        self::assertSame(['start' => 2, 'end' => 26], $call->span);
        self::assertStringContainsString('data-tool-name="one"', $call->toHtml());
        self::assertNotSame($call->toHtml(), $call->toHtml('completed'));
        self::assertSame($call->toHtml(), $call->toHtml(status: 'processing'));
    }

    public function testReplacePutsEachResultInItsPlace(): void
    {
        $detection = $this->detect('<tool:a>{}</tool><tool:a>{}</tool>');
        $count = 0;
        $replaced = $detection->replace(static function (ToolCall $call) use (&$count): string {
            return ++$count . '<tool:a>{}</tool>';
        });
        self::assertSame('1<tool:a>{}</tool>2<tool:a>{}</tool>', $replaced);
        self::assertSame('a ONE b TWO c', $this->detect()->replace([$this, 'upper']));
    }

    public function upper(ToolCall $call): string
    {
        return strtoupper($call->name);
    }

    public function testWhatAReplacementThrowsComesThroughUntouched(): void
    {
        $thrown = new DomainException('mine', 7, new Exception('before'));
        $calls = 0;
        try {
            $this->detect()->replace(function () use ($thrown, &$calls) {
                $calls++;
                throw $thrown;
            });
            self::fail('nothing was thrown');
        } catch (DomainException $caught) {
            self::assertSame($thrown, $caught);
            self::assertSame('before', $caught->getPrevious()->getMessage());
            self::assertSame(1, $calls);
        }
    }

    public function testAReplacementMustBeAString(): void
    {
        foreach ([null, 1, ['x'], new stdClass()] as $value) {
            try {
                $this->detect()->replace(static fn () => $value);
                self::fail('nothing was thrown');
            } catch (WrongType $error) {
                self::assertStringContainsString('must be a string', $error->getMessage());
            }
        }
        $this->expectException(WrongType::class);
        $this->expectExceptionMessage('callable');
        $this->detect()->replace('no such function');
    }

    public function testDetectionInsideAReplacement(): void
    {
        $detector = new Detector();
        $outer = $detector->detect(self::TEXT);
        $again = static function (ToolCall $call) use ($detector, $outer): string {
            $inner = $detector->detect("[{$call->original}]");
            return $inner->replace(
                static fn (ToolCall $call): string => $call->name . count($outer)
            );
        };
        $replaced = $outer->replace($again);
        self::assertSame('a [one2] b [two2] c', $replaced);
    }

    public function testPropertiesCannotBeChanged(): void
    {
        $detection = $this->detect();
        $call = $detection->calls[0];
        $tries = [
            'readonly' => static function () use ($call) { $call->name = 'x'; },
            'append' => static function () use ($detection) { $detection->text .= 'x'; },
            'unset' => static function () use ($call) { unset($call->id); },
            'new' => static function () use ($call) { $call->other = 1; },
            'clone' => static function () use ($call) { clone $call; },
            'construct' => static function () { new ToolCall(); },
        ];
        foreach ($tries as $what => $try) {
            try {
                $try();
                self::fail("$what: nothing was thrown");
            } catch (Error $error) {
                self::assertNotInstanceOf(ToolwireThrowable::class, $error, $what);
            }
        }
        self::assertSame('one', $call->name);
        self::assertTrue(isset($call->name, $call->arguments));
        self::assertFalse(isset($call->nothing));
    }

    public function testObjectsWithLiveStateAreNotSerialised(): void
    {
        $detection = $this->detect();
        self::assertSame($detection->toArray(), unserialize(serialize($detection))->toArray());
        foreach ([new Detector(), (new Detector())->stream(), new Seen()] as $object) {
            try {
                serialize($object);
                self::fail('nothing was thrown');
            } catch (Exception $error) {
                self::assertStringContainsString('not allowed', $error->getMessage());
            }
        }
        $this->expectException(Exception::class);
        unserialize('O:17:"Toolwire\Detector":0:{}');
    }

    public function testTextArgumentsFollowTheCallersStrictTypes(): void
    {
        $weak = eval('return (new Toolwire\Detector())->detect(12.5)->text;');
        self::assertSame('12.5', $weak);
        $this->expectException(TypeError::class);
        $this->expectExceptionMessage('Argument #1 ($text) must be of type string, int given');
        (new Detector())->detect(12);
    }
}
