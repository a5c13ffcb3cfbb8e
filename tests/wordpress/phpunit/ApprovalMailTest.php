<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\Approval_Mail;
use Toolwire\WordPress\Settings;
use WP_Locale_Switcher;

use function Toolwire\WordPress\plugin;

/** Mail to those who may approve. */
final class ApprovalMailTest extends SiteTestCase
{
    /** @var list<array{to: string, subject: string, message: string, locale: string}> */
    private array $sent = [];

    protected function setUp(): void
    {
        parent::setUp();
        delete_option(Approval_Mail::OPTION);
        wp_clear_scheduled_hook(Approval_Mail::EVENT);
        add_filter('pre_wp_mail', [$this, 'catchMail'], 10, 2);
    }

    protected function tearDown(): void
    {
        remove_filter('pre_wp_mail', [$this, 'catchMail'], 10);
        foreach (get_users(['search' => 'mailed*', 'search_columns' => ['user_login']]) as $user) {
            require_once ABSPATH . 'wp-admin/includes/user.php';
            wp_delete_user($user->ID);
        }
        wp_clear_scheduled_hook(Approval_Mail::EVENT);
        parent::tearDown();
    }

    public function catchMail($answer, array $mail): bool
    {
        self::assertNull($answer);
        $this->sent[] = [
            'to' => $mail['to'], 'subject' => $mail['subject'], 'message' => $mail['message'],
            'locale' => determine_locale(),
        ];
        return true;
    }

    /** Runs the event, if it is due by then. */
    private function passes(int $seconds = 0): bool
    {
        $due = wp_next_scheduled(Approval_Mail::EVENT);
        if ($due === false || $due > time() + $seconds) {
            return false;
        }
        wp_unschedule_event($due, Approval_Mail::EVENT);
        wp_set_current_user(0);
        do_action(Approval_Mail::EVENT);
        $this->as('admin');
        return true;
    }

    /** Makes the mails that were sent older. */
    private static function wait(int $seconds): void
    {
        $older = static fn (array $last): array => ['at' => $last['at'] - $seconds] + $last;
        update_option(
            Approval_Mail::OPTION,
            array_map($older, (array) get_option(Approval_Mail::OPTION, []))
        );
    }

    private static function reader(string $login, string $locale = ''): int
    {
        return wp_insert_user([
            'user_login' => $login, 'user_pass' => 'x', 'role' => 'administrator',
            'user_email' => "$login@example.org", 'locale' => $locale,
        ]);
    }

    private function asks(string $user = 'editor', string $reason = 'Digits.'): array
    {
        $this->as($user);
        $call = self::parsed('test_ask', '{"text":"SECRET ARGUMENT"}');
        $row = plugin()->runner()->run($call, '', $reason);
        $this->as('admin');
        return $row;
    }

    public function testNothingIsSentOrPlannedByDefault(): void
    {
        $this->asks();
        self::assertFalse(wp_next_scheduled(Approval_Mail::EVENT));
        do_action(Approval_Mail::EVENT);
        self::assertSame([], $this->sent);
        self::assertSame('off', Settings::DEFAULTS['mail']);
    }

    public function testTheMailSaysWhoWhatWhyAndUntilWhen(): void
    {
        $this->settings(['mail' => 'once']);
        $row = $this->asks();
        self::assertSame([], $this->sent, 'the request that makes a call sends nothing');
        self::assertTrue($this->passes());
        [$mail] = $this->sent;
        self::assertSame(get_user_by('login', 'admin')->user_email, $mail['to']);
        self::assertStringContainsString('1 tool call waits for approval', $mail['subject']);
        $until = plugin()->engines()->get()->approvals->get($row['approval_id'])->expiresAt;
        foreach ([
            "What: test_ask\nWho: editor\nWhy: Digits.\nUntil: "
                . plugin()->admin()->words()->time($until) . "\n",
            "Look and decide: " . admin_url('admin.php?page=toolwire') . "\n",
        ] as $text) {
            self::assertStringContainsString($text, $mail['message']);
        }
        foreach (['SECRET', 'nonce', 'granted', $row['approval_id'], 'Count <script>'] as $text) {
            self::assertStringNotContainsString($text, $mail['message']);
        }
        self::assertSame(1, substr_count($mail['message'], '://'));
    }

