<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use WP_Error;

use function Toolwire\WordPress\plugin;

/** Calls from their beginning to their end. */
final class RunnerTest extends SiteTestCase
{
    public function testACallRunsOnceHoweverOftenItIsSent(): void
    {
        $first = self::call('test_count', '{"text":"hello"}', 'call_1');
        self::assertSame(['completed', '{"text":"hello"}', 'call_1', 'because'],
            [$first['state'], $first['result'], $first['given_id'], $first['reason']]);
        self::assertSame($first, self::call('test_count', '{"text":"hello"}', 'call_1'));
        self::assertNull(
            self::call('test_count', '{"text":"other"}', 'call_1'),
            'the id belongs to another call'
        );
        self::assertSame(1, self::counted());
        $this->as('editor');
        self::assertSame(
            'completed',
            self::call('test_count', '{"text":"hello"}', 'call_1')['state']
        );
        self::assertSame(2, self::counted(), 'the same id of another user is another call');
    }

    public function testSecretsStayOutOfTheLog(): void
    {
        $row = self::call(
            'test_count',
            '{"password":"hunter2","text":"' . str_repeat('x', 500) . '"}'
        );
        self::assertStringContainsString('[redacted]', $row['arguments']);
        self::assertStringNotContainsString('hunter2', implode(array_filter($row)));
        self::assertLessThan(400, strlen($row['arguments']));
    }

    public function testEmptyObjectsStayObjects(): void
    {
        self::assertSame('completed', self::call('test_count', '{"options":{}}')['state']);
        $row = self::call('test_count', '{"options":[]}');
        self::assertSame(['denied', 'invalid_input'], [$row['state'], $row['error_code']]);
    }

    public function testWhatACallEndsWithIsRecorded(): void
    {
        $this->as('editor');
        foreach ([
            ['nobody', '{}', 'failed', 'tool_not_found'],
            ['test_admin', '{}', 'denied', 'permission_denied'],
            ['test_count', '{"text":5}', 'denied', 'invalid_input'],
            ['test_throw', '{}', 'failed', 'raised'],
            ['update_post', '{"post_id":987654,"title":"x"}', 'denied', 'permission_denied'],
        ] as [$tool, $arguments, $state, $code]) {
            $row = self::call($tool, $arguments);
            self::assertSame(
                [$tool, $state, $code],
                [$row['tool'], $row['state'], $row['error_code']]
            );
            self::assertNotNull($row['finished_at']);
        }
    }

    public function testAPostIsChangedWhenSomebodyApprovesAndChangedBackByUndo(): void
    {
        $id = self::aPost();
        $editor = $this->as('editor');
        $row = self::call(
            'update_post',
            wp_json_encode([
                'post_id' => $id,
                'title' => "It's <b>new</b>\\",
                'content' => "One\n2\n",
            ])
        );
        self::assertSame('waiting', $row['state']);
        self::assertSame('Before', get_post($id)->post_title);

        $admin = $this->as('admin');
        $waiting = plugin()->approvals()->look($row['approval_id']);
        self::assertSame(['Title', 'Content'], array_column($waiting['changes'], 'label'));
        self::assertStringContainsString("-Two\n+2\n", $waiting['changes'][1]['diff']->diffOutput);
        $row = self::decide($row, true, 'go on');
        self::assertSame(
            ['completed', 'approved', (string) $admin, 'go on', (string) $editor],
            [
                $row['state'], $row['decision'], $row['decided_by'], $row['decision_reason'],
                $row['user_id'],
            ]
        );
        self::assertSame(
            ["It's <b>new</b>\\", "One\n2\n"],
            [get_post($id)->post_title, get_post($id)->post_content]
        );
        self::assertSame(
            $admin,
            get_current_user_id(),
            'it ran as the editor, and then the administrator was back'
        );
        $revision = current(wp_get_post_revisions($id));
        self::assertSame((string) $editor, $revision->post_author);
        self::assertNull(
            plugin()->engines()->get()->approvals->arguments($row['approval_id']),
            'the arguments are forgotten'
        );

        self::assertTrue(plugin()->undoing()->undo($row['action_id']));
        self::assertSame(
            ['Before', "One\nTwo\n"],
            [get_post($id)->post_title, get_post($id)->post_content]
        );
        self::assertSame(
            ['undone', (string) $admin],
            [
                plugin()->call_log()->find($row['action_id'])['state'],
                plugin()->call_log()->find($row['action_id'])['undone_by'],
            ]
        );
        self::assertSame(
            'toolwire_nothing_to_undo',
            plugin()->undoing()->undo($row['action_id'])->get_error_code()
        );
    }

