<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use function Toolwire\WordPress\plugin;

/** What users see of their own calls: by REST and on their screen. */
final class MyCallsTest extends SiteTestCase
{
    public function testTheListHasTheCallsOfTheCurrentUserByPages(): void
    {
        self::call('test_count', '{"text":"of the administrator"}');
        $this->as('editor');
        foreach (['a', 'b', 'c'] as $text) {
            self::call('test_count', wp_json_encode(['text' => $text]));
        }
        $page = self::rest('GET', '/calls', ['per_page' => 2, 'page' => 2]);
        self::assertSame(['a'], array_column(array_column($page->get_data(), 'arguments'), 'text'));
        $headers = $page->get_headers();
        self::assertSame(['3', '2'], [$headers['X-WP-Total'], $headers['X-WP-TotalPages']]);
        $all = self::rest('GET', '/calls', ['user' => 1, 'tool' => 'x'])->get_data();
        self::assertSame(
            ['c', 'b', 'a'],
            array_column(array_column($all, 'arguments'), 'text'),
            'no parameter leads to the calls of others'
        );
        foreach ([['per_page' => 101], ['page' => 0]] as $window) {
            self::assertSame(400, self::rest('GET', '/calls', $window)->get_status());
        }
        $this->as('subscriber');
        self::assertSame(403, self::rest('GET', '/calls')->get_status());
    }

    public function testVisitorsHaveNoList(): void
    {
        $everybody = static fn (string $right, string $what): string =>
            $what === 'use' ? 'exist' : $right;
        add_filter('toolwire_capability', $everybody, 10, 2);
        wp_set_current_user(0);
        self::call('test_anybody');
        $list = self::rest('GET', '/calls');
        remove_filter('toolwire_capability', $everybody, 10);
        self::assertSame([200, []], [$list->get_status(), $list->get_data()]);
    }

    public function testADecidedCallGoesOnWhenItsUserLooks(): void
    {
        $this->as('editor');
        $row = self::call('test_ask');
        self::assertSame('waiting', self::rest('GET', '/calls')->get_data()[0]['state']);
        plugin()->engines()->get()->approvals->decide($row['approval_id'], true);
        self::assertSame('completed', self::rest('GET', '/calls')->get_data()[0]['state']);
        self::assertSame(1, self::counted());
    }

    public function testTheScreenTellsNoMoreThanTheRoute(): void
    {
        $this->as('editor');
        self::call('test_throw');
        self::call('test_fail', '{"text":"why"}');
        ob_start();
        plugin()->admin()->my_calls_screen()->show();
        $screen = (string) ob_get_clean();
        self::assertStringContainsString('The tool failed.', $screen);
        self::assertStringContainsString('refused why', $screen);
        self::assertStringNotContainsString('/etc/shadow', $screen);
        self::assertStringNotContainsString('>User<', $screen);
    }
}
