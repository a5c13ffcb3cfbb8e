<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use DOMDocument;
use DOMXPath;
use Toolwire\WordPress\Admin\Approvals_Screen;
use Toolwire\WordPress\Admin\Brief_View;
use Toolwire\WordPress\Decisions;

use function Toolwire\WordPress\plugin;

/** Several decisions at once: by REST, and the list in which they are made. */
final class DecisionsTest extends SiteTestCase
{
    protected function tearDown(): void
    {
        unset($_GET['counts']);
        parent::tearDown();
    }

    /** @return array<string, mixed> the decision on what a call shows now */
    private static function on(array $row, bool $granted): array
    {
        $shown = plugin()->approvals()->look((string) $row['approval_id']);
        return [
            'id' => (string) $row['approval_id'],
            'granted' => $granted,
            'seen' => $shown['fingerprint'],
        ];
    }

    private static function decideAll(array ...$decisions): array
    {
        $response = self::rest('POST', '/approvals/decide', ['decisions' => $decisions]);
        self::assertSame(200, $response->get_status(), wp_json_encode($response->get_data()));
        $schema = rest_get_server()->get_route_options('/toolwire/v1/approvals/decide')['schema'];
        $data = json_decode((string) wp_json_encode($response->get_data()), true);
        self::assertTrue(rest_validate_value_from_schema($data, $schema(), 'answer'));
        return $data;
    }

    private static function updates(int $post, string $title): array
    {
        return self::call(
            'update_post',
            wp_json_encode(['post_id' => $post, 'title' => $title])
        );
    }

    public function testOneThatChangedDoesNotStopTheOthers(): void
    {
        [$first, $second] = [self::aPost('A'), self::aPost('B')];
        $decisions = [
            self::on(self::updates($first, 'A2'), true),
            self::on($changes = self::updates($first, 'A3'), true),
            self::on(self::updates($second, 'B2'), true),
            self::on(self::call('test_ask'), false),
            ['id' => 'ffffffff', 'granted' => true, 'seen' => 'x'],
            ['id' => 'eeeeeeee', 'granted' => true],
        ];
        $answer = self::decideAll(...$decisions);
        self::assertSame(
            array_column($decisions, 'id'),
            array_column($answer['outcomes'], 'id')
        );
        self::assertSame(
            ['completed', null, 'completed', 'denied', null, null],
            array_map(static fn ($one) => $one['call']['state'] ?? null, $answer['outcomes'])
        );
        self::assertSame(
            [
                null, ['toolwire_changed_since', 409], null, null,
                ['toolwire_unknown_approval', 404], ['toolwire_fingerprint_missing', 400],
            ],
            array_map(
                static fn ($one) => $one['error'] === null
                    ? null
                    : [$one['error']['code'], $one['error']['status']],
                $answer['outcomes']
            )
        );
        self::assertSame(
            '2 approved. 1 denied. 1 has changed: look again. 1 waits no longer: it was decided, '
                . 'taken back, or is too old. 1 was not decided. Try again.',
            $answer['message']
        );
        self::assertFalse($answer['good']);
        self::assertSame(
            ['A2', 'B2'],
            [get_post($first)->post_title, get_post($second)->post_title]
        );
        $still = plugin()->call_log()->find($changes['action_id']);
        self::assertSame(['waiting', ''], [$still['state'], $still['decision']]);
        self::assertSame(
            ['outcomes', true, '1 approved.'],
            [
                array_key_first($again = self::decideAll(self::on($changes, true))),
                $again['good'],
                $again['message'],
            ]
        );
    }

    public function testTheSameCallTwiceIsDecidedOnce(): void
    {
        $decision = self::on(self::call('test_ask'), true);
        $answer = self::decideAll($decision, $decision, ['granted' => false] + $decision);
        self::assertSame(1, self::counted());
        self::assertStringStartsWith('1 approved. 2 wait no longer', $answer['message']);
    }

    public function testADecisionThatThrowsIsOneOutcome(): void
    {
        global $wpdb;
        [$one, $other] = [self::call('test_ask'), self::call('test_ask')];
        $decisions = [self::on($one, true), self::on($other, true)];
        $first = $decisions[0]['id'];
        $break = static fn (string $query): string => str_starts_with($query, 'UPDATE')
            && str_contains($query, 'toolwire_store')
            && str_contains($query, bin2hex($first)) ? 'broken' : $query;
        $told = [];
        set_error_handler(static function (int $kind, string $text) use (&$told): bool {
            $told[] = $text;
            return true;
        }, E_USER_WARNING);
        add_filter('query', $break);
        try {
            $answer = self::decideAll(...$decisions);
        } finally {
            remove_filter('query', $break);
            restore_error_handler();
        }
        self::assertSame('1 approved. 1 was not decided. Try again.', $answer['message']);
        self::assertSame('toolwire_not_decided', $answer['outcomes'][0]['error']['code']);
        self::assertSame(1, self::counted());
        self::assertStringContainsString('could not take a decision', implode($told));
    }

    public function testTheRouteTakesNoMoreThanItsLimitAndOnlyWhoMayApprove(): void
    {
        $one = self::on(self::call('test_ask'), true);
        $bad = [
            [], ['decisions' => []], ['decisions' => 'x'],
            ['decisions' => array_fill(0, Decisions::MOST + 1, $one)],
            ['decisions' => [['id' => $one['id']]]],
            ['decisions' => [['granted' => true]]],
            ['decisions' => [['reason' => str_repeat('x', 2001)] + $one]],
        ];
        foreach ($bad as $body) {
            $refused = self::rest('POST', '/approvals/decide', $body);
            self::assertSame(400, $refused->get_status(), wp_json_encode($body));
        }
        $this->as('editor');
        $refused = self::rest('POST', '/approvals/decide', ['decisions' => [$one]]);
        self::assertSame(403, $refused->get_status());
        self::assertSame(0, self::counted());
    }

