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

    /** What a process does so that its tool takes two seconds. */
    private const SLOWLY = 'add_action("toolwire_tool_started", static function (): void '
        . '{ fwrite(STDOUT, "begun\n"); sleep(2); });';

    public function testACallThatAnotherProcessGoesOnWithDoesNotRunTwice(): void
    {
        $row = self::call('test_ask', '{}', 'decided');
        $id = (string) $row['action_id'];
        plugin()->engines()->get()->approvals->decide($row['approval_id'], true, 'user:1');
        [$process, $output] = self::process(
            self::SLOWLY . 'echo plugin()->runner()->resume($id)["state"];',
            $id
        );
        self::assertSame("begun\n", fgets($output));
        $second = plugin()->runner()->resume($id);
        self::assertSame(['running', 0], [$second['state'], self::counted()]);
        // A row that says otherwise runs nothing either: the store decides.
        plugin()->call_log()->change($id, ['state' => 'waiting']);
        self::assertSame(['running', 0], [
            plugin()->runner()->resume($id)['state'], self::counted(),
        ]);
        plugin()->runner()->look();
        plugin()->runner()->resume_left();
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
        $other = static function (string $query) use (&$other, $id): string {
            if (str_contains($query, 'toolwire_calls') && str_contains($query, "= 'running'")) {
                remove_filter('query', $other);
                plugin()->call_log()->change($id, ['state' => 'running'], ['waiting']);
            }
            return $query;
        };
        add_filter('query', $other);
        $told = plugin()->approvals()->decide((string) $row['approval_id'], false, '', $seen);
        remove_filter('query', $other);
        self::assertSame('running', plugin()->call_log()->find($id)['state']);
        self::assertSame(['denied', 0], [$told['state'], self::counted()]);
        plugin()->runner()->look();
        self::assertSame('denied', plugin()->call_log()->find($id)['state'], 'as the store says');
    }

    public function testACallThatWasTakenForInterruptedAndEndsHasNoError(): void
    {
        $interrupted = static function (array $data): void {
            plugin()->call_log()->change(
                $data['run_id'],
                ['state' => 'interrupted', 'error_code' => 'interrupted', 'error' => 'gone']
            );
        };
        add_action('toolwire_tool_started', $interrupted);
        $row = self::call('test_count');
        remove_action('toolwire_tool_started', $interrupted);
        self::assertSame(
            ['completed', '', null],
            [$row['state'], $row['error_code'], $row['error']]
        );
    }

    public function testAnIdThatAnEarlierVersionTookIsNoConflict(): void
    {
        foreach (['unseen' => false, 'seen' => true] as $given => $seen) {
            $call = self::parsed('test_count', '{}', $given);
            if ($seen) {
                plugin()->call_log()->see($call->id, $given, 'test_count', 'rest');
            }
            $store = plugin()->engines()->get()->store;
            $taken = wp_json_encode(['call' => hash('sha256', "test_count\0{}")]);
            $store->put("wordpress/call/{$call->id}", $taken, 0, null, $store->now());
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

    public function testACallOfTwoRequestsAtOnceRunsOnce(): void
    {
        $call = self::parsed('test_count', '{}', 'slow');
        [$process, $output] = self::process(
            '$function = ["name" => "test_count", "arguments" => "{}"];'
            . '$call = ["id" => $id, "type" => "function", "function" => $function];'
            . '$call = Toolwire\Provider::parse($call, "openai")->calls[0];' . self::SLOWLY
            . 'echo plugin()->runner()->run($call, "slow", "")["state"];',
            $call->id
        );
        self::assertSame("begun\n", fgets($output));
        self::assertSame('running', plugin()->runner()->run($call, 'slow', '')['state']);
        self::assertSame(0, self::counted());
        self::assertSame('completed', stream_get_contents($output));
        proc_close($process);
        self::assertSame(1, self::counted());
        self::assertSame('completed', plugin()->runner()->run($call, 'slow', '')['state']);
        self::assertSame(1, self::counted());
    }

    public function testACallWhoseRowIsGoneRunsNoSecondTime(): void
    {
        $row = self::call('test_count', '{"text":"a"}', 'gone');
        plugin()->call_log()->delete((string) $row['action_id']);
        $again = self::call('test_count', '{"text":"a"}', 'gone');
        self::assertSame(['completed', null], [$again['state'], $again['result']]);
        self::assertNull(self::call('test_count', '{"text":"b"}', 'gone'));
        plugin()->engines()->get()->executor->forget((string) $row['action_id']);
        self::assertSame('completed', self::call('test_count', '{"text":"a"}', 'gone')['state']);
        self::assertSame(1, self::counted());
    }

    public function testARunWhoseRequestRecordedNothingIsRecordedByTheNextLook(): void
    {
        $cut = static function (string $query): string {
            return str_contains($query, 'toolwire_calls') && str_contains($query, 'finished_at`')
                ? 'SELECT 1' : $query;
        };
        add_filter('query', $cut);
        $row = self::call('test_count', '{}', 'unwritten');
        remove_filter('query', $cut);
        self::assertSame(['running', 1], [$row['state'], self::counted()]);
        plugin()->runner()->look();
        $row = plugin()->call_log()->find((string) $row['action_id']);
        self::assertSame(['completed', 1], [$row['state'], self::counted()]);
        self::assertNotNull($row['finished_at']);
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
        self::assertSame(['denied', 'user_gone'], [$ended['state'], $ended['error_code']]);
        self::assertSame('completed', self::call('test_count')['state']);
    }
}
