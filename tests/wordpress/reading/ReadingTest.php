<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\Tools\ModelResponse;
use Toolwire\Tools\ToolOutput;
use Toolwire\ToolResultFinder;
use Toolwire\WordPress\Host;
use Toolwire\WordPress\Missing_Extension;
use WP_Error;

use function Toolwire\WordPress\plugin;

/** Conversations, calls and personal data on a host without the extension. */
final class ReadingTest extends SiteTestCase
{
    /** @var list<mixed> what the model answers */
    private array $script = [];

    /** @var list<array<string, mixed>> the requests */
    private array $asked = [];

    protected function setUp(): void
    {
        parent::setUp();
        [$this->script, $this->asked] = [[], []];
        add_filter('toolwire_reply', [$this, 'reply'], 10, 3);
    }

    protected function tearDown(): void
    {
        foreach (['toolwire_reply', 'toolwire_model_api', 'toolwire_system_prompt'] as $hook) {
            remove_all_filters($hook);
        }
        parent::tearDown();
    }

    public function reply($answer, $conversation, $tools)
    {
        $this->asked[] = [
            'messages' => $conversation->messages(),
            'tools' => $tools->to('openai'),
            'prompt' => $tools->prompt(),
            'text' => $conversation->text_messages($tools->prompt()),
        ];
        return array_shift($this->script);
    }

    /** @return array<string, mixed> the conversation when nothing is to be done */
    private function talk(string $text, mixed ...$script): array
    {
        $this->script = $script;
        $told = self::rest('POST', '/conversations', ['message' => $text])->get_data();
        for ($step = 0; $step < 9 && ($told['state'] ?? '') === 'thinking'; $step++) {
            $told = self::rest('POST', "/conversations/$told[id]/step")->get_data();
        }
        return $told;
    }

    /** @return array<string, mixed> */
    private static function calling(string $name, string $arguments = '{}'): array
    {
        $function = ['name' => $name, 'arguments' => $arguments];
        $call = ['id' => 'call_0', 'type' => 'function', 'function' => $function];
        $message = ['role' => 'assistant', 'content' => null, 'tool_calls' => [$call]];
        return ['choices' => [['message' => $message]]];
    }

    /** @return list<array<string, mixed>> */
    private static function rows(): array
    {
        return array_reverse(self::rest('GET', '/log')->get_data());
    }

    public function testTheHostOnlyReads(): void
    {
        self::assertTrue(Host::only_reads());
        self::assertTrue(Host::works());
        $told = (new Missing_Extension())->works(true);
        self::assertStringStartsWith(Host::sentence(), $told);
        self::assertStringContainsString('Approvals, changes, undo', $told);
        self::assertStringContainsString('nothing', (new Missing_Extension())->works(false));
    }

    public function testAModelIsOfferedToolsThatOnlyRead(): void
    {
        $told = $this->talk('Hello', 'Hello.');
        self::assertSame('idle', $told['state']);
        $names = array_column(array_column($this->asked[0]['tools'], 'function'), 'name');
        self::assertContains('list_posts', $names);
        self::assertContains('test_look', $names);
        $writing = ['update_post', 'test_count', 'test_ask', 'test_echo', 'test_anybody'];
        foreach ($writing as $writes) {
            self::assertNotContains($writes, $names);
        }
        self::assertStringContainsString('<tool_call>', $this->asked[0]['prompt']);
        self::assertStringNotContainsString('update_post', $this->asked[0]['prompt']);
        self::assertStringContainsString('only read', $this->asked[0]['messages'][0]['content']);
    }

    public function testTheSettingThatEveryCallNeedsApprovalLeavesNoTool(): void
    {
        $this->settings(['approval' => 'all']);
        $this->talk('Hello', 'Hello.');
        self::assertSame([], $this->asked[0]['tools']);
        self::assertSame('', $this->asked[0]['prompt']);
    }

    public function testACallRunsOnceAndItsSecretsStayOutOfTheLog(): void
    {
        $arguments = '{"text":"see password=hunter2","password":"hunter2hunter2"}';
        $told = $this->talk('Look', self::calling('test_look', $arguments), 'Seen.');
        self::assertSame('idle', $told['state']);
        self::assertSame(1, self::counted());
        [$row] = self::rows();
        self::assertSame('completed', $row['state']);
        $logged = ['text' => 'see password=[redacted]', 'password' => '[redacted]'];
        self::assertEquals((object) $logged, $row['arguments']);
        self::assertEquals((object) ['text' => 'see password=[redacted]'], $row['result']);
        self::assertGreaterThan(0, $row['duration_ms']);
        $last = $this->asked[1]['messages'];
        self::assertStringNotContainsString('hunter2', end($last)['content']);
        $agents = plugin()->assistant()->conversation_runs();
        $again = $agents->run($row['id'], 'test_look', $arguments, 'x', '1:0', '');
        self::assertInstanceOf(ToolOutput::class, $again);
        self::assertSame(1, self::counted());
    }

