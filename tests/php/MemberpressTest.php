<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Toolwire\Detector;

/** The drop-in for MemberPress AI Assistant, in processes of its own. */
final class MemberpressTest extends TestCase
{
    private const FOLDER = __DIR__ . '/dropin/memberpress';
    private const FILES = Cases::ROOT . '/php/memberpress/includes/detection';
    private const SCRIPTS = ['json', 'html', 'broken', 'reasoning', 'detect', 'run'];
    private const NAMES = ['wpcli', 'lazy'];
    /** Pieces of the random texts. */
    private const PIECES = [
        '<tool:wpcli>{}</tool>', '<tool:lazy>', '{"x":"</tool>"}', '</tool>', '</tool:lazy>',
        "```json\n", "\n```\n",
        "```\n", '```json {', '~~~', '{"name":"wpcli","arguments":{"n":1}}',
        '{"tool":"lazy","parameters":[]}', '[', ',',
        ']', '{"type":"function","function":{"name":"wpcli","arguments":"{\"q\":1}"}}',
        '{"name":"my","version":"1"}',
        '{"name":"wpcli","input":"{status: draft}"}', '<div>', '</div>', '<!--', '-->', '<script>',
        '</script>', '<b ',
        '<div class="mpai-tool-call" data-tool-name="wpcli" data-tool-parameters=\'{"p":1}\'>',
        '<p title="', '">', '"',
        '<img class=mpai-tool-call data-tool-name=wpcli data-tool-parameters={}>', "'", '>', '<',
        '{', '}', ':', '"k"',
        '<div class="not-mpai-tool-call-ish" data-tool-name="wpcli" data-tool-parameters="{}">',
        '<think>', '</think>',
        '<i class=mpai-tool-call data-tool-parameters="{&quot;z&quot;:1}" data-tool-name="lazy">',
        '</i>', '\\', ' ',
        '<textarea>', '</textarea>', '<tool:<img src=x>>', "\n", 'é', 'x', '12345678901234567890',
        '<tool:wp_cli>{}</tool>', '<THINK>', '</THINK>', "</thinking>\n", '<\\/think>',
        "< think>\n", "\n<Think >", '<thinking>', "</mm:think>\n",
    ];

    private static function extension(): string
    {
        return (string) realpath(
            (string) (getenv('TOOLWIRE_SO') ?: Cases::ROOT . '/build/toolwire.so')
        );
    }

    /** @return array{string, int} what a command prints, and its status */
    private static function command(string ...$command): array
    {
        exec(implode(' ', array_map('escapeshellarg', $command)) . ' 2>&1', $lines, $status);
        return [implode("\n", $lines), $status];
    }

    /**
     * @return array{string, int} what PHP with the extension prints for a script, and its status
     */
    private static function php(string ...$arguments): array
    {
        $settings = ['-d', 'display_errors=1', '-d', 'error_reporting=-1', '-d', 'html_errors=0'];
        return self::command(
            PHP_BINARY,
            '-d',
            'extension=' . self::extension(),
            ...$settings,
            ...$arguments
        );
    }

    /** Writes a file for another process; the file is deleted when the test ends. */
    private static function file(string $text, string $ending = ''): string
    {
        $file = tempnam(sys_get_temp_dir(), 'toolwire') . $ending;
        file_put_contents($file, $text);
        register_shutdown_function(static fn () => @unlink($file));
        return $file;
    }

    /** The JavaScript of the drop-in, for the tools of the tests. */
    private static function script(): string
    {
        $code = 'var mpaiToolNames = ' . json_encode(self::NAMES) . ";\n";
        foreach (self::SCRIPTS as $script) {
            $code .= file_get_contents(self::FILES . "/mpai-tool-calls/$script.js");
        }
        return $code;
    }

    public function testTheDetector(): void
    {
        self::assertSame(['fine', 0], self::php(self::FOLDER . '/detector.php'));
    }

