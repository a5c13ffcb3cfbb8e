<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use function Toolwire\WordPress\plugin;

/** How many calls of a user may wait, also when many processes send them at the same moment. */
final class WaitingLimitsTest extends SiteTestCase
{
    private const MOST = 5;

    /** A PHP process that sends calls as the first user, beginning at a given moment. */
    private const SEND = <<<'PHP'
        $_SERVER += ["REQUEST_URI" => "/"];
        require getenv("TOOLWIRE_SITE") . "/wp-load.php";
        use function Toolwire\WordPress\plugin;
        [, $tool, $start, $process, $calls] = $argv;
        wp_set_current_user(1);
        add_filter("toolwire_most_waiting_calls", fn () => 5);
        add_action("toolwire_register_tools", fn ($tools) => $tools->register("test_dies", [
            "capability" => "read", "callback" => "__return_null",
            "preview_callback" => fn () => posix_kill(getmypid(), SIGKILL),
        ]));
        time_sleep_until((float) $start);
        for ($number = 0; $number < $calls; $number++) {
            $call = [
                "id" => plugin()->engines()->get()->ids->run_id(1, "", "p$process-$number"),
                "type" => "function",
                "function" => ["name" => $tool, "arguments" => "{}"],
            ];
            $row = plugin()->runner()->run(
                Toolwire\Provider::parse($call, "openai")->calls[0],
                "x",
                ""
            );
            echo is_wp_error($row) ? $row->get_error_code() : $row["state"], "\n";
        }
        PHP;

    /** @return list<string> what each call of the processes gave */
    private static function send(string $tool, int $processes, int $calls): array
    {
        $start = (string) (microtime(true) + ($processes > 1 ? 3.0 : 0.1));
        $running = $pipes = $said = [];
        for ($process = 0; $process < $processes; $process++) {
            $command = [
                PHP_BINARY, '-d', 'extension=' . getenv('TOOLWIRE_EXTENSION'), '-r', self::SEND,
                '--',
            ];
            array_push($command, $tool, $start, "$process", "$calls");
            $running[] = proc_open(
                $command,
                [1 => ['pipe', 'w'], 2 => ['file', '/dev/null', 'w']],
                $pipes[$process]
            );
        }
        foreach ($running as $process => $handle) {
            array_push(
                $said,
                ...preg_split(
                    '/\n/',
                    (string) stream_get_contents($pipes[$process][1]),
                    -1,
                    PREG_SPLIT_NO_EMPTY
                )
            );
            proc_close($handle);
        }
        sort($said);
        return $said;
    }

    public function testTheLimitHoldsForCallsOfManyProcessesAtTheSameMoment(): void
    {
        $said = self::send('test_ask', 6, 4);
        $refused = array_fill(0, 6 * 4 - self::MOST, 'toolwire_too_many_waiting');
        self::assertSame([...$refused, ...array_fill(0, self::MOST, 'waiting')], $said);
        self::assertSame(self::MOST, plugin()->call_log()->count('waiting'));
    }

    public function testAProcessThatIsKilledWhileItsCallIsCountedHoldsNobodyUp(): void
    {
        self::assertSame([], self::send('test_dies', 1, 1));
        $started = microtime(true);
        self::assertSame('waiting', self::call('test_ask')['state']);
        self::assertLessThan(3.0, microtime(true) - $started);
    }

    /**
     * @return list<string> the state or code of a call in a reply, sent without its binding and
     *     then with it
     */
    private static function sentWithoutItsBindingFirst(string $text): array
    {
        $reply = plugin()->found_calls()->in_reply(
            "<tool:test_ask>{\"text\":\"$text\"}</tool>",
            'c'
        );
        $call = array_intersect_key(
            $reply['calls'][0],
            ['id' => 1, 'name' => 1, 'arguments' => 1]
        ) + ['conversation' => 'c'];
        $said = [];
        foreach ([['origin' => 'text'], ['binding' => $reply['calls'][0]['binding']]] as $more) {
            $answer = self::rest('POST', '/calls', $call + $more);
            $said[] = $answer->get_status() . ' '
                . ($answer->get_data()['state'] ?? $answer->get_data()['code']);
        }
        return $said;
    }

    public function testACallThatWasRefusedWithoutItsBindingCountsWhenItComesWithIt(): void
    {
        self::assertSame(
            ['403 toolwire_unbound_call', '202 waiting'],
            self::sentWithoutItsBindingFirst('fits')
        );
        $one = static fn (): int => 1;
        add_filter('toolwire_most_waiting_calls', $one);
        $many = self::sentWithoutItsBindingFirst('one too many');
        remove_filter('toolwire_most_waiting_calls', $one);
        self::assertSame(['403 toolwire_unbound_call', '429 toolwire_too_many_waiting'], $many);
        $large = self::sentWithoutItsBindingFirst(str_repeat('x', 600000));
        self::assertSame(['403 toolwire_unbound_call', '413 toolwire_arguments_too_large'], $large);
        self::assertSame(1, plugin()->call_log()->count('waiting'));
    }

    public function testACallThatWaitsIsToldAgainWhileNoMoreMayWait(): void
    {
        $one = static fn (): int => 1;
        add_filter('toolwire_most_waiting_calls', $one);
        $row = self::call('test_ask', '{}', 'again');
        $again = self::call('test_ask', '{}', 'again');
        $other = plugin()->runner()->run(self::parsed('test_ask', '{}', 'other'), 'other', '');
        remove_filter('toolwire_most_waiting_calls', $one);
        self::assertSame($row, $again);
        self::assertSame('toolwire_too_many_waiting', $other->get_error_code());
    }
}
