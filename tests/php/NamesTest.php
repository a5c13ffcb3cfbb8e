<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use ReflectionExtension;

/** `docs/names.md` lists names of the extension that exist, and every class. */
final class NamesTest extends TestCase
{
    /** @return list<string> The names behind `Toolwire\`. */
    private static function names(): array
    {
        $page = file_get_contents(__DIR__ . '/../../docs/names.md');
        preg_match_all('/^\|[^|]*\| `([A-Za-z\\\\:]+)` \|/m', $page, $found);
        self::assertGreaterThan(40, count($found[1]));
        return $found[1];
    }

    public function testEachNameExists(): void
    {
        foreach (self::names() as $name) {
            [$class, $method] = explode('::', $name) + [1 => null];
            $class = "Toolwire\\$class";
            self::assertTrue(class_exists($class) || interface_exists($class), $name);
            self::assertTrue($method === null || method_exists($class, $method), $name);
        }
    }

    public function testNoClassIsMissing(): void
    {
        $classes = [];
        foreach ((new ReflectionExtension('toolwire'))->getClassNames() as $class) {
            // docs/tools-php.md lists the exceptions of the tools, with their codes.
            if (
                str_starts_with($class, 'Toolwire\\')
                && !str_contains($class, '\\Tools\\Exception\\')
            ) {
                $classes[] = substr($class, strlen('Toolwire\\'));
            }
        }
        $named = array_map(
            static fn (string $name): string => explode('::', $name)[0],
            self::names()
        );
        self::assertSame([], array_values(array_diff($classes, $named)));
    }
}
