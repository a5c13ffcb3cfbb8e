<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Error;
use Fiber;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use ReflectionClass;
use ReflectionException;
use ReflectionExtension;
use ReflectionMethod;
use ReflectionNamedType;
use ReflectionParameter;
use Throwable;
use Toolwire\ToolResult;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;

/** An object is constructed once, and cannot be cloned. */
final class ConstructionTest extends TestCase
{
    private const TWICE = 'Cannot construct an object of class %s twice';

    /** @return iterable<string, array{ReflectionClass<object>}> */
    public static function constructible(): iterable
    {
        foreach ((new ReflectionExtension('toolwire'))->getClasses() as $name => $class) {
            if (
                $class->isInstantiable()
                && $class->isFinal()
                && !$class->implementsInterface(Throwable::class)
            ) {
                yield $name => [$class];
            }
        }
    }

    private static function argument(ReflectionParameter $parameter): mixed
    {
        $type = $parameter->getType();
        $name = $type instanceof ReflectionNamedType ? $type->getName() : 'mixed';
        if ($parameter->getName() === 'provider') {
            return 'openai';
        }
        return match ($name) {
            'string' => sys_get_temp_dir() . '/toolwire-construction.db',
            'bool' => true,
            'int', 'float' => 1,
            'callable', 'Closure' => static fn () => null,
            Store::class => new Memory(),
            'mixed', 'array' => ['x' => 1],
            default => self::made(new ReflectionClass($name)),
        };
    }

    /** @param ReflectionClass<object> $class */
    private static function made(ReflectionClass $class): object
    {
        return $class->newInstanceArgs(self::arguments($class));
    }

    /**
     * @param ReflectionClass<object> $class
     * @return list<mixed>
     */
    private static function arguments(ReflectionClass $class): array
    {
        $needed = array_filter(
            (array) $class->getConstructor()?->getParameters(),
            static fn (ReflectionParameter $parameter): bool => !$parameter->isOptional()
        );
        return array_map(self::argument(...), array_values($needed));
    }

    protected function tearDown(): void
    {
        array_map('unlink', (array) glob(sys_get_temp_dir() . '/toolwire-construction.db*'));
    }

    /**
     * @dataProvider constructible
     * @param ReflectionClass<object> $class
     */
    #[DataProvider('constructible')]
    public function testAConstructorCalledAgainThrows(ReflectionClass $class): void
    {
        $object = self::made($class);
        $arguments = self::arguments($class);
        $ways = [
            static fn () => $object->__construct(...$arguments),
            static fn () =>
                (new ReflectionMethod($object, '__construct'))->invoke($object, ...$arguments),
            static fn () => call_user_func([$object, '__construct'], ...$arguments),
        ];
        foreach ($ways as $way) {
            try {
                $way();
                self::fail('constructed twice');
            } catch (Error $error) {
                self::assertSame(Error::class, $error::class);
                self::assertSame(sprintf(self::TWICE, $class->name), $error->getMessage());
            }
        }
    }

    /**
     * @dataProvider constructible
     * @param ReflectionClass<object> $class
     */
    #[DataProvider('constructible')]
    public function testNoObjectIsMadeWithoutItsConstructor(ReflectionClass $class): void
    {
        $this->expectException(ReflectionException::class);
        $class->newInstanceWithoutConstructor();
    }

    /**
     * @dataProvider constructible
     * @param ReflectionClass<object> $class
     */
    #[DataProvider('constructible')]
    public function testNoObjectIsCloned(ReflectionClass $class): void
    {
        $object = self::made($class);
        $this->expectException(Error::class);
        $this->expectExceptionMessage('clone');
        clone $object;
    }

    public function testEveryClassIsFinalOrAnException(): void
    {
        foreach ((new ReflectionExtension('toolwire'))->getClasses() as $class) {
            $open = !$class->isFinal() && !$class->isInterface();
            self::assertTrue(!$open || $class->implementsInterface(Throwable::class), $class->name);
        }
        self::assertGreaterThan(10, count(iterator_to_array(self::constructible())));
    }

    public function testAStoreCannotConstructTheExecutorThatUsesIt(): void
    {
        $heard = [];
        $store = new ArrayStore();
        $registry = new Registry();
        $registry->register(new ToolDefinition(
            'edit',
            'EDIT',
            static fn () => ToolOutput::ok(undoMetadata: ['x' => 1]),
            requiresApproval: true,
            undoable: true,
            undoHandler: static fn () => true,
            rateLimit: [100, 60],
        ));
        $executor = new Executor($registry, $store, redact: ['secret']);
        $approvals = new ApprovalService($store);
        $store->before = static function () use (&$heard, &$executor, &$approvals, $store): mixed {
            foreach ([
                [$executor, [new Registry()]],
                [$approvals, [new Memory()]],
            ] as [$object, $arguments]) {
                try {
                    $object->__construct(...$arguments);
                } catch (Error $error) {
                    $heard[] = $error->getMessage();
                }
            }
            return null;
        };
        $executor->listen(static function () use (&$executor, &$heard): void {
            try {
                $executor->__construct(new Registry());
            } catch (Error $error) {
                $heard[] = $error->getMessage();
            }
        });
        $execution = $executor->execute([
            'id' => 'a',
            'type' => 'EDIT',
            'payload' => ['secret' => 's'],
        ]);
        $approvals->decide((string) $execution->approvalId, true);
        self::assertTrue($executor->resume('a')->output->success);
        self::assertTrue($executor->undo('a'));
        $expected = [
            sprintf(self::TWICE, Executor::class),
            sprintf(self::TWICE, ApprovalService::class),
        ];
        self::assertEqualsCanonicalizing($expected, array_values(array_unique($heard)));
    }

    /**
     * Reading an argument runs PHP code. Here the code is suspended in a fiber, and goes on when
     * the object is in use.
     */
    public function testAConstructorThatWasOvertakenThrows(): void
    {
        $text = new class {
            public ?object $object = null;

            public function __toString(): string
            {
                foreach (debug_backtrace(DEBUG_BACKTRACE_PROVIDE_OBJECT) as $frame) {
                    $object = $frame['object'] ?? null;
                    $this->object ??= $object instanceof ToolResult ? $object : null;
                }
                Fiber::suspend();
                return 'late';
            }
        };
        $fiber = new Fiber(static fn (): object => (require __DIR__ . '/weakly.php')($text));
        $fiber->start();
        $made = $text->object;
        self::assertInstanceOf(ToolResult::class, $made);
        try {
            $made->toArray();
            self::fail('an object that is not constructed has fields');
        } catch (Throwable $error) {
            self::assertNotSame('', $error->getMessage());
        }
        $made->__construct('early', true, ['x']);
        try {
            $fiber->resume();
            self::fail('constructed twice');
        } catch (Error $error) {
            self::assertSame(sprintf(self::TWICE, ToolResult::class), $error->getMessage());
        }
        self::assertSame('early', $made->tool);
    }
}
