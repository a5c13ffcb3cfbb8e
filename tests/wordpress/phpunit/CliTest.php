<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\Cli\Approvals_Command;
use Toolwire\WordPress\Cli\Command;
use Toolwire\WordPress\Cli\Log_Command;
use Toolwire\WordPress\Cli\Output;
use Toolwire\WordPress\Cli\Runs_Command;

use function Toolwire\WordPress\plugin;

/** The commands of WP-CLI, at a console that records what they write. */
final class CliTest extends SiteTestCase
{
    private Output $console;

    protected function setUp(): void
    {
        parent::setUp();
        $this->console = new class implements Output {
            /** @var list<array<string, mixed>> */
            public array $rows = [];
            /** @var list<string> */
            public array $lines = [];
            /** @var list<string> */
            public array $errors = [];
            /** @var list<string> */
            public array $questions = [];
            public bool $answer = true;

            public function rows(array $rows, array $fields, array $options): void
            {
                $this->rows = $rows;
                foreach ($fields as $field) {
                    CliTest::assertTrue($rows === [] || array_key_exists($field, $rows[0]), $field);
                }
            }

            public function line(string $text): void
            {
                $this->lines[] = $text;
            }

            public function error(string $text): void
            {
                $this->errors[] = $text;
            }

            public function asks(string $question): bool
            {
                $this->questions[] = $question;
                return $this->answer;
            }
        };
    }

    private function shared(): array
    {
        return [$this->console, plugin()->access(), plugin()->call_log(), plugin()->call_view()];
    }

    private function approvals(): Approvals_Command
    {
        return new Approvals_Command(
            ...$this->shared(),
            approvals: plugin()->approvals(),
            decisions: plugin()->decisions(),
            secrets: plugin()->secrets(),
        );
    }

    private function runs(): Runs_Command
    {
        return new Runs_Command(
            ...$this->shared(),
            log_search: plugin()->log_search(),
            runner: plugin()->runner(),
        );
    }

    private function log(): Log_Command
    {
        return new Log_Command(
            ...$this->shared(),
            log_search: plugin()->log_search(),
            runner: plugin()->runner(),
            undoing: plugin()->undoing(),
        );
    }

    private static function seen(array $row): string
    {
        return plugin()->approvals()->look((string) $row['approval_id'])['fingerprint'];
    }

    private function assertSaid(string $text, array $where): void
    {
        self::assertStringContainsString($text, implode("\n", $where));
    }

    public function testEachCommandNeedsAUserAndTheRight(): void
    {
        $row = self::call('test_ask');
        $commands = [
            ['approvals', 'list'], ['approvals', 'show'], ['approvals', 'approve'],
            ['approvals', 'deny'], ['runs', 'list'], ['runs', 'show'], ['runs', 'continue'],
            ['log', 'list'], ['log', 'undo'],
        ];
        $refused = [0 => 'Say who you are', $this->as('subscriber') => 'not allowed'];
        foreach ($refused as $id => $why) {
            wp_set_current_user($id);
            foreach ($commands as [$command, $method]) {
                $this->console->errors = [];
                $ids = [$row['approval_id'], $row['action_id']];
                self::assertSame(1, $this->$command()->$method($ids, []), "$command $method");
                $this->assertSaid($why, $this->console->errors);
            }
        }
        self::assertSame([[], [], []], [
            $this->console->rows, $this->console->lines, $this->console->questions,
        ]);
    }

    public function testACallIsShownAskedAboutAndApproved(): void
    {
        $post = self::aPost('Old title');
        $this->as('editor');
        $row = self::call('update_post', wp_json_encode(['post_id' => $post, 'title' => 'New']));
        $this->as('admin');
        $this->console->answer = false;
        self::assertSame(0, $this->approvals()->approve([$row['approval_id']], []));
        self::assertSame('Old title', get_post($post)->post_title);
        $shown = $this->console->lines;
        foreach ([
            'tool: update_post', 'user: editor', 'reason: because', '    -Old title', '    +New',
            'arguments: {"post_id":' . $post . ',"title":"New"}',
            'fingerprint: ' . self::seen($row),
        ] as $line) {
            self::assertContains($line, $shown);
        }
        self::assertSame(['Approve this call?'], $this->console->questions);
        $this->console->answer = true;
        $options = ['reason' => 'Fine.'];
        self::assertSame(0, $this->approvals()->approve([$row['approval_id']], $options));
        self::assertSame('New', get_post($post)->post_title);
        $row = plugin()->call_log()->find($row['action_id']);
        self::assertSame(
            ['approved', 'Fine.', (string) get_current_user_id()],
            [$row['decision'], $row['decision_reason'], $row['decided_by']]
        );
        self::assertSame(1, $this->approvals()->approve([$row['approval_id']], []));
        $this->assertSaid('Somebody has decided already.', $this->console->errors);
    }

