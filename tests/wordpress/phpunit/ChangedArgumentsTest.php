<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use RuntimeException;
use Toolwire\Diff;
use Toolwire\Tools\ToolInput;
use Toolwire\WordPress\Masked_Values;
use WP_REST_Response;

use function Toolwire\WordPress\plugin;

/** Arguments that the approving person changes. */
final class ChangedArgumentsTest extends SiteTestCase
{
    private const SECRET = 'hunter2hunter2';

    /** @param array<string, mixed> $arguments */
    private function waiting(string $tool, array $arguments, string $login = 'editor'): string
    {
        $this->as($login);
        $row = self::call($tool, (string) wp_json_encode($arguments ?: (object) []));
        self::assertSame('waiting', $row['state'], (string) $row['error']);
        $this->as('admin');
        return (string) $row['approval_id'];
    }

    private static function seen(string $id): string
    {
        return plugin()->approvals()->look($id)['fingerprint'];
    }

    /** @param array<string, mixed>|string $arguments */
    private static function change(string $id, $arguments, ?string $seen = null): WP_REST_Response
    {
        $body = ['arguments' => $arguments, 'seen' => $seen ?? self::seen($id)];
        return self::rest('PUT', "/approvals/$id", $body);
    }

    /** @param array<string, mixed>|string $arguments */
    private static function approve(string $id, $arguments, string $seen): WP_REST_Response
    {
        $body = ['granted' => true, 'arguments' => $arguments, 'seen' => $seen, 'reason' => 'so'];
        return self::rest('POST', "/approvals/$id", $body);
    }

    private static function assertRefused(int $status, string $code, WP_REST_Response $answer): void
    {
        $told = [$answer->get_status(), $answer->get_data()['code'] ?? null];
        self::assertSame([$status, "toolwire_$code"], $told);
    }

    public function testTheCallRunsWithTheChangedArgumentsAsItsUser(): void
    {
        $post = self::aPost();
        $id = $this->waiting('update_post', ['post_id' => $post, 'title' => 'Wrong']);
        $before = plugin()->approvals()->look($id);
        $changed = ['post_id' => $post, 'title' => 'Right'];
        $shown = self::change($id, $changed)->get_data();
        self::assertSame(wp_json_encode($changed), $shown['arguments']);
        self::assertSame($before['arguments'], $shown['arguments_before']);
        self::assertStringContainsString('+Right', $shown['changes'][0]['diff_output']);
        self::assertNotSame($before['fingerprint'], $shown['fingerprint']);
        self::assertSame(strlen($shown['arguments']), $shown['bytes']);

        // Nothing was kept: whoever looks now sees the call as it was asked for.
        $again = plugin()->approvals()->look($id);
        self::assertSame($before['fingerprint'], $again['fingerprint']);
        self::assertSame('Before', get_post($post)->post_title);

        $done = self::approve($id, $changed, $shown['fingerprint'])->get_data();
        self::assertSame('completed', $done['state'], wp_json_encode($done));
        self::assertSame('Right', get_post($post)->post_title);
        self::assertSame($shown['fingerprint'], $done['decision']['fingerprint']);
        self::assertSame($this->as('editor'), $done['user']);
    }

    public function testWhatWasNotSeenIsNotApproved(): void
    {
        $id = $this->waiting('test_ask', ['text' => 'a']);
        $seen = self::seen($id);
        $other = self::change($id, ['text' => 'b'])->get_data()['fingerprint'];
        self::assertRefused(409, 'changed_since', self::approve($id, ['text' => 'b'], $seen));
        self::assertRefused(409, 'changed_since', self::approve($id, ['text' => 'c'], $other));
        self::assertRefused(409, 'changed_since', self::change($id, ['text' => 'b'], $other));
        self::assertRefused(400, 'fingerprint_missing', self::change($id, ['text' => 'b'], ''));
        $plain = ['granted' => true, 'seen' => $other];
        self::assertRefused(409, 'changed_since', self::rest('POST', "/approvals/$id", $plain));
        self::assertSame(0, self::counted());
        self::assertSame('waiting', plugin()->call_log()->find_by_approval($id)['state']);
        $done = self::approve($id, ['text' => 'b'], $other)->get_data();
        self::assertSame('completed', $done['state']);
        self::assertRefused(409, 'already_decided', self::approve($id, ['text' => 'b'], $other));
        self::assertRefused(409, 'already_decided', self::change($id, ['text' => 'b'], $other));
    }

    public function testWhatTheCallWouldChangeByNowIsWhatCounts(): void
    {
        $post = self::aPost();
        $id = $this->waiting('update_post', ['post_id' => $post, 'title' => 'Wrong']);
        $changed = ['post_id' => $post, 'title' => 'Right'];
        $seen = self::change($id, $changed)->get_data()['fingerprint'];
        wp_update_post(['ID' => $post, 'post_title' => 'Somebody else']);
        self::assertRefused(409, 'changed_since', self::approve($id, $changed, $seen));
        self::assertSame('Somebody else', get_post($post)->post_title);
    }

