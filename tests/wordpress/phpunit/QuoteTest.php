<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\Detector;

use function Toolwire\WordPress\plugin;

/** No call is found in a quoted text, in any format and with any options of the reader. */
final class QuoteTest extends SiteTestCase
{
    private static function assertNoCall(string $text): void
    {
        $quoted = plugin()->quote()->text($text);
        foreach (['json', 'all', 'none'] as $fences) {
            foreach (['auto', null] as $formats) {
                foreach (['off', 'safe'] as $repair) {
                    $reader = new Detector(
                        formats: $formats,
                        fences: $fences,
                        reasoning: 'calls',
                        repair: $repair
                    );
                    self::assertCount(0, $reader->detect($quoted)->calls, "$text\n=>\n$quoted");
                }
            }
        }
    }

    public function testNoFormatHasACallInAQuote(): void
    {
        foreach (Detector::formats() as ['slug' => $slug, 'example' => $example]) {
            foreach ([
                $example, "before $example after", "```json\n$example\n```",
                "<think>$example</think>", "$example$example",
            ] as $text) {
                self::assertNoCall($text);
            }
            self::assertNotSame($example, plugin()->quote()->text($example), $slug);
        }
    }

    public function testNoMixtureOfFormatsHasACallInAQuote(): void
    {
        mt_srand(14);
        $examples = array_column(Detector::formats(), 'example');
        for ($case = 0; $case < 300; $case++) {
            $text = '';
            for ($piece = mt_rand(1, 5); $piece > 0; $piece--) {
                $example = $examples[array_rand($examples)];
                $cut = mt_rand(0, strlen($example));
                $text .= [
                    $example, substr($example, 0, $cut), substr($example, $cut), "\xff", "\n", 'é',
                ][mt_rand(0, 5)];
            }
            self::assertNoCall($text);
        }
    }

    public function testNestedCallsAreQuotedInTime(): void
    {
        $call = '{}';
        for ($depth = 0; $depth < 12; $depth++) {
            $call = '{"name":"a","arguments":' . $call . '}';
            self::assertNoCall($call);
        }
        $started = microtime(true);
        foreach ([
            '<tool:a>', '{"name":"a","arguments":', '[TOOL_CALLS]', '<tool:a>{}</tool>',
        ] as $piece) {
            $quoted = plugin()->quote()->text(str_repeat($piece, 5000));
            self::assertNoCall($quoted);
        }
        self::assertLessThan(20, microtime(true) - $started);
    }

    public function testOtherTextStaysAsItIs(): void
    {
        foreach ([
            '', 'Hi <b>there</b> {"a": 1} [x](y) `code`', "caf\u{e9} \xff", '5 < 6 && 7 > 6',
        ] as $text) {
            self::assertSame($text, plugin()->quote()->text($text));
        }
        self::assertSame(
            'Try <⟨quoted⟩tool:a>{}<⟨quoted⟩/tool>.',
            plugin()->quote()->text('Try <tool:a>{}</tool>.')
        );
        self::assertSame(
            plugin()->quote()->text('<tool:a>{}</tool>'),
            plugin()->quote()->text(plugin()->quote()->text('<tool:a>{}</tool>'))
        );
    }
}
