<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use function Toolwire\WordPress\plugin;

/** The id of a call counts for one user, program, conversation and message. */
final class CallScopeTest extends SiteTestCase
{
    /** @param array<string, string> $more */
    private static function send(array $more): string
    {
        $answer = self::rest('POST', '/calls', $more + ['name' => 'test_count', 'id' => 'call_0']);
        self::assertSame(200, $answer->get_status());
        return $answer->get_data()['id'];
    }

    public function testAnIdThatComesAgainElsewhereIsAnotherCall(): void
    {
        $first = self::send([]);
        self::assertSame([$first, 1], [self::send([]), self::counted()], 'the same call runs once');
        $ids = [
            $first,
            self::send(['message' => 'turn 1']),
            self::send(['message' => 'turn 2']),
            self::send(['conversation' => 'turn 1']),
            self::send(['conversation' => 'c', 'message' => 'turn 1']),
        ];
        $client = static fn (): string => 'a program';
        add_filter('toolwire_client', $client);
        $ids[] = self::send([]);
        remove_filter('toolwire_client', $client);
        $this->as('editor');
        $ids[] = self::send([]);
        self::assertCount(7, array_unique($ids));
        foreach ($ids as $id) {
            self::assertTrue(wp_is_uuid($id), $id);
        }
        self::assertSame(7, self::counted());
    }

    public function testNoCraftedIdReachesAnotherCall(): void
    {
        $ids = [$first = self::send(['conversation' => 'c', 'message' => 'm'])];
        foreach (
            [
                [$first], ['call_0', "c\0m"], ["c\0m\0call_0"], ["m\0call_0", 'c'], ['0', 'c', 'm:'],
                ["call_0\0", 'c', 'm'], ["\0call_0", 'c', 'm'], ['call_0', 'cm'], ['call_0', '', 'cm'],
                ['m:call_0', 'c'], ['call_0', 'm', 'c'],
            ] as $crafted
        ) {
            [$id, $conversation, $message] = $crafted + ['', '', ''];
            $ids[] = self::send(compact('id', 'conversation', 'message'));
        }
        self::assertCount(12, array_unique($ids));
        self::assertSame(12, self::counted());
    }

    public function testIdsThatAModelWritesAgainAreOfDifferentMessages(): void
    {
        $this->settings(['bound_calls' => false, 'formats' => 'auto']);
        $text = '<tool_call>{"id":"call_0","name":"test_count","arguments":{}}</tool_call>';
        $sent = [];
        foreach (['m1', 'm1', 'm2', '', ''] as $message) {
            $found = self::rest('POST', '/detect', compact('text', 'message'))->get_data();
            [$call] = $found['calls'];
            $sent[] = self::send(['id' => $call['id'], 'arguments' => $call['arguments']]);
        }
        self::assertSame($sent[0], $sent[1], 'a message that is found twice');
        self::assertCount(4, array_unique($sent));
        self::assertSame(4, self::counted());
    }

    public function testABoundCallRunsOnceFromWhicheverProgramItComes(): void
    {
        $found = plugin()->found_calls()->in_reply('<tool:test_count>{}</tool>', 'c');
        $call = array_intersect_key(
            $found['calls'][0],
            array_flip(['id', 'name', 'arguments', 'binding'])
        ) + ['conversation' => 'c'];
        $first = self::send($call);
        $client = static fn (): string => 'a program';
        add_filter('toolwire_client', $client);
        $again = self::send($call);
        remove_filter('toolwire_client', $client);
        $elsewhere = self::send(['message' => 'another'] + $call);
        self::assertSame([$first, $first, 1], [$again, $elsewhere, self::counted()]);
        $id = self::rest('POST', '/calls', ['id' => ''] + $call + ['name' => 'x', 'id' => '']);
        self::assertSame(403, $id->get_status(), 'nor as a call without an id');
    }
}
