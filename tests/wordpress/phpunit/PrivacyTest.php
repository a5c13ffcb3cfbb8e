<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\Privacy_Exporter;

use function Toolwire\WordPress\plugin;

/** Personal data that WordPress' tools export and erase. */
final class PrivacyTest extends SiteTestCase
{
    private const MARK = 'words-of-ann';

    private string $email;

    protected function setUp(): void
    {
        parent::setUp();
        $this->email = (string) get_user_by('login', 'editor')->user_email;
    }

    /** @return list<array<string, mixed>> */
    private function exported(): array
    {
        $items = [];
        for ($page = 1; $page < 50; $page++) {
            $answer = plugin()->privacy()->exporter()->export($this->email, $page);
            array_push($items, ...$answer['data']);
            if ($answer['done']) {
                return $items;
            }
        }
        self::fail('the export has no end');
    }

    /** @return list<array<string, mixed>> the answers, of which the last is the last */
    private function erase(): array
    {
        $answers = [];
        do {
            $answers[] = $answer = plugin()->privacy()->eraser()->erase(
                $this->email,
                count($answers) + 1
            );
        } while (!$answer['done'] && count($answers) < 50);
        self::assertTrue($answer['done']);
        return $answers;
    }

    /** All that the tables hold, as text. */
    private static function everything(): string
    {
        global $wpdb;
        $rows = [];
        foreach ([plugin()->schema()->calls_table(), plugin()->schema()->store_table()] as $table) {
            array_push($rows, ...$wpdb->get_results("SELECT * FROM $table", ARRAY_N));
        }
        return implode(
            "\n",
            array_map(static fn (array $row): string => implode(' ', $row), $rows)
        );
    }

    public function testAnExportHasTheCallsAndTheDecisionsOfThePersonAlone(): void
    {
        $others = self::call('test_ask', '{"text":"of admin"}');
        $editor = $this->as('editor');
        self::call(
            'test_ask',
            wp_json_encode(['text' => self::MARK . ' <script>1</script>', 'password' => 'hunter2']),
            'mine'
        );
        self::call('test_count', '{"text":"done"}');
        plugin()->call_log()->change(
            $others['action_id'],
            [
                'decided_by' => $editor, 'decision' => 'denied', 'decision_reason' => 'I say no',
                'state' => 'denied',
            ]
        );

        $items = $this->exported();
        self::assertSame(
            ['toolwire-calls', 'toolwire-calls', 'toolwire-decisions'],
            array_column($items, 'group_id')
        );
        $text = (string) wp_json_encode($items, JSON_UNESCAPED_SLASHES);
        foreach ([
            self::MARK . ' &lt;script&gt;', 'mine', 'because', 'test_count', 'I say no',
            'bytes, kept until',
        ] as $part) {
            self::assertStringContainsString($part, $text);
        }
        foreach (['hunter2', 'of admin', '<script>', 'admin@'] as $part) {
            self::assertStringNotContainsString($part, $text);
        }
        self::assertSame(
            ['data' => [], 'done' => true],
            plugin()->privacy()->exporter()->export('nobody@example.test', 1)
        );
    }

    public function testManyCallsComeInPagesAndGoInPages(): void
    {
        $this->as('editor');
        for ($made = 0; $made < 130; $made++) {
            plugin()->call_log()->see("many-$made", "given-$made", 'test_count', 'rest');
        }
        self::assertCount(
            Privacy_Exporter::PER_PAGE,
            plugin()->privacy()->exporter()->export($this->email, 1)['data']
        );
        self::assertCount(130, array_unique(array_column($this->exported(), 'item_id')));
        $answers = $this->erase();
        self::assertCount(3, $answers);
        self::assertTrue($answers[0]['items_removed']);
        self::assertSame(0, plugin()->log_search()->query([])['total']);
        self::assertSame([], $this->exported());
    }

    public function testErasureLeavesNothingOfAPersonInEitherTable(): void
    {
        $editor = $this->as('editor');
        $arguments = wp_json_encode(['text' => self::MARK]);
        $waiting = self::call('test_ask', $arguments, 'waits');
        self::call('test_count', $arguments, 'ran');
        self::rest(
            'POST',
            '/calls',
            ['name' => 'test_count', 'arguments' => ['text' => self::MARK]]
        );
        $this->as('admin');
        $kept = self::call('test_count', '{"text":"of admin"}');
        self::assertStringContainsString(self::MARK, self::everything());
        self::assertStringContainsString("user:$editor", self::everything());

        $told = [];
        $listen = static function (array $data) use (&$told): void {
            $told[] = $data['run_id'];
        };
        add_action('toolwire_approval_decided', $listen);
        [$answer] = $this->erase();
        remove_action('toolwire_approval_decided', $listen);
        self::assertSame(
            [true, false, []],
            [$answer['items_removed'], $answer['items_retained'], $answer['messages']]
        );
        self::assertSame([$waiting['action_id']], $told, 'the call that waited was cancelled');
        self::assertSame(3, self::counted(), 'it did not run');
        self::assertStringNotContainsString(self::MARK, self::everything());
        self::assertStringNotContainsString("user:$editor", self::everything());
        self::assertNotNull(plugin()->call_log()->find($kept['action_id']), 'calls of others stay');
        self::assertTrue(plugin()->undoing()->undo($kept['action_id']), 'and can be undone');
        self::assertNull(plugin()->runner()->resume($waiting['action_id']));
        self::assertSame(
            'toolwire_unknown_approval',
            self::decide($waiting, true)->get_error_code()
        );
    }

