<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use WP_REST_Request;

use function Toolwire\WordPress\plugin;

/** The answer of each route matches the schema that `OPTIONS` gives. */
final class SchemaTest extends SiteTestCase
{
    /** @return array<string, mixed> the schema of a route's answers */
    private static function schema(string $path): array
    {
        $answer = rest_get_server()->dispatch(new WP_REST_Request('OPTIONS', "/toolwire/v1$path"));
        $answer = apply_filters(
            'rest_post_dispatch',
            $answer,
            rest_get_server(),
            new WP_REST_Request('OPTIONS', "/toolwire/v1$path")
        );
        $told = json_decode((string) wp_json_encode($answer->get_data()), true);
        self::assertSame(200, $answer->get_status(), $path);
        self::assertIsArray($told['schema'] ?? null, "$path has a schema");
        self::assertSame('http://json-schema.org/draft-04/schema#', $told['schema']['$schema']);
        return $told['schema'];
    }

    /** @param mixed $data */
    private static function assertFits($data, string $path): void
    {
        $data = json_decode((string) wp_json_encode($data), true);
        $valid = rest_validate_value_from_schema($data, self::schema($path), 'answer');
        self::assertTrue(
            $valid,
            "$path: " . (is_wp_error($valid) ? $valid->get_error_message() : '')
                . wp_json_encode($data)
        );
    }

    private static function answered(string $method, string $path, array $body = []): array
    {
        $answer = self::rest($method, $path, $body);
        self::assertContains(
            $answer->get_status(),
            [200, 202],
            "$method $path " . wp_json_encode($answer->get_data())
        );
        return (array) $answer->get_data();
    }

    public function testEveryRouteTellsOfItsAnswers(): void
    {
        $titles = [
            '/detect' => 'toolwire-found-calls', '/assistant' => 'toolwire-reply',
            '/calls' => 'toolwire-call',
            '/calls/12345678' => 'toolwire-call', '/approvals' => 'toolwire-approval',
            '/approvals/12345678' => 'toolwire-approval', '/log' => 'toolwire-call',
            '/approvals/decide' => 'toolwire-outcomes',
            '/log/12345678/undo' => 'toolwire-call',
            '/log/12345678/retry' => 'toolwire-call',
            '/conversations' => 'toolwire-conversation',
            '/conversations/12345678' => 'toolwire-conversation',
            '/conversations/12345678/messages' => 'toolwire-conversation',
            '/conversations/12345678/step' => 'toolwire-conversation',
            '/conversations/12345678/retry' => 'toolwire-conversation',
            '/conversations/12345678/stop' => 'toolwire-conversation',
        ];
        $known = array_diff(
            array_keys(rest_get_server()->get_routes('toolwire/v1')),
            ['/toolwire/v1']
        );
        self::assertCount(count($known), $titles);
        foreach ($titles as $path => $title) {
            self::assertSame($title, self::schema($path)['title'], $path);
        }
    }

    public function testWhatIsFoundFitsTheSchema(): void
    {
        $text = 'Hi <tool:test_count>{"a":1}</tool> and <tool:test_count>{"a":</tool>';
        self::assertFits($found = self::answered('POST', '/detect', ['text' => $text]), '/detect');
        self::assertNotSame([], $found['calls']);
        self::assertNotSame([], $found['rejections']);
        $say = static fn (): string => $text;
        add_filter('toolwire_assistant_reply', $say);
        self::assertFits(
            $reply = self::answered('POST', '/assistant', ['message' => 'Hello']),
            '/assistant'
        );
        remove_filter('toolwire_assistant_reply', $say);
        self::assertNotSame('', $reply['calls'][0]['binding']);
    }

    public function testConversationsFitTheSchema(): void
    {
        $said = ['message' => 'say: <think>Hm</think>Hi <tool:test_count>{}</tool>'];
        $begun = self::rest('POST', '/conversations', $said);
        self::assertSame(201, $begun->get_status());
        $path = "/conversations/{$begun->get_data()['id']}";
        $all = ['', '/messages', '/step', '/retry', '/stop'];
        foreach (['GET ', 'POST /step', 'POST /retry', 'POST /stop', 'DELETE '] as $one) {
            [$method, $rest] = explode(' ', $one);
            $answer = self::answered($method, $path . $rest);
            foreach ($all as $of) {
                self::assertFits($answer, "/conversations/12345678$of");
            }
        }
    }

    public function testCallsOfAllStatesFitTheSchema(): void
    {
        $this->settings(['calls_per_minute' => 1000]);
        self::rest('POST', '/detect', ['text' => '<tool:test_count>{}</tool>']);
        $done = self::answered(
            'POST',
            '/calls',
            ['name' => 'test_count', 'arguments' => ['text' => 'a', 'deep' => (object) []]]
        );
        self::assertFits($done, '/calls');
        self::assertFits(self::answered('GET', "/calls/{$done['id']}"), '/calls/12345678');
        self::assertFits(self::answered('POST', "/log/{$done['id']}/undo"), '/log/12345678/undo');
        foreach (['test_fail', 'test_throw', 'nobody', 'test_limited', 'test_limited'] as $name) {
            self::rest('POST', '/calls', ['name' => $name, 'arguments' => ['text' => 'why']]);
        }
        self::rest(
            'POST',
            '/calls',
            ['name' => 'test_count', 'arguments' => ['text' => 5, 'unknown' => 1]]
        );
        self::decide(self::call('test_ask'), false, 'because I say so');
        plugin()->call_log()->start('runs', 'x', 'test_count', '', 'rest');
        plugin()->call_log()->change(self::call('test_count')['action_id'], ['state' => 'interrupted']);
        $listed = self::answered('GET', '/log', ['per_page' => 100]);
        foreach ($listed as $call) {
            self::assertFits($call, '/log');
        }
        self::assertEqualsCanonicalizing(
            ['seen', 'running', 'interrupted', 'completed', 'failed', 'denied', 'undone'],
            array_values(array_unique(array_column($listed, 'state')))
        );
    }

    public function testRequestsAndDecisionsFitTheSchema(): void
    {
        $post = self::aPost();
        self::call(
            'update_post',
            (string) wp_json_encode(['post_id' => $post, 'title' => 'After'])
        );
        self::call('test_ask', '{"options":{}}');
        $listed = self::answered('GET', '/approvals');
        self::assertCount(2, $listed);
        foreach ($listed as $item) {
            self::assertFits($item, '/approvals');
            self::assertFits(
                $shown = self::answered('GET', "/approvals/{$item['id']}"),
                '/approvals/12345678'
            );
            $decision = ['granted' => true, 'seen' => $shown['fingerprint']];
            $decided = self::answered('POST', "/approvals/{$item['id']}", $decision);
            self::assertSame('completed', $decided['state']);
            self::assertFits($decided, '/approvals/12345678');
        }
    }

    public function testAnAnswerThatDoesNotFitIsNoticed(): void
    {
        $call = self::answered('POST', '/calls', ['name' => 'test_count']);
        foreach ([
            ['state' => 'odd'], ['more' => 1], ['user' => 'x'], ['error' => ['code' => 5]],
        ] as $wrong) {
            $valid = rest_validate_value_from_schema(
                $wrong + json_decode(wp_json_encode($call), true),
                self::schema('/calls'),
                'answer'
            );
            self::assertWPError($valid, (string) wp_json_encode($wrong));
        }
    }

    /** @param mixed $value */
    private static function assertWPError($value, string $message): void
    {
        self::assertInstanceOf(\WP_Error::class, $value, $message);
    }
}
