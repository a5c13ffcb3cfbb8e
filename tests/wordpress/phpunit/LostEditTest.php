<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use function Toolwire\WordPress\plugin;

/** A post that somebody else edits while `update_post` writes it, or is about to. */
final class LostEditTest extends SiteTestCase
{
    /** Edits a post behind the back of this request, as another request does. */
    private static function edit(int $id, array $columns): void
    {
        global $wpdb;
        $wpdb->update($wpdb->posts, $columns, ['ID' => $id]);
    }

    private static function column(int $id, string $name): string
    {
        global $wpdb;
        return (string) $wpdb->get_var("SELECT $name FROM $wpdb->posts WHERE ID = $id");
    }

    /** @return array<string, callable> when the edit comes, as hooks with their functions */
    private static function moments(): array
    {
        return [
            'when the changes were compared' => 'toolwire_tool_started',
            'at the last moment' => 'pre_post_update',
        ];
    }

    public function testAnApprovalWritesOnlyOverWhatWasCompared(): void
    {
        foreach (self::moments() as $when => $hook) {
            $id = self::aPost();
            $row = self::call('update_post', "{\"post_id\":$id,\"title\":\"After\"}");
            $told = 0;
            $edit = static fn () => self::edit($id, ['post_title' => 'Édité 😀 by Anna']);
            $count = static function () use (&$told): void {
                $told++;
            };
            add_action($hook, $edit);
            add_action('post_updated', $count);
            $row = self::decide($row, true);
            remove_action($hook, $edit);
            remove_action('post_updated', $count);
            self::assertSame('Édité 😀 by Anna', self::column($id, 'post_title'), $when);
            self::assertSame(['failed', 'tool_error', 0], [$row['state'], $row['error_code'], $told]);
            self::assertStringContainsString('toolwire_changed_since', $row['result']);
            self::assertSame('Édité 😀 by Anna', get_post($id)->post_title, 'nor is the cache old');
        }
    }

    public function testAnEditOfAnotherColumnIsKept(): void
    {
        foreach (self::moments() as $when => $hook) {
            $id = self::aPost();
            $row = self::call('update_post', "{\"post_id\":$id,\"title\":\"After\"}");
            $edit = static fn () => self::edit($id, ['post_content' => 'Anna', 'post_excerpt' => 'A']);
            add_action($hook, $edit);
            $row = self::decide($row, true);
            remove_action($hook, $edit);
            self::assertSame('completed', $row['state'], $when);
            self::assertSame(
                ['After', 'Anna', 'A'],
                [
                    self::column($id, 'post_title'), self::column($id, 'post_content'),
                    self::column($id, 'post_excerpt'),
                ],
                $when
            );
        }
    }

    public function testAnUndoWritesOnlyOverWhatWasCompared(): void
    {
        $id = self::aPost();
        $row = self::decide(
            self::call('update_post', "{\"post_id\":$id,\"title\":\"After\",\"content\":\"New\"}"),
            true
        );
        $edit = static fn () => self::edit($id, ['post_content' => 'Anna']);
        add_action('pre_post_update', $edit);
        $refused = plugin()->undoing()->undo($row['action_id']);
        remove_action('pre_post_update', $edit);
        self::assertSame('toolwire_undo_failed', $refused->get_error_code());
        self::assertSame(
            ['After', 'Anna'],
            [self::column($id, 'post_title'), self::column($id, 'post_content')]
        );
    }

    public function testSpacesAtTheEndAndCapitalsAreEdits(): void
    {
        foreach (['Before ', 'before', 'Béfore'] as $title) {
            $id = self::aPost();
            $row = self::call('update_post', "{\"post_id\":$id,\"title\":\"After\"}");
            $edit = static fn () => self::edit($id, ['post_title' => $title]);
            add_action('pre_post_update', $edit);
            self::decide($row, true);
            remove_action('pre_post_update', $edit);
            self::assertSame($title, self::column($id, 'post_title'));
        }
    }

    public function testAnyTextIsComparedAndWritten(): void
    {
        $texts = ['50% off %s %d', "it's \\ \"q\"", '', '日本語 😀', " a\r\nb\t", '{abc} ?', 'after'];
        $id = self::aPost();
        foreach ($texts as $text) {
            $sent = wp_json_encode(['post_id' => $id, 'content' => $text]);
            $row = self::decide(self::call('update_post', $sent), true);
            self::assertSame('completed', $row['state'], "$text: {$row['error']}");
        }
        self::assertSame('after', self::column($id, 'post_content'));
        // The same again, in the same second: nothing changes, and that is no failure.
        $sent = wp_json_encode(['post_id' => $id, 'content' => 'after']);
        self::assertSame('completed', self::decide(self::call('update_post', $sent), true)['state']);
    }
}
