<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Toolwire\Detector;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\WrongType;

/** A model's name, template or prompt says how it writes. */
final class ProfileTest extends TestCase
{
    public function testProfilesAreListedAndTakenByName(): void
    {
        $profiles = Detector::profiles();
        self::assertTrue(array_is_list($profiles));
        self::assertGreaterThan(90, count($profiles));
        foreach ($profiles as $profile) {
            $fields = $profile->toArray();
            self::assertSame(
                [
                    'slug', 'exact', 'models', 'aliases', 'formats', 'siblings',
                    'reasoning', 'reasoning_begun', 'calls_in_reasoning', 'thinking',
                    'stop',
                ],
                array_keys($fields)
            );
            $named = [$profile->slug, ...$profile->aliases];
            foreach ($named as $name) {
                self::assertSame($fields, Detector::profileFor($name)?->toArray(), $name);
            }
            self::assertSame($fields, (new Detector(model: $profile->slug))->profile()->toArray());
        }
        self::assertNull(Detector::profileFor('my-model'));
        self::assertNull(Detector::profileFor("\xff"));
        self::assertNull((new Detector())->profile());
    }

    public function testAModelNamesTheFormatsUnlessTheyAreGiven(): void
    {
        $text = '<tool:one>{}</tool> <tool_call>{"name": "two", "arguments": {}}</tool_call>';
        $names = fn (Detector $detector) => array_column($detector->detect($text)->calls, 'name');
        self::assertSame(['two'], $names(new Detector(model: 'Qwen/Qwen3-8B')));
        self::assertSame(['one'], $names(new Detector(formats: 'tag', model: 'Qwen/Qwen3-8B')));
        self::assertSame(['two'], $names(new Detector(template: "{{ '<tool_call>' }}")));
        self::assertSame(['two'], $names(new Detector(template: 'x', model: 'qwen3')));
        self::assertSame('think', (new Detector(prompt: '<think>'))->profile()->reasoningBegun);
        $bytes = (new Detector(model: 'qwen3', prompt: "\xff<think>\xff"))->profile();
        self::assertSame('think', $bytes->reasoningBegun);
        try {
            new Detector(model: 'qwn3-coder');
            self::fail('nothing was thrown');
        } catch (InvalidArgument $error) {
            self::assertSame('unknown_model', $error->getKind());
            self::assertStringContainsString('nearest: qwen3_coder, ', $error->getMessage());
        }
        $this->expectException(WrongType::class);
        new Detector(prompt: 3);
    }

    public function testEachProfileReadsWhatItWrites(): void
    {
        $calls = [['name' => 'add', 'arguments' => ['city' => 'Rome']]];
        foreach (Detector::profiles() as $profile) {
            $message = ['text' => 'One moment.'];
            $message += $profile->reasoning === [] ? [] : ['reasoning' => 'I add.'];
            $message += $profile->formats === [] ? [] : ['calls' => $calls];
            $text = Detector::renderMessage($message, $profile);
            $named = new Detector(model: $profile->slug);
            $given = new Detector(model: $profile);
            self::assertEquals($named->profile(), $given->profile());
            $found = $given->detect($text);
            self::assertSame('One moment.', trim($found->text), $text);
            self::assertSame($message['reasoning'] ?? null, $found->reasoning, $text);
            $read = fn ($call) => ['name' => $call->name, 'arguments' => $call->arguments];
            self::assertSame($message['calls'] ?? [], array_map($read, $found->calls), $text);
            self::assertSame($text, Detector::renderMessage($found, $profile->slug));
            $again = ['calls' => $found->calls, 'text' => $found->text];
            $again += ['reasoning' => $found->reasoning];
            self::assertSame($text, Detector::renderMessage($again, $profile));
        }
        $begun = (new Detector(model: 'qwen3', prompt: '<think>'))->profile();
        $text = Detector::renderMessage(['reasoning' => 'I add.'], $begun, null);
        self::assertSame("I add.\n</think>\n\n<|im_end|>", $text);
        self::assertSame('<|im_end|>', Detector::renderMessage([], 'qwen3'));
    }

    public function testAProfileOfTheNearestVersionSaysSo(): void
    {
        $nearest = Detector::profileFor('deepseek-ai/DeepSeek-V3.4');
        $message = ['calls' => [['name' => 'now', 'arguments' => []]]];
        $text = Detector::renderMessage($message, $nearest);
        foreach ([$nearest, 'deepseek-ai/DeepSeek-V3.4'] as $model) {
            $call = (new Detector(model: $model))->detect($text)->calls[0];
            self::assertSame('nearest_version', $call->diagnostics[0]['code']);
            self::assertSame('deepseek_v32', Detector::constrain(['now'], $model)->profile);
        }
        $this->expectException(WrongType::class);
        new Detector(formats: $nearest);
    }

    /** @return iterable<string, array{mixed, mixed, class-string, string}> */
    public static function faults(): iterable
    {
        $marker = 'cannot hold the text, which is read otherwise: it holds "</think>"';
        yield 'a marker' => [['text' => 'a </think>'], 'qwen3', InvalidArgument::class, $marker];
        yield 'a list' => [['a'], 'qwen3', WrongType::class, 'a message must be an object'];
        yield 'a text' => ['a', 'qwen3', WrongType::class, 'a message must be an object'];
        yield 'a key' => [['content' => 'a'], 'qwen3', InvalidArgument::class, 'content'];
        yield 'calls' => [['calls' => 'a'], 'qwen3', WrongType::class, 'a message must be'];
        yield 'a call' => [['calls' => ['a']], 'qwen3', WrongType::class, 'a call must be'];
        yield 'no model' => [[], 'qwn3', InvalidArgument::class, 'nearest: '];
        yield 'no profile' => [[], 3, WrongType::class, 'a name or a definition'];
    }

    /**
     * @dataProvider faults
     *
     * @param class-string<\Throwable> $class
     */
    #[DataProvider('faults')]
    public function testAFaultIsNamed(
        mixed $message,
        mixed $profile,
        string $class,
        string $said
    ): void {
        $this->expectException($class);
        $this->expectExceptionMessage($said);
        (new \ReflectionMethod(Detector::class, 'renderMessage'))->invoke(null, $message, $profile);
    }
}
