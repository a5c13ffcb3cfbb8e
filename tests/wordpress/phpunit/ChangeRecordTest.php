<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\Proposed_Arguments;

use function Toolwire\WordPress\plugin;

/** What the log, the model and the tools for personal data know of changed arguments. */
final class ChangeRecordTest extends SiteTestCase
{
    private const SECRET = 'hunter2hunter2';

    /**
     * A call of the editor that the administrator approved with other arguments.
     *
     * @return array<string, ?string>
     */
    private function changed(string $tool = 'test_ask', string $text = 'after'): array
    {
        $this->as('editor');
        $own = (string) wp_json_encode(['text' => 'before', 'password' => self::SECRET]);
        $row = self::call($tool, $own, 'mine');
        $this->as('admin');
        $id = (string) $row['approval_id'];
        $sent = (string) wp_json_encode(['text' => $text, 'password' => '[redacted]']);
        $seen = plugin()->approvals()->look($id)['fingerprint'];
        $shown = plugin()->approvals()->change($id, $sent, $seen);
        $done = plugin()->approvals()->decide($id, true, 'so', $shown['fingerprint'], $sent);
        self::assertIsArray($done);
        return $done;
    }

    public function testTheLogHasBothTextsAndWhoAndWhen(): void
    {
        $row = $this->changed();
        self::assertSame(
            [
                'completed',
                '{"text":"after","password":"[redacted]"}',
                '{"text":"before","password":"[redacted]"}',
                (string) $this->as('admin'),
            ],
            [$row['state'], $row['arguments'], $row['arguments_before'], $row['changed_by']]
        );
        self::assertEqualsWithDelta(time(), strtotime("{$row['changed_at']} UTC"), 30);
        $plain = self::decide(self::call('test_ask', '{"text":"a"}'), true);
        self::assertSame(
            [null, '0', null],
            [$plain['arguments_before'], $plain['changed_by'], $plain['changed_at']]
        );
        // The store keeps nothing of it once the call has ended.
        $store = plugin()->engines()->get()->store;
        self::assertSame([], $store->scan(Proposed_Arguments::PREFIX, null, 10, $store->now()));
    }

    public function testARequestThatDiesAfterTheDecisionLosesNothingOfIt(): void
    {
        $row = self::call('test_ask', '{"text":"before"}');
        $id = (string) $row['approval_id'];
        $seen = plugin()->approvals()->look($id)['fingerprint'];
        $shown = plugin()->approvals()->change($id, '{"text":"after"}', $seen);
        // What a decision does up to the moment at which its request is killed.
        foreach (['before' => '{"text":"other"}', 'after' => $shown['logged']] as $print => $kept) {
            $of = $print === 'after' ? $shown['fingerprint'] : str_repeat('0', 64);
            plugin()->approval_parts()->proposed_arguments()->keep($id, $of, $kept);
        }
        $by = 'user:' . get_current_user_id();
        plugin()->engines()->get()->executor->approve($id, $shown['payload'], decidedBy: $by);
        plugin()->runner()->resume_decided();
        $row = plugin()->call_log()->find((string) $row['action_id']);
        self::assertSame(
            ['completed', '{"text":"after"}', '{"text":"before"}', get_current_user_id()],
            [$row['state'], $row['arguments'], $row['arguments_before'], (int) $row['changed_by']]
        );
    }

    public function testRestAndTheModelAreTold(): void
    {
        $row = $this->changed();
        $this->as('editor');
        $view = self::rest('GET', "/calls/{$row['action_id']}")->get_data();
        self::assertSame((int) $row['changed_by'], $view['changed']['by']);
        self::assertSame('before', $view['changed']['arguments_before']->text);
        self::assertSame('after', $view['arguments']->text);
        self::assertStringContainsString('A person changed the arguments', $view['html']);
        $told = plugin()->served()->calls()->status((string) $row['action_id']);
        self::assertSame($view['changed']['message'], $told['changed']);
        self::assertSame('after', $told['arguments']->text);
        self::assertSame('after', $told['result']->text);
        self::assertNull(self::rest('GET', '/calls/' . self::call('test_count')['action_id'])
            ->get_data()['changed']);
    }

