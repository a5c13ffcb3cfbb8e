<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\Approval_Refusals;

use function Toolwire\WordPress\plugin;

/** What a screen says after a form was sent. */
final class NoticesTest extends SiteTestCase
{
    protected function tearDown(): void
    {
        unset($_GET['said']);
        parent::tearDown();
    }

    private static function said(string $code): string
    {
        $_GET['said'] = $code;
        ob_start();
        plugin()->admin()->notices()->show();
        return (string) ob_get_clean();
    }

    public function testEveryRefusalOfADecisionHasAText(): void
    {
        foreach (array_keys(Approval_Refusals::STATUSES) as $code) {
            self::assertStringContainsString('notice-error', self::said($code), $code);
        }
        self::assertSame('', self::said('<script>'));
    }

    public function testARequestThatWasTakenBackIsSaidToBe(): void
    {
        $row = self::call('test_ask');
        plugin()->engines()->get()->approvals->cancel($row['approval_id']);
        $refused = self::decide($row, true);
        self::assertSame('toolwire_approval_cancelled', $refused->get_error_code());
        self::assertStringContainsString(
            'The request was taken back.',
            self::said('approval_cancelled')
        );
    }

    public function testTheScriptSaysWhatTheScreenSays(): void
    {
        $words = plugin()->admin()->notices()->words();
        self::assertSame(
            ['completed', 'failed', 'running', 'denied', 'interrupted'],
            array_keys($words),
            'each state that a decision may end in'
        );
        foreach ($words as $state => $text) {
            self::assertStringContainsString(esc_html($text), self::said($state));
        }
    }
}
