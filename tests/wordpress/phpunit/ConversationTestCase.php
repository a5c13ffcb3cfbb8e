<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\Assistant\Conversation;
use Toolwire\WordPress\Assistant\Tool_List;
use WP_Hook;

/** A site whose model, a function of the filter `toolwire_reply`, answers by a script. */
abstract class ConversationTestCase extends SiteTestCase
{
    /** @var list<mixed> What the model answers, one after the other. */
    protected array $script = [];
    /** What else answers on the site of the tests. */
    private WP_Hook $replies;
    private WP_Hook $limits;
    /** @var list<list<array<string, mixed>>> What it was told each time. */
    protected array $asked = [];

    protected function setUp(): void
    {
        parent::setUp();
        $this->replies = $GLOBALS['wp_filter']['toolwire_assistant_reply'] ?? new WP_Hook();
        $this->limits = clone $GLOBALS['wp_filter']['toolwire_conversation_limits'];
        unset($GLOBALS['wp_filter']['toolwire_assistant_reply']);
        $answer = function ($given, Conversation $conversation, Tool_List $tools) {
            $this->asked[] = $conversation->messages();
            $next = array_shift($this->script);
            return is_callable($next) ? $next($conversation, $tools) : $next;
        };
        add_filter('toolwire_reply', $answer, 10, 3);
        $this->as('editor');
    }

    protected function tearDown(): void
    {
        $GLOBALS['wp_filter']['toolwire_assistant_reply'] = $this->replies;
        remove_all_filters('toolwire_reply');
        $GLOBALS['wp_filter']['toolwire_conversation_limits'] = $this->limits;
        remove_all_actions('toolwire_conversation_failed');
        parent::tearDown();
    }

    /** @return array<string, mixed> */
    protected static function calling(string $name, array $arguments, string $text = ''): array
    {
        $function = ['name' => $name, 'arguments' => json_encode((object) $arguments)];
        $call = ['id' => 'call_0', 'type' => 'function', 'function' => $function];
        $message = ['role' => 'assistant', 'content' => $text, 'tool_calls' => [$call]];
        return ['choices' => [['message' => $message]]];
    }

    /** @return array<string, mixed> */
    protected static function begin(string $text, string $name = ''): array
    {
        $response = self::rest('POST', '/conversations', ['message' => $text, 'client_id' => $name]);
        self::assertSame(201, $response->get_status(), json_encode($response->get_data()));
        return $response->get_data();
    }

    /** @return array<string, mixed> */
    protected static function step(array $conversation, int $after = 0): array
    {
        $response = self::rest('POST', "/conversations/$conversation[id]/step", ['after' => $after]);
        self::assertSame(200, $response->get_status(), json_encode($response->get_data()));
        return $response->get_data();
    }

    /** @return list<list<string>> The arguments of the events that go on with a conversation. */
    protected static function events(string $id): array
    {
        $events = [];
        foreach (_get_cron_array() as $hooks) {
            foreach ($hooks['toolwire_continue'] ?? [] as $event) {
                if ($event['args'][0] === $id) {
                    $events[] = $event['args'];
                }
            }
        }
        return $events;
    }
}
