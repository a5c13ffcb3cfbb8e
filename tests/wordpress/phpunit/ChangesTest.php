<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use RuntimeException;

use function Toolwire\WordPress\plugin;

/** Tools that cannot say what a call would change. */
final class ChangesTest extends SiteTestCase
{
    /** @return array<string, array{callable, string}> */
    public static function previews(): array
    {
        return [
            'it throws' => [fn () => throw new RuntimeException('no such table'), 'no such table'],
            'no diff' => [fn () => [['label' => 'Title', 'diff' => 'x']], 'it gave no labels with diffs'],
            'no label' => [fn () => [['diff' => 'x']], 'it gave no labels with diffs'],
        ];
    }

    /** @dataProvider previews */
    public function testWhyIsReportedAndTheCallStillWaits(callable $preview, string $why): void
    {
        $tools = static fn ($tools) => $tools->register('blind', [
            'capability' => 'edit_posts', 'callback' => '__return_true',
            'preview_callback' => $preview,
        ]);
        add_action('toolwire_register_tools', $tools);
        plugin()->engines()->reset();
        [$row, $told] = self::warned(static fn () => self::call('blind'));
        remove_action('toolwire_register_tools', $tools);
        plugin()->engines()->reset();
        self::assertSame('waiting', $row['state']);
        self::assertSame(
            ["Toolwire could not ask what a call of blind would change: $why"],
            array_values(array_unique($told))
        );
    }
}