    public function testUndoRefusesWhenThePostHasChangedSince(): void
    {
        $id = self::aPost();
        $row = self::decide(
            self::call('update_post', wp_json_encode(['post_id' => $id, 'title' => 'After'])),
            true
        );
        wp_update_post(['ID' => $id, 'post_title' => 'Somebody else']);
        $undone = plugin()->undoing()->undo($row['action_id']);
        self::assertInstanceOf(WP_Error::class, $undone);
        self::assertSame(
            'Somebody has changed the post since. Compare its revisions.',
            $undone->get_error_message()
        );
        self::assertSame('Somebody else', get_post($id)->post_title);
    }

    public function testADecisionIsFinal(): void
    {
        $row = self::call('test_ask');
        $denied = self::decide($row, false, 'not today');
        self::assertSame(
            ['denied', 'approval_denied', 'denied', 'not today', 0],
            [
                $denied['state'], $denied['error_code'], $denied['decision'],
                $denied['decision_reason'], self::counted(),
            ]
        );
        self::assertSame('toolwire_already_decided', self::decide($row, true)->get_error_code());
        self::assertSame(
            'toolwire_unknown_approval',
            plugin()->approvals()->decide('nobody', true, '', str_repeat('0', 64))->get_error_code()
        );
        self::assertSame(
            'not today',
            plugin()->call_log()->find($row['action_id'])['decision_reason']
        );
    }

    public function testWhoHasLostTheRightMeanwhileRunsNothing(): void
    {
        $id = wp_insert_user([
            'user_login' => 'leaver' . uniqid(),
            'user_pass' => 'x',
            'role' => 'editor',
        ]);
        wp_set_current_user($id);
        $row = self::call('test_ask');
        get_user_by('id', $id)->set_role('subscriber');
        $this->as('admin');
        $row = self::decide($row, true);
        self::assertSame(
            ['denied', 'permission_denied', 0],
            [$row['state'], $row['error_code'], self::counted()]
        );
    }

    public function testWhatNobodyDecidesExpires(): void
    {
        $this->settings(['approval_hours' => 0.1 / HOUR_IN_SECONDS]);
        $row = self::call('test_ask');
        self::assertSame('waiting', $row['state']);
        usleep(150000);
        self::assertSame([], plugin()->approvals()->page(1, 20)['waiting']);
        $row = plugin()->call_log()->find($row['action_id']);
        self::assertSame(
            ['expired', 'approval_timeout', 0],
            [$row['state'], $row['error_code'], self::counted()]
        );
    }

    public function testACallThatTheStoreHasNoLongerEnds(): void
    {
        $row = self::call('test_ask');
        $other = self::call('test_ask');
        plugin()->engines()->get()->approvals->decide(
            $other['approval_id'],
            true,
            'user:1',
            'go on'
        );
        plugin()->engines()->get()->approvals->cancel($row['approval_id']);
        foreach ([$row, $other] as $waiting) {
            plugin()->engines()->get()->executor->forget($waiting['action_id']);
        }
        plugin()->housekeeping()->run();
        $row = plugin()->call_log()->find($row['action_id']);
        self::assertSame(
            ['failed', 'not_run', ''],
            [$row['state'], $row['error_code'], $row['decision']]
        );
        $other = plugin()->call_log()->find($other['action_id']);
        self::assertSame(
            ['failed', 'not_run', 'approved', 'go on'],
            [$other['state'], $other['error_code'], $other['decision'], $other['decision_reason']]
        );
        self::assertSame(0, self::counted());
    }