    public function testWithoutAQuestionADecisionNamesWhatWasSeen(): void
    {
        $post = self::aPost('A');
        $change = wp_json_encode(['post_id' => $post, 'title' => 'B']);
        [$first, $second] = [self::call('update_post', $change), self::call('test_ask')];
        $ids = [$first['approval_id'], $second['approval_id']];
        $seen = [self::seen($first), self::seen($second)];
        foreach ([
            [['yes' => true], '--yes needs --seen'],
            [['yes' => true, 'seen' => $seen[0]], '--seen needs a fingerprint for each'],
        ] as [$options, $why]) {
            self::assertSame(1, $this->approvals()->approve($ids, $options));
            $this->assertSaid($why, $this->console->errors);
        }
        self::assertSame(0, self::counted());
        wp_update_post(['ID' => $post, 'post_title' => 'C']);
        $options = ['yes' => true, 'seen' => implode(',', $seen)];
        self::assertSame(1, $this->approvals()->approve($ids, $options), 'one has failed');
        $this->assertSaid('would change something else by now', $this->console->errors);
        self::assertSame(['C', 1], [get_post($post)->post_title, self::counted()]);
        self::assertSame([], $this->console->questions);
        $options = ['yes' => true, 'seen' => self::seen($first)];
        self::assertSame(0, $this->approvals()->deny([$ids[0]], $options));
        self::assertContains("$ids[0]: denied", $this->console->lines);
    }

    public function testAnApprovedCallThatFailsIsAFailure(): void
    {
        $tools = static fn ($tools) => $tools->register('cli_fails', [
            'capability' => 'edit_posts',
            'callback' => static fn () => new \WP_Error('no', 'It broke.'),
        ]);
        add_action('toolwire_register_tools', $tools);
        plugin()->engines()->reset();
        $row = self::call('cli_fails');
        self::assertSame(1, $this->approvals()->approve([$row['approval_id'], 'nonsense'], []));
        remove_action('toolwire_register_tools', $tools);
        $this->assertSaid('failed: It broke.', $this->console->errors);
        $this->assertSaid('nonsense: There is no such request', $this->console->errors);
    }

    public function testNoTextPassesForALineOfTheCommand(): void
    {
        $row = plugin()->runner()->run(
            self::parsed('test_ask', '{"text":"x"}'),
            '',
            "harmless\nfingerprint: 00000000"
        );
        $this->approvals()->show([$row['approval_id']], []);
        self::assertContains('    fingerprint: 00000000', $this->console->lines);
        self::assertNotContains('fingerprint: 00000000', $this->console->lines);
    }

    public function testListsHavePagesAndWholeRowsForPrograms(): void
    {
        foreach (['a', 'b', 'c'] as $text) {
            self::call('test_ask', wp_json_encode(['text' => $text, 'password' => 'hunter2']));
        }
        $options = ['limit' => '2', 'page' => '2'];
        self::assertSame(0, $this->approvals()->list([], $options));
        self::assertCount(1, $this->console->rows);
        $this->approvals()->list([], ['limit' => '2']);
        self::assertCount(2, $this->console->rows);
        $this->assertSaid('There are 3. The next ones: --page=2', $this->console->lines);
        $this->approvals()->list([], ['format' => 'count', 'limit' => '1']);
        self::assertContains('3', $this->console->lines);
        $id = $this->console->rows[0]['id'];
        $this->approvals()->show([$id, $id], ['format' => 'json']);
        $shown = $this->console->rows;
        self::assertCount(2, $shown);
        self::assertStringNotContainsString('hunter2', wp_json_encode($shown));
        self::assertSame('a', json_decode($shown[0]['arguments'], true)['text']);
        self::assertSame(['changes' => [], 'user' => 'admin'], [
            'changes' => $shown[0]['changes'], 'user' => $shown[0]['user'],
        ]);
        $this->log()->list([], ['limit' => (string) (Command::MOST + 5)]);
        self::assertCount(3, $this->console->rows);
    }