    public function testOnesOwnCallIsNotApprovedAmongOthers(): void
    {
        $this->settings(['others_approve' => true]);
        $own = self::call('test_ask');
        $this->as('editor');
        $other = self::call('test_ask');
        $this->as('admin');
        $answer = self::decideAll(self::on($own, true), self::on($other, true));
        self::assertSame(
            '1 approved. 1 is your own: somebody else must approve it.',
            $answer['message']
        );
    }

    public function testTheSentenceAfterTheFormCountsOnlyKindsThatExist(): void
    {
        foreach ([
            ['2 approved. 1 has changed: look again.', 'notice-error',
                ['changed' => '1', 'approved' => '2', '<b>' => '3', 'denied' => ['x']]],
            ['1,000 denied.', 'notice-success', ['denied' => '1000']],
            ['Nothing was decided.', 'notice-error', ['none' => '0']],
        ] as [$text, $class, $counts]) {
            $_GET['counts'] = $counts;
            ob_start();
            plugin()->admin()->notices()->show();
            $said = (string) ob_get_clean();
            self::assertStringContainsString($text, $said);
            self::assertStringContainsString($class, $said);
            self::assertStringNotContainsString('<b>', $said);
        }
    }

    private static function screen(): DOMXPath
    {
        ob_start();
        plugin()->admin()->approvals_screen()->show();
        $document = new DOMDocument();
        $document->loadHTML('<?xml encoding="UTF-8">' . ob_get_clean(), LIBXML_NOERROR);
        return new DOMXPath($document);
    }

    public function testOnlyACallThatTheListShowsAsAWholeHasABox(): void
    {
        $most = Brief_View::MOST_BYTES;
        $post = self::aPost('Hello world!', str_repeat("line\n", 20));
        $large = self::aPost('Large', str_repeat('x', 1500));
        $small = self::updates($post, 'Hello');
        $fits = self::call('test_ask', wp_json_encode(['text' => str_repeat('a', $most - 11)]));
        $over = self::call('test_ask', wp_json_encode(['text' => str_repeat('a', $most - 10)]));
        $diff = self::call('update_post', wp_json_encode([
            'post_id' => $large, 'content' => str_repeat('y', 600),
        ]));
        $screen = self::screen();
        foreach ([[$small, 1], [$fits, 1], [$over, 0], [$diff, 0]] as $at => [$row, $boxes]) {
            $section = "//article[@aria-labelledby='toolwire-{$row['action_id']}']";
            self::assertSame(1, $screen->query($section)->length);
            self::assertSame(
                $boxes,
                $screen->query("$section//input[@name='seen[{$row['approval_id']}]']")->length,
                "call $at"
            );
            self::assertSame(1, $screen->query("$section//a[contains(@class, 'button')]")->length);
        }
        $section = "//article[@aria-labelledby='toolwire-{$small['action_id']}']";
        self::assertSame(
            'Title: Hello world! →becomes Hello',
            trim($screen->evaluate("string($section//p[@class='toolwire-change'])"))
        );
        self::assertSame(
            self::on($small, true)['seen'],
            $screen->evaluate("string($section//input/@value)")
        );
        self::assertSame(
            $fits['arguments'],
            plugin()->call_log()->find($fits['action_id'])['arguments']
        );
        self::assertStringContainsString(
            str_repeat('a', $most - 11),
            $screen->evaluate('string(//form[@class="toolwire-several"])')
        );
    }

    public function testACallBehindSlowToolsHasNoBox(): void
    {
        $tools = static fn ($tools) => $tools->register('slow_preview', [
            'capability' => 'edit_posts',
            'callback' => '__return_true',
            'preview_callback' => static function (): array {
                usleep((int) (1e6 * Approvals_Screen::LOOK_SECONDS));
                return [];
            },
        ]);
        add_action('toolwire_register_tools', $tools);
        plugin()->engines()->reset();
        $rows = [self::call('slow_preview'), self::call('slow_preview')];
        remove_action('toolwire_register_tools', $tools);
        $screen = self::screen();
        self::assertSame([1, 0], array_map(
            static fn (array $row): int =>
                $screen->query("//input[@name='seen[{$row['approval_id']}]']")->length,
            $rows
        ));
    }

    public function testAListWithoutSmallCallsHasNoForm(): void
    {
        self::call('test_ask', wp_json_encode(['text' => str_repeat('a', 3000)]));
        self::assertSame(0, self::screen()->query('//form')->length);
    }

    public function testADiffOfALineSaysWhatIsEmptyAndHidesSecrets(): void
    {
        $post = self::aPost('', 'Words');
        self::call('update_post', wp_json_encode([
            'post_id' => $post,
            'title' => 'Key sk-ant-api03-' . str_repeat('Ab1', 30),
            'content' => "<b>x</b>",
        ]));
        $screen = self::screen();
        $text = $screen->evaluate('string(//article)');
        self::assertStringContainsString('Title: empty', $text);
        self::assertStringContainsString('Content: Words →becomes <b>x</b>', $text);
        self::assertStringNotContainsString('Ab1Ab1', $text);
        self::assertStringNotContainsString('No newline', $text);
    }
}
