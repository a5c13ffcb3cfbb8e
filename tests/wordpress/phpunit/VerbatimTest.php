<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use function Toolwire\WordPress\plugin;

/** A person reads exactly the text that was written. */
final class VerbatimTest extends SiteTestCase
{
    public function testAnEntityInArgumentsIsShownAsItIsWritten(): void
    {
        self::assertSame(
            '&amp;lt;b&amp;gt; &lt;b&gt; &quot;&#039;',
            plugin()->admin()->verbatim()->html("&lt;b&gt; <b> \"'")
        );
        $row = self::call('test_ask', '{"text":"a &lt;b&gt; b"}');
        ob_start();
        plugin()->admin()->approval_screen()->show((string) $row['approval_id']);
        self::assertStringContainsString('a &amp;lt;b&amp;gt; b', (string) ob_get_clean());
    }

    public function testTheScriptMarksTheCharactersThatTheExtensionMarks(): void
    {
        $command = [
            PHP_BINARY, '-d', 'memory_limit=1G', '-d', 'extension=' . getenv('TOOLWIRE_EXTENSION'),
            dirname(__DIR__, 3) . '/wordpress/visible.php', '--check',
        ];
        $process = proc_open($command, [2 => ['pipe', 'w']], $pipes);
        self::assertSame('', stream_get_contents($pipes[2]));
        self::assertSame(0, proc_close($process));
    }
}