    public function testTheLogIsFilteredAndWrongFiltersAreSaid(): void
    {
        self::call('test_count');
        $this->as('editor');
        self::call('test_count', '{"text":"needle"}');
        self::call('test_ask');
        $this->as('admin');
        foreach ([
            [['tool' => 'test_count'], 2], [['by' => 'editor'], 2], [['state' => 'waiting'], 1],
            [['by' => (string) get_user_by('login', 'editor')->ID, 'search' => 'needle'], 1],
            [['origin' => 'rest'], 3], [['from' => '2099-01-01'], 0], [['to' => '2001-01-01'], 0],
            [['by' => get_user_by('login', 'editor')->user_email], 2],
        ] as [$options, $number]) {
            self::assertSame(0, $this->log()->list([], $options));
            self::assertCount($number, $this->console->rows, wp_json_encode($options));
        }
        $wrong = ['state' => 'any', 'origin' => 'x', 'from' => 'today', 'by' => 'nobody'];
        foreach ($wrong as $name => $bad) {
            $this->console->errors = [];
            self::assertSame(1, $this->log()->list([], [$name => $bad]));
            $this->assertSaid("--$name", $this->console->errors);
        }
    }

    public function testRunsAreListedShownAndContinued(): void
    {
        self::call('test_count');
        $decided = self::call('test_ask');
        $waits = self::call('test_ask');
        plugin()->engines()->get()->approvals->decide($decided['approval_id'], true);
        self::assertSame(0, $this->runs()->list([], []));
        self::assertSame(['waiting', 'waiting'], array_column($this->console->rows, 'state'));
        $ids = [$decided['action_id'], $waits['action_id'], 'nobody'];
        self::assertSame(1, $this->runs()->continue($ids, []));
        self::assertSame(["$ids[0]: completed"], $this->console->lines);
        $this->assertSaid("$ids[1]: Nobody has decided on it.", $this->console->errors);
        $this->assertSaid('nobody: There is no such call.', $this->console->errors);
        self::assertSame(1, $this->runs()->continue([$ids[0]], []));
        $this->assertSaid('It is completed', $this->console->errors);
        self::assertSame(2, self::counted());
        self::assertSame(1, $this->runs()->show([$ids[1], 'nobody'], []));
        self::assertContains('state: waiting', $this->console->lines);
        self::assertSame(0, $this->runs()->show([$ids[1]], ['format' => 'json']));
        self::assertSame($ids[1], $this->console->rows[0]['id']);
    }

    public function testAnInterruptedCallRunsOnceMoreAfterAQuestion(): void
    {
        $row = self::call('test_count');
        $executor = plugin()->engines()->get()->executor;
        plugin()->call_log()->change($row['action_id'], ['state' => 'interrupted']);
        $this->console->answer = false;
        self::assertSame(0, $this->runs()->continue([$row['action_id']], []));
        $this->assertSaid('Run it once more?', $this->console->questions);
        self::assertSame(1, $this->runs()->continue([$row['action_id']], ['yes' => true]));
        self::assertCount(1, $this->console->questions, 'with --yes there is no question');
        $this->assertSaid('Only an interrupted call', $this->console->errors);
        self::assertSame(1, self::counted());
        self::assertSame('completed', $executor->run($row['action_id'])->state);
    }

    public function testCallsAreUndoneByTheirUserOrWhoDecides(): void
    {
        $admins = self::call('test_count');
        $this->as('editor');
        $own = self::call('test_count');
        self::assertSame(1, $this->log()->undo([$admins['action_id'], $own['action_id']], []));
        self::assertSame(["{$own['action_id']}: undone"], $this->console->lines);
        $this->assertSaid('There is no such call.', $this->console->errors);
        $this->as('admin');
        self::assertSame(1, $this->log()->undo([$own['action_id']], []));
        $this->assertSaid('There is nothing to undo', $this->console->errors);
    }
}
