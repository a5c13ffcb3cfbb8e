<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use ReflectionClass;
use ReflectionExtension;
use Toolwire\Detector;
use Toolwire\Plain\Detect\Format\Table;
use Toolwire\Plain\LeftOut;

/**
 * The library in plain PHP beside the extension: the extension's classes stand, what the library
 * leaves out is exactly what it lacks, and the page about it says so.
 */
final class PlainPhpTest extends TestCase
{
    private const PAGE = Cases::ROOT . '/docs/plain-php.md';

    /** Methods that PHP calls itself, with which the library makes its properties. */
    private const MAGIC = [
        '__call', '__callStatic', '__clone', '__debugInfo', '__get', '__isset', '__set', '__unset',
    ];

    public static function setUpBeforeClass(): void
    {
        require_once Cases::ROOT . '/php/toolwire/autoload.php';
    }

    /** @return list<string> the extension's classes that the library has, behind `Toolwire\` */
    private static function offered(): array
    {
        $classes = [];
        foreach ((new ReflectionExtension('toolwire'))->getClassNames() as $class) {
            if (str_starts_with($class, 'Toolwire\\') && !LeftOut::hasClass($class)) {
                $classes[] = substr($class, strlen('Toolwire\\'));
            }
        }
        return $classes;
    }

    /** @return array{string, int} what PHP without extensions prints, and its status */
    private static function bare(string ...$arguments): array
    {
        $command = [PHP_BINARY, '-n', '-d', 'display_errors=1', ...$arguments];
        exec(implode(' ', array_map('escapeshellarg', $command)) . ' 2>&1', $lines, $status);
        return [implode("\n", $lines), $status];
    }

    public function testTheClassesOfTheExtensionStand(): void
    {
        foreach (self::offered() as $class) {
            self::assertTrue((new ReflectionClass("Toolwire\\$class"))->isInternal(), $class);
            $file = Cases::ROOT . '/php/toolwire/src/' . str_replace('\\', '/', $class) . '.php';
            self::assertFileExists($file);
        }
        foreach (LeftOut::CLASSES as $class) {
            self::assertTrue(class_exists("Toolwire\\$class"), $class);
        }
        self::assertTrue(class_exists('Toolwire\\Tools\\Registry'));
    }

    public function testEveryMethodIsThereOrLeftOut(): void
    {
        $classes = array_map(static fn (string $name): string => "Toolwire\\$name", self::offered());
        [$plain, $status] = self::bare(Cases::ROOT . '/tests/plain/describe.php', ...$classes);
        self::assertSame(0, $status, $plain);
        $plain = json_decode($plain, true);
        $left = [];
        foreach ($classes as $class) {
            foreach ((new ReflectionClass($class))->getMethods() as $method) {
                if (!$method->isPublic() || in_array($method->getName(), self::MAGIC, true)) {
                    continue;
                }
                $name = $method->getName();
                $parameters = implode(', ', array_map(
                    static fn ($one): string => $one->getName() . ($one->isOptional() ? ' = …' : ''),
                    $method->getParameters()
                ));
                $known = ($method->isStatic() ? 'static ' : '') . $parameters;
                if (!isset($plain[$class][$name]) || $name === 'stream') {
                    $left[] = substr($class, strlen('Toolwire\\')) . "::$name";
                } elseif (!str_starts_with($class, 'Toolwire\\Exception\\')) {
                    self::assertSame($known, $plain[$class][$name], "$class::$name");
                }
            }
        }
        self::assertEqualsCanonicalizing(LeftOut::METHODS, $left);
    }

    public function testEveryFormatAndOptionIsThereOrLeftOut(): void
    {
        $slugs = array_column(Table::ALL, 'slug');
        self::assertSame(array_column(Detector::formats(), 'slug'), $slugs);
        $options = (new ReflectionClass(Detector::class))->getConstructor()->getParameters();
        $names = array_map(static fn ($option): string => $option->getName(), $options);
        self::assertSame([], array_diff(array_keys(LeftOut::OPTIONS), $names));
    }

    public function testThePageListsWhatIsLeftOut(): void
    {
        $page = (string) file_get_contents(self::PAGE);
        preg_match('/## What it leaves out\n(.*?)\n## /s', $page, $section);
        preg_match_all('/`([A-Za-z_:\\\\]+)(?:\(\))?`/', $section[1], $named);
        $named = array_unique($named[1]);
        $known = [...LeftOut::CLASSES, ...LeftOut::METHODS, ...array_keys(LeftOut::OPTIONS), 'Tools'];
        self::assertSame([], array_values(array_diff($known, $named)), 'what the page does not name');
        $values = array_merge(...array_values(array_filter(LeftOut::OPTIONS)));
        $words = array_filter($values, 'is_string');
        $others = ['Toolwire\\Exception\\ExtensionNeeded', 'extension_needed', 'LeftOut', 'true', 'auto'];
        self::assertSame([], array_values(array_diff($named, $known, $words, $others)), 'too much');
    }

    /** @return iterable<string, array{string}> */
    public static function examples(): iterable
    {
        preg_match_all('/```php\n(.*?)```/s', (string) file_get_contents(self::PAGE), $found);
        foreach ($found[1] as $number => $example) {
            yield "example $number" => [$example];
        }
    }

    /** @dataProvider examples */
    public function testAnExamplePrintsTheSameWithoutTheExtensionAndWithIt(string $example): void
    {
        self::assertGreaterThan(0, preg_match_all('~^\s*echo .*; +// (.*)$~m', $example, $said));
        $load = Cases::ROOT . '/php/toolwire/autoload.php';
        $example = str_replace('vendor/autoload.php', $load, $example);
        $file = (string) tempnam(sys_get_temp_dir(), 'toolwire');
        file_put_contents($file, "<?php\n$example");
        try {
            [$plain, $status] = self::bare($file);
        } finally {
            unlink($file);
        }
        self::assertSame([0, implode("\n", $said[1])], [$status, $plain]);
        [$extended, $status] = ToolsSafetyTest::php($example);
        self::assertSame([0, $plain], [$status, $extended]);
    }
}
