<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use PHPUnit\Framework\Attributes\DataProvider;
use Toolwire\Tools\ToolInput;

use function Toolwire\WordPress\plugin;

/**
 * Tools that end their process, over the store in WordPress' database. tests/stores/php/EndsTest.php
 * does this over the other stores.
 */
final class EndsTest extends SiteTestCase
{
    /** What the process does that its tool ends. It gets the call's id and the tool's code. */
    private const PROCESS = <<<'PHP'
        $_SERVER += ['REQUEST_URI' => '/'];
        require getenv('TOOLWIRE_SITE') . '/wp-load.php';
        wp_set_current_user(1);
        add_action('toolwire_register_tools', function ($tools) {
            $tools->register('test_ends', [
                'capability' => 'edit_posts', 'approval' => false,
                'timeout_seconds' => str_contains($GLOBALS['argv'][2], 'timeout_seconds') ? 0.4 : null,
                'callback' => function (array $arguments, Toolwire\Tools\ToolInput $input) {
                    fwrite(STDERR, "ran $input->idempotencyKey\n");
                    eval($GLOBALS['argv'][2]);
                    return [];
                },
            ]);
        });
        $function = ['name' => 'test_ends', 'arguments' => '{"to":"ann"}'];
        $call = ['id' => $argv[1], 'type' => 'function', 'function' => $function];
        $call = Toolwire\Provider::parse($call, 'openai')->calls[0];
        Toolwire\WordPress\plugin()->runner()->run($call, 'x', '');
        fwrite(STDERR, 'after');
        PHP;

    /** @var list<array{array<mixed>, string}> what the tool was given in this process */
    private array $ran = [];

    protected function setUp(): void
    {
        parent::setUp();
        add_action('toolwire_register_tools', [$this, 'register']);
        plugin()->engines()->reset();
    }

    protected function tearDown(): void
    {
        remove_action('toolwire_register_tools', [$this, 'register']);
        plugin()->engines()->reset();
        parent::tearDown();
    }

    public function register(object $tools): void
    {
        $tools->register('test_ends', [
            'capability' => 'edit_posts', 'approval' => false,
            'callback' => function (array $arguments, ToolInput $input): array {
                $this->ran[] = [$arguments, $input->idempotencyKey];
                return ['stayed' => true];
            },
        ]);
    }

    /** @return iterable<string, array{string, string}> the tool's code, and the reason in the log */
    public static function endings(): iterable
    {
        $left = 'The tool ended the request';
        $throw = 'fn () => throw new Error("late")';
        yield 'exit' => ['exit("gone");', $left];
        yield 'exit in a nested call' => ['array_map(fn () => exit(1), [1]);', $left];
        yield 'a fatal error' => ['eval("class Late implements Serializable, Iterator {}");', 'Late'];
        yield 'too much memory' => [
            'ini_set("memory_limit", (string) (memory_get_usage(true) + (4 << 20)));'
                . 'str_repeat("x", 1 << 28);',
            'Allowed memory size',
        ];
        yield 'the time limit' => ['set_time_limit(1); for (;;) { }', 'Maximum execution time'];
        yield 'the time of the tool' => [
            '/* timeout_seconds */ for (;;) { }', 'Maximum execution time',
        ];
        yield 'a later function that throws' => ["register_shutdown_function($throw); exit;", $left];
        yield 'a hook that throws at the end' => ["add_action('shutdown', $throw); exit;", $left];
        yield 'a hook that exits at the end' => [
            'add_action("shutdown", function () { exit; }); exit;', $left,
        ];
    }