    public function testTheScreenOfTheLogShowsIt(): void
    {
        $row = $this->changed('test_ask', "x<script>\u{202E}");
        $this->as('admin');
        set_current_screen('dashboard');
        ob_start();
        plugin()->admin()->log_screen()->show();
        $page = (string) ob_get_clean();
        self::assertStringContainsString('Arguments before they were changed', $page);
        self::assertMatchesRegularExpression('~arguments changed by [^<]+, ~', $page);
        self::assertStringContainsString('x&lt;script&gt;⟨U+202E⟩', $page);
        self::assertStringNotContainsString(self::SECRET, $page);
        foreach (['before', 'after'] as $text) {
            $found = plugin()->log_search()->query(['search' => "\"$text\""]);
            self::assertSame($text === 'before' ? 1 : 0, $found['total']);
        }
    }

    public function testACallThatBeginsAgainHasItsOwnArguments(): void
    {
        $own = (string) wp_json_encode(['post_id' => self::aPost(), 'title' => 'before']);
        $this->as('editor');
        $row = self::call('update_post', $own, 'mine');
        $this->as('admin');
        $id = (string) $row['approval_id'];
        $sent = str_replace('before', 'after', $own);
        $seen = plugin()->approvals()->look($id)['fingerprint'];
        $shown = plugin()->approvals()->change($id, $sent, $seen);
        $proposed = plugin()->approval_parts()->proposed_arguments();
        $proposed->keep($id, $shown['fingerprint'], $shown['logged']);
        plugin()->engines()->get()->executor->approve($id, $shown['payload'], decidedBy: 'user:1');
        // Somebody else writes before the call goes on.
        wp_update_post(['ID' => json_decode($own)->post_id, 'post_title' => 'Somebody else']);
        plugin()->runner()->resume_decided();
        $denied = plugin()->call_log()->find((string) $row['action_id']);
        self::assertSame(['denied', 'changed_since'], [$denied['state'], $denied['error_code']]);
        self::assertNotNull($denied['changed_at']);
        $this->as('editor');
        $again = plugin()->runner()->run(
            self::parsed('update_post', $own, 'mine'),
            'mine',
            'because',
            'rest',
            true
        );
        self::assertSame(
            ['waiting', $own, null, '0', null],
            [
                $again['state'], $again['arguments'], $again['arguments_before'],
                $again['changed_by'], $again['changed_at'],
            ]
        );
    }

    /** @return list<array<string, mixed>> */
    private function exported(string $login): array
    {
        $email = (string) get_user_by('login', $login)->user_email;
        return plugin()->privacy()->exporter()->export($email, 1)['data'];
    }

    public function testItIsExportedForBoth(): void
    {
        $this->changed();
        $own = (string) wp_json_encode($this->exported('editor'), JSON_UNESCAPED_SLASHES);
        self::assertStringContainsString('before', $own);
        self::assertStringContainsString('after', $own);
        [$decision] = $this->exported('admin');
        $facts = array_column($decision['data'], 'value', 'name');
        self::assertStringContainsString('after', $facts['Arguments as you changed them']);
        self::assertStringContainsString('UTC', $facts['Time of the change']);
        self::assertStringNotContainsString('before', (string) wp_json_encode($decision));
    }

    public function testAnErasureTakesTheNameOfWhoChangedIt(): void
    {
        $row = $this->changed();
        $admin = (string) get_user_by('login', 'admin')->user_email;
        plugin()->privacy()->eraser()->erase($admin);
        $left = plugin()->call_log()->find((string) $row['action_id']);
        self::assertSame(['0', '0', null], [
            $left['changed_by'], $left['decided_by'], $left['decision_reason'],
        ]);
        self::assertSame($row['arguments'], $left['arguments']);
        $editor = (string) get_user_by('login', 'editor')->user_email;
        plugin()->privacy()->eraser()->erase($editor);
        self::assertNull(plugin()->call_log()->find((string) $row['action_id']));
    }

    public function testAnOldTableGetsTheColumns(): void
    {
        global $wpdb;
        $table = plugin()->schema()->calls_table();
        $row = self::call('test_count', '{"text":"old"}');
        // SQLite drops one column at a time.
        foreach (['arguments_before', 'changed_by', 'changed_at'] as $column) {
            self::assertNotFalse($wpdb->query("ALTER TABLE $table DROP COLUMN $column"));
        }
        update_option('toolwire_schema', 5);
        plugin()->schema()->ensure();
        $kept = plugin()->call_log()->find((string) $row['action_id']);
        self::assertSame(
            ['{"text":"old"}', null, '0', null],
            [
                $kept['arguments'], $kept['arguments_before'],
                $kept['changed_by'], $kept['changed_at'],
            ]
        );
    }
}
