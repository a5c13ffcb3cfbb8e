<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\Gate\Rule;
use WP_Error;

use function Toolwire\WordPress\plugin;

/** Which abilities are gated, and what whoever runs them gets. */
final class GateTest extends GateTestCase
{
    public function testACallWaitsRunsOnceAndItsResultIsGivenOnce(): void
    {
        $editor = $this->as('editor');
        $ability = $this->ability();
        $row = $this->waits($ability->execute(['text' => 'a', 'n' => 1]));
        $same = $this->waits($ability->execute(['n' => 1, 'text' => 'a']));
        self::assertSame($row['action_id'], $same['action_id']);
        self::assertSame([], $this->ran);
        self::assertCount(1, self::rows());

        $this->as('admin');
        self::assertNotSame(
            $row['action_id'],
            $this->waits($ability->execute(['text' => 'a', 'n' => 1]))['action_id'],
            'another user has another call'
        );
        self::assertSame('completed', self::decide($row, true)['state']);
        self::assertSame([['text' => 'a', 'n' => 1]], $this->ran);

        $this->as('editor');
        $got = ['got' => ['text' => 'a', 'n' => 1], 'by' => $editor];
        self::assertSame($got, $ability->execute(['text' => 'a', 'n' => 1]));
        self::assertCount(1, $this->ran);
        $next = $this->waits($ability->execute(['text' => 'a', 'n' => 1]));
        self::assertNotSame($row['action_id'], $next['action_id']);
        self::assertSame('{"text":"a","n":1}', $next['arguments']);
    }

    public function testADeniedCallSaysSoOnceAndRunsNothing(): void
    {
        $ability = $this->ability();
        $row = $this->waits($ability->execute(['text' => 'a']));
        self::decide($row, false, 'too early');
        $answer = $ability->execute(['text' => 'a']);
        self::assertCode('toolwire_approval_denied', $answer);
        self::assertSame(
            ['status' => 403, 'call' => $row['action_id']],
            array_slice($answer->get_error_data(), 0, 2)
        );
        $this->waits($ability->execute(['text' => 'a']));
        self::assertSame([], $this->ran);
    }

    public function testTheErrorOfAnAbilityIsGivenAsItIs(): void
    {
        $this->gives = new WP_Error('shop_empty', 'Sold out.', ['status' => 409, 'left' => 0]);
        $ability = $this->ability();
        self::decide($this->waits($ability->execute(['text' => 'a'])), true);
        $answer = $ability->execute(['text' => 'a']);
        self::assertSame(
            ['shop_empty', 'Sold out.', ['status' => 409, 'left' => 0]],
            [$answer->get_error_code(), $answer->get_error_message(), $answer->get_error_data()]
        );
    }

    public function testAResultThatCannotBeKeptIsNotRunAgainInSilence(): void
    {
        foreach ([['bytes' => "\xff"], ['long' => str_repeat('x', 1048576)]] as $number => $gives) {
            $this->gives = $gives;
            $ability = $this->ability();
            self::decide($this->waits($ability->execute(['text' => 'a'])), true);
            self::assertCode('toolwire_result_not_kept', $ability->execute(['text' => 'a']));
            self::assertCount($number + 1, $this->ran);
        }
    }

    public function testAResultIsInTheStoreEncryptedAndGoesWithItsCall(): void
    {
        $this->gives = ['text' => 'the-result-itself', 'none' => (object) []];
        $ability = $this->ability();
        $row = $this->waits($ability->execute(['text' => 'a']));
        self::decide($row, true);
        global $wpdb;
        $table = plugin()->schema()->store_table();
        $kept = static fn (): array => $wpdb->get_col(
            "SELECT value FROM $table WHERE name LIKE 'wordpress/ability/result/%'"
        );
        self::assertCount(1, $kept());
        self::assertGreaterThan(strlen('the-result-itself') + 64, strlen($kept()[0]));
        $plain = "SELECT COUNT(*) FROM $table WHERE value LIKE '%the-result-itself%'";
        self::assertSame('0', $wpdb->get_var($plain));
        self::assertSame(
            '{"text":"the-result-itself","none":{}}',
            wp_json_encode($ability->execute(['text' => 'a']))
        );
        self::assertSame([], $kept());

        self::decide($this->waits($ability->execute(['text' => 'a'])), true);
        $last = self::rows()[1];
        plugin()->remains()->forget($last['action_id'], $last['approval_id']);
        self::assertSame([], $kept());
    }