    public function testTheDetectorOverTheLibraryInPlainPhp(): void
    {
        $library = 'auto_prepend_file=' . realpath(Cases::ROOT . '/php/toolwire/autoload.php');
        $script = self::FOLDER . '/detector.php';
        self::assertSame(['fine', 0], self::command(PHP_BINARY, '-n', '-d', $library, $script));
    }

    public function testASiteWithoutTheExtensionGoesOnAndSaysSo(): void
    {
        [$output, $status] = self::command(PHP_BINARY, '-n', self::FOLDER . '/bare.php');
        [$did, $reader, $administrator] = explode("\n", $output);
        self::assertSame(0, $status, $output);
        self::assertSame([[], '<tool:wpcli>{}</tool>', [], 2, true], json_decode($did, true));
        self::assertSame('', $reader);
        self::assertStringStartsWith('<div class="notice notice-error">', $administrator);
        self::assertStringContainsString(
            'The PHP extension toolwire is not loaded',
            $administrator
        );
    }

    /** @return iterable<string, array{string, string}> */
    public static function registries(): iterable
    {
        $tool = 'public function get_tool() { return new class { function execute() { return "x"; '
            . '} }; }'
            . 'public function get_available_tools() { return ["wpcli" => []]; }';
        yield 'none' => ['', 'not found'];
        yield 'one that is autoloaded' => [
            "spl_autoload_register(function () { class MPAI_Tool_Registry { $tool } });",
            'mpai-tool-success',
        ];
        yield 'one that the plugin shares' => [
            'class MPAI_Tool_Registry { private function __construct() {}'
            . " static function get_instance() { return new self(); } $tool }",
            'mpai-tool-success',
        ];
        yield 'one that cannot be made' => [
            'class MPAI_Tool_Registry { function __construct() { throw new Exception("not today"); '
                . '} }',
            'not found',
        ];
        yield 'one whose object is no object' => [
            'class MPAI_Tool_Registry { static function get_instance() { return 5; } }',
            'not found',
        ];
        yield 'one that exits' => [
            'class MPAI_Tool_Registry { function __construct() { echo "out"; exit; } }',
            'out',
        ];
    }

    /** @dataProvider registries */
    #[DataProvider('registries')]
    public function testTheRegistryIsLookedUpWhenItIsNeeded(
        string $registry,
        string $expected,
    ): void {
        $code = 'require "' . self::FOLDER . '/wordpress.php"; require "' . self::FILES
            . "/class-mpai-tool-call-detector.php\"; $registry"
            . ' $call = ["name" => "wpcli", "original" => "<tool:wpcli>{}</tool>"];'
            . 'echo mpai_tool_call_detector()->execute_tool_calls([$call], $call["original"]);';
        [$output, $status] = self::php('-r', $code);
        self::assertSame(0, $status, $output);
        self::assertStringContainsString($expected, $output);
        self::assertStringNotContainsString('Warning', $output);
    }

    public function testTheJavaScriptFindsWhatPhpFinds(): void
    {
        mt_srand(14);
        $texts = [];
        for ($number = 0; $number < 10_000; $number++) {
            $text = '';
            for ($left = mt_rand(1, 16); $left > 0; $left--) {
                $text .= self::PIECES[array_rand(self::PIECES)];
            }
            $texts[] = $text;
        }
        $arguments = [self::file(self::script()), self::file((string) json_encode($texts))];
        [$output, $status] = self::command('node', self::FOLDER . '/detect.js', ...$arguments);
        self::assertSame(0, $status, $output);
        $detector = new Detector(['tag', 'json', 'html'], tools: self::NAMES);
        $read = static fn (mixed $value): string => (string) json_encode($value ?: (object) []);
        $different = $calls = 0;
        foreach (json_decode($output, true)['found'] as $number => $found) {
            $found = array_map(
                static fn ($call) => [$call['name'], $call['original'], $read($call['parameters'])],
                $found
            );
            $expected = [];
            foreach ($detector->detect($texts[$number]) as $call) {
                $expected[] = [$call->name, $call->original, $read($call->arguments)];
            }
            $calls += count($expected);
            $different += $found === $expected ? 0 : 1;
            $invented = array_udiff(
                $found,
                $expected,
                static fn (array $one, array $other): int => $one <=> $other
            );
            self::assertSame([], $invented, "only in JavaScript: $texts[$number]");
        }
        self::assertGreaterThan(5_000, $calls);
        self::assertLessThanOrEqual(
            40,
            $different,
            'texts that end in a fence or in markup, and what is in damaged calls, may differ'
        );
    }