    public function testAPreviewThatChangesBetweenTheCheckAndTheDecisionIsNoticed(): void
    {
        $asked = 0;
        $preview = static function (array $arguments) use (&$asked): array {
            // The last question is that of the extension, at the decision.
            $asked += ($arguments['n'] ?? 0) === 2 ? 1 : 0;
            return [['label' => 'L', 'diff' => Diff::text('', $asked > 2 ? 'moved' : 'still')]];
        };
        $register = static fn ($tools) => $tools->register('test_moves', [
            'permission_callback' => '__return_true', 'callback' => '__return_empty_array',
            'preview_callback' => $preview,
        ]);
        add_action('toolwire_register_tools', $register);
        plugin()->engines()->reset();
        $id = $this->waiting('test_moves', ['n' => 1]);
        $seen = self::change($id, ['n' => 2])->get_data()['fingerprint'];
        self::assertRefused(409, 'changed_since', self::approve($id, ['n' => 2], $seen));
        self::assertSame(3, $asked);
        self::assertSame('waiting', plugin()->call_log()->find_by_approval($id)['state']);
        remove_action('toolwire_register_tools', $register);
    }

    public function testArgumentsThatDoNotFitAreRefusedWithTheirPlaces(): void
    {
        $id = $this->waiting('test_ask', ['text' => 'a']);
        $refused = self::change($id, ['text' => 5, 'wait' => 'long']);
        self::assertRefused(400, 'invalid_input', $refused);
        $problems = $refused->get_data()['data']['problems'];
        self::assertEqualsCanonicalizing(['/text', '/wait'], array_column($problems, 'path'));
        self::assertRefused(400, 'bad_json', self::change($id, '{"text":'));
        self::assertRefused(400, 'bad_json', self::change($id, ''));
        self::assertRefused(400, 'bad_number', self::change($id, '{"wait":1e400}'));
        self::assertSame(400, self::change($id, '[1]')->get_status());
        self::assertSame(400, self::rest('PUT', "/approvals/$id", [])->get_status());
        $seen = self::seen($id);
        self::assertRefused(400, 'invalid_input', self::approve($id, ['text' => 5], $seen));
        self::assertRefused(400, 'bad_json', self::approve($id, '', $seen));
        self::assertSame('waiting', plugin()->call_log()->find_by_approval($id)['state']);
        $most = static fn (): int => 30;
        add_filter('toolwire_most_argument_bytes', $most);
        $long = self::change($id, ['text' => str_repeat('a', 30)]);
        remove_filter('toolwire_most_argument_bytes', $most);
        self::assertRefused(413, 'arguments_too_large', $long);
        self::assertRefused(404, 'unknown_approval', self::change(str_repeat('0', 32), [], 'f'));
        self::assertSame(0, self::counted());
    }

    public function testNobodyGetsRightsOfOthersByAChange(): void
    {
        $post = self::aPost();
        wp_update_post(['ID' => $post, 'post_author' => $this->as('admin')]);
        $own = wp_insert_post(['post_title' => 'Mine', 'post_author' => $this->as('author')]);
        $id = $this->waiting('update_post', ['post_id' => $own, 'title' => 'A'], 'author');
        // The author may not edit the post of the administrator, who approves.
        $refused = self::change($id, ['post_id' => $post, 'title' => 'A']);
        self::assertRefused(403, 'permission_denied', $refused);

        // An author who may approve cannot use a call of an administrator.
        $id = $this->waiting('update_post', ['post_id' => $own, 'title' => 'A'], 'admin');
        $anybody = static fn (): string => 'edit_posts';
        add_filter('toolwire_capability', $anybody);
        $this->as('author');
        $refused = self::change($id, ['post_id' => $post, 'title' => 'A']);
        $fine = self::change($id, ['post_id' => $own, 'title' => 'B']);
        remove_filter('toolwire_capability', $anybody);
        self::assertRefused(403, 'permission_denied', $refused);
        self::assertSame(200, $fine->get_status());
        $this->as('subscriber');
        self::assertSame(403, self::change($id, ['post_id' => $own], 'f')->get_status());
        wp_set_current_user(0);
        self::assertSame(401, self::change($id, ['post_id' => $own], 'f')->get_status());
    }

    public function testWhoMayNotApproveTheirOwnCallDoesNotChangeItEither(): void
    {
        $this->settings(['others_approve' => true]);
        $id = $this->waiting('test_ask', ['text' => 'a'], 'admin');
        self::assertRefused(403, 'own_call', self::change($id, ['text' => 'b']));
    }

    public function testSecretsThatAreNotShownStay(): void
    {
        $id = $this->waiting('test_ask', ['text' => 'a', 'password' => self::SECRET]);
        $mask = Masked_Values::MASK;
        self::assertStringContainsString($mask, plugin()->approvals()->look($id)['arguments']);
        $sent = ['text' => 'b', 'password' => $mask];
        $changed = self::change($id, $sent);
        self::assertStringNotContainsString(self::SECRET, wp_json_encode($changed->get_data()));
        $done = self::approve($id, $sent, $changed->get_data()['fingerprint'])->get_data();
        self::assertSame(['text' => 'b', 'password' => $mask], (array) $done['arguments']);
        global $wpdb;
        $table = plugin()->schema()->calls_table();
        $kept = wp_json_encode($wpdb->get_results("SELECT * FROM $table", ARRAY_A));
        self::assertStringNotContainsString(self::SECRET, $kept);
    }

