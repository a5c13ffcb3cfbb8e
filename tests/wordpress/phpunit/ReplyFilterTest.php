<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Fiber;
use Generator;
use Toolwire\WordPress\Assistant\Conversation;
use Toolwire\WordPress\Assistant\Tool_List;
use WP_Error;

use function Toolwire\WordPress\plugin;

/** The filter `toolwire_reply`: pieces of an answer, and the tools that a conversation has. */
final class ReplyFilterTest extends ConversationTestCase
{
    /** @var list<array{string, ?string}> What a page is told while a step works. */
    private array $heard = [];

    protected function tearDown(): void
    {
        remove_all_filters('toolwire_conversation_tools');
        parent::tearDown();
    }

    /** @return array<string, mixed> The conversation after a step that a page watches. */
    private function watched(array $conversation): array
    {
        $row = plugin()->assistant()->table()->find($conversation['id']);
        plugin()->assistant()->steps()->take($row, function (string $type, array $data): void {
            $this->heard[] = [$type, $data['text'] ?? null];
        });
        return self::rest('GET', "/conversations/$conversation[id]")->get_data();
    }

    /** @return list<string> The pieces of text that a page was told. */
    private function pieces(): array
    {
        $said = array_filter($this->heard, static fn (array $one): bool => $one[0] === 'text');
        return array_column($said, 1);
    }

    public function testPiecesAreToldWhileTheFunctionWorks(): void
    {
        $this->script = [function (Conversation $said): string {
            $before = count($this->heard);
            $said->piece('<think>hidden</think>The first ');
            self::assertStringStartsWith('The firs', implode($this->pieces()));
            $said->piece('');
            $said->piece('words.');
            self::assertGreaterThan($before, count($this->heard));
            return '<think>hidden</think>The first words.';
        }];
        $shown = $this->watched(self::begin('Hello'));
        self::assertSame('The first words.', implode($this->pieces()));
        self::assertNotContains('retracted', array_column($this->heard, 0));
        self::assertSame(['idle', 'The first words.'], [$shown['state'], end($shown['parts'])['text']]);
    }

    public function testWhatTheFunctionReturnsCounts(): void
    {
        $this->script = [
            static function (Conversation $said): array {
                $said->piece('I think I will wait');
                return self::calling('site_info', [], 'I look.');
            },
            static function (Conversation $said, Tool_List $tools): string {
                $said->piece('Here it is');
                return 'Here.';
            },
        ];
        $shown = $this->watched(self::begin('Hello'));
        // The end of a piece that may begin a mark is held back.
        self::assertStringStartsWith('I think I will wai', implode($this->pieces()));
        self::assertStringEndsWith('Here.', implode($this->pieces()));
        $retracted = array_keys(array_column($this->heard, 0), 'retracted', true);
        self::assertCount(2, $retracted);
        $texts = array_column($shown['parts'], 'text');
        self::assertSame(['Hello', 'I look.', 'Here.'], $texts);
        self::assertSame('completed', $shown['calls'][0]['state']);
    }

    public function testPiecesOfAFailureAreTakenBack(): void
    {
        $this->script = [
            static function (Conversation $said): WP_Error {
                $said->piece('I begin');
                return new WP_Error('mine', 'secret words');
            },
            static function (Conversation $said): Generator {
                $said->piece('I begin');
                return (static fn (): Generator => yield 'x')();
            },
        ];
        $begun = self::begin('Hello');
        for ($tries = 1; $tries <= 2; $tries++) {
            $shown = $this->watched($begun);
            self::assertSame(['failed', 1], [$shown['state'], count($shown['parts'])]);
            $types = array_column($this->heard, 0);
            self::assertCount($tries, array_keys($types, 'retracted', true));
            self::rest('POST', "/conversations/$begun[id]/retry");
        }
    }

    public function testAFunctionWithFibersOfItsOwnGoesOn(): void
    {
        $this->script = [static function (Conversation $said): string {
            $own = new Fiber(static function () use ($said): string {
                $said->piece('never shown');
                return 'From a fiber.';
            });
            $own->start();
            return $own->getReturn();
        }];
        $shown = $this->watched(self::begin('Hello'));
        self::assertSame('From a fiber.', end($shown['parts'])['text']);
        self::assertSame(['From a fiber.'], $this->pieces());
    }

    public function testPiecesWithoutAPageAreNoHarm(): void
    {
        $this->script = [static function (Conversation $said): string {
            $said->piece('One');
            return 'One.';
        }];
        self::assertSame('One.', self::step(self::begin('Hello'))['parts'][1]['text']);
    }

    public function testAFilterSaysWhichToolsAConversationHas(): void
    {
        $told = [];
        $limit = static function (array $names, array $conversation) use (&$told): array {
            $told[] = $conversation;
            self::assertContains('site_info', $names);
            return ['list_posts', 'no such tool', 7];
        };
        add_filter('toolwire_conversation_tools', $limit, 10, 2);
        $names = [];
        $this->script = [
            static function (Conversation $said, Tool_List $tools) use (&$names): array {
                $names[] = array_column(array_column($said->request['tools'], 'function'), 'name');
                $names[] = array_column(array_column($tools->to('openai'), 'function'), 'name');
                return self::calling('site_info', []);
            },
            self::calling('list_posts', []),
            'Well.',
        ];
        $shown = self::step(self::begin('Hello'));
        self::assertSame([['list_posts'], ['list_posts']], $names);
        self::assertSame(['refused', 'completed'], array_column($shown['calls'], 'state'));
        $row = plugin()->call_log()->find($shown['calls'][0]['id']);
        self::assertSame('tool_not_found', $row['error_code']);
        $user = (string) get_current_user_id();
        self::assertSame([$shown['id'], $user], [$told[0]['uuid'], $told[0]['user_id']]);
        self::assertSame(['uuid', 'user_id', 'title', 'state'], array_keys($told[0]));
    }

    public function testACallThatWaitsKeepsItsTool(): void
    {
        $post = self::aPost('Before');
        $rename = ['post_id' => $post, 'title' => 'After'];
        $this->script = [
            self::calling('update_post', $rename),
            self::calling('update_post', $rename),
            'Done.',
        ];
        $waits = self::step(self::begin('Rename it'));
        add_filter('toolwire_conversation_tools', static fn (): array => ['list_posts']);
        $this->as('admin');
        self::decide(plugin()->call_log()->find($waits['calls'][0]['id']), true);
        self::assertSame('After', get_post($post)->post_title);
        $this->as('editor');
        $shown = self::step($waits);
        self::assertStringContainsString('After', end($this->asked[1])['content']);
        // A new call of the same tool does not begin.
        self::assertSame(['completed', 'refused'], array_column($shown['calls'], 'state'));
        self::assertSame('idle', $shown['state']);
    }
}
