<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use ReflectionClass;
use ReflectionExtension;

/**
 * Compares the stubs with what the extension declares.
 *
 * The stubs are loaded under another namespace, so that reflection can see both.
 */
final class StubTest extends TestCase
{
    /** The files, each behind those whose classes its own classes extend or implement. */
    private const STUBS = [
        'exception.php', 'constraint.php', 'detector.php', 'detection.php', 'reply.php',
        'packet.php', 'result.php',
        'provider.php', 'transcript.php', 'comment.php', 'diff.php',
        'tools/store.php', 'tools/exception.php', 'tools/registry.php', 'tools/approval.php',
        'tools/undo.php', 'tools/run.php', 'tools/agent.php',
    ];
    private const FOLDER = Cases::ROOT . '/php-ext/stubs/';
    /** Files of classes that are declared on demand alone; see DropinTest. */
    private const ON_DEMAND = ['dropins.php'];
    private const PREFIX = Description::PREFIX;

    /** @var list<string> */
    private static array $declared = [];

    public static function setUpBeforeClass(): void
    {
        $before = [...get_declared_classes(), ...get_declared_interfaces()];
        foreach (self::STUBS as $stub) {
            $code = (string) file_get_contents(self::FOLDER . $stub);
            $code = preg_replace('/^(namespace |    use )Toolwire\b/m', '$1' . self::PREFIX, $code);
            $file = (string) tempnam(sys_get_temp_dir(), 'stub');
            file_put_contents($file, $code);
            try {
                require $file;
            } finally {
                unlink($file);
            }
        }
        $new = array_diff([...get_declared_classes(), ...get_declared_interfaces()], $before);
        self::$declared = array_map(
            static fn (string $name): string =>
                substr_replace($name, 'Toolwire', 0, strlen(self::PREFIX)),
            array_values(
                array_filter($new, static fn ($name) => str_starts_with($name, self::PREFIX . '\\'))
            )
        );
    }

    public function testEveryStubIsRead(): void
    {
        $files = array_map(
            static fn (string $file): string => substr($file, strlen(self::FOLDER)),
            (array) glob(self::FOLDER . '{*,*/*}.php', GLOB_BRACE)
        );
        self::assertEqualsCanonicalizing([...self::STUBS, ...self::ON_DEMAND], $files);
    }

    public function testTheSameClassesAreDeclared(): void
    {
        $classes = array_keys((new ReflectionExtension('toolwire'))->getClasses());
        sort($classes);
        $declared = self::$declared;
        sort($declared);
        self::assertNotEmpty($classes);
        self::assertSame($classes, $declared);
        self::assertSame([], (new ReflectionExtension('toolwire'))->getFunctions());
    }

    public function testEachClassIsAsTheStubSays(): void
    {
        foreach (self::$declared as $name) {
            $class = new ReflectionClass($name);
            $stub = new ReflectionClass(substr_replace($name, self::PREFIX, 0, strlen('Toolwire')));
            self::assertSame(Description::of($stub), Description::of($class), $name);
            self::assertNotFalse($stub->getDocComment(), "$name is documented");
        }
    }

    public function testEveryExampleDoesWhatItSays(): void
    {
        $run = 0;
        foreach (self::$declared as $name) {
            $stub = new ReflectionClass(substr_replace($name, self::PREFIX, 0, strlen('Toolwire')));
            foreach ([$stub, ...$stub->getMethods()] as $documented) {
                $prose = (string) preg_replace(
                    '/^ *\* @.*/ms',
                    '',
                    (string) $documented->getDocComment()
                );
                if (preg_match_all('/^ *\*     (.*)$/m', $prose, $lines) === 0) {
                    continue;
                }
                preg_match_all('~^echo .*; // (.*)$~m', implode("\n", $lines[1]), $said);
                ob_start();
                try {
                    eval(
                        implode("\n", preg_replace('~^(echo .*); // .*$~', '$1, "\n";', $lines[1]))
                    );
                } finally {
                    $printed = (string) ob_get_clean();
                }
                self::assertSame(
                    $said[1],
                    $printed === '' ? [] : explode("\n", rtrim($printed, "\n")),
                    $name
                );
                $run++;
            }
        }
        self::assertGreaterThanOrEqual(3, $run);
    }
}
