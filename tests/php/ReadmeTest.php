<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;

/** Runs the PHP example of the README. */
final class ReadmeTest extends TestCase
{
    public function testTheExampleDoesWhatItSays(): void
    {
        $readme = (string) file_get_contents(Cases::ROOT . '/README.md');
        self::assertSame(1, preg_match('/```php\n(.*?)```/s', $readme, $example));
        $file = (string) tempnam(sys_get_temp_dir(), 'readme');
        file_put_contents($file, "<?php\n" . $example[1]);
        try {
            ob_start();
            require $file;
            $output = (string) ob_get_clean();
        } finally {
            unlink($file);
        }
        $lines = explode("\n", trim($output));
        self::assertSame('wp_api list', $lines[0]);
        self::assertStringStartsWith('I will look. <div class="mpai-tool-result mpai-tool-success">', $lines[1]);
        self::assertSame('sent', $lines[2]);
    }
}
