<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use ReflectionClass;
use ReflectionExtension;
use ReflectionMethod;
use ReflectionProperty;

/**
 * Compares the stub with what the extension declares.
 *
 * The stub is loaded under another namespace, so that both can be reflected on side by side.
 */
final class StubTest extends TestCase
{
    /** Each after those that it relies on. */
    private const STUBS = ['toolwire.php', 'comment.php', 'diff.php', 'tools.php'];
    private const FOLDER = Cases::ROOT . '/php-ext/stubs/';
    private const PREFIX = 'ToolwireStub';

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
            static fn (string $name): string => substr_replace($name, 'Toolwire', 0, strlen(self::PREFIX)),
            array_values(array_filter($new, static fn ($name) => str_starts_with($name, self::PREFIX . '\\')))
        );
    }

    public function testEveryStubIsRead(): void
    {
        $files = array_map('basename', (array) glob(self::FOLDER . '*.php'));
        self::assertEqualsCanonicalizing(self::STUBS, $files);
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
            self::assertSame(self::describe($stub), self::describe($class), $name);
            self::assertNotFalse($stub->getDocComment(), "$name is documented");
        }
    }

    public function testEveryExampleDoesWhatItSays(): void
    {
        $run = 0;
        foreach (self::$declared as $name) {
            $stub = new ReflectionClass(substr_replace($name, self::PREFIX, 0, strlen('Toolwire')));
            foreach ([$stub, ...$stub->getMethods()] as $documented) {
                $prose = (string) preg_replace('/^ *\* @.*/ms', '', (string) $documented->getDocComment());
                if (preg_match_all('/^ *\*     (.*)$/m', $prose, $lines) === 0) {
                    continue;
                }
                preg_match_all('~^echo .*; // (.*)$~m', implode("\n", $lines[1]), $said);
                ob_start();
                try {
                    eval(implode("\n", preg_replace('~^(echo .*); // .*$~', '$1, "\n";', $lines[1])));
                } finally {
                    $printed = (string) ob_get_clean();
                }
                self::assertSame($said[1], $printed === '' ? [] : explode("\n", rtrim($printed, "\n")), $name);
                $run++;
            }
        }
        self::assertGreaterThanOrEqual(3, $run);
    }

    /** @return array<string, mixed> everything that a caller can rely on */
    private static function describe(ReflectionClass $class): array
    {
        $own = static fn ($member): bool => $member->getDeclaringClass()->name === $class->name;
        $methods = [];
        foreach (array_filter($class->getMethods(), $own) as $method) {
            $methods[$method->name] = self::describeMethod($method);
        }
        ksort($methods);
        $properties = [];
        foreach (array_filter($class->getProperties(), $own) as $property) {
            $properties[$property->name] = self::describeProperty($property);
        }
        ksort($properties);
        $interfaces = array_map([self::class, 'plain'], $class->getInterfaceNames());
        sort($interfaces);
        return [
            'final' => $class->isFinal(),
            'interface' => $class->isInterface(),
            'parent' => $class->getParentClass() ? self::plain($class->getParentClass()->name) : null,
            'interfaces' => $interfaces,
            'constants' => $class->getConstants(),
            'properties' => $properties,
            'methods' => $methods,
        ];
    }

    private static function describeMethod(ReflectionMethod $method): string
    {
        $parameters = [];
        foreach ($method->getParameters() as $parameter) {
            $default = $parameter->isOptional() ? ' = ' . var_export($parameter->getDefaultValue(), true) : '';
            $parameters[] = self::plain((string) $parameter->getType()) . ' $' . $parameter->name . $default;
        }
        $visibility = $method->isPublic() ? 'public' : ($method->isPrivate() ? 'private' : 'protected');
        $static = $method->isStatic() ? 'static ' : '';
        $returns = self::plain((string) ($method->getReturnType() ?? $method->getTentativeReturnType()));
        return "$visibility $static(" . implode(', ', $parameters) . "): $returns";
    }

    private static function describeProperty(ReflectionProperty $property): string
    {
        $readonly = $property->isReadOnly() ? 'readonly ' : '';
        $visibility = $property->isPublic() ? 'public' : 'hidden';
        $default = $property->hasDefaultValue() ? ' has a default' : '';
        return "$visibility $readonly" . self::plain((string) $property->getType()) . $default;
    }

    private static function plain(string $name): string
    {
        return str_replace(self::PREFIX . '\\', 'Toolwire\\', $name);
    }
}
