<?php

declare(strict_types=1);

namespace Toolwire\Tests;

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
                    'slug', 'models', 'aliases', 'formats', 'reasoning', 'reasoning_begun',
                    'calls_in_reasoning',
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
}