    public function testADecisionWhoseRequestDiedIsCarriedOut(): void
    {
        $row = self::call('test_ask');
        plugin()->engines()->get()->approvals->decide($row['approval_id'], true);
        self::assertSame(
            ['waiting', 0],
            [plugin()->call_log()->find($row['action_id'])['state'], self::counted()]
        );
        plugin()->housekeeping()->run();
        self::assertSame(
            ['completed', 1],
            [plugin()->call_log()->find($row['action_id'])['state'], self::counted()]
        );
    }

    /** Runs a call in a process of its own, which the tool ends, and gives the call's id. */
    private static function callThatEndsItsProcess(string $tool): string
    {
        $code = '$_SERVER += ["REQUEST_URI" => "/"]; '
            . 'require getenv("TOOLWIRE_SITE") . "/wp-load.php"; wp_set_current_user(1);'
            . '$function = ["name" => $argv[2], "arguments" => "{}"];'
            . '$call = ["id" => $argv[1], "type" => "function", "function" => $function];'
            . '$call = Toolwire\Provider::parse($call, "openai")->calls[0];'
            . 'Toolwire\WordPress\plugin()->runner()->run($call, "x", ""); echo "alive";';
        $id = plugin()->engines()->get()->ids->run_id(1, '', $tool);
        $command = [
            PHP_BINARY, '-d', 'extension=' . getenv('TOOLWIRE_EXTENSION'), '-r', $code, '--',
            $id, $tool,
        ];
        $process = proc_open(
            $command,
            [1 => ['pipe', 'w'], 2 => ['file', '/dev/null', 'w']],
            $pipes
        );
        self::assertSame('', stream_get_contents($pipes[1]));
        proc_close($process);
        return $id;
    }

    public function testAToolThatEndsItsProcessIsInterruptedAndMayBeTriedAgain(): void
    {
        // Nobody is told of a kill, so that call is interrupted when its lease ends: a minute.
        $killed = self::callThatEndsItsProcess('test_kill');
        $left = self::callThatEndsItsProcess('test_exit');
        $row = plugin()->call_log()->find($left);
        self::assertSame(['interrupted', 'interrupted'], [$row['state'], $row['error_code']]);
        self::assertStringContainsString('The tool ended the request', $row['error']);
        self::assertSame('{}', $row['arguments'], 'whoever decides sees them');
        plugin()->runner()->look();
        self::assertSame('running', plugin()->call_log()->find($killed)['state']);
        $refused = plugin()->runner()->retry($killed);
        self::assertSame('toolwire_not_interrupted', $refused->get_error_code());
        for ($try = 1; $try <= 80; $try++) {
            sleep(1);
            plugin()->runner()->look();
            if (plugin()->call_log()->find($killed)['state'] !== 'running') {
                break;
            }
        }
        $row = plugin()->call_log()->find($killed);
        self::assertSame(['interrupted', 'interrupted'], [$row['state'], $row['error_code']]);
        self::assertStringContainsString('The process ended', $row['error']);

        update_option('test_stays', 1);
        foreach ([$killed, $left] as $id) {
            $again = plugin()->runner()->retry($id);
            self::assertSame(['completed', ''], [$again['state'], $again['error_code']]);
            self::assertSame('toolwire_not_interrupted', plugin()->runner()->retry($id)->get_error_code());
        }
        delete_option('test_stays');
    }

    public function testACallWhoseRetryEndedHalfwayIsTriedAgain(): void
    {
        $id = self::callThatEndsItsProcess('test_exit');
        // A request made the run ready, and ended before it changed the row.
        plugin()->engines()->get()->executor->retry($id);
        self::assertSame('interrupted', plugin()->call_log()->find($id)['state']);
        update_option('test_stays', 1);
        self::assertSame('completed', plugin()->runner()->retry($id)['state']);
        delete_option('test_stays');
    }