    public function testAResultIsKeptForADay(): void
    {
        $ability = $this->ability();
        $row = $this->waits($ability->execute(['text' => 'a']));
        self::decide($row, true);
        global $wpdb;
        $table = plugin()->schema()->store_table();
        $left = (int) $wpdb->get_var(
            "SELECT expires_at FROM $table WHERE name LIKE 'wordpress/ability/result/%'"
        ) / 1000000 - time();
        self::assertEqualsWithDelta(DAY_IN_SECONDS, $left, 60);
        $wpdb->query(
            "UPDATE $table SET expires_at = 1 WHERE name LIKE 'wordpress/ability/result/%'"
        );
        self::assertNotSame(
            $row['action_id'],
            $this->waits($ability->execute(['text' => 'a']))['action_id']
        );
    }

    public function testAnErasedCallMakesRoomForANewOne(): void
    {
        $ability = $this->ability();
        $row = $this->waits($ability->execute(['text' => 'a']));
        plugin()->remains()->forget($row['action_id'], $row['approval_id']);
        plugin()->call_log()->delete($row['action_id']);
        self::assertCode('toolwire_busy', $ability->execute(['text' => 'a']));
        global $wpdb;
        $table = plugin()->schema()->store_table();
        $value = wp_json_encode(['call' => $row['action_id'], 'at' => time() - 61]);
        $wpdb->query($wpdb->prepare(
            "UPDATE $table SET value = %s WHERE name LIKE 'wordpress/ability/asked/%%'",
            $value
        ));
        $this->waits($ability->execute(['text' => 'a']));
    }

    public function testBadInputAndForbiddenTriesDoNotReachTheGate(): void
    {
        $ability = $this->ability();
        self::assertCode('ability_invalid_input', $ability->execute(['text' => 5]));
        self::assertSame([], self::rows());
        self::assertTrue($ability->check_permissions(['text' => 'a']));
        self::assertSame([], self::rows(), 'a question is no call');
    }

    public function testOnlyWhatMayWriteIsGatedUnlessTheSettingsOrAFilterSayMore(): void
    {
        $reads = $this->ability([], true);
        $writes = $this->ability();
        self::assertSame(['text' => 'a'], $reads->execute(['text' => 'a'])['got']);
        self::assertSame([], self::rows());

        $this->settings(['gate' => 'all']);
        self::assertSame(['text' => 'a'], $reads->execute(['text' => 'a'])['got']);
        $row = self::rows()[0];
        self::assertSame([$reads->get_name(), 'completed'], [$row['tool'], $row['state']]);
        self::assertCount(2, $this->ran);

        add_filter('toolwire_gate_ability', static function ($gate, $name, $ability) use ($writes) {
            self::assertSame($name, $ability->get_name());
            return $name !== $writes->get_name() && $gate;
        }, 10, 3);
        self::assertSame(['text' => 'b'], $writes->execute(['text' => 'b'])['got']);
        self::assertCount(1, self::rows());

        $this->settings(['gate' => 'none']);
        remove_all_filters('toolwire_gate_ability');
        self::assertSame(['text' => 'c'], $writes->execute(['text' => 'c'])['got']);
        self::assertCount(1, self::rows());
    }

    public function testWithoutTheSettingAnAbilityIsRegisteredAsItIs(): void
    {
        $callback = static fn (): int => 1;
        $given = ['execute_callback' => $callback, 'category' => 'tests'];
        $this->settings(['gate' => 'none']);
        $registered = static fn (array $arguments, string $name): array =>
            apply_filters('wp_register_ability_args', $arguments, $name);
        self::assertSame($given, $registered($given, 'shop/any'));
        $this->settings(['gate' => 'all']);
        self::assertNotSame($given, $registered($given, 'shop/any'));
        self::assertSame($given, $registered($given, Rule::RUNS_OTHERS));
        $own = ['category' => 'toolwire'] + $given;
        self::assertSame($own, $registered($own, 'toolwire/shop-write'));
    }

