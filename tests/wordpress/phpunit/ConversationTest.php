<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use RuntimeException;
use Toolwire\Tools\ModelResponse;
use Toolwire\WordPress\Assistant\Conversation;
use Toolwire\WordPress\Assistant\Forgetting;
use Toolwire\WordPress\Assistant\Tool_List;
use WP_Error;

use function Toolwire\WordPress\plugin;

/** Conversations: a model that answers by a script, real tools, approvals, and people. */
final class ConversationTest extends ConversationTestCase
{
    public function testResultsGoBackUntilTheModelAnswers(): void
    {
        $this->script = [
            '<think>Which?</think>I look. <tool:site_info>{}</tool>',
            static fn (Conversation $said, Tool_List $tools): string =>
                count($tools->to('openai')) . ' tools. ' . $said->newest_text(),
        ];
        $begun = self::begin('What is this site?');
        self::assertSame('thinking', $begun['state']);
        self::assertSame([['type' => 'user', 'text' => 'What is this site?']], $begun['parts']);
        self::assertSame([], $this->asked);
        $answered = self::step($begun);
        self::assertSame('idle', $answered['state']);
        $types = array_column($answered['parts'], 'type');
        self::assertSame(['user', 'reasoning', 'text', 'call', 'text'], $types);
        self::assertSame('Which?', $answered['parts'][1]['text']);
        self::assertSame('I look. ', $answered['parts'][2]['text']);
        self::assertStringContainsString('What is this site?', $answered['parts'][4]['text']);
        [$call] = $answered['calls'];
        self::assertSame([$answered['parts'][3]['call'], 'completed'], [$call['id'], $call['state']]);
        self::assertSame(['system', 'user', 'assistant', 'tool'], array_column($this->asked[1], 'role'));
        self::assertStringContainsString('A test site', end($this->asked[1])['content']);
        // Nothing is asked again.
        self::assertSame('idle', self::step($answered)['state']);
        self::assertCount(2, $this->asked);
        $row = plugin()->call_log()->find($call['id']);
        self::assertSame(['assistant', $begun['id']], [$row['origin'], $row['conversation']]);
    }

    public function testItWaitsAndGoesOnWithoutThePage(): void
    {
        $post = self::aPost('Before');
        $this->script = [
            self::calling('update_post', ['post_id' => $post, 'title' => 'After'], 'I rename it.'),
            'It is renamed.',
        ];
        $waits = self::step(self::begin('Rename it'));
        self::assertSame(['waiting', 'waiting'], [$waits['state'], $waits['calls'][0]['state']]);
        self::assertNull($waits['calls'][0]['decide_url']);
        $row = plugin()->call_log()->find($waits['calls'][0]['id']);
        self::assertSame('I rename it.', $row['reason']);
        $refused = self::rest('POST', "/conversations/$waits[id]/messages", ['message' => 'And?']);
        self::assertSame(409, $refused->get_status());
        self::assertSame('toolwire_conversation_waiting', $refused->get_data()['code']);

        $this->as('admin');
        self::assertSame('completed', self::decide($row, true)['state']);
        self::assertSame('After', get_post($post)->post_title);
        $at = wp_next_scheduled('toolwire_continue', [$waits['id']]);
        self::assertIsInt($at);
        self::assertLessThanOrEqual(time(), $at);
        wp_set_current_user(0);
        do_action('toolwire_continue', $waits['id']);
        self::assertSame(0, get_current_user_id());

        $this->as('editor');
        $shown = self::rest('GET', "/conversations/$waits[id]", ['after' => 3])->get_data();
        self::assertSame('idle', $shown['state']);
        self::assertSame([['type' => 'text', 'text' => 'It is renamed.']], $shown['parts']);
        self::assertStringContainsString('After', end($this->asked[1])['content']);
    }

    public function testNobodyDecidesInTime(): void
    {
        $this->script = [self::calling('test_ask', ['text' => 'x']), 'Nobody was there.'];
        $this->settings(['approval_hours' => 0.3 / HOUR_IN_SECONDS]);
        $waits = self::step(self::begin('Ask'));
        self::assertSame('waiting', $waits['state']);
        // As WordPress does it.
        wp_clear_scheduled_hook('toolwire_continue', [$waits['id']]);
        do_action('toolwire_continue', $waits['id']);
        self::assertSame([[$waits['id'], 'waiting']], self::events($waits['id']));
        usleep(350000);
        do_action('toolwire_continue', $waits['id'], 'waiting');
        $shown = self::rest('GET', "/conversations/$waits[id]")->get_data();
        self::assertSame(['idle', 'expired'], [$shown['state'], $shown['calls'][0]['state']]);
        self::assertSame('Nobody was there.', end($shown['parts'])['text']);
    }

