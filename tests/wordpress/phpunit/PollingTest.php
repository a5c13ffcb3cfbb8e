<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\Assistant\Steps;
use WP_REST_Request;
use WP_REST_Response;

use function Toolwire\WordPress\plugin;

/** Pages that ask how a conversation stands, and how many steps are taken at once. */
final class PollingTest extends ConversationTestCase
{
    private static function begun(string $text = 'Hello'): string
    {
        return self::begin($text)['id'];
    }

    private static function taken(string $id): WP_REST_Response
    {
        return self::rest('POST', "/conversations/$id/step", ['after' => 0]);
    }

    private static function get(string $id, string $tag = '', array $query = []): WP_REST_Response
    {
        $request = new WP_REST_Request('GET', "/toolwire/v1/conversations/$id");
        $request->set_query_params($query);
        $request->set_header('If-None-Match', $tag);
        return rest_do_request($request);
    }

    private static function tag(WP_REST_Response $answer): string
    {
        return $answer->get_headers()['ETag'];
    }

    private static function change(string $id, string $columns): void
    {
        global $wpdb;
        $table = plugin()->schema()->conversations_table();
        $wpdb->query($wpdb->prepare("UPDATE $table SET $columns WHERE uuid = %s", $id));
    }

    public function testWhatHasNotChangedIsNotToldAgain(): void
    {
        $this->script = ['I count. <tool:test_ask>{"text": "a"}</tool>', 'Counted.'];
        $id = self::begun();
        $seen = [];
        $same = function (string $when) use ($id, &$seen): WP_REST_Response {
            $first = self::get($id);
            $tag = self::tag($first);
            self::assertSame(200, $first->get_status());
            self::assertMatchesRegularExpression('/^"[0-9a-f]{32}"$/', $tag);
            self::assertNotContains($tag, $seen, $when);
            $seen[] = $tag;
            $inner = trim($tag, '"');
            foreach ([$tag, "W/$tag", "\"$inner-gzip\"", "\"x\", $tag"] as $sent) {
                $again = self::get($id, $sent);
                self::assertSame([304, null], [$again->get_status(), $again->get_data()], $sent);
                self::assertSame($tag, self::tag($again));
            }
            return $first;
        };
        $same('begun');
        self::taken($id);
        $waits = $same('waits')->get_data();
        self::assertSame('waiting', $waits['calls'][0]['state']);
        $row = plugin()->call_log()->find($waits['calls'][0]['id']);
        $this->as('admin');
        self::decide($row, true);
        $this->as('editor');
        self::assertSame('completed', $same('decided')->get_data()['calls'][0]['state']);
        self::taken($id);
        self::assertTrue($same('answered')->get_data()['calls'][0]['can_undo']);
        self::assertSame(200, self::rest('POST', "/log/$row[action_id]/undo")->get_status());
        self::assertSame('undone', $same('undone')->get_data()['calls'][0]['state']);
        $this->settings(['reasoning' => 'hidden']);
        $same('other settings');
        plugin()->assistant()->coming_words()->keep($id, 9, ['reasoning' => '', 'text' => 'So ']);
        self::change($id, "state = 'thinking'");
        self::assertSame(
            [['type' => 'text', 'text' => 'So ']],
            $same('written')->get_data()['coming']
        );
        plugin()->assistant()->coming_words()->keep($id, 9, ['reasoning' => '', 'text' => 'So it']);
        self::assertSame('So it', $same('written on')->get_data()['coming'][0]['text']);
        // What is complete by now is not told twice.
        plugin()->assistant()->coming_words()->keep($id, 3, ['reasoning' => '', 'text' => 'Counted']);
        self::assertSame([], $same('complete')->get_data()['coming']);
        foreach (['"0123"', '', 'Array', '*', $seen[0]] as $other) {
            self::assertSame(200, self::get($id, $other)->get_status(), $other);
        }
    }

    public function testOnlyCallsThatHaveChangedAreToldAgain(): void
    {
        $two = '<tool:test_count>{"text": "a"}</tool> <tool:test_count>{"text": "b"}</tool>';
        $this->script = [$two, 'Two.', '<tool:test_count>{"text": "c"}</tool>', 'Three.'];
        $id = self::begun();
        $first = self::taken($id)->get_data();
        self::assertCount(2, $first['calls']);
        $has = ['after' => $first['next'], 'known' => $first['known']];
        self::assertSame([], self::get($id, '', $has)->get_data()['calls']);
        self::assertCount(2, self::get($id, '', ['after' => $first['next']])->get_data()['calls']);
        self::rest('POST', "/conversations/$id/messages", ['message' => 'More']);
        self::taken($id);
        $more = self::get($id, '', $has)->get_data();
        $told = array_column($more['calls'], 'arguments');
        self::assertSame([['text' => 'c']], array_map(fn ($one) => (array) $one, $told));
        self::assertNotSame($first['known'], $more['known']);
        self::rest('POST', "/log/{$first['calls'][0]['id']}/undo");
        $undone = self::get($id, '', ['after' => $more['next'], 'known' => $more['known']]);
        self::assertSame(
            ['undone', 'completed', 'completed'],
            array_column($undone->get_data()['calls'], 'state')
        );
    }