    public function testAnAbilityThatRunsAtOnceGivesItsResultWholeAndIsLimited(): void
    {
        $this->settings(['gate' => 'all', 'calls_per_minute' => 2]);
        $ability = $this->ability([], true);
        $this->gives = ['bytes' => "\xff", 'at' => new \DateTimeImmutable('2026-01-31')];
        self::assertSame($this->gives, $ability->execute(['text' => 'a']));
        self::assertSame($this->gives, $ability->execute(['text' => 'a']));
        $third = $ability->execute(['text' => 'a']);
        self::assertCode('toolwire_rate_limited', $third);
        self::assertSame(429, $third->get_error_data()['status']);
        self::assertCount(2, $this->ran);
    }

    public function testACallThatMayNotWaitIsNotRemembered(): void
    {
        $most = 1;
        $limit = static function () use (&$most): int {
            return $most;
        };
        add_filter('toolwire_most_waiting_calls', $limit);
        $ability = $this->ability();
        $this->waits($ability->execute(['text' => 'a']));
        $answer = $ability->execute(['text' => 'b']);
        self::assertCode('toolwire_too_many_waiting', $answer);
        self::assertSame(429, $answer->get_error_data()['status']);
        $most = 2;
        $this->waits($ability->execute(['text' => 'b']));
        remove_filter('toolwire_most_waiting_calls', $limit);
        $bytes = static fn (): int => 20;
        add_filter('toolwire_most_argument_bytes', $bytes);
        $answer = $ability->execute(['text' => str_repeat('c', 20)]);
        self::assertCode('toolwire_arguments_too_large', $answer);
        remove_filter('toolwire_most_argument_bytes', $bytes);
        self::assertCount(2, self::rows());
    }

    public function testASiteThatWantsToSeeEveryCallSeesThoseThatReadToo(): void
    {
        $this->settings(['gate' => 'all', 'approval' => 'all']);
        $ability = $this->ability([], true);
        self::decide($this->waits($ability->execute(['text' => 'a'])), true);
        self::assertSame(['text' => 'a'], $ability->execute(['text' => 'a'])['got']);
    }

    public function testAnAbilityThatOtherCodeLeavesOutOfListsIsGated(): void
    {
        add_filter('wp_get_abilities_result', '__return_empty_array');
        $ability = $this->ability(['meta' => ['show_in_rest' => true]]);
        $row = $this->waits($ability->execute(['text' => 'a']));
        self::assertSame('completed', self::decide($row, true)['state']);
        remove_filter('wp_get_abilities_result', '__return_empty_array');
        self::assertSame(['text' => 'a'], $ability->execute(['text' => 'a'])['got']);
    }

    public function testAVisitorsCallDoesNotWaitAndTheSitesOwnDoes(): void
    {
        $open = ['permission_callback' => '__return_true'];
        $ability = $this->ability($open);
        wp_set_current_user(0);
        $answer = $ability->execute(['text' => 'a', 'password' => 'hunter2']);
        self::assertCode('toolwire_no_user', $answer);
        self::assertSame(['status' => 401], $answer->get_error_data());
        $row = self::rows()[0];
        self::assertSame(
            ['refused', 'no_user', '0'],
            [$row['state'], $row['error_code'], $row['user_id']]
        );
        self::assertStringNotContainsString('hunter2', $row['arguments']);
        add_filter('wp_doing_cron', '__return_true');
        $row = $this->waits($ability->execute(['text' => 'a']));
        $this->as('admin');
        self::decide($row, true);
        wp_set_current_user(0);
        self::assertSame(['got' => ['text' => 'a'], 'by' => 0], $ability->execute(['text' => 'a']));
        remove_filter('wp_doing_cron', '__return_true');
        $this->settings(['gate' => 'all']);
        self::assertSame(0, $this->ability($open, true)->execute(['text' => 'a'])['by']);
    }

    public function testAHiddenAbilityIsNoToolThatAnybodyMayName(): void
    {
        $ability = $this->ability();
        $tools = plugin()->engines()->get()->tools;
        self::assertArrayNotHasKey($ability->get_name(), $tools->all());
        self::assertFalse($tools->offered()->has($ability->get_name()));
        self::assertNotContains($ability->get_name(), array_column($tools->for_detector(), 'name'));
        $call = ['name' => $ability->get_name(), 'arguments' => ['text' => 'a']];
        $sent = self::rest('POST', '/calls', $call);
        self::assertSame(
            [404, 'toolwire_tool_not_found'],
            [$sent->get_status(), $sent->get_data()['code']]
        );
        self::assertSame([], self::rows());
        $this->waits($ability->execute(['text' => 'a']));
    }
}