    public function testAProcessThatIsKilledLeavesAnEvent(): void
    {
        $begun = self::begin('Hello');
        wp_clear_scheduled_hook('toolwire_continue', [$begun['id']]);
        $meanwhile = [];
        $this->script = [function () use ($begun, &$meanwhile): string {
            $meanwhile = self::events($begun['id']);
            return 'Hi.';
        }];
        do_action('toolwire_continue', $begun['id']);
        self::assertSame([[$begun['id'], 'killed']], $meanwhile);
        self::assertSame([], self::events($begun['id']));
    }

    public function testADeniedCallIsTold(): void
    {
        $post = self::aPost('Before');
        $this->script = [self::calling('update_post', ['post_id' => $post, 'title' => 'X']), 'A pity.'];
        $waits = self::step(self::begin('Rename it'));
        $this->as('admin');
        self::decide(plugin()->call_log()->find($waits['calls'][0]['id']), false, 'too early');
        $this->as('editor');
        self::assertSame('idle', self::step($waits)['state']);
        self::assertStringContainsString('too early', end($this->asked[1])['content']);
        self::assertSame('Before', get_post($post)->post_title);
    }

    /** @return iterable<string, array{bool}> */
    public static function whoGoesOn(): iterable
    {
        yield 'the page' => [false];
        yield 'the request of the decision, which knows the whole output' => [true];
    }

    /** @dataProvider whoGoesOn */
    public function testTheModelAndTheChatAreToldOfChangedArguments(bool $decision): void
    {
        $post = self::aPost('Before');
        $own = ['post_id' => $post, 'title' => 'Wrong'];
        $this->script = [self::calling('update_post', $own), 'I see.'];
        $waits = self::step(self::begin('Rename it'));
        self::assertNull($waits['calls'][0]['changed']);
        $admin = $this->as('admin');
        $id = (string) plugin()->call_log()->find($waits['calls'][0]['id'])['approval_id'];
        $sent = (string) wp_json_encode(['title' => 'Right'] + $own);
        $seen = plugin()->approvals()->look($id)['fingerprint'];
        $shown = plugin()->approvals()->change($id, $sent, $seen);
        plugin()->approvals()->decide($id, true, '', $shown['fingerprint'], $sent);
        if ($decision) {
            do_action('toolwire_continue', $waits['id']);
        }
        $this->as('editor');
        $after = $decision
            ? self::rest('GET', "/conversations/$waits[id]")->get_data()
            : self::step($waits);
        self::assertSame('idle', $after['state']);
        $told = json_decode(end($this->asked[1])['content'], true);
        self::assertStringContainsString('A person changed the arguments', $told['note']);
        self::assertSame(['Right', 'Right'], [$told['arguments']['title'], $told['result']['title']]);
        $name = get_userdata($admin)->display_name;
        self::assertSame("$name changed this before it was approved.", $after['calls'][0]['changed']);
    }

    public function testAFailureCanBeTriedAgainAndIsNeverTheDemo(): void
    {
        $told = [];
        add_action('toolwire_conversation_failed', static function ($row, $why) use (&$told): void {
            $told[] = $why->get_error_code();
        }, 10, 2);
        $this->script = [
            new WP_Error('mine', 'secret words'),
            ' ',
            static fn () => throw new RuntimeException('secret words'),
            null,
            new ModelResponse(401, '{"error": {"message": "secret words"}}'),
            'Here I am.',
        ];
        $shown = self::step(self::begin('Hello'));
        for ($tries = 0; $tries < 5; $tries++) {
            self::assertSame('failed', $shown['state'], "try $tries");
            self::assertStringNotContainsString('secret', json_encode($shown));
            self::assertSame(1, count($shown['parts']));
            $again = self::rest('POST', "/conversations/$shown[id]/retry")->get_data();
            self::assertSame('thinking', $again['state']);
            $shown = self::step($again);
        }
        self::assertSame(['idle', 'Here I am.'], [$shown['state'], end($shown['parts'])['text']]);
        $codes = array_fill(0, 4, 'toolwire_model_failed');
        self::assertSame([...$codes, 'toolwire_model_refused'], $told);
    }

    public function testATextThatComesTwiceCountsOnce(): void
    {
        $this->script = ['One.', 'Two.'];
        $begun = self::begin('Hello', 'text 1');
        self::assertSame($begun['id'], self::begin('Hello', 'text 1')['id']);
        $one = self::step($begun);
        self::assertSame(['user', 'text'], array_column($one['parts'], 'type'));
        $path = "/conversations/$begun[id]/messages";
        $more = ['message' => 'More', 'client_id' => 'text 2'];
        self::assertSame(202, self::rest('POST', $path, $more)->get_status());
        self::assertSame(202, self::rest('POST', $path, $more)->get_status());
        $other = self::rest('POST', $path, ['message' => 'Other', 'client_id' => 'text 3']);
        self::assertSame('toolwire_conversation_busy', $other->get_data()['code']);
        $two = self::step($begun);
        self::assertSame(['user', 'text', 'user', 'text'], array_column($two['parts'], 'type'));
        self::assertSame(200, self::rest('POST', $path, $more)->get_status());
        self::assertCount(2, $this->asked);
    }

