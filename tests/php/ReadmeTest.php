<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;

/** Runs the PHP examples of the README. */
final class ReadmeTest extends TestCase
{
    /** @return list<string> the lines that an example prints */
    private static function printed(int $number): array
    {
        $readme = (string) file_get_contents(Cases::ROOT . '/README.md');
        self::assertSame(6, preg_match_all('/```php\n(.*?)```/s', $readme, $examples));
        $file = (string) tempnam(sys_get_temp_dir(), 'readme');
        file_put_contents($file, "<?php\n" . $examples[1][$number]);
        try {
            ob_start();
            require $file;
            $output = (string) ob_get_clean();
        } finally {
            unlink($file);
        }
        return explode("\n", trim($output));
    }

    public function testTheExampleDoesWhatItSays(): void
    {
        $lines = self::printed(0);
        self::assertSame('wp_api list', $lines[0]);
        self::assertStringStartsWith('I will look. <div class="mpai-tool-result mpai-tool-success">', $lines[1]);
        self::assertSame('sent', $lines[2]);
    }

    public function testTheExampleOfProvidersDoesWhatItSays(): void
    {
        $block = '{"type":"tool_result","tool_use_id":"t1","content":"{\"degrees\":21}"}';
        self::assertSame(json_decode($block, true), json_decode(self::printed(3)[0], true));
    }

    public function testTheExampleOfFormatsDoesWhatItSays(): void
    {
        self::assertSame(['add mistral'], self::printed(1));
    }

    public function testTheExampleOfLogsDoesWhatItSays(): void
    {
        self::assertSame(['replace failed: no such file'], self::printed(4));
    }

    public function testTheExampleOfRepliesDoesWhatItSays(): void
    {
        self::assertSame(['low'], self::printed(2));
    }
}
