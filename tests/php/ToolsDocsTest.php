<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** The statements of docs/tools-php.md and docs/runs.md hold, and the example runs. */
final class ToolsDocsTest extends TestCase
{
    /** @return array<string, array{string, int}> */
    public static function pages(): array
    {
        return ['tools' => ['tools-php.md', 5], 'runs' => ['runs.md', 1]];
    }

    /** @dataProvider pages */
    #[DataProvider('pages')]
    public function testEveryExampleDoesWhatItSays(string $name, int $count): void
    {
        $page = (string) file_get_contents(Cases::ROOT . "/docs/$name");
        self::assertSame($count, preg_match_all('/```php\n(.*?)```/s', $page, $examples));
        foreach ($examples[1] as $example) {
            self::assertGreaterThan(0, preg_match_all('~^echo .*; +// (.*)$~m', $example, $said));
            [$output, $status] = ToolsSafetyTest::php($example);
            self::assertSame([$said[1], 0], [explode("\n", $output), $status]);
        }
    }

    public function testTheExampleRuns(): void
    {
        [$output, $status] = ToolsSafetyTest::php(
            'require $argv[1];',
            Cases::ROOT . '/examples/php/tools.php'
        );
        self::assertSame(0, $status, $output);
        $results = array_values(preg_grep('/^  /', explode("\n", $output), PREG_GREP_INVERT) ?: []);
        self::assertSame([
            'completed: {"titles":["Hello","About"]}',
            'waiting: null',
            'denied: Tool \'delete_post\' denied: invalid input: /id: '
                . 'value is not of type "integer"',
            'Delete the post for good? {"id":7}',
            'completed: {"deleted":"Hello"}, 1 left',
            '2 again',
        ], $results);
        self::assertSame(11, substr_count($output, "\n  ") + 1);
    }
}
