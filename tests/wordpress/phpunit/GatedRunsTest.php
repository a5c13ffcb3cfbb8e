<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use function Toolwire\WordPress\plugin;

/** How the site runs a gated ability. */
final class GatedRunsTest extends GateTestCase
{
    public function testACallOfAToolIsNotGatedTwice(): void
    {
        $ability = $this->ability(['meta' => ['show_in_rest' => true, 'annotations' => []]]);
        $row = self::call($ability->get_name(), '{"text":"a"}');
        self::assertSame('completed', self::decide($row, true)['state']);
        self::assertCount(1, self::rows());
        self::assertSame([['text' => 'a']], $this->ran);
        $answer = plugin()->served()->calls()->run($ability->get_name(), '{"text":"b"}');
        self::assertSame('waiting', $answer['state']);
        self::decide(plugin()->call_log()->find($answer['call']), true);
        self::assertSame([['text' => 'a'], ['text' => 'b']], $this->ran);
        self::assertCount(2, self::rows());
    }

    public function testARunPassesOnceByNameAndInput(): void
    {
        $inner = null;
        $other = $this->ability();
        $act = static function ($input) use (&$inner, &$ability, $other) {
            $inner = [$ability->execute($input), $other->execute($input)];
            return 'done';
        };
        $ability = $this->ability(['execute_callback' => $act]);
        self::decide($this->waits($ability->execute(['text' => 'a'])), true);
        self::assertSame('done', $ability->execute(['text' => 'a']));
        self::assertCode('toolwire_running', $inner[0]);
        self::assertSame($other->get_name(), $this->waits($inner[1])['tool']);
    }

    public function testATextAListAndNoInputAreInputs(): void
    {
        $numbers = ['type' => 'array', 'items' => ['type' => 'integer']];
        $object = ['type' => 'object', 'default' => ['n' => 1]];
        $parts = ['type' => 'object', 'properties' => [
            'map' => ['type' => 'object'], 'n' => ['type' => 'integer', 'default' => 3],
        ]];
        foreach ([
            [['type' => 'string'], 'x'], [$numbers, []], [$numbers, [1, 2]],
            [['type' => 'number'], 5.0], [['type' => 'integer'], 5.0], [$parts, ['map' => []]], [['type' => 'object'], []], [$object, ['n' => 1]],
            [[], null],
        ] as [$schema, $input]) {
            $this->ran = [];
            $ability = $this->ability(['input_schema' => $schema]);
            self::decide($this->waits($ability->execute($input)), true);
            $got = ['got' => $input, 'by' => get_current_user_id()];
            self::assertEquals($got, $ability->execute($input));
            self::assertEquals([$input], $this->ran);
        }
    }

    public function testInputThatJsonCannotHoldDoesNotRun(): void
    {
        $ability = $this->ability(['input_schema' => ['type' => 'object', 'properties' => []]]);
        foreach ([['a' => NAN], ['a' => "\xff"], ['a' => new \ArrayObject([1])]] as $input) {
            self::assertCode('toolwire_bad_json', $ability->execute($input));
        }
        self::assertSame([[], []], [$this->ran, self::rows()]);
    }

    public function testADatabaseThatRefusesIsAnErrorAndAnAbilityThatRanIsCompleted(): void
    {
        $ability = $this->ability();
        $away = static fn (string $key): \Closure => static fn (string $query): string =>
            str_contains($query, bin2hex($key)) ? 'NO QUERY' : $query;
        $asked = $away('wordpress/ability/asked/');
        add_filter('query', $asked);
        [$refused, $told] = self::warned(static fn () => $ability->execute(['text' => 'a']));
        self::assertCode('toolwire_not_run', $refused);
        self::assertStringStartsWith("Toolwire could not make a call of {$ability->get_name()}", $told[0]);
        remove_filter('query', $asked);
        self::assertSame([[], []], [$this->ran, self::rows()]);

        $row = $this->waits($ability->execute(['text' => 'a']));
        $result = static fn (string $query): string => str_starts_with($query, 'REPLACE')
            ? $away('wordpress/ability/result/')($query)
            : $query;
        add_filter('query', $result);
        self::assertSame('completed', self::decide($row, true)['state']);
        remove_filter('query', $result);
        self::assertCount(1, $this->ran);
        self::assertCode('toolwire_result_not_kept', $ability->execute(['text' => 'a']));
    }

    public function testRightsCountWhenAnApprovedCallRuns(): void
    {
        $ability = $this->ability();
        $editor = $this->as('editor');
        $row = $this->waits($ability->execute(['text' => 'a']));
        $this->as('admin');
        $user = get_userdata($editor);
        $user->set_role('subscriber');
        self::assertSame('permission_denied', self::decide($row, true)['error_code']);
        $user->set_role('editor');
        $this->as('editor');
        self::assertCode('toolwire_permission_denied', $ability->execute(['text' => 'a']));
        self::assertSame([], $this->ran);
    }

