<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use function Toolwire\WordPress\plugin;

/** The user of a call, who may be deleted by now, or may not approve calls of their own. */
final class OwnCallsTest extends SiteTestCase
{
    /** @return array<string, ?string> a call that waits, whose user is deleted */
    private function ofSomebodyGone(): array
    {
        $id = wp_insert_user([
            'user_login' => 'gone' . uniqid(),
            'user_pass' => 'x',
            'role' => 'editor',
        ]);
        wp_set_current_user($id);
        $row = self::call('test_anybody');
        require_once ABSPATH . 'wp-admin/includes/user.php';
        wp_delete_user($id);
        $this->as('admin');
        return $row;
    }

    private function assertNothingRan(array $row): void
    {
        $row = plugin()->call_log()->find($row['action_id']);
        self::assertSame(
            ['denied', 'user_gone', null, 0],
            [$row['state'], $row['error_code'], $row['result'], self::counted()]
        );
        self::assertStringContainsString('is gone', $row['error']);
    }

    public function testTheCallOfADeletedUserDoesNotRunAsNobody(): void
    {
        $row = $this->ofSomebodyGone();
        self::assertSame('waiting', $row['state']);
        self::decide($row, true);
        $this->assertNothingRan($row);
    }

    public function testAnApprovedCallOfADeletedUserIsNotTakenUp(): void
    {
        $row = $this->ofSomebodyGone();
        plugin()->engines()->get()->approvals->decide($row['approval_id'], true);
        plugin()->housekeeping()->run();
        $this->assertNothingRan($row);
    }

    public function testACallOfADeletedUserDoesNotWait(): void
    {
        $row = $this->ofSomebodyGone();
        self::assertSame([], plugin()->approvals()->page(1, 20)['waiting']);
        $this->assertNothingRan($row);
    }

    public function testNobodyApprovesACallOfTheirOwn(): void
    {
        $this->settings(['others_approve' => true]);
        $row = self::call('test_ask');
        $refused = self::decide($row, true);
        self::assertSame(
            ['toolwire_own_call', ['status' => 403]],
            [$refused->get_error_code(), $refused->get_error_data()]
        );
        [$waiting] = self::rest('GET', '/approvals')->get_data();
        self::assertFalse($waiting['can_approve']);
        self::assertSame(0, self::counted());
        self::assertSame(
            'denied',
            self::decide($row, false)['state'],
            'one may deny what one asked for'
        );
        $this->as('editor');
        $row = self::call('test_ask');
        $this->as('admin');
        self::assertSame('completed', self::decide($row, true)['state']);
    }
}