    public function testACallThatWasErasedDoesNotRunAgain(): void
    {
        $this->as('editor');
        self::call('test_count', '{"text":"once"}', 'x');
        self::assertSame(1, self::counted());
        $this->erase();
        self::assertNull(self::call('test_count', '{"text":"once"}', 'x'), 'its id is taken');
        self::assertSame(1, self::counted());
    }

    public function testDecisionsOnCallsOfOthersLoseThePersonAndStay(): void
    {
        $this->as('author');
        $row = self::call('test_ask');
        $this->as('admin');
        $this->email = (string) wp_get_current_user()->user_email;
        self::assertSame('completed', self::decide($row, true, self::MARK)['state']);
        self::assertTrue(plugin()->undoing()->undo($row['action_id']));
        $this->erase();
        $after = plugin()->call_log()->find($row['action_id']);
        self::assertSame(
            ['undone', 'approved', '0', '0', null],
            [
                $after['state'], $after['decision'], $after['decided_by'], $after['undone_by'],
                $after['decision_reason'],
            ]
        );
        self::assertStringNotContainsString(self::MARK, self::everything());
        self::assertStringNotContainsString('user:' . get_current_user_id(), self::everything());
    }

    public function testACallThatRunsIsKeptAndTold(): void
    {
        $this->as('editor');
        plugin()->call_log()->start('runs-now', 'x', 'test_count', '', 'rest');
        $answers = $this->erase();
        self::assertSame(
            [false, true],
            [$answers[0]['items_removed'], $answers[0]['items_retained']]
        );
        self::assertStringContainsString('1 tool call runs now', $answers[0]['messages'][0]);
        self::assertNotNull(plugin()->call_log()->find('runs-now'));
        plugin()->engines()->reset();
    }

    public function testAnExportHasTheWholeArgumentsOfACallThatWaits(): void
    {
        $this->as('editor');
        $options = [];
        for ($key = 0; $key < 40; $key++) {
            $options["key$key"] = ['phone' => "555-$key", 'password' => "hunter2-$key"];
        }
        self::call(
            'test_ask',
            wp_json_encode(['options' => $options, 'text' => str_repeat('y', 1000) . 'end'])
        );
        $text = wp_json_encode($this->exported());
        foreach (['555-0&quot;', '555-39&quot;', str_repeat('y', 1000) . 'end'] as $part) {
            self::assertStringContainsString($part, $text);
        }
        self::assertStringNotContainsString('hunter2', $text);
    }

    /** Makes a user with a waiting call, a call that ran and a decision, and deletes the user. */
    private function somebodyDeleted(string $email): int
    {
        $id = wp_insert_user([
            'user_login' => 'gone' . uniqid(), 'user_pass' => 'x', 'role' => 'editor',
            'user_email' => $email,
        ]);
        $others = self::call('test_ask');
        wp_set_current_user($id);
        self::call('test_count', wp_json_encode(['text' => self::MARK]));
        self::call('test_ask', wp_json_encode(['text' => self::MARK]));
        plugin()->call_log()->change(
            $others['action_id'],
            [
                'decided_by' => $id, 'decision' => 'denied', 'decision_reason' => self::MARK,
                'state' => 'denied',
            ]
        );
        require_once ABSPATH . 'wp-admin/includes/user.php';
        if (is_multisite()) {
            require_once ABSPATH . 'wp-admin/includes/ms.php';
            wpmu_delete_user($id);
        } else {
            wp_delete_user($id);
        }
        self::assertFalse(get_userdata($id));
        $this->as('admin');
        return $id;
    }

    public function testWhatADeletedUserLeftIsExportedAndErasedByTheAddress(): void
    {
        $this->email = 'Gone.Person@example.test';
        $ids = [$this->somebodyDeleted($this->email), $this->somebodyDeleted($this->email)];
        self::assertStringNotContainsStringIgnoringCase(
            $this->email,
            self::everything(),
            'the address is not kept'
        );
        self::assertCount(6, $this->exported(), 'two users had it, one after the other');
        $this->email = 'gone.person@example.test';
        $answers = $this->erase();
        self::assertTrue($answers[0]['items_removed']);
        self::assertStringNotContainsString(self::MARK, self::everything());
        foreach ($ids as $id) {
            self::assertFalse(plugin()->call_log()->names($id));
            self::assertStringNotContainsString("user:$id", self::everything());
        }
        self::assertStringNotContainsString(
            'deleted-user',
            self::everything(),
            'nobody is remembered for nothing'
        );
    }

    public function testADeletedUserIsRememberedAsLongAsTheLogNamesThePerson(): void
    {
        global $wpdb;
        $this->somebodyDeleted('brief@example.test');
        plugin()->housekeeping()->run();
        self::assertStringContainsString('deleted-user', self::everything());
        $wpdb->query(
            'UPDATE ' . plugin()->schema()->calls_table()
                . ' SET created_at = created_at - INTERVAL 99 DAY'
        );
        plugin()->housekeeping()->run();
        self::assertStringNotContainsString('deleted-user', self::everything());
        $id = wp_insert_user([
            'user_login' => 'quiet' . uniqid(),
            'user_pass' => 'x',
            'user_email' => 'quiet@example.test',
        ]);
        wp_delete_user($id);
        self::assertStringNotContainsString(
            'deleted-user',
            self::everything(),
            'who made no call is not remembered'
        );
    }
}