    /** @dataProvider endings */
    #[DataProvider('endings')]
    public function testACallThatEndsItsProcessIsInterruptedAtOnceAndRunsOnceMore(
        string $ending,
        string $reason,
    ): void {
        $call = self::parsed('test_ends', '{"to":"ann"}', $ending);
        [$process, , $output] = self::process($call->id, $ending);
        $said = trim((string) stream_get_contents($output));
        proc_close($process);
        self::assertSame(1, preg_match('/^ran (\S+)$/', $said, $found), $said);

        // The log says so before anybody looks, and so does the store.
        $row = plugin()->call_log()->find($call->id);
        self::assertSame(['interrupted', 'interrupted'], [$row['state'], $row['error_code']]);
        self::assertStringContainsString($reason, $row['error']);
        self::assertSame('{"to":"ann"}', $row['arguments']);
        $executor = plugin()->engines()->get()->executor;
        self::assertSame('interrupted', $executor->run($call->id)?->state);

        // Neither the call again, nor a look, nor the daily work runs it, or tells it again.
        $told = did_action('toolwire_tool_interrupted');
        $again = plugin()->runner()->run($call, 'x', '');
        self::assertSame('interrupted', $again['state']);
        plugin()->runner()->look();
        plugin()->runner()->resume($call->id);
        plugin()->housekeeping()->run();
        self::assertSame('interrupted', plugin()->call_log()->find($call->id)['state']);
        self::assertSame([], $this->ran);
        self::assertSame($told, did_action('toolwire_tool_interrupted'));

        self::assertSame('completed', plugin()->runner()->retry($call->id)['state']);
        self::assertSame([[['to' => 'ann'], $found[1]]], $this->ran, 'once, with the same key');
        $refused = plugin()->runner()->retry($call->id);
        self::assertSame('toolwire_not_interrupted', $refused->get_error_code());
    }

    public function testAToolThatOutlivesItsLeaseHasLostItsCall(): void
    {
        $call = self::parsed('test_ends', '{"to":"ann"}', 'late');
        // The warning that its end is not kept is meant, and no complaint about the plugin.
        $late = 'fgets(STDIN); set_error_handler(static fn (): bool => true, E_WARNING);';
        [$process, $input, $output] = self::process($call->id, $late);
        self::assertSame(1, preg_match('/^ran (\S+)$/', trim((string) fgets($output)), $found));
        plugin()->runner()->look();
        self::assertSame('running', plugin()->runner()->run($call, 'x', '')['state']);
        $this->endLease($call->id);
        $told = did_action('toolwire_tool_interrupted');
        plugin()->runner()->look();
        plugin()->runner()->look();
        self::assertSame($told + 1, did_action('toolwire_tool_interrupted'), 'who looks tells it');
        self::assertSame('interrupted', plugin()->call_log()->find($call->id)['state']);
        self::assertSame('interrupted', plugin()->runner()->run($call, 'x', '')['state']);
        self::assertSame([], $this->ran, 'the tool works still, so nothing runs');
        // A person says that it runs once more.
        $again = plugin()->runner()->retry($call->id);
        self::assertSame(['completed', '{"stayed":true}'], [$again['state'], $again['result']]);
        self::assertSame([[['to' => 'ann'], $found[1]]], $this->ran);
        // The tool that has lost its call comes to its end, which changes nothing.
        fwrite($input, "end\n");
        self::assertStringContainsString('after', (string) stream_get_contents($output));
        proc_close($process);
        self::assertSame($again, plugin()->call_log()->find($call->id));
    }

    /** Writes into the record of a run that its lease has ended a moment ago. */
    private function endLease(string $id): void
    {
        $store = plugin()->engines()->get()->store;
        ['value' => $value, 'version' => $version] = $store->get("run/id/$id", $store->now());
        $past = gmdate('Y-m-d\TH:i:s', time() - 1);
        $until = '/("lease":\{[^}]*"until":)"[^"]+"/';
        $over = preg_replace($until, "\$1\"$past.000000+00:00\"", $value);
        self::assertNotSame($value, $over);
        self::assertNotNull($store->put("run/id/$id", $over, $version, null, $store->now()));
    }

    /**
     * Starts a process that runs the call.
     *
     * @return array{resource, resource, resource} the process, its input, and what it writes
     */
    private static function process(string $id, string $ending): array
    {
        $command = [
            PHP_BINARY, '-d', 'extension=' . getenv('TOOLWIRE_EXTENSION'), '-d', 'display_errors=0',
            '-r', self::PROCESS, '--', $id, $ending,
        ];
        $streams = [['pipe', 'r'], ['file', '/dev/null', 'w'], ['pipe', 'w']];
        $process = proc_open($command, $streams, $pipes);
        return [$process, $pipes[0], $pipes[2]];
    }
}
