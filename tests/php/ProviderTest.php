<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use stdClass;
use Toolwire\Detector;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\InvalidState;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Exception\WrongType;
use Toolwire\Provider;
use Toolwire\Accumulator;
use Toolwire\Chunks;
use Toolwire\ProviderResult;
use Toolwire\Report;
use Toolwire\ToolResult;

/** Providers' objects as only PHP has them. */
final class ProviderTest extends TestCase
{
    private static function block(mixed $input): array
    {
        return ['type' => 'tool_use', 'id' => 't1', 'name' => 'f', 'input' => $input];
    }

    private static function nested(int $depth): mixed
    {
        $value = 1;
        for ($level = 0; $level < $depth; $level++) {
            $value = ['a' => $value];
        }
        return $value;
    }

    public function testWhatIsWrittenIsEncodedAsItHasToBe(): void
    {
        $input = json_decode('{"a":{},"b":[],"c":{"0":1},"d":[{"1":2}],"e":{"f":{}}}');
        $call = Provider::parse(self::block($input))->calls[0];
        $written = Provider::dump($call, 'anthropic');
        self::assertIsArray($written['input']);
        self::assertSame(json_encode($input), json_encode($written['input']));
        $empty = Provider::dump(Provider::parse(self::block(new stdClass()))->calls[0], 'gemini');
        self::assertSame('{"functionCall":{"id":"t1","name":"f","args":{}}}', json_encode($empty));
    }

    public function testAnEmptyArrayIsTheEmptyObject(): void
    {
        $call = Provider::parse(self::block([]))->calls[0];
        self::assertSame('{}', $call->argumentsRaw);
        self::assertSame('empty_array', $call->diagnostics[0]['code']);
    }

    public function testWhatAModelWritesDoesNotThrow(): void
    {
        foreach ([129, 300, 5000] as $depth) {
            $rejections = Provider::parse(self::block(self::nested($depth)))->rejections;
            self::assertSame('too_deep', $rejections[0]->code);
        }
        $call = Provider::parse(self::block(["q\xFF" => "\xFF!"]))->calls[0];
        self::assertSame(["q\u{FFFD}" => "\u{FFFD}!"], $call->arguments);
    }

    public function testANumberBeyondAFloatIsItsDigitsAndNoted(): void
    {
        $json = '{"only":"draft 5","min":[1e400,-17.5E+309]}';
        $detected = (new Detector())->detect("<tool:f>$json</tool>")->calls[0];
        $sent = Provider::parse(['name' => 'f', 'arguments' => $json])->calls[0];
        foreach ([$detected, $sent, unserialize(serialize($sent))] as $call) {
            self::assertSame(['1e400', '-17.5E+309'], $call->arguments['min']);
            self::assertSame(['1e400', '-17.5E+309'], $call->argumentsObject()->min);
            self::assertContains('big_number', array_column($call->diagnostics, 'code'));
            self::assertIsString(json_encode($call->argumentsObject()));
        }
    }

    public function testInfinityInADecodedObjectIsRejected(): void
    {
        $part = ['functionCall' => ['name' => 'f', 'args' => ['a' => [json_decode('-1e400')]]]];
        $found = Provider::parse(['parts' => [$part]]);
        self::assertSame([], $found->calls);
        self::assertSame('bad_number', $found->rejections[0]->code);
        self::assertSame('/parts/0/functionCall/args', $found->rejections[0]->path);
    }

    public function testReferencesAreFollowed(): void
    {
        $input = ['city' => 'Oslo'];
        $block = self::block(null);
        $block['input'] = &$input;
        self::assertSame($input, Provider::parse([&$block])->calls[0]->arguments);
    }

    public function testAnArrayThatHoldsItselfIsRefused(): void
    {
        $ring = [];
        $ring[] = &$ring;
        $ring[] = &$ring;
        $this->expectException(InvalidArgument::class);
        Provider::parse(['data' => $ring]);
    }

