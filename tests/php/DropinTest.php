<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** The drop-ins. PHP declares their classes when it starts, so each test has its own process. */
final class DropinTest extends TestCase
{
    private const CLASSES = [
        'datamachine' => [
            'DataMachine\Engine\AI\ToolResultFinder',
            'DataMachine\Engine\AI\Tools\ToolResultFinder',
        ],
    ];

    /**
     * Runs a script of the folder `dropin`, or code.
     *
     * @return array{string, int} what it prints, and its status
     */
    private static function php(string $script, string $dropins, string ...$arguments): array
    {
        return self::phpWith(["toolwire.dropins=$dropins"], $script, ...$arguments);
    }

    /**
     * Runs a script of the folder `dropin`, or code, with these settings.
     *
     * @param list<string> $settings
     * @return array{string, int} what it prints, and its status
     */
    private static function phpWith(array $settings, string $script, string ...$arguments): array
    {
        $extension = (string) realpath(
            (string) (getenv('TOOLWIRE_SO') ?: Cases::ROOT . '/build/toolwire.so')
        );
        $command = [PHP_BINARY, '-d', "extension=$extension"];
        array_push(
            $settings,
            'display_errors=1',
            'display_startup_errors=1',
            'html_errors=0',
            'log_errors=0'
        );
        foreach ($settings as $setting) {
            array_push($command, '-d', $setting);
        }
        $file = __DIR__ . "/dropin/$script";
        $command = [
            ...$command,
            ...(is_file($file) ? [$file] : ['-r', $script, '--']),
            ...$arguments,
        ];
        exec(implode(' ', array_map('escapeshellarg', $command)) . ' 2>&1', $lines, $status);
        return [implode("\n", $lines), $status];
    }

    public function testNoneIsDeclaredUnlessAskedFor(): void
    {
        foreach (array_merge(...array_values(self::CLASSES)) as $class) {
            self::assertFalse(class_exists($class), $class);
        }
        self::assertSame('', ini_get('toolwire.dropins'));
        self::assertFalse(
            ini_set('toolwire.dropins', 'datamachine'),
            'it is too late once PHP runs'
        );
    }

    /** @return iterable<string, array{string, list<string>, string}> */
    public static function settings(): iterable
    {
        $warning = "Warning: PHP Startup: toolwire.dropins names \"%s\", which is not known; "
            . 'known: datamachine in Unknown on line 0';
        yield 'none' => ['', [], ''];
        yield 'one' => ['datamachine', ['datamachine'], ''];
        yield 'with space and twice' => [' datamachine,, datamachine ', ['datamachine'], ''];
        $copied = 'Warning: PHP Startup: toolwire.dropins names "memberpress", which declares no '
            . 'class any more; copy the files of php/memberpress over the plugin\'s own and take '
            . 'the name out, see docs/dropins.md in Unknown on line 0';
        yield 'one whose files are copied' => ['memberpress', [], $copied];
        yield 'such a one beside another' => ['memberpress,datamachine', ['datamachine'], $copied];
        yield 'one that is not known' => [
            'wordpress,datamachine',
            ['datamachine'],
            sprintf($warning, 'wordpress'),
        ];
        yield 'in another case' => ['DataMachine', [], sprintf($warning, 'DataMachine')];
    }

    /**
     * @dataProvider settings
     * @param list<string> $projects
     */
    #[DataProvider('settings')]
    public function testTheSettingSaysWhoseClassesAreDeclared(
        string $setting,
        array $projects,
        string $warning,
    ): void {
        $code = 'foreach ((new ReflectionExtension("toolwire"))->getClassNames() as $name) {'
            . ' if (!str_starts_with($name, "Toolwire\\\\")) { $names[] = $name; } }'
            . 'echo json_encode($names ?? []);';
        [$output, $status] = self::php($code, $setting);
        $expected = array_merge(
            ...array_values(array_intersect_key(self::CLASSES, array_flip($projects)))
        );
        $lines = explode("\n", $output);
        self::assertSame(0, $status);
        self::assertEqualsCanonicalizing($expected, json_decode((string) array_pop($lines)));
        self::assertSame($warning, trim(implode("\n", $lines)));
    }

    public function testTheClassesAreAsTheStubSays(): void
    {
        [$output, $status] = self::php('stub.php', 'datamachine');
        self::assertSame(
            [implode("\n", array_merge(...array_values(self::CLASSES))), 0],
            [$output, $status]
        );
    }

    public function testCases(): void
    {
        self::assertCases(__DIR__ . '/dropin/cases.json');
    }

    public function testRecordedCases(): void
    {
        $folder = getenv('TOOLWIRE_RECORDED');
        if ($folder === false) {
            self::markTestSkipped('reads recordings: make recorded FOLDER=FOLDER');
        }
        self::assertCases("$folder/finder-dropin-cases.json");
    }

    /** Asserts that the drop-in passes the cases of a file. */
    private static function assertCases(string $file): void
    {
        $count = count(json_decode((string) file_get_contents($file)));
        self::assertGreaterThanOrEqual(20, $count);
        self::assertSame(["$count cases", 0], self::php('cases.php', 'datamachine', $file));
    }

    public function testStrictRules(): void
    {
        $file = __DIR__ . '/dropin/strict.json';
        $count = count(json_decode((string) file_get_contents($file)));
        $run = static fn (string $strict): array => self::phpWith(
            ['toolwire.dropins=datamachine', "toolwire.dropins_strict=$strict"], 'cases.php', $file
        );
        self::assertSame(["$count cases", 0], $run('1'));
        self::assertSame(["$count cases", 0], $run('On'));
        self::assertStringContainsString(
            'case 0',
            $run('0')[0],
            'they are other rules than the live ones'
        );
    }

