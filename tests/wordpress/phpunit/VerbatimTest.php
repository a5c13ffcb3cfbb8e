<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\Admin\{Approval_Screen, Log_Table, Verbatim};

/** What a person reads is what is written. */
final class VerbatimTest extends SiteTestCase
{
    public function testAnEntityInArgumentsIsShownAsItIsWritten(): void
    {
        self::assertSame('&amp;lt;b&amp;gt; &lt;b&gt; &quot;&#039;', Verbatim::html("&lt;b&gt; <b> \"'"));
        $row = self::call('test_ask', '{"text":"a &lt;b&gt; b"}');
        ob_start();
        Approval_Screen::show((string) $row['approval_id']);
        self::assertStringContainsString('a &amp;lt;b&amp;gt; b', (string) ob_get_clean());
    }
}