    public function testADetectedCallGoesToAProviderAndItsResultToAReport(): void
    {
        $text = 'I will look. <tool:weather>{"city": "Oslo"}</tool>';
        $call = (new Detector())->detect($text)->calls[0];
        self::assertSame(
            '{"city": "Oslo"}',
            Provider::dump($call, 'openai')['function']['arguments']
        );
        $message = Provider::dump(
            new ProviderResult(new ToolResult('weather', true, ['n' => 1]), $call->id),
            'openai'
        );
        $result = Provider::parse($message)->results[0];
        self::assertSame([$call->id, ['n' => 1]], [$result->callId, $result->result->data]);
        self::assertSame('openai', $result->toArray()['format']);
        $report = new Report();
        $report->add($result->result);
        self::assertSame(1, $report->succeeded());
    }

    /** @return iterable<string, array{class-string, string, callable}> */
    public static function misuse(): iterable
    {
        $call = Provider::parse(self::block([]))->calls[0];
        yield 'a provider' => [
            InvalidArgument::class,
            'unknown_provider',
            fn () => Provider::dump($call, 'teapot'),
        ];
        yield 'an item' => [WrongType::class, 'wrong_type', fn () => Provider::dump([], 'openai')];
        yield 'an object' => [
            WrongType::class,
            'wrong_type',
            fn () => Provider::parse(['a' => new \DateTime()]),
        ];
        yield 'a number' => [
            InvalidArgument::class,
            'invalid_option',
            fn () => Provider::parse(['a' => NAN]),
        ];
        $deep = new ProviderResult(new ToolResult('f', true, self::nested(200)));
        yield 'data' => [
            InvalidArgument::class,
            'invalid_option',
            fn () => Provider::dump($deep, 'openai'),
        ];
        yield 'an event that is none' => [
            WrongType::class,
            'wrong_type',
            fn () => (new Chunks('openai'))->feed(['text']),
        ];
        yield 'a time before all times' => [
            InvalidArgument::class,
            'invalid_option',
            fn () => new Chunks('openai', created: -1),
        ];
        yield 'an unknown way of arguments' => [
            InvalidArgument::class,
            'invalid_option',
            fn () => new Chunks('openai', arguments: 'streaming'),
        ];
        yield 'a message of a text' => [
            WrongType::class,
            'wrong_type',
            fn () => (new \ReflectionMethod(Provider::class, 'message'))->invoke(null, 'a', 'openai'),
        ];
        $sent = new Chunks('openai');
        $sent->finish();
        yield 'chunks after the last' => [
            InvalidState::class,
            'stream_finished',
            fn () => $sent->finish(),
        ];
        $ended = new Accumulator();
        $ended->finish();
        yield 'feeding an ended stream' => [
            InvalidState::class,
            'stream_finished',
            fn () => $ended->feed([]),
        ];
        yield 'ending a stream again' => [
            InvalidState::class,
            'stream_finished',
            fn () => $ended->finish(),
        ];
    }

    public function testARestoredDetectionGivesTheSameMessage(): void
    {
        $found = (new Detector())->detect('Now <tool:f>{"a":[1,{}]}</tool> é');
        $restored = unserialize(serialize($found));
        foreach (['openai', 'anthropic', 'openai_responses'] as $provider) {
            self::assertEquals(
                Provider::message($found, $provider),
                Provider::message($restored, $provider)
            );
        }
    }

    public function testBytesThatAreNotUtf8AreReplaced(): void
    {
        $written = Provider::message((new Detector())->detect("a\xffb"), 'openai');
        self::assertSame("a\u{fffd}b", $written['content']);
        $stream = (new Detector())->stream();
        $chunks = new Chunks('openai');
        $sent = [
            ...$chunks->feed($stream->feed("a\xe2\x82")),
            ...$chunks->feed($stream->feed("\xacb\xff")),
            ...$chunks->feed($stream->finish()),
            ...$chunks->finish(),
        ];
        $deltas = array_map(static fn ($chunk) => $chunk['choices'][0]['delta'], $sent);
        self::assertSame("a€b\u{fffd}", implode('', array_column($deltas, 'content')));
    }

    /** @dataProvider misuse */
    #[DataProvider('misuse')]
    public function testMisuseIsThrown(string $class, string $kind, callable $run): void
    {
        try {
            $run();
        } catch (ToolwireThrowable $error) {
            self::assertInstanceOf($class, $error);
            self::assertSame($kind, $error->getKind());
            return;
        }
        self::fail('nothing was thrown');
    }
}
