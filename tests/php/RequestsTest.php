<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use ArrayObject;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use Toolwire\Detector;
use Toolwire\Exception\WrongType;
use Toolwire\Profile;
use Toolwire\Provider;
use Toolwire\Redaction;
use Toolwire\ToolCall;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;

/** Tools and results that go to a provider; the shared cases hold the shapes. */
final class RequestsTest extends TestCase
{
    /** @param mixed ...$options of the definition */
    private static function executor(callable $handler, mixed ...$options): Executor
    {
        $registry = new Registry();
        $registry->register(new ToolDefinition('a.b', 'A', $handler, ...$options));
        return new Executor($registry);
    }

    private static function call(string $name = 'a.b'): ToolCall
    {
        $block = ['type' => 'tool_use', 'id' => 'toolu_1', 'name' => $name, 'input' => []];
        return Provider::parse($block)->calls[0];
    }

    public function testACallUnderAMadeNameRuns(): void
    {
        $executor = self::executor(fn (ToolInput $in) => ToolOutput::ok(['n' => 1]));
        $name = $executor->toProvider('anthropic')[0]['name'];
        self::assertNotSame('a.b', $name);
        $call = self::call($name);
        $answer = Provider::dump($executor->execute($call), 'anthropic', $call);
        self::assertSame(['toolu_1', '{"n":1}'], [$answer['tool_use_id'], $answer['content']]);
    }

    public function testEveryOutcomeOfARunIsTold(): void
    {
        $throws = static fn () => throw new RuntimeException('no such city');
        $ok = static fn (ToolInput $in) => ToolOutput::ok(['n' => 1]);
        foreach ([
            'no such city' => self::executor($throws),
            'denied' => self::executor($ok, allowedModes: ['admin']),
            'call was not run (invalid_input) at \/ of its arguments: \"x\" is a required' =>
                self::executor($ok, inputSchema: ['required' => ['x']]),
        ] as $words => $executor) {
            $execution = $executor->execute(self::call());
            $answer = Provider::dump($execution, 'bedrock', self::call())['toolResult'];
            self::assertSame('error', $answer['status']);
            self::assertStringContainsString($words, json_encode($answer['content']));
            // Without the call, the id of the call that was given and the tool name it.
            self::assertSame($answer, Provider::dump($execution, 'bedrock')['toolResult']);
        }
        $waiting = self::executor($ok, requiresApproval: true)->execute(self::call());
        $answer = Provider::dump($waiting, 'anthropic', self::call());
        self::assertArrayNotHasKey('is_error', $answer);
        self::assertSame(
            "Tool 'a.b' has not run yet: a person has to approve this call first. "
                . 'Do not repeat it.',
            $answer['content']
        );
        $unknown = self::executor($ok)->execute(self::call('nobody'));
        self::assertTrue(Provider::dump($unknown, 'anthropic', self::call('nobody'))['is_error']);
    }

    public function testWhateverAToolReturnsIsTold(): void
    {
        $data = [
            'nan' => NAN, 'inf' => -INF, 'bytes' => "\xff", "\xfe" => 1, 'o' => new ArrayObject(),
            'empty' => new \stdClass(), 5 => 'n',
        ];
        $answer = Provider::dump(ToolOutput::ok($data), 'openai', 'c1');
        self::assertSame('c1', $answer['tool_call_id']);
        self::assertSame(
            '{"nan":"NaN","inf":"-Infinity","bytes":"' . "\u{fffd}\",\"\u{fffd}" . '":1,'
                . '"o":"<ArrayObject object>","empty":{},"5":"n"}',
            $answer['content']
        );
    }

    public function testAResultWithoutEndIsCut(): void
    {
        $loop = [];
        $loop = ['a' => &$loop, 'b' => &$loop];
        foreach ([$loop, [str_repeat('ä', 20_000_000)], array_fill(0, 1_000_000, 'x')] as $data) {
            $text = Provider::dump(ToolOutput::ok($data), 'openai', 'c1')['content'];
            self::assertLessThanOrEqual(256 * 1024, strlen($text));
            self::assertStringEndsWith(' longer than 262144 bytes]', $text);
        }
        $answer = Provider::dump(ToolOutput::ok($data), 'openai', 'c1', maxBytes: 300);
        self::assertLessThanOrEqual(300, strlen($answer['content']));
    }

    public function testSecretsDoNotLeave(): void
    {
        $output = ToolOutput::ok(['password' => 'hunter2', 'iban' => 'x']);
        $told = static fn (mixed $redact): string =>
            Provider::dump($output, 'openai', 'c1', redact: $redact)['content'];
        self::assertSame('{"password":"[redacted]","iban":"x"}', $told(null));
        self::assertSame('{"password":"hunter2","iban":"[redacted]"}', $told(['iban']));
        self::assertSame(
            '{"password":"[redacted]","iban":"[redacted]"}',
            $told(Redaction::withDefaults(['iban']))
        );
    }

    public function testTheCallOfATextIsAnsweredUnderTheIdOfItsMessage(): void
    {
        $found = (new Detector())->detect('<tool:a.b>{}</tool>');
        foreach (['openai', 'anthropic', 'mistral', 'bedrock'] as $provider) {
            $sent = Provider::parse(Provider::message($found, $provider))->calls[0];
            $answer = Provider::dump(ToolOutput::ok(), $provider, $found->calls[0]);
            $result = Provider::parse($answer)->results[0];
            self::assertSame($sent->id, $result->callId);
        }
    }

    public function testAnOutputNeedsItsCall(): void
    {
        $this->expectException(WrongType::class);
        Provider::dump(ToolOutput::ok(), 'openai');
    }

    public function testAProfileIsANameADefinitionOrAnObject(): void
    {
        $registry = new Registry();
        $handler = static fn (ToolInput $in) => ToolOutput::ok();
        $registry->register(new ToolDefinition('now', 'NOW', $handler, 'Tells the time'));
        $profile = Detector::profileFor('qwen3');
        self::assertInstanceOf(Profile::class, $profile);
        $prompt = $registry->renderPrompt($profile);
        self::assertSame($prompt, $registry->renderPrompt('Qwen/Qwen3-8B'));
        self::assertSame($prompt, $registry->renderPrompt(format: 'hermes'));
        $found = (new Detector(model: 'qwen3'))->detect($prompt);
        self::assertSame(['now'], array_column($found->calls, 'name'));
        self::assertStringContainsString('"Tells the time"', $prompt);
    }
}
