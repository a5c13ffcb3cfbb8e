<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use RuntimeException;
use WP_Error;

use function Toolwire\WordPress\plugin;

/** What keeps a call from being approved, such as a person who edits the post. */
final class HoldTest extends SiteTestCase
{
    /** Opens a post in the editor, as the heartbeat of WordPress does. */
    private function edits(string $login, int $post): void
    {
        require_once ABSPATH . 'wp-admin/includes/post.php';
        $before = get_current_user_id();
        $this->as($login);
        wp_set_post_lock($post);
        wp_set_current_user($before);
    }

    /** @return array{string, int} the request's id, and the post's */
    private function waiting(): array
    {
        $this->as('editor');
        $post = self::aPost();
        $sent = (string) wp_json_encode(['post_id' => $post, 'title' => 'After']);
        $row = self::call('update_post', $sent);
        self::assertSame('waiting', $row['state']);
        $this->as('admin');
        return [(string) $row['approval_id'], $post];
    }

    public function testAPostThatSomebodyEditsIsNotChanged(): void
    {
        [$id, $post] = $this->waiting();
        $free = self::rest('GET', "/approvals/$id")->get_data();
        self::assertNull($free['hold']);
        $this->edits('author', $post);
        $name = get_user_by('login', 'author')->display_name;
        $shown = self::rest('GET', "/approvals/$id")->get_data();
        self::assertSame("$name edits this post now.", $shown['hold']);
        self::assertSame($free['fingerprint'], $shown['fingerprint']);
        $decision = ['granted' => true, 'seen' => $shown['fingerprint']];
        $refused = self::rest('POST', "/approvals/$id", $decision);
        self::assertSame(
            [409, 'toolwire_post_locked', "$name edits this post now."],
            [
                $refused->get_status(),
                $refused->get_data()['code'], $refused->get_data()['message'],
            ]
        );
        self::assertSame('waiting', plugin()->call_log()->find_by_approval($id)['state']);
        self::assertSame('Before', get_post($post)->post_title);

        // The lock has ended; what was seen before it still counts.
        delete_post_meta($post, '_edit_lock');
        $done = self::rest('POST', "/approvals/$id", $decision)->get_data();
        self::assertSame('completed', $done['state']);
        self::assertSame('After', get_post($post)->post_title);
    }

    public function testTheListAndADecisionAmongOthersSayWhatHoldsItUp(): void
    {
        [$id, $post] = $this->waiting();
        $this->edits('author', $post);
        $name = get_user_by('login', 'author')->display_name;
        ob_start();
        plugin()->admin()->approvals_screen()->show();
        self::assertStringContainsString("$name edits this post now.", (string) ob_get_clean());
        $seen = plugin()->approvals()->look($id)['fingerprint'];
        $decision = ['id' => $id, 'granted' => true, 'seen' => $seen];
        $told = self::rest('POST', '/approvals/decide', ['decisions' => [$decision]])->get_data();
        self::assertSame('1 is held up for now: look why.', $told['message']);
        self::assertSame('toolwire_post_locked', $told['outcomes'][0]['error']['code']);
    }

    public function testACallThatIsHeldUpCanBeDenied(): void
    {
        [$id, $post] = $this->waiting();
        $this->edits('author', $post);
        $seen = plugin()->approvals()->look($id)['fingerprint'];
        self::assertSame('denied', plugin()->approvals()->decide($id, false, '', $seen)['state']);
    }

    public function testAnOldLockAndThatOfTheCallsUserHoldNothingUp(): void
    {
        [$id, $post] = $this->waiting();
        $this->edits('editor', $post);
        self::assertNull(plugin()->approvals()->look($id)['hold']);
        $author = get_user_by('login', 'author')->ID;
        update_post_meta($post, '_edit_lock', (time() - 1000) . ":$author");
        self::assertNull(plugin()->approvals()->look($id)['hold']);
    }

    public function testTheScreenSaysWhoEditsThePost(): void
    {
        [$id, $post] = $this->waiting();
        $author = get_user_by('login', 'author');
        wp_update_user(['ID' => $author->ID, 'display_name' => "An<b>na\u{202E}"]);
        $this->edits('author', $post);
        ob_start();
        plugin()->admin()->approval_screen()->show($id);
        $page = (string) ob_get_clean();
        wp_update_user(['ID' => $author->ID, 'display_name' => $author->display_name]);
        self::assertStringContainsString('⟨U+202E⟩ edits this post now.', $page);
        self::assertStringNotContainsString('<b>', $page);
    }

    /** @return array{array<string, mixed>, string} what is seen, and the request's id */
    private function heldBy(callable $hold): array
    {
        $register = static fn ($tools) => $tools->register('test_held', [
            'permission_callback' => '__return_true', 'callback' => '__return_empty_array',
            'hold_callback' => $hold,
        ]);
        add_action('toolwire_register_tools', $register);
        plugin()->engines()->reset();
        $id = (string) self::call('test_held', '{"in":{"a":{}}}')['approval_id'];
        $shown = plugin()->approvals()->look($id);
        remove_action('toolwire_register_tools', $register);
        return [$shown, $id];
    }

    public function testAToolOfOthersHoldsItsCallsUp(): void
    {
        $held = true;
        $got = null;
        $hold = static function (array $arguments) use (&$held, &$got) {
            $got = $arguments;
            echo 'noise';
            return $held ? new WP_Error('shop_closed', 'The shop is closed.') : null;
        };
        $this->expectOutputString('');
        [$shown, $id] = $this->heldBy($hold);
        self::assertSame(['in' => ['a' => []]], $got);
        $refused = plugin()->approvals()->decide($id, true, '', $shown['fingerprint']);
        self::assertSame('shop_closed', $refused->get_error_code());
        self::assertSame(409, $refused->get_error_data()['status']);
        $held = false;
        $done = plugin()->approvals()->decide($id, true, '', $shown['fingerprint']);
        self::assertSame('completed', $done['state']);
    }

    public function testAToolThatCannotSayHoldsItsCallUp(): void
    {
        $throws = static fn () => throw new RuntimeException('secret path');
        [[$shown], $told] = self::warned(fn () => $this->heldBy($throws));
        self::assertMatchesRegularExpression('/^Toolwire could not ask .*: .*secret path$/', $told[0]);
        self::assertSame('toolwire_hold_failed', $shown['hold']->get_error_code());
        self::assertStringNotContainsString('secret', $shown['hold']->get_error_message());
    }
}