    public function testTheJavaScriptRunsEachCallOnce(): void
    {
        self::assertSame(
            ['fine', 0],
            self::command('node', self::FOLDER . '/run.js', self::file(self::script()))
        );
    }

    public function testTheJavaScriptCanStandInAPage(): void
    {
        self::assertDoesNotMatchRegularExpression('~</script|<!--~i', self::script());
        $reply = '<img src=x onerror="document.title = 1"> '
            . '<p class=mpai-tool-call data-tool-name=wpcli '
            . 'data-tool-parameters="{&quot;a&quot;:&quot;caf&eacute; &bull;&quot;}"></p> '
            . '<tool:lazy>{}</tool>';
        $page = '<!doctype html><meta charset=utf-8><title>0</title><body><script>' . self::script()
            . '</script><script>'
            . 'const reply = ' . json_encode($reply, JSON_HEX_TAG)
            . '; const calls = detectToolCalls(reply);'
            . 'const late = [];'
            . 'const run = (name, parameters, done) => late.push(() => done("<b>late</b>"));'
            . 'const box = document.body.appendChild(document.createElement("div"));'
            . 'box.innerHTML = executeToolCalls(calls, reply.slice(reply.indexOf("<p ")), run);'
            . 'const before = box.innerHTML.split("mpai-tool-processing").length - 1;'
            . 'late.forEach((done) => done());'
            . 'const after = box.innerHTML.split("mpai-tool-success").length - 1;'
            . 'setTimeout(() => { document.body.textContent = JSON.stringify(['
            . 'document.title, calls[0].parameters, before, after, box.querySelectorAll("b").length'
            . ']); }, 300);</script>';
        [$output, $status] = self::command(
            'chromium', '--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=2000',
            '--dump-dom',
            'file://' . self::file($page, '.html')
        );
        self::assertSame(0, $status, $output);
        self::assertStringContainsString('["0",{"a":"café •"},2,2,0]', $output);
    }

    public function testTheRealPlugin(): void
    {
        $plugin = getenv('TOOLWIRE_MEMBERPRESS');
        if ($plugin === false) {
            self::markTestSkipped('runs in the real plugin: TOOLWIRE_MEMBERPRESS=FOLDER');
        }
        $site = Cases::ROOT . '/build/memberpress-site';
        [$output, $status] = self::command(
            self::FOLDER . '/site.sh', $plugin, self::extension(), $site,
            (string) random_int(31000, 39000)
        );
        self::assertSame(0, $status, $output);
        self::assertStringEndsWith("\nfine", $output);
    }

    public function testTheDocumentsExampleDoesWhatItSays(): void
    {
        $page = (string) file_get_contents(Cases::ROOT . '/docs/dropins.md');
        self::assertSame(
            1,
            preg_match('/```php\n(class MPAI_Tool_Registry.*?)```/s', $page, $example)
        );
        self::assertSame(1, preg_match('~^echo .*; +// (.*)$~m', $example[1], $said));
        $code = 'require "' . self::FOLDER . '/wordpress.php"; require "' . self::FILES
            . "/class-mpai-tool-call-detector.php\"; $example[1]";
        self::assertSame([$said[1], 0], self::php('-r', $code));
    }
}