    public function testAToolOfItsNameGivesAPreviewAndUndo(): void
    {
        $ability = $this->ability();
        $name = $ability->get_name();
        $undone = [];
        $register = static function ($tools) use ($name, &$undone): void {
            $tools->register($name, [
                'capability' => 'edit_posts', 'input_schema' => self::TEXT,
                'preview_callback' => static fn ($given) => [
                    ['label' => 'Text', 'diff' => \Toolwire\Diff::text('old', $given['text'])],
                ],
                'callback' => static fn ($given, \Toolwire\Tools\ToolInput $run) =>
                    \Toolwire\Tools\ToolOutput::ok(
                        (array) plugin()->gate()->own_runs()->run($name, $given, $run->runId),
                        undoMetadata: ['before' => 'old']
                    ),
                'undo_callback' => static function ($data) use (&$undone): void {
                    $undone[] = $data['before'];
                },
            ]);
        };
        add_action('toolwire_register_tools', $register, 30);
        plugin()->engines()->reset();
        $row = $this->waits($ability->execute(['text' => 'new']));
        $shown = plugin()->approvals()->look($row['approval_id']);
        self::assertSame('Text', $shown['changes'][0]['label']);
        self::decide($row, true);
        self::assertSame([['text' => 'new']], $this->ran);
        self::assertTrue(plugin()->undoing()->undo($row['action_id']));
        self::assertSame(['old'], $undone);
        self::assertCode('toolwire_undone', $ability->execute(['text' => 'new']));
        remove_action('toolwire_register_tools', $register, 30);
        plugin()->engines()->reset();
    }

    public function testArgumentsThatAPersonChangesRun(): void
    {
        $this->as('editor');
        $ability = $this->ability();
        $row = $this->waits($ability->execute(['text' => 'a']));
        $this->as('admin');
        $id = (string) $row['approval_id'];
        $shown = plugin()->approvals()->look($id);
        $changed = plugin()->approvals()->change($id, '{"text":"b"}', $shown['fingerprint']);
        self::assertIsArray($changed);
        $row = plugin()->approvals()->decide($id, true, '', $changed['fingerprint'], '{"text":"b"}');
        self::assertSame('completed', $row['state'], (string) $row['error']);
        self::assertSame([['text' => 'b']], $this->ran);
        $editor = $this->as('editor');
        self::assertSame(
            ['got' => ['text' => 'b'], 'by' => $editor],
            $ability->execute(['text' => 'a'])
        );
    }

    public function testWhatOtherCodeChangesInTheInputAfterApprovalDoesNotRun(): void
    {
        if (self::isOld()) {
            self::assertFalse(class_exists('WP_Filter_Sentinel'));
            return;
        }
        $ability = $this->ability();
        $row = $this->waits($ability->execute(['text' => 'a']));
        $change = static fn ($input) => ['text' => 'changed'];
        add_filter('wp_ability_normalize_input', $change);
        self::assertSame('tool_error', self::decide($row, true)['error_code']);
        remove_filter('wp_ability_normalize_input', $change);
        self::assertSame([], $this->ran);
        self::assertCode('toolwire_input_changed', $ability->execute(['text' => 'a']));
    }

    public function testFiltersOfResultsApplyOnce(): void
    {
        if (self::isOld()) {
            self::assertFalse(class_exists('WP_Filter_Sentinel'));
            return;
        }
        $ability = $this->ability();
        $filter = static fn ($result) => is_wp_error($result)
            ? $result
            : ['seen' => ($result['seen'] ?? 0) + 1];
        add_filter('wp_ability_execute_result', $filter);
        self::decide($this->waits($ability->execute(['text' => 'a'])), true);
        self::assertSame(['seen' => 1], $ability->execute(['text' => 'a']));
        $this->settings(['gate' => 'all']);
        self::assertSame(['seen' => 1], $this->ability([], true)->execute(['text' => 'a']));
        remove_filter('wp_ability_execute_result', $filter);
    }

    public function testAClassWithItsOwnCodeIsGated(): void
    {
        if (self::isOld()) {
            self::assertFalse(class_exists('WP_Filter_Sentinel'));
            return;
        }
        require_once __DIR__ . '/Stamp.php';
        $reads = ['annotations' => ['readonly' => true]];
        foreach ([['meta' => []], ['meta' => $reads]] as $arguments) {
            Stamp::$stamped = [];
            $this->settings(['gate' => 'all']);
            $ability = $this->ability(['ability_class' => Stamp::class] + $arguments);
            self::assertCode('ability_invalid_input', $ability->execute(['text' => 5]));
            if (!isset($arguments['meta']['annotations'])) {
                self::decide($this->waits($ability->execute(['text' => 'a'])), true);
            }
            self::assertSame(['stamped' => 'a'], $ability->execute(['text' => 'a']));
            self::assertSame(['a'], Stamp::$stamped);
            self::assertSame('completed', self::rows()[count(self::rows()) - 1]['state']);
        }
        $this->as('subscriber');
        self::assertCode('ability_invalid_permissions', $ability->execute(['text' => 'a']));
    }
}