    public function testEachStepOfACallIsTold(): void
    {
        $told = [];
        foreach (['invoked', 'started', 'completed', 'failed', 'denied'] as $type) {
            $note = static function (array $data) use (&$told, $type): void {
                $took = isset($data['duration_ms']) ? ' took' : '';
                self::assertSame($data['run_id'], $data['action_id'], 'the older name');
                unset($data['run_id'], $data['action_id'], $data['duration_ms']);
                $told[] = $type . $took . ' ' . json_encode($data);
            };
            add_action("toolwire_tool_$type", $note);
        }
        $this->talk(
            'Look',
            self::calling('test_look', '{"text":"a"}'),
            self::calling('test_look', '{"text":""}'),
            self::calling('test_broken', '{}'),
            self::calling('test_broken', '{"how":"error"}'),
            self::calling('test_broken', '{'),
            'So.'
        );
        [$look, $broken] = ['{"tool_name":"test_look"', '{"tool_name":"test_broken"'];
        self::assertSame([
            "invoked $look}", "started $look}",
            "completed took $look,\"output_summary\":{\"success\":true}}",
            "invoked $look}", "denied $look,\"reason\":\"invalid_input\"}",
            "invoked $broken}", "started $broken}",
            "failed took $broken,\"error_message\":\"Tool 'test_broken' failed: "
                . 'the secret of \/etc\/shadow"}',
            "invoked $broken}", "started $broken}",
            "completed took $broken,\"output_summary\":{\"success\":false}}",
        ], $told);
    }

    public function testAToolMayGiveAnObject(): void
    {
        $told = $this->talk('Look', self::calling('test_broken', '{"how":"object"}'), 'So.');
        self::assertSame('idle', $told['state']);
        self::assertSame('completed', self::rows()[0]['state']);
    }

    public function testRightsAreThoseOfTheUser(): void
    {
        $this->as('author');
        $told = $this->talk('Look', self::calling('shop/read', '{"text":"forbidden"}'), 'So.');
        self::assertSame('idle', $told['state']);
        self::assertSame('denied', $told['calls'][0]['state']);
        self::assertSame('permission_denied', $told['calls'][0]['error']['code']);
        self::assertSame('no', $told['calls'][0]['error']['tool_code']);
        self::assertSame([], self::rest('GET', '/log')->get_data()['calls'] ?? []);
        self::assertSame(403, self::rest('GET', '/log')->get_status());
        $read = $this->talk('Again', self::calling('shop/read', '{"text":"a"}'), 'So.');
        self::assertSame('completed', $read['calls'][0]['state'], wp_json_encode($read));
    }

    public function testWhatTheModelsServerSaysIsRead(): void
    {
        $failed = $this->talk('Hello', new ModelResponse(401, '{"error":{"message":"secret"}}'));
        self::assertSame('failed', $failed['state']);
        self::assertStringNotContainsString('secret', wp_json_encode($failed));
        $this->script = ['Hello.'];
        self::rest('POST', "/conversations/$failed[id]/retry");
        $told = self::rest('POST', "/conversations/$failed[id]/step")->get_data();
        self::assertSame('idle', $told['state']);
        $none = $this->talk('Hello', new WP_Error('busy', 'The secret reason.'));
        self::assertSame('failed', $none['state']);
        self::assertStringNotContainsString('secret', wp_json_encode($none));
    }

    public function testAnotherApiIsNotSpokenHere(): void
    {
        add_filter('toolwire_model_api', static fn (): string => 'anthropic');
        self::assertSame('openai', plugin()->assistant()->model()->api());
        $told = $this->talk('Hello', 'Hello.');
        self::assertSame('idle', $told['state']);
        // A conversation that the extension has held with it is shown empty, and can be deleted.
        global $wpdb;
        $table = plugin()->schema()->conversations_table();
        $wpdb->query("UPDATE $table SET api = 'anthropic'");
        $store = plugin()->engines()->get()->store;
        $head = str_replace('openai', 'anthropic', $store->get(
            "agent/conversation/$told[id]",
            $store->now()
        )['value']);
        $store->put("agent/conversation/$told[id]", $head, null, null, $store->now());
        $shown = self::rest('GET', "/conversations/$told[id]");
        self::assertSame([200, []], [$shown->get_status(), $shown->get_data()['parts']]);
        self::assertSame(200, self::rest('DELETE', "/conversations/$told[id]")->get_status());
    }