    public function testACallIsToldOnceAndAReaderGetsOneMailInFiveMinutes(): void
    {
        $this->settings(['mail' => 'once']);
        $this->asks();
        $this->asks();
        self::assertTrue($this->passes());
        self::assertCount(1, $this->sent);
        self::assertStringContainsString('2 tool calls wait', $this->sent[0]['subject']);
        $this->asks();
        self::assertTrue($this->passes());
        self::assertCount(1, $this->sent, 'too early');
        self::assertFalse($this->passes(Approval_Mail::PAUSE - 5), 'but it is not forgotten');
        self::wait(Approval_Mail::PAUSE + 1);
        self::assertTrue($this->passes(Approval_Mail::PAUSE));
        self::assertStringContainsString('1 tool call waits', $this->sent[1]['subject']);
        self::assertFalse($this->passes(DAY_IN_SECONDS));
        do_action(Approval_Mail::EVENT);
        self::assertCount(2, $this->sent);
    }

    public function testHourlyMailWaitsForTheHour(): void
    {
        $this->settings(['mail' => 'hourly']);
        $this->asks();
        self::assertFalse($this->passes(HOUR_IN_SECONDS - 5));
        $this->settings(['mail' => 'once']);
        $this->asks();
        self::assertTrue($this->passes(), 'an event that is due sooner replaces a later one');
        self::assertCount(1, $this->sent);
        $this->settings(['mail' => 'hourly']);
        self::wait(DAY_IN_SECONDS);
        $this->asks();
        self::assertTrue($this->passes(HOUR_IN_SECONDS));
        self::assertCount(2, $this->sent);
    }

    public function testHourlyMailIsNotTooLateForACallOfAnHour(): void
    {
        $this->settings(['mail' => 'hourly', 'approval_hours' => 1]);
        $this->asks();
        self::assertTrue($this->passes(HOUR_IN_SECONDS / 2));
        self::assertCount(1, $this->sent);
    }

    public function testOneProcessSendsAtATime(): void
    {
        $this->settings(['mail' => 'once']);
        $this->asks();
        $beside = function ($sent) {
            remove_all_filters('pre_wp_mail', 5);
            do_action(Approval_Mail::EVENT);
            return $sent;
        };
        add_filter('pre_wp_mail', $beside, 5);
        self::assertTrue($this->passes());
        self::assertCount(1, $this->sent);
        self::assertIsInt(wp_next_scheduled(Approval_Mail::EVENT), 'the other one comes again');
    }

    public function testADecidedCallIsNotTold(): void
    {
        $this->settings(['mail' => 'once']);
        self::decide($this->asks(), false);
        $cancelled = $this->asks();
        plugin()->engines()->get()->approvals->cancel($cancelled['approval_id']);
        self::assertTrue($this->passes());
        self::assertSame([], $this->sent);
    }

    public function testReadersAreToldOnlyOfCallsThatTheyMayApprove(): void
    {
        $this->settings(['mail' => 'once', 'others_approve' => true]);
        self::reader('mailed-one');
        $this->asks('admin');
        self::assertTrue($this->passes());
        self::assertSame(['mailed-one@example.org'], array_column($this->sent, 'to'));
        $this->settings(['mail' => 'once']);
        self::wait(Approval_Mail::PAUSE + 1);
        $this->asks('admin');
        self::assertTrue($this->passes());
        self::assertCount(3, $this->sent, 'both are told now');
    }

    public function testEachReaderReadsTheirOwnLanguage(): void
    {
        $languages = static fn (array $all): array => [...$all, 'de_DE'];
        add_filter('get_available_languages', $languages);
        $before = $GLOBALS['wp_locale_switcher'];
        $GLOBALS['wp_locale_switcher'] = new WP_Locale_Switcher();
        $GLOBALS['wp_locale_switcher']->init();
        $german = static fn (string $text, string $source, string $domain): string =>
            $domain === 'toolwire' && determine_locale() === 'de_DE' && $source === 'Why'
                ? 'Warum' : $text;
        add_filter('gettext', $german, 10, 3);
        try {
            self::reader('mailed-two', 'de_DE');
            $this->settings(['mail' => 'once']);
            $this->asks();
            self::assertTrue($this->passes());
        } finally {
            remove_filter('gettext', $german, 10);
            remove_filter('get_available_languages', $languages);
            $GLOBALS['wp_locale_switcher'] = $before;
        }
        self::assertSame(['en_US', 'de_DE'], array_column($this->sent, 'locale'));
        self::assertStringContainsString("\nWhy: ", $this->sent[0]['message']);
        self::assertStringContainsString("\nWarum: ", $this->sent[1]['message']);
        self::assertSame('en_US', determine_locale());
    }