    /** Gives what the handler of a tool got after a change. */
    private function runsWith(array $own, $sent): object
    {
        $got = null;
        $callback = static function (array $arguments, ToolInput $input) use (&$got): array {
            $got = json_decode($input->json());
            return [];
        };
        $register = static fn ($tools) => $tools->register('test_got', [
            'permission_callback' => '__return_true', 'callback' => $callback,
        ]);
        add_action('toolwire_register_tools', $register);
        plugin()->engines()->reset();
        $id = $this->waiting('test_got', $own);
        $answer = self::change($id, $sent);
        if ($answer->get_status() === 200) {
            self::approve($id, $sent, $answer->get_data()['fingerprint']);
        }
        remove_action('toolwire_register_tools', $register);
        return (object) ['got' => $got, 'answer' => $answer->get_data()];
    }

    public function testTheToolGetsTheSecretsAndWhatIsEmptyStaysWhatItIs(): void
    {
        $run = $this->runsWith(
            ['password' => self::SECRET, 'to' => 'all', 'o' => (object) [], 'l' => []],
            '{"to":"ann","password":"[redacted]","o":{},"l":[],"n":1.0,"in":[{}]}'
        );
        self::assertSame(
            '{"to":"ann","password":"' . self::SECRET . '","o":{},"l":[],"n":1.0,"in":[{}]}',
            wp_json_encode($run->got, JSON_PRESERVE_ZERO_FRACTION)
        );
    }

    public function testAMaskThatStandsForNoSecretIsRefused(): void
    {
        $mask = Masked_Values::MASK;
        $own = ['list' => [
            ['name' => 'a', 'password' => 'aaaaaaaa1'], ['name' => 'a', 'password' => 'bbbbbbbb2'],
        ], 'note' => "say $mask", 'password' => self::SECRET];
        $item = ['name' => 'a', 'password' => $mask];
        // Two items look the same: nobody knows which one is gone.
        $refused = $this->runsWith($own, ['list' => [$item]] + $own);
        self::assertSame('/list/0', $refused->answer['data']['problems'][0]['path']);
        self::assertNull($refused->got);
        $moved = $this->runsWith($own, ['other' => $mask] + $own);
        self::assertSame('/other', $moved->answer['data']['problems'][0]['path']);
        // The same items in the same number, and a text that has the mask without a secret.
        $sent = ['list' => [$item, $item], 'note' => "tell $mask", 'password' => $mask];
        $run = $this->runsWith($own, $sent);
        self::assertSame(
            ['aaaaaaaa1', 'bbbbbbbb2'],
            array_column($run->got->list, 'password')
        );
        self::assertSame(["tell $mask", self::SECRET], [$run->got->note, $run->got->password]);
    }

    public function testAToolThatThrowsDecidesNothing(): void
    {
        $register = static fn ($tools) => $tools->register('test_bang', [
            'permission_callback' => static fn () => $GLOBALS['test_bang']
                ? throw new RuntimeException('secret path') : true,
            'callback' => '__return_empty_array',
        ]);
        $GLOBALS['test_bang'] = false;
        add_action('toolwire_register_tools', $register);
        plugin()->engines()->reset();
        $id = $this->waiting('test_bang', ['n' => 1]);
        $GLOBALS['test_bang'] = true;
        [$refused, $told] = self::warned(static fn () => self::change($id, ['n' => 2]));
        self::assertRefused(500, 'raised', $refused);
        self::assertStringContainsString('secret path', $told[0]);
        self::assertStringNotContainsString('secret', wp_json_encode($refused->get_data()));
        remove_action('toolwire_register_tools', $register);
        unset($GLOBALS['test_bang']);
    }

    public function testTheSameArgumentsAreNoChange(): void
    {
        $id = $this->waiting('test_ask', ['text' => 'a']);
        $shown = self::change($id, ['text' => 'a'])->get_data();
        self::assertNull($shown['arguments_before']);
        self::assertSame(self::seen($id), $shown['fingerprint']);
        $done = self::approve($id, ['text' => 'a'], $shown['fingerprint'])->get_data();
        self::assertSame('completed', $done['state']);
        self::assertNull(plugin()->call_log()->find_by_approval($id)['changed_at']);
    }

    public function testALockOfTheOtherPostCounts(): void
    {
        [$one, $two] = [self::aPost(), self::aPost()];
        $id = $this->waiting('update_post', ['post_id' => $one, 'title' => 'A']);
        $author = get_user_by('login', 'author')->ID;
        update_post_meta($two, '_edit_lock', time() . ":$author");
        $changed = ['post_id' => $two, 'title' => 'A'];
        $shown = self::change($id, $changed)->get_data();
        self::assertStringContainsString('edits this post now', $shown['hold']);
        $refused = self::approve($id, $changed, $shown['fingerprint']);
        self::assertRefused(409, 'post_locked', $refused);
    }
}