    public function testPersonalDataAreExportedAndErased(): void
    {
        $user = $this->as('editor');
        $told = $this->talk('My words', self::calling('test_look', '{"text":"mine"}'), 'Seen.');
        $email = get_userdata($user)->user_email;
        $exported = [];
        foreach (apply_filters('wp_privacy_personal_data_exporters', []) as $name => $exporter) {
            if (str_starts_with($name, 'toolwire')) {
                $exported[] = $exporter['callback']($email, 1);
            }
        }
        $json = wp_json_encode($exported);
        foreach (['My words', 'Seen.', 'test_look', 'mine'] as $words) {
            self::assertStringContainsString($words, $json);
        }
        foreach (apply_filters('wp_privacy_personal_data_erasers', []) as $name => $eraser) {
            if (str_starts_with($name, 'toolwire')) {
                self::assertTrue($eraser['callback']($email, 1)['items_removed'], $name);
            }
        }
        self::assertSame(404, self::rest('GET', "/conversations/$told[id]")->get_status());
        $this->as('admin');
        self::assertSame([], self::rest('GET', '/log')->get_data());
        global $wpdb;
        $store = plugin()->schema()->store_table();
        // What has expired counts as gone.
        $left = $wpdb->get_col($wpdb->prepare(
            "SELECT name FROM $store WHERE (name LIKE 'agent/%%' OR name LIKE 'limit/%%') "
                . 'AND (expires_at IS NULL OR expires_at >= %d)',
            plugin()->engines()->get()->store->now()
        ));
        self::assertSame([], $left);
    }

    public function testWhatTheExtensionLeftWaitingStays(): void
    {
        $this->talk('Look', self::calling('test_look', '{"text":"a"}'), 'Seen.');
        [$row] = self::rows();
        $log = plugin()->call_log();
        $log->change($row['id'], ['state' => 'waiting', 'approval_id' => 'r1']);
        $store = plugin()->engines()->get()->store;
        foreach (['run/id/' . $row['id'], 'approval/request/r1', 'undo/' . $row['id']] as $key) {
            $store->put($key, '{"arguments":"secret"}', null, null, $store->now());
        }
        self::assertSame('waiting', self::rows()[0]['state']);
        plugin()->housekeeping()->run();
        self::assertSame('waiting', self::rows()[0]['state']);
        self::assertSame(409, self::rest('POST', "/log/$row[id]/undo")->get_status());
        plugin()->privacy()->eraser()->erase(wp_get_current_user()->user_email);
        foreach (['run/id/' . $row['id'], 'approval/request/r1', 'undo/' . $row['id']] as $key) {
            self::assertNull($store->get($key, $store->now()), $key);
        }
    }

    public function testOldCallsAndConversationsGo(): void
    {
        $told = $this->talk('Look', self::calling('test_look', '{"text":"a"}'), 'Seen.');
        global $wpdb;
        $calls = plugin()->schema()->calls_table();
        $talks = plugin()->schema()->conversations_table();
        $wpdb->query("UPDATE $calls SET created_at = '2020-01-01 00:00:00'");
        $wpdb->query("UPDATE $talks SET updated_at = '2020-01-01 00:00:00'");
        plugin()->housekeeping()->run();
        self::assertSame([], self::rest('GET', '/log')->get_data());
        self::assertSame(404, self::rest('GET', "/conversations/$told[id]")->get_status());
    }

    public function testACallWhoseProcessWasKilledIsInterrupted(): void
    {
        $log = plugin()->call_log();
        $id = '00000000-0000-8000-8000-000000000000';
        $log->start($id, 'c', 'test_look', '', 'assistant');
        self::assertSame('running', self::rows()[0]['state']);
        // A tool may wait for long, whatever limit of time the request has that looks.
        $limit = ini_set('max_execution_time', '30');
        $log->change($id, ['created_at' => gmdate('Y-m-d H:i:s', time() - 50 * MINUTE_IN_SECONDS)]);
        self::assertSame('running', self::rows()[0]['state']);
        ini_set('max_execution_time', $limit);
        $log->change($id, ['created_at' => '2020-01-01 00:00:00']);
        self::assertSame('interrupted', self::rows()[0]['state']);
    }

    public function testResultsOfHandlersAreFound(): void
    {
        $result = ['success' => true, 'data' => ['id' => 7]];
        $packets = [['type' => 'tool_result', 'metadata' => [
            'handler_tool' => 'twitter', 'tool_result' => $result,
        ]]];
        $found = static fn ($packet) => ['seen' => true] + (array) $packet;
        add_filter('datamachine_tool_result_finder', $found);
        self::assertTrue(ToolResultFinder::findHandlerResult($packets, 'twitter')['seen']);
        remove_filter('datamachine_tool_result_finder', $found);
    }
}