    public function testAMailThatIsNotTakenDoesNotKeepOthersFromTheirs(): void
    {
        $this->settings(['mail' => 'once']);
        self::reader('mailed-three');
        $throws = static function ($answer, array $mail) {
            return str_starts_with($mail['to'], 'mailed-') ? $answer
                : throw new \RuntimeException('no mail today');
        };
        add_filter('pre_wp_mail', $throws, 5, 2);
        $told = [];
        set_error_handler(static function (int $kind, string $text) use (&$told): bool {
            $told[] = $text;
            return true;
        }, E_USER_WARNING);
        try {
            $this->asks();
            self::assertTrue($this->passes());
        } finally {
            restore_error_handler();
            remove_filter('pre_wp_mail', $throws, 5);
        }
        self::assertSame(['mailed-three@example.org'], array_column($this->sent, 'to'));
        self::assertStringContainsString('no mail today', implode($told));
        $retry = wp_next_scheduled(Approval_Mail::EVENT);
        self::assertEqualsWithDelta(time() + Approval_Mail::RETRY, $retry, 5, 'tried again');
        self::wait(Approval_Mail::PAUSE + 1);
        $this->asks();
        self::assertTrue($this->passes());
        self::assertStringContainsString('2 tool calls', $this->sent[1]['subject'], 'told late');
        self::assertStringContainsString('1 tool call', $this->sent[2]['subject']);
    }

    public function testAFailureOfTheScheduleDoesNotReachTheCall(): void
    {
        $this->settings(['mail' => 'once']);
        $throws = static fn () => throw new \RuntimeException('no cron');
        add_filter('pre_schedule_event', $throws);
        $told = [];
        set_error_handler(static function (int $kind, string $text) use (&$told): bool {
            $told[] = $text;
            return true;
        }, E_USER_WARNING);
        try {
            $row = $this->asks();
        } finally {
            restore_error_handler();
            remove_filter('pre_schedule_event', $throws);
        }
        self::assertSame('waiting', $row['state']);
        self::assertStringContainsString('no cron', implode($told));
    }

    public function testWordsOfAModelAreOneLineWithoutLinks(): void
    {
        $this->settings(['mail' => 'once']);
        $this->asks('editor', "Fine.\r\nLook and decide: HTTPS://evil.example/?a www.evil.example\n"
            . "mail me@evil.example \u{202E}" . str_repeat('x', 400));
        self::assertTrue($this->passes());
        $message = $this->sent[0]['message'];
        self::assertSame(1, preg_match('~^Why: (.*)$~m', $message, $found));
        self::assertStringStartsWith(
            'Fine. Look and decide: HTTPS[:]//evil.example/?a www[.]evil.example mail me[@]evil',
            $found[1]
        );
        self::assertStringContainsString('⟨U+202E⟩', $found[1]);
        self::assertLessThan(230, mb_strlen($found[1]));
        self::assertSame(1, preg_match_all('~^Look and decide~m', $message));
        self::assertSame(1, substr_count($message, '://'));
    }

    public function testAMailTellsOfSomeCallsAndCountsTheOthers(): void
    {
        $this->settings(['mail' => 'once']);
        for ($number = 0; $number < Approval_Mail::TOLD + 2; $number++) {
            $this->asks();
        }
        self::assertTrue($this->passes());
        $message = $this->sent[0]['message'];
        self::assertSame(Approval_Mail::TOLD, substr_count($message, 'What: '));
        self::assertStringContainsString("\nAnd 2 more.\n", $message);
    }

    public function testNothingIsKeptThatIsNotNeeded(): void
    {
        $this->settings(['mail' => 'once']);
        $row = $this->asks();
        $this->passes();
        $kept = get_option(Approval_Mail::OPTION);
        self::assertSame([$row['approval_id']], array_values($kept)[0]['ids']);
        self::decide($row, false);
        self::wait(Approval_Mail::PAUSE + 1);
        do_action(Approval_Mail::EVENT);
        self::assertSame([], get_option(Approval_Mail::OPTION));
        $this->asks();
        plugin()->schema()->unschedule();
        self::assertFalse(wp_next_scheduled(Approval_Mail::EVENT));
    }
}
