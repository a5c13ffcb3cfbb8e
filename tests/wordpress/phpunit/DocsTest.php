<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use WP_Hook;

use function Toolwire\WordPress\plugin;

/** The examples of docs/wordpress.md do what the page says. */
final class DocsTest extends SiteTestCase
{
    /** What answers on the site of the tests; the examples answer beside it. */
    private WP_Hook $replies;

    protected function setUp(): void
    {
        parent::setUp();
        $this->replies = clone $GLOBALS['wp_filter']['toolwire_assistant_reply'];
    }

    protected function tearDown(): void
    {
        $GLOBALS['wp_filter']['toolwire_assistant_reply'] = $this->replies;
        remove_all_filters('toolwire_assistant_repair');
        parent::tearDown();
    }

    private static function example(int $number): void
    {
        $docs = (string) file_get_contents(dirname(__DIR__, 3) . '/docs/wordpress.md');
        preg_match_all('/^```php\n(.*?)^```/ms', $docs, $found);
        self::assertCount(5, $found[1]);
        eval($found[1][$number]);
    }

    public function testTheToolOfTheExampleIsApprovedAndUndone(): void
    {
        update_option('blogdescription', 'Old');
        self::example(0);
        plugin()->engines()->reset();
        $row = self::call('set_tagline', '{"tagline":"New"}');
        $waiting = plugin()->approvals()->look($row['approval_id']);
        self::assertSame('+1 -1', $waiting['changes'][0]['diff']->changeSummary());
        self::assertSame('completed', self::decide($row, true)['state']);
        self::assertSame('New', get_option('blogdescription'));
        self::assertTrue(plugin()->undoing()->undo($row['action_id']));
        self::assertSame('Old', get_option('blogdescription'));
        $row = self::decide(self::call('set_tagline', '{"tagline":"Old"}'), true);
        self::assertSame(
            'The tagline is what it was.',
            plugin()->undoing()->undo($row['action_id'])->get_error_message()
        );
    }

    public function testTheModelOfTheExampleWritesItsCallAgain(): void
    {
        self::example(4);
        add_filter('toolwire_assistant_reply', static fn () => 'I look. <tool:site_info>{"a": </tool>', 99);
        $answer = self::rest('POST', '/assistant', ['message' => 'Hello'])->get_data();
        self::assertSame(
            ['I try again. ', 'site_info'],
            [$answer['reply'], $answer['calls'][0]['name']]
        );
    }

    public function testTheFunctionOfTheExampleAsksItsModel(): void
    {
        self::example(1);
        $sent = [];
        $answers = static function ($given, array $request, string $url) use (&$sent): array {
            $sent = [$url, json_decode($request['body'], true)];
            $message = ['role' => 'assistant', 'content' => 'Hello.'];
            $body = json_encode(['choices' => [['message' => $message]]]);
            return ['response' => ['code' => 200, 'message' => 'OK'], 'body' => $body, 'headers' => []];
        };
        add_filter('pre_http_request', $answers, 10, 3);
        $begun = self::rest('POST', '/conversations', ['message' => 'Hi'])->get_data();
        $told = self::rest('POST', "/conversations/$begun[id]/step")->get_data();
        remove_all_filters('toolwire_reply');
        remove_filter('pre_http_request', $answers);
        self::assertSame(['idle', 'Hello.'], [$told['state'], end($told['parts'])['text']]);
        self::assertSame('https://models.example/v1/chat/completions', $sent[0]);
        self::assertSame(['system', 'user'], array_column($sent[1]['messages'], 'role'));
        self::assertContains('site_info', array_column(array_column($sent[1]['tools'], 'function'), 'name'));
    }

    public function testTheFunctionOfTheExampleShowsPieces(): void
    {
        $asked = [];
        // The example calls a function of the site.
        function_exists('my_model') || eval('function my_model($request) { return $GLOBALS["my_model"]($request); }');
        $GLOBALS['my_model'] = static function (array $request) use (&$asked): array {
            $asked[] = array_column(array_column($request['tools'], 'function'), 'name');
            return ['Hello ', 'there.'];
        };
        $heard = '';
        self::example(2);
        $begun = self::rest('POST', '/conversations', ['message' => 'Hi'])->get_data();
        $row = plugin()->assistant()->table()->find($begun['id']);
        $listener = static function (string $type, array $data) use (&$heard): void {
            $heard .= $type === 'text' || $type === 'retracted' ? $data['text'] : '';
        };
        plugin()->assistant()->steps()->take($row, $listener);
        $this->as('subscriber');
        add_filter('toolwire_capability', static fn (): string => 'read');
        $other = self::rest('POST', '/conversations', ['message' => 'Hi'])->get_data();
        self::rest('POST', "/conversations/$other[id]/step");
        remove_all_filters('toolwire_capability');
        remove_all_filters('toolwire_reply');
        remove_all_filters('toolwire_conversation_tools');
        self::assertSame('Hello there.', $heard);
        self::assertContains('update_post', $asked[0]);
        self::assertEqualsCanonicalizing(['site_info', 'list_posts'], $asked[1]);
    }

    public function testTheModelOfTheExampleAnswers(): void
    {
        self::example(3);
        $answer = self::rest('POST', '/assistant', ['message' => 'Hello'])->get_data();
        self::assertSame(
            ['You said: Hello. ', 'site_info'],
            [$answer['reply'], $answer['calls'][0]['name']]
        );
    }
}
