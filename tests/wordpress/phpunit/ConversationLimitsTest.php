<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\Tools\ModelResponse;
use Toolwire\WordPress\Assistant\Conversation;
use WP_Error;

use function Toolwire\WordPress\plugin;

/** Conversations that are stopped: by a person, a limit, or a model that is slow. */
final class ConversationLimitsTest extends ConversationTestCase
{
    public function testStoppingTakesBackWhatWaits(): void
    {
        $post = self::aPost('Before');
        $this->script = [self::calling('update_post', ['post_id' => $post, 'title' => 'X']), 'Well.'];
        $waits = self::step(self::begin('Rename it'));
        $stopped = self::rest('POST', "/conversations/$waits[id]/stop")->get_data();
        self::assertSame(['stopped', 'denied'], [$stopped['state'], $stopped['calls'][0]['state']]);
        self::assertCount(1, $this->asked);
        self::rest('POST', "/conversations/$waits[id]/messages", ['message' => 'And now?']);
        self::assertSame('Well.', self::step($waits)['parts'][3]['text']);
        $roles = array_column($this->asked[1], 'role');
        self::assertSame(['system', 'user', 'assistant', 'tool', 'user'], $roles);
        self::assertSame('Before', get_post($post)->post_title);
    }

    public function testAUserWhoStopsWhileTheModelAnswersGetsNoMoreSteps(): void
    {
        $this->script = [function (Conversation $said): array {
            self::rest('POST', "/conversations/$said->id/stop");
            return self::calling('site_info', []);
        }, 'never asked'];
        $shown = self::step(self::begin('Hello'));
        self::assertSame('stopped', $shown['state']);
        self::assertCount(1, $this->asked);
        self::assertSame([], plugin()->schema()->calls("WHERE state = 'completed'", []));
    }

    public function testARequestEndsWhenItHasWorkedLongEnough(): void
    {
        add_filter('toolwire_conversation_limits', static fn (array $limits): array =>
            ['seconds_a_request' => 0] + $limits);
        $this->script = [self::calling('site_info', []), 'Here.'];
        $shown = self::step(self::begin('Hello'));
        self::assertSame('thinking', $shown['state']);
        self::assertCount(1, $this->asked);
        self::assertSame('idle', self::step($shown)['state']);
    }

    public function testLimitsStopIt(): void
    {
        add_filter('toolwire_conversation_limits', static fn (array $limits): array =>
            ['steps' => 2, 'characters' => 5, 'texts' => 1] + $limits);
        $this->script = array_fill(0, 9, self::calling('list_posts', []));
        $shown = self::step(self::begin('Hello'));
        self::assertSame(['stopped', 'limit_turns'], [$shown['state'], $shown['reason']]);
        $long = self::rest('POST', '/conversations', ['message' => 'Hello!']);
        self::assertSame([413, 'toolwire_text_too_long'], [$long->get_status(), $long->get_data()['code']]);
        $more = self::rest('POST', "/conversations/$shown[id]/messages", ['message' => 'More']);
        self::assertSame('toolwire_conversation_too_long', $more->get_data()['code']);
        add_filter('toolwire_conversation_limits', static fn (array $limits): array =>
            ['texts_per_minute' => 1, 'texts' => 100] + $limits, 20);
        self::rest('POST', '/conversations', ['message' => 'A']);
        $soon = self::rest('POST', '/conversations', ['message' => 'B']);
        self::assertSame(429, $soon->get_status());
        self::assertGreaterThan(0, (int) $soon->get_headers()['Retry-After']);
    }

    public function testAModelThatFailsSlowlyHasFailed(): void
    {
        add_filter('toolwire_conversation_limits', static fn (array $limits): array =>
            ['seconds_a_request' => 0] + $limits, 20);
        $this->script = array_fill(0, 9, new ModelResponse(504, 'too slow'));
        self::assertSame('failed', self::step(self::begin('Hello'))['state']);
        self::assertCount(3, $this->asked);
        self::assertNotFalse(get_transient('toolwire_model_failure'));
        $this->script = ['Here.'];
        $row = plugin()->assistant()->table()->of_user(get_current_user_id(), 1)[0];
        self::rest('POST', "/conversations/$row[uuid]/retry");
        self::step(['id' => $row['uuid']]);
        self::assertFalse(get_transient('toolwire_model_failure'));
    }

    public function testATextWaitsForAStepThatWasStopped(): void
    {
        $begun = self::begin('Hello');
        $table = plugin()->assistant()->table();
        self::assertTrue($table->claim($begun['id'], 'another process', 60));
        self::rest('POST', "/conversations/$begun[id]/stop");
        $more = ['message' => 'More', 'client_id' => 'text 2'];
        $busy = self::rest('POST', "/conversations/$begun[id]/messages", $more);
        self::assertSame('toolwire_conversation_busy', $busy->get_data()['code']);
        $table->release($begun['id'], 'another process', 'thinking', '', 0);
        self::assertSame('stopped', $table->find($begun['id'])['state']);
        self::assertSame(202, self::rest('POST', "/conversations/$begun[id]/messages", $more)->get_status());
    }

    public function testTheTokensOfAMonthAreALimit(): void
    {
        $this->settings(['tokens_per_month' => 20]);
        $usage = ['prompt_tokens' => 8, 'completion_tokens' => 4, 'total_tokens' => 12];
        $says = ['choices' => [['message' => ['role' => 'assistant', 'content' => 'Hi.']]]];
        $this->script = array_fill(0, 3, $says + ['usage' => $usage]);
        $one = self::step(self::begin('One'));
        self::assertSame(12, plugin()->assistant()->budget()->count());
        self::rest('POST', "/conversations/$one[id]/messages", ['message' => 'Two']);
        self::step($one);
        self::step($one);
        self::assertSame(24, plugin()->assistant()->budget()->count());
        $refused = self::rest('POST', "/conversations/$one[id]/messages", ['message' => 'Three']);
        self::assertSame([429, 'toolwire_tokens_spent'], [
            $refused->get_status(), $refused->get_data()['code'],
        ]);
        self::assertLessThanOrEqual(31 * DAY_IN_SECONDS, (int) $refused->get_headers()['Retry-After']);
        $this->settings(['tokens_per_month' => 0]);
        self::begin('Four');
    }

    public function testTriesAreCountedToo(): void
    {
        add_filter('toolwire_conversation_limits', static fn (array $limits): array =>
            ['texts_per_minute' => 2] + $limits, 20);
        $this->script = array_fill(0, 9, new WP_Error('mine', 'words'));
        $failed = self::step(self::begin('Hello'));
        $path = "/conversations/$failed[id]/retry";
        self::assertSame('thinking', self::rest('POST', $path)->get_data()['state']);
        self::step($failed);
        self::assertSame(429, self::rest('POST', $path)->get_status());
        self::assertCount(2, $this->asked);
    }
}