    public function testATextWhoseProcessDiedIsTakenWhenItComesAgain(): void
    {
        $this->script = ['One.', 'Two.'];
        $begun = self::step(self::begin('Hello', 'text 1'));
        $row = plugin()->assistant()->table()->find($begun['id']);
        self::assertTrue(plugin()->assistant()->table()->say($row, 'text 2'));
        $more = ['message' => 'More', 'client_id' => 'text 2'];
        self::rest('POST', "/conversations/$begun[id]/messages", $more);
        self::assertSame('Two.', self::step($begun)['parts'][3]['text']);
    }

    public function testAnotherUserSeesNothing(): void
    {
        $begun = self::begin('Hello');
        $this->as('admin');
        foreach (['GET', 'DELETE'] as $method) {
            self::assertSame(404, self::rest($method, "/conversations/$begun[id]")->get_status());
        }
        foreach (['messages', 'step', 'retry', 'stop'] as $path) {
            $answer = self::rest('POST', "/conversations/$begun[id]/$path", ['message' => 'x']);
            self::assertSame(404, $answer->get_status(), $path);
        }
        self::assertSame([], self::rest('GET', '/conversations')->get_data());
        $this->as('subscriber');
        self::assertSame(403, self::rest('POST', '/conversations', ['message' => 'x'])->get_status());
        $this->as('editor');
        self::assertCount(1, self::rest('GET', '/conversations')->get_data());
    }

    public function testAToolThatIsNotOfferedIsNeitherToldNorFound(): void
    {
        $register = static function ($tools): void {
            $tools->register('test_hidden', [
                'capability' => 'read',
                'offered' => false,
                'callback' => static fn (): string => 'ran',
            ]);
        };
        add_action('toolwire_register_tools', $register);
        plugin()->engines()->reset();
        $names = [];
        $this->script = [
            static function (Conversation $said) use (&$names): array {
                $names = array_column(array_column($said->request['tools'], 'function'), 'name');
                return self::calling('test_hidden', []);
            },
            'There is none.',
        ];
        $shown = self::step(self::begin('Hello'));
        remove_action('toolwire_register_tools', $register);
        plugin()->engines()->reset();
        self::assertContains('site_info', $names);
        self::assertNotContains('test_hidden', $names);
        self::assertSame('refused', $shown['calls'][0]['state']);
        $row = plugin()->call_log()->find($shown['calls'][0]['id']);
        self::assertSame(['test_hidden', 'tool_not_found'], [$row['tool'], $row['error_code']]);
        self::assertStringContainsString('test_hidden', end($this->asked[1])['content']);
        self::assertStringNotContainsString('ran', end($this->asked[1])['content']);
    }

    public function testAConversationOfAnotherApiIsStillReadAndExported(): void
    {
        $this->script = ['One.'];
        $shown = self::step(self::begin('Hello'));
        add_filter('toolwire_model_api', static fn (): string => 'anthropic');
        self::rest('POST', "/conversations/$shown[id]/messages", ['message' => 'More']);
        $failed = self::step($shown);
        self::assertSame(['failed', 'model_failed'], [$failed['state'], $failed['reason']]);
        self::assertSame('One.', $failed['parts'][1]['text']);
        self::assertCount(1, plugin()->assistant()->privacy()->export('editor@example.test')['data']);
        self::assertCount(1, $this->asked);
        remove_all_filters('toolwire_model_api');
    }

    public function testADecisionWhileAStepWorksIsNotForgotten(): void
    {
        $this->script = [self::calling('test_ask', ['text' => 'x']), 'Agreed.'];
        $waits = self::step(self::begin('Ask'));
        self::assertTrue(plugin()->assistant()->table()->claim($waits['id'], 'another process', 60));
        $this->as('admin');
        self::decide(plugin()->call_log()->find($waits['calls'][0]['id']), true);
        self::assertIsInt(wp_next_scheduled('toolwire_continue', [$waits['id']]));
        wp_clear_scheduled_hook('toolwire_continue', [$waits['id']]);
        do_action('toolwire_continue', $waits['id']);
        self::assertIsInt(wp_next_scheduled('toolwire_continue', [$waits['id'], 'busy']));
        plugin()->assistant()->table()->release($waits['id'], 'another process', 'waiting', '', 0);
        do_action('toolwire_continue', $waits['id'], 'busy');
        $this->as('editor');
        $shown = self::rest('GET', "/conversations/$waits[id]")->get_data();
        self::assertSame('Agreed.', end($shown['parts'])['text']);
    }