    public function testACallWithoutARunIsLeftAloneForAMinute(): void
    {
        global $wpdb;
        $call = self::parsed('test_count', '{}', 'alive');
        plugin()->call_log()->start($call->id, 'alive', 'test_count', '', 'rest');
        plugin()->runner()->look();
        self::assertSame('running', plugin()->call_log()->find($call->id)['state']);
        $wpdb->update(
            plugin()->schema()->calls_table(),
            ['created_at' => gmdate('Y-m-d H:i:s', time() - 61)],
            ['action_id' => $call->id]
        );
        plugin()->runner()->look();
        $row = plugin()->call_log()->find($call->id);
        self::assertSame(['failed', 'not_run'], [$row['state'], $row['error_code']]);
        $row = plugin()->runner()->run($call, 'alive', '');
        self::assertSame(['completed', 1], [$row['state'], self::counted()], 'it can be sent again');
    }

    public function testCallsOfEarlierVersionsGetTheStatesOfRuns(): void
    {
        $died = self::call('test_count')['action_id'];
        $ran = self::call('test_count')['action_id'];
        plugin()->call_log()->change($died, ['state' => 'failed', 'error_code' => 'died']);
        plugin()->call_log()->change($ran, ['state' => 'running']);
        foreach ([$died, $ran] as $id) {
            plugin()->engines()->get()->executor->forget($id);
        }
        $waits = self::call('test_ask');
        plugin()->call_log()->change($waits['action_id'], ['state' => 'pending']);
        $late = self::call('test_ask')['action_id'];
        $columns = ['state' => 'denied', 'error_code' => 'approval_timeout'];
        plugin()->call_log()->change($late, $columns);
        update_option('toolwire_schema', 4);
        plugin()->schema()->ensure();
        foreach ([$died, $ran] as $id) {
            self::assertSame('interrupted', plugin()->call_log()->find($id)['state']);
            self::assertSame('toolwire_unknown_run', plugin()->runner()->retry($id)->get_error_code());
        }
        self::assertSame('expired', plugin()->call_log()->find($late)['state']);
        self::assertSame('completed', self::decide($waits, true)['state']);
    }

    public function testHousekeepingRemovesWhatIsOld(): void
    {
        global $wpdb;
        $old = self::call('test_count');
        $waits = self::call('test_ask');
        $new = self::call('test_count');
        foreach ([$old, $waits] as $row) {
            $wpdb->update(
                plugin()->schema()->calls_table(),
                ['created_at' => gmdate('Y-m-d H:i:s', time() - 31 * DAY_IN_SECONDS)],
                ['id' => $row['id']]
            );
        }
        plugin()->housekeeping()->run();
        self::assertNull(plugin()->call_log()->find($old['action_id']));
        self::assertSame('waiting', plugin()->call_log()->find($waits['action_id'])['state']);
        self::assertNotNull(plugin()->call_log()->find($new['action_id']));
        self::assertNotFalse(wp_next_scheduled('toolwire_daily'));
    }

    public function testTheHooksTellWhatHappens(): void
    {
        $told = [];
        $hooks = [
            'tool_invoked', 'tool_started', 'tool_completed', 'tool_failed', 'tool_denied',
            'tool_undone', 'approval_requested', 'approval_decided',
        ];
        foreach ($hooks as $hook) {
            add_action("toolwire_$hook", function (array $data) use (&$told, $hook): void {
                self::assertArrayHasKey('run_id', $data);
                self::assertSame($data['run_id'], $data['action_id'], 'the older name');
                self::assertSame(
                    $hook === 'tool_undone' ? $data['ran_at'] : null,
                    $data['original_action_timestamp'] ?? null,
                    'the older name'
                );
                $told[] = $hook;
            });
        }
        $row = self::decide(self::call('test_ask'), true);
        plugin()->undoing()->undo($row['action_id']);
        self::assertSame(
            [
                'tool_invoked', 'approval_requested', 'approval_decided', 'tool_started',
                'tool_completed', 'tool_undone',
            ],
            $told
        );
        $told = [];
        self::call('test_throw');
        self::call('test_count', '{"text":1}');
        self::assertSame(
            ['tool_invoked', 'tool_started', 'tool_failed', 'tool_invoked', 'tool_denied'],
            $told
        );
        array_map(static fn ($hook) => remove_all_actions("toolwire_$hook"), $hooks);
    }

    public function testTheOwnerMayWantToSeeEveryCall(): void
    {
        $this->settings(['approval' => 'all']);
        self::assertSame('waiting', self::call('site_info')['state']);
    }
}
