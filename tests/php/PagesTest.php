<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Runs the PHP examples of the README and of pages that give the output beside a line. */
final class PagesTest extends TestCase
{
    /** @return iterable<string, array{string}> */
    public static function examples(): iterable
    {
        foreach ([
            'README.md', 'docs/agents.md', 'docs/constrain.md', 'docs/detection.md',
            'docs/install.md', 'docs/packet.md', 'docs/profiles.md', 'docs/provider.md',
            'docs/reply.md',
        ] as $page) {
            $text = (string) file_get_contents(Cases::ROOT . "/$page");
            self::assertGreaterThan(
                0,
                preg_match_all('/```php\n(.*?)```/s', $text, $found),
                "$page has no example"
            );
            foreach ($found[1] as $number => $example) {
                yield "$page, example $number" => [$example];
            }
        }
    }

    /** @dataProvider examples */
    #[DataProvider('examples')]
    public function testAnExamplePrintsWhatItSays(string $example): void
    {
        self::assertGreaterThan(0, preg_match_all('~^\s*echo .*; +// (.*)$~m', $example, $said));
        [$output, $status] = ToolsSafetyTest::php($example);
        self::assertSame(0, $status, $output);
        $printed = explode("\n", $output);
        $places = [];
        foreach ($said[1] as $line) {
            self::assertContains($line, $printed);
            $places[] = array_search($line, $printed, true);
        }
        $sorted = $places;
        sort($sorted);
        self::assertSame($sorted, $places);
    }
}