    public function testMarkupIsNeverShown(): void
    {
        $this->script = ['<think>a<tool:nobody>{}</tool>b</think>Hello <tool:site_info>{"a": </tool>you', 'Well.'];
        $shown = self::step(self::begin('Hello'));
        $texts = implode("\n", array_column($shown['parts'], 'text'));
        self::assertStringContainsString('Hello', $texts);
        self::assertStringNotContainsString('<think', $texts);
        foreach ($shown['parts'] as $part) {
            if ($part['type'] === 'text') {
                self::assertStringNotContainsString('<tool', $part['text']);
            }
        }
        self::assertContains('rejection', array_column($shown['parts'], 'type'));
        $refused = plugin()->log_search()->query(['state' => 'refused'])['rows'];
        self::assertCount(1, $refused);
        self::assertSame(['unreadable', $shown['id']], [$refused[0]['error_code'], $refused[0]['conversation']]);
        $this->settings(['reasoning' => 'hidden']);
        $again = self::rest('GET', "/conversations/$shown[id]")->get_data();
        self::assertNotContains('reasoning', array_column($again['parts'], 'type'));
    }

    public function testWithoutAModelOnlyADemoIsOffered(): void
    {
        remove_all_filters('toolwire_reply');
        $asked = ['message' => 'What posts are there?'];
        self::assertSame(503, self::rest('POST', '/conversations', $asked)->get_status());
        self::assertSame(503, self::rest('POST', '/conversations', ['demo' => true] + $asked)->get_status());
        $this->as('admin');
        self::assertSame(503, self::rest('POST', '/conversations', $asked)->get_status());
        $begun = self::rest('POST', '/conversations', ['demo' => true] + $asked);
        self::assertSame(201, $begun->get_status());
        $shown = self::step($begun->get_data());
        self::assertSame([true, 'idle'], [$shown['demo'], $shown['state']]);
        self::assertSame('list_posts', $shown['calls'][0]['tool']);
    }

    public function testTheBlockIsTheChat(): void
    {
        self::assertStringContainsString('data-toolwire-chat', do_blocks('<!-- wp:toolwire/chat /-->'));
        $this->as('subscriber');
        self::assertSame('', do_blocks('<!-- wp:toolwire/chat /-->'));
    }

    public function testThePersonsToolsAndTheRetentionKnowIt(): void
    {
        $this->script = ['Private <b>words</b>.'];
        $shown = self::step(self::begin('My question'));
        // What a process that was killed has left.
        $words = ['reasoning' => '', 'text' => 'Private'];
        plugin()->assistant()->coming_words()->keep($shown['id'], 3, $words);
        $exported = plugin()->assistant()->privacy()->export('editor@example.test');
        self::assertTrue($exported['done']);
        $said = array_column($exported['data'][0]['data'], 'value');
        self::assertSame(['My question', 'Private &lt;b&gt;words&lt;/b&gt;.'], array_slice($said, 1));
        $gone = plugin()->assistant()->privacy()->erase('editor@example.test');
        self::assertSame([true, true], [$gone['items_removed'], $gone['done']]);
        self::assertSame(404, self::rest('GET', "/conversations/$shown[id]")->get_status());
        $store = plugin()->engines()->get()->store;
        self::assertSame([], $store->scan('agent/', null, 10, 0));
        self::assertNull(plugin()->assistant()->coming_words()->find($shown['id']));

        global $wpdb;
        $this->script = ['Old.', 'New.'];
        $old = self::step(self::begin('Old'));
        $new = self::step(self::begin('New'));
        $table = plugin()->schema()->conversations_table();
        $wpdb->query("UPDATE $table SET updated_at = '2020-01-01' WHERE uuid = '$old[id]'");
        $user = get_current_user_id();
        $row = static fn (int $number): string =>
            "('old-$number', $user, 'idle', '2020-01-01', '2020-01-01')";
        $wpdb->query("INSERT INTO $table (uuid, user_id, state, created_at, updated_at) VALUES "
            . implode(', ', array_map($row, range(1, Forgetting::MOST))));
        wp_clear_scheduled_hook('toolwire_prune');
        plugin()->housekeeping()->run();
        self::assertIsInt(wp_next_scheduled('toolwire_prune'), 'more than one piece is old');
        do_action('toolwire_prune');
        self::assertSame('1', $wpdb->get_var("SELECT COUNT(*) FROM $table"));
        self::assertSame(404, self::rest('GET', "/conversations/$old[id]")->get_status());
        self::assertSame(200, self::rest('GET', "/conversations/$new[id]")->get_status());
    }
}