    public function testAHundredThousandRandomPackets(): void
    {
        [$output, $status] = self::php('differential.php', 'datamachine', '100000', '1');
        self::assertSame(0, $status, $output);
        $compared = json_decode($output, true);
        self::assertGreaterThanOrEqual(100_000, $compared['searched']['findHandlerResult']);
        self::assertGreaterThanOrEqual(100_000, $compared['searched']['findAllHandlerResults']);
        foreach (['find', 'findAll'] as $find) {
            foreach (['returned', 'returned something', 'threw'] as $kind) {
                $name = $find . ($find === 'find' ? 'HandlerResult' : 'HandlerResults') . " $kind";
                self::assertGreaterThan(500, $compared['kinds'][$name], $name);
            }
        }
    }

    /** @return iterable<string, array{string, string}> */
    public static function lookUps(): iterable
    {
        $global = 'function do_action(...$said) { echo "global ", json_encode($said), " "; }';
        $own = 'function do_action(...$said) { echo "own ", $said[0], " "; return 5; }';
        $by = static fn (string $own, string $global): string
            => "namespace DataMachine\Engine\AI\Tools { $own } namespace { $global"
            . ' use DataMachine\Engine\AI\Tools\ToolResultFinder;'
            . ' try { var_dump(ToolResultFinder::findHandlerResult([], 5, "s")); }'
            . ' catch (Throwable $thrown) { echo $thrown::class, ": ", $thrown->getMessage(); } }';
        $said = '["datamachine_log","error","AI did not execute handler tool",'
            . '{"handler":"5","flow_step_id":"s"}]';
        yield 'neither' => [
            $by('', ''),
            'Error: Call to undefined function DataMachine\Engine\AI\Tools\do_action()',
        ];
        yield 'the global one' => [$by('', $global), "global $said NULL"];
        yield 'the namespace\'s own' => [$by($own, ''), 'own datamachine_log NULL'];
        yield 'the namespace\'s own before the global one' => [
            $by($own, $global), 'own datamachine_log NULL',
        ];
        yield 'one that throws' => [
            $by('function do_action() { throw new \DomainException("mine"); }', $global),
            'DomainException: mine',
        ];
        yield 'one that exits' => [$by('function do_action() { exit("out"); }', ''), 'out'];
    }

    /** @dataProvider lookUps */
    #[DataProvider('lookUps')]
    public function testDoActionIsLookedUpAsInTheNamespace(string $code, string $expected): void
    {
        self::assertSame([$expected, 0], self::php($code, 'datamachine'));
    }

    public function testAFatalErrorOfAListenerEndsTheScript(): void
    {
        $code = 'register_shutdown_function(function () { echo "down"; });'
            . 'function do_action() { trigger_error("fatal", E_USER_ERROR); }'
            . 'DataMachine\Engine\AI\Tools\ToolResultFinder::findHandlerResult([[]], "a", "s");'
            . 'echo "after";';
        [$output, $status] = self::php($code, 'datamachine');
        self::assertStringContainsString('Fatal error: fatal in', $output);
        self::assertStringEndsWith('down', $output);
        self::assertSame(255, $status);
    }

    public function testTheClassesCanBeMadeAndExtended(): void
    {
        $code = 'use DataMachine\Engine\AI\Tools\ToolResultFinder as Live;'
            . 'class Mine extends Live {'
            . ' public static function projectResultSuccess(array $entry): bool {'
            . ' return !parent::projectResultSuccess($entry); } }'
            . 'class Other extends DataMachine\Engine\AI\ToolResultFinder {}'
            . '$live = new Live(1, 2); $copy = unserialize(serialize(clone $live));'
            . '$packet = ["type" => "ai_handler_complete"];'
            . 'echo json_encode([$live::projectResultSuccess($packet), $copy == $live,'
            . ' Mine::projectResultSuccess($packet), Mine::findHandlerResult([$packet], "", ""),'
            . ' Other::projectEnvelopeData(["a" => 1, "code" => 2]),'
            . ' call_user_func([$live, "projectResultData"], [])]);';
        $expected = '[true,true,false,{"type":"ai_handler_complete"},{"a":1},[]]';
        self::assertSame([$expected, 0], self::php($code, 'datamachine'));
    }

    public function testNoFileIsEverAskedFor(): void
    {
        $code = 'spl_autoload_register(function ($name) { echo "asked for $name\n"; });'
            . 'foreach (%s as $class) { if (!class_exists($class)) { echo "not there"; } }'
            . '$packet = ["type" => "ai_handler_complete"];'
            . 'echo DataMachine\Engine\AI\Tools\ToolResultFinder::projectResultSuccess($packet);';
        $classes = var_export(array_merge(...array_values(self::CLASSES)), true);
        self::assertSame(['1', 0], self::php(sprintf($code, $classes), 'datamachine'));
    }

    public function testAMillionCallsTakeNoMemory(): void
    {
        [$output, $status] = self::php('leaks.php', 'datamachine');
        self::assertSame(0, $status, $output);
        $grown = json_decode($output, true);
        self::assertLessThan(1000, $grown['php'], $output);
        self::assertLessThan(2_000_000, $grown['process'], $output);
    }

    public function testTheDocumentsExampleDoesWhatItSays(): void
    {
        $page = (string) file_get_contents(Cases::ROOT . '/docs/dropins.md');
        $found = preg_match(
            '/```php\n(use DataMachine.*?)```\n\nprints `7` and `([^`]*)`/s',
            $page,
            $example
        );
        self::assertSame(1, $found);
        self::assertSame(["7\n$example[2]", 0], self::php($example[1], 'datamachine'));
    }
}
