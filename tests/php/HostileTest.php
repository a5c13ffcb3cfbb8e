<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Toolwire\Detector;

/**
 * Input made to break detectors: it takes little time and memory, and no call is lost.
 */
final class HostileTest extends TestCase
{
    private const MIB = 1 << 20;

    /** @return iterable<string, array{string}> */
    public static function units(): iterable
    {
        $units = [
            '{', '[', '{"a":', '[{', '<tool:', '<tool:x>{', '<tool:x>{"a":"', '```json {',
            '```json' . "\n", '```', '`',
            '<div class=mpai-tool-call',
            '<div class=mpai-tool-call data-tool-name=x data-tool-parameters={>', '<div ',
            '<!--', '<script>', '<think>', '{"name":"a","arguments":{', '"', '\\', "\0", "\xff",
            '&', ' ', "\r\n",
        ];
        foreach ($units as $unit) {
            yield addcslashes($unit, "\0..\37\177..\377") => [$unit];
        }
    }

    /** @dataProvider units */
    #[DataProvider('units')]
    public function testSixteenMebibytes(string $unit): void
    {
        $text = str_repeat($unit, intdiv(16 * self::MIB, strlen($unit)));
        $call = '<tool:late>{"a":1}</tool>';
        $detector = new Detector();
        $start = self::ownSeconds();
        $detection = $detector->detect($text);
        $joined = 0;
        foreach ($detection->segments as $part) {
            $joined += strlen($part->text);
        }
        self::assertSame(strlen($text), $joined);
        self::assertLessThan(10.0, self::ownSeconds() - $start);
        self::assertLessThanOrEqual(256, count($detection));
        self::assertLessThanOrEqual(1000, count($detection->rejections));
        // The same text before a call, unless the call belongs to the opener by the format's rules.
        if (in_array($unit, ['{', '[', ' ', "\0", "\xff", '&', '"', '\\', "\r\n"], true)) {
            $short = str_repeat($unit, 1000);
            self::assertSame(
                ['late'],
                array_column($detector->detect("$short $call")->calls, 'name')
            );
        }
    }

    /** The seconds that this process has worked, however busy the machine is. */
    private static function ownSeconds(): float
    {
        $used = getrusage();
        return $used['ru_utime.tv_sec'] + $used['ru_utime.tv_usec'] / 1e6;
    }

    public function testTheSameAsAStream(): void
    {
        foreach (['{', '<tool:', '```json {', '<div class=mpai-tool-call'] as $unit) {
            $text = str_repeat($unit, intdiv(self::MIB, strlen($unit)));
            $stream = (new Detector())->stream();
            foreach (str_split($text, 4096) as $chunk) {
                $stream->feed($chunk);
            }
            $stream->finish();
            self::assertSame($text, $stream->detection()->text);
        }
    }

    public function testBytesThatAreNotText(): void
    {
        $detector = new Detector();
        foreach (["\0", "\xff\xfe", "\xed\xa0\x80", "\xc3", "\xEF\xBB\xBF"] as $bytes) {
            $text = "$bytes<tool:a>{\"x\":1}</tool>$bytes";
            $detection = $detector->detect($text);
            self::assertSame(['a'], array_column($detection->calls, 'name'));
            self::assertSame($bytes . $bytes, $detection->text);
            $inside = $detector->detect("<tool:a>{\"x\":\"$bytes\"}</tool>");
            self::assertSame(1, count($inside) + count($inside->rejections));
        }
    }

    public function testNestingAsDeepAsIsAllowed(): void
    {
        $depth = 4000;
        $json = '{"a":' . str_repeat('[', $depth) . str_repeat(']', $depth) . '}';
        $detector = new Detector(maxDepth: 4096);
        $call = $detector->detect("<tool:deep>$json</tool>")->calls[0];
        $value = $call->arguments['a'];
        for ($level = 1; $value !== []; $level++) {
            $value = $value[0];
        }
        self::assertSame($depth, $level);
        self::assertIsObject($call->argumentsObject());
        $refused = (new Detector())->detect("<tool:deep>$json</tool>")->rejections;
        self::assertContains('too_deep', array_column($refused, 'code'));
    }
}
