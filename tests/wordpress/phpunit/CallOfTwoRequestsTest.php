<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use RuntimeException;

use function Toolwire\WordPress\plugin;

/** Calls that two requests take up at the same time, or that a request left when it died. */
final class CallOfTwoRequestsTest extends SiteTestCase
{
    private const PROCESS = '$_SERVER += ["REQUEST_URI" => "/"]; '
        . 'require getenv("TOOLWIRE_SITE") . "/wp-load.php";'
        . 'wp_set_current_user(1); $id = $argv[1];';

    /** @return array{resource, resource} a PHP process inside WordPress and its output */
    private static function process(string $code, string $id): array
    {
        $code = self::PROCESS . str_replace('plugin()', 'Toolwire\WordPress\plugin()', $code);
        $command = [
            PHP_BINARY, '-d', 'extension=' . getenv('TOOLWIRE_EXTENSION'), '-r', $code, '--', $id,
        ];
        $process = proc_open(
            $command,
            [1 => ['pipe', 'w'], 2 => ['file', '/dev/null', 'w']],
            $pipes
        );
        return [$process, $pipes[1]];
    }

    public function testACallWhoseLockAnotherProcessHoldsDoesNotRun(): void
    {
        $row = self::call('test_ask', '{}', 'decided');
        $id = (string) $row['action_id'];
        plugin()->engines()->get()->approvals->decide($row['approval_id'], true, 'user:1');
        [$process, $output] = self::process(
            'plugin()->crash_guard()->hold($id); echo "held\n"; sleep(2);'
                . 'plugin()->crash_guard()->release($id); plugin()->crash_guard()->reap();'
                . 'echo plugin()->runner()->resume($id)["state"];',
            $id
        );
        self::assertSame("held\n", fgets($output));
        $second = plugin()->runner()->resume($id);
        self::assertSame(
            ['pending', 0],
            [$second['state'], self::counted()],
            'the other process goes on with it'
        );
        self::assertSame('completed', stream_get_contents($output));
        proc_close($process);
        $row = plugin()->call_log()->find($id);
        self::assertSame(
            ['completed', '', null, 1],
            [$row['state'], $row['error_code'], $row['error'], self::counted()]
        );
    }

    public function testADenialIsShownAsOneWhileAnotherRequestRecordsIt(): void
    {
        $row = self::call('test_ask', '{}', 'denied');
        $id = (string) $row['action_id'];
        $seen = plugin()->approvals()->look((string) $row['approval_id'])['fingerprint'];
        [$process, $output] = self::process(
            '$row = plugin()->call_log()->find($id); plugin()->crash_guard()->hold($id);'
                . 'echo "held\n"; $approvals = plugin()->engines()->get()->approvals;'
                . 'while ($approvals->status($row["approval_id"]) === "pending") { usleep(10000); }'
                . 'plugin()->call_log()->change($id, ["state" => "running"], ["pending"]);'
                . 'sleep(2);'
                . 'plugin()->call_log()->change($id, ["state" => "denied"], ["running"]);',
            $id
        );
        self::assertSame("held\n", fgets($output));
        $told = plugin()->approvals()->decide((string) $row['approval_id'], false, '', $seen);
        self::assertSame('running', plugin()->call_log()->find($id)['state']);
        self::assertSame('denied', $told['state']);
        stream_get_contents($output);
        proc_close($process);
        self::assertSame(0, self::counted());
    }

    public function testACallThatWasTakenForDeadAndEndsHasNoError(): void
    {
        $died = static function (array $data): void {
            plugin()->call_log()->change(
                $data['action_id'],
                ['state' => 'failed', 'error_code' => 'died', 'error' => 'gone']
            );
        };
        add_action('toolwire_tool_started', $died);
        $row = self::call('test_count');
        remove_action('toolwire_tool_started', $died);
        self::assertSame(
            ['completed', '', null],
            [$row['state'], $row['error_code'], $row['error']]
        );
    }

    public function testACrashBetweenTheClaimAndTheRowMakesNoConflict(): void
    {
        foreach (['unseen' => false, 'seen' => true] as $given => $seen) {
            $call = self::parsed('test_count', '{}', $given);
            if ($seen) {
                plugin()->call_log()->see($call->id, $given, 'test_count', 'rest');
            }
            self::assertTrue(plugin()->engines()->get()->claims->take($call));
            $row = self::call('test_count', '{}', $given);
            self::assertSame('completed', $row['state'] ?? null, $given);
            self::assertSame($row, self::call('test_count', '{}', $given), 'and it ran once');
            self::assertNull(
                self::call('test_count', '{"text":"other"}', $given),
                'another call has no such id'
            );
        }
        self::assertSame(2, self::counted());
    }

    public function testAProcessThatIsAboutToRunACallIsNotOvertaken(): void
    {
        $call = self::parsed('test_count', '{}', 'slow');
        [$process, $output] = self::process(
            '$function = ["name" => "test_count", "arguments" => "{}"];'
            . '$call = ["id" => $id, "type" => "function", "function" => $function];'
            . '$call = Toolwire\Provider::parse($call, "openai")->calls[0];'
            . 'plugin()->engines()->get()->claims->take($call);'
            . 'plugin()->crash_guard()->hold($id); echo "held\n"; sleep(2);'
            . 'plugin()->crash_guard()->release($id);'
            . 'echo plugin()->runner()->run($call, "slow", "")["state"];',
            $call->id
        );
        self::assertSame("held\n", fgets($output));
        try {
            plugin()->runner()->run($call, 'slow', '');
            self::fail('the call has neither run nor a row');
        } catch (RuntimeException $busy) {
            self::assertStringContainsString('Another request', $busy->getMessage());
        }
        self::assertSame(0, self::counted());
        self::assertSame('completed', stream_get_contents($output));
        proc_close($process);
        self::assertSame(1, self::counted());
    }

    public function testACallThatCannotBeRecordedDoesNotRun(): void
    {
        global $wpdb;
        $table = plugin()->schema()->calls_table();
        set_error_handler(static fn (): bool => true, E_USER_WARNING);
        $wpdb->query("ALTER TABLE $table DROP COLUMN reason");
        try {
            self::call('test_count', '{}', 'unrecorded');
            self::fail('the call ran');
        } catch (RuntimeException $refused) {
            self::assertSame(0, self::counted());
        } finally {
            restore_error_handler();
            plugin()->schema()->install();
        }
        self::assertSame(
            'completed',
            self::call('test_count', '{}', 'unrecorded')['state'],
            'it can be sent again'
        );
    }

    public function testAHookThatThrowsLeavesNoUserGone(): void
    {
        $user = wp_insert_user([
            'user_login' => 'gone' . uniqid(),
            'user_pass' => 'x',
            'role' => 'editor',
        ]);
        wp_set_current_user($user);
        $row = self::call('test_ask');
        wp_delete_user($user);
        $admin = $this->as('admin');
        $throw = static fn () => throw new RuntimeException('no user');
        add_action('set_current_user', $throw);
        try {
            $said = plugin()->acting_user()->during($user, static fn (): string => 'done');
        } catch (RuntimeException $thrown) {
            $said = $thrown->getMessage();
        } finally {
            $ended = plugin()->runner()->resume((string) $row['action_id']);
            remove_action('set_current_user', $throw);
        }
        self::assertSame(
            ['no user', false, $admin],
            [$said, plugin()->acting_user()->is_gone(), get_current_user_id()]
        );
        self::assertSame(
            ['failed', 'not_run'],
            [$ended['state'], $ended['error_code']],
            'it does not seem to run for ever'
        );
        self::assertSame('completed', self::call('test_count')['state']);
    }
}
