<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use InvalidArgumentException;
use LogicException;
use PHPUnit\Framework\TestCase;
use ReflectionClass;
use Throwable;
use Toolwire\Exception\ErrorKind;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\InvalidState;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Exception\WrongType;
use TypeError;

/** The exception tree, which has a class for every kind of error in core. */
final class ExceptionTest extends TestCase
{
    private const PARENTS = [
        InvalidArgument::class => InvalidArgumentException::class,
        WrongType::class => TypeError::class,
        InvalidState::class => LogicException::class,
    ];

    public function testEveryKindHasANumberAndAnException(): void
    {
        $kinds = ErrorKind::all();
        self::assertNotEmpty($kinds);
        self::assertSame(
            array_unique(array_column($kinds, 'number')),
            array_column($kinds, 'number')
        );
        foreach ($kinds as $slug => ['number' => $number, 'exception' => $class]) {
            self::assertMatchesRegularExpression('/^[a-z]+(_[a-z]+)*$/', $slug);
            self::assertGreaterThan(0, $number);
            self::assertArrayHasKey($class, self::PARENTS);
            $error = new $class('message', $number);
            self::assertInstanceOf(ToolwireThrowable::class, $error);
            self::assertInstanceOf(Throwable::class, $error);
            self::assertSame($slug, $error->getKind());
        }
        $classes = array_values(array_unique(array_column($kinds, 'exception')));
        self::assertEqualsCanonicalizing(array_keys(self::PARENTS), $classes);
    }

    public function testEveryExceptionHasItsSplParent(): void
    {
        foreach (self::PARENTS as $class => $parent) {
            self::assertSame($parent, (new ReflectionClass($class))->getParentClass()->name);
        }
    }

    public function testAnExceptionOfPhpCodeHasNoKind(): void
    {
        self::assertSame('', (new InvalidArgument('mine'))->getKind());
    }
}