    public function testALookAtALongConversationIsCheap(): void
    {
        global $wpdb;
        $calls = implode(array_map(
            static fn (int $text): string => "<tool:test_count>{\"text\": \"$text\"}</tool> ",
            range(1, 8)
        ));
        $id = self::begun();
        foreach (range(1, 10) as $round) {
            $this->script = [$calls, 'Done.'];
            $told = self::taken($id)->get_data();
            self::assertSame('idle', $told['state'], json_encode($told));
            self::rest('POST', "/conversations/$id/messages", ['message' => "More $round"]);
        }
        $this->script = ['Done.'];
        $told = self::taken($id)->get_data();
        self::assertCount(80, $told['calls']);
        $tag = self::tag(self::get($id));
        $queries = static function (callable $ask) use ($wpdb): int {
            $before = $wpdb->num_queries;
            $ask();
            return $wpdb->num_queries - $before;
        };
        self::assertLessThanOrEqual(6, $queries(fn () => self::get($id, $tag)));
        $has = ['after' => $told['next'], 'known' => $told['known']];
        $answer = null;
        $asked = $queries(function () use ($id, $has, &$answer): void {
            $answer = self::get($id, '', $has);
        });
        self::assertLessThanOrEqual(12, $asked);
        self::assertLessThan(1000, strlen(json_encode($answer->get_data())));
    }

    public function testAUserHasTwoStepsAtOnceAndTheSiteThree(): void
    {
        $until = time() + 60;
        $others = [];
        foreach (['author', 'editor', 'editor'] as $who) {
            $this->as($who);
            $others[] = $id = self::begun();
            self::change($id, "claim = 'another', claimed_until = $until");
        }
        $this->script = ['Answered.'];
        $mine = self::begun('One more');
        $full = function () use ($mine): void {
            $refused = self::taken($mine);
            self::assertSame(429, $refused->get_status());
            self::assertSame('toolwire_assistant_full', $refused->get_data()['code']);
            self::assertSame((string) Steps::LATER, $refused->get_headers()['Retry-After']);
            $row = plugin()->assistant()->table()->find($mine);
            self::assertSame(
                ['thinking', '', '0', '0'],
                [$row['state'], $row['claim'], $row['claimed_until'], $row['deaths']]
            );
        };
        $full();
        // The site has room again, the user has not.
        self::change($others[0], "claim = '', claimed_until = 0");
        $full();
        // An event of WordPress takes a step no sooner, and comes again.
        wp_clear_scheduled_hook('toolwire_continue', [$mine, 'busy']);
        do_action('toolwire_continue', $mine);
        self::assertCount(1, $this->script);
        self::assertIsInt(wp_next_scheduled('toolwire_continue', [$mine, 'busy']));
        // The user has room, the site has not.
        $this->as('author');
        foreach (range(1, 2) as $_) {
            self::change(self::begun(), "claim = 'another', claimed_until = $until");
        }
        $this->as('editor');
        self::change($others[1], "claim = '', claimed_until = 0");
        $full();
        // The claim of a process that died ends by itself.
        self::change($others[2], 'claimed_until = ' . (time() - 1));
        self::assertSame('idle', self::taken($mine)->get_data()['state']);
        add_filter('toolwire_conversation_limits', fn (array $limits): array =>
            ['at_once' => 9, 'at_once_on_site' => 9] + $limits, 20);
        $this->script = ['Answered.'];
        self::assertSame('idle', self::taken($others[1])->get_data()['state']);
    }

    public function testAModelIsNotAskedForeverByProcessesThatDie(): void
    {
        $id = self::begun();
        $asked = 0;
        $this->script = array_fill(0, 9, function () use ($id, &$asked): string {
            ++$asked;
            return 'Answered.';
        });
        $died = fn () => self::change($id, 'claim = "dead", claimed_until = ' . (time() - 1));
        $died();
        self::change($id, 'deaths = ' . (Steps::DEATHS - 2));
        self::assertSame('idle', self::taken($id)->get_data()['state']);
        self::assertSame(1, $asked);
        self::assertSame('0', plugin()->assistant()->table()->find($id)['deaths']);
        self::rest('POST', "/conversations/$id/messages", ['message' => 'Again']);
        self::change($id, 'deaths = ' . (Steps::DEATHS - 1));
        $died();
        $failed = self::taken($id)->get_data();
        self::assertSame(['failed', 'model_failed'], [$failed['state'], $failed['reason']]);
        self::assertSame(1, $asked);
        self::assertStringContainsString(
            'request_terminate_timeout',
            (string) get_transient('toolwire_model_failure')
        );
        // Who tries again begins anew.
        self::rest('POST', "/conversations/$id/retry", ['after' => 0]);
        self::assertSame('idle', self::taken($id)->get_data()['state']);
        self::assertSame(2, $asked);
    }
}
