<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use WP_Error;

use function Toolwire\WordPress\plugin;

/** The actions that tell other plugins how a conversation stands. */
final class ConversationActionsTest extends ConversationTestCase
{
    private const NAMES = ['started', 'waiting', 'answered', 'failed'];

    /** @var list<array{string, array<string, string>, ?WP_Error}> What was told. */
    private array $told = [];

    protected function setUp(): void
    {
        parent::setUp();
        foreach (self::NAMES as $name) {
            add_action(
                "toolwire_conversation_$name",
                function (array $conversation, ?WP_Error $failure = null) use ($name): void {
                    $this->told[] = [$name, $conversation, $failure];
                },
                10,
                2
            );
        }
    }

    protected function tearDown(): void
    {
        foreach (self::NAMES as $name) {
            remove_all_actions("toolwire_conversation_$name");
        }
        parent::tearDown();
    }

    /** @return list<array{string, string}> The actions and the states that they told. */
    private function states(): array
    {
        return array_map(static fn(array $one): array => [$one[0], $one[1]['state']], $this->told);
    }

    public function testEachIsToldOnceAndInOrder(): void
    {
        $this->script = [self::calling('test_ask', ['text' => 'x']), 'Done.'];
        $started = self::begin('Ask <b>somebody</b>', 'one');
        self::begin('Ask <b>somebody</b>', 'one');
        $waits = self::step($started);
        $row = plugin()->call_log()->find($waits['calls'][0]['id']);
        $this->as('admin');
        self::decide($row, true);
        $this->as('editor');
        self::step($started);
        $expected = [['started', 'thinking'], ['waiting', 'waiting'], ['answered', 'idle']];
        self::assertSame($expected, $this->states());
        foreach ($this->told as [, $conversation]) {
            self::assertSame(['uuid', 'user_id', 'title', 'state'], array_keys($conversation));
            self::assertSame($started['id'], $conversation['uuid']);
            self::assertSame(get_current_user_id(), (int) $conversation['user_id']);
        }
    }

    public function testAFailureIsToldWithItsReason(): void
    {
        $this->script = [new WP_Error('gone', 'The model is gone.'), 'It is back.'];
        $started = self::begin('Hello');
        self::step($started);
        self::rest('POST', "/conversations/$started[id]/retry");
        self::step($started);
        $expected = [['started', 'thinking'], ['failed', 'failed'], ['answered', 'idle']];
        self::assertSame($expected, $this->states());
        self::assertSame('toolwire_model_failed', $this->told[1][2]?->get_error_code());
    }
}
