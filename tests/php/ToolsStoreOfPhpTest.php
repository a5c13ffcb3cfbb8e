<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use DomainException;
use Throwable;
use Toolwire\Tools\ApprovalRequest;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\StoreException;
use Toolwire\Tools\Executor;
use Toolwire\Tools\RateLimiter;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;
use Toolwire\Tools\UndoStore;
use TypeError;

/** A store that is written in PHP: its exceptions, and wrong answers. */
final class ToolsStoreOfPhpTest extends ToolsStoreTestCase
{
    public function testWhatAStoreOfPhpThrowsIsTheCause(): void
    {
        $store = new ArrayStore(static fn () => throw new DomainException('no database'));
        foreach ([
            static fn () => (new ApprovalService($store))->request(new ApprovalRequest('a', 't')),
            static fn () => (new ApprovalService($store))->decide('a', true),
            static fn () => (new UndoStore($store))->all(),
            static fn () => (new RateLimiter($store, 1, 1.0))->check('t'),
            static fn () => (new Executor(new Registry(), $store))->resume('a'),
            static fn () => (new Executor(new Registry(), $store))->undo('a'),
        ] as $work) {
            $previous = $this->assertStoreFails('host', $work)->getPrevious();
            self::assertInstanceOf(DomainException::class, $previous);
            self::assertSame('no database', $previous->getMessage());
        }
    }

    public function testAStoreOfPhpMayThrowAnErrorWithAKind(): void
    {
        $away = new class ('the server is away', 'io') extends StoreException {
            public function __construct(string $message, string $kind)
            {
                parent::__construct($message);
                $this->kind = $kind;
            }
        };
        $store = new ArrayStore(static fn () => throw $away);
        $thrown = $this->assertStoreFails('io', static fn () => (new UndoStore($store))->all());
        self::assertSame($away, $thrown);
    }

    public function testARunWhoseStoreThrowsFails(): void
    {
        foreach (['get', 'put', 'scan'] as $bad) {
            foreach ([
                ['requiresApproval' => true], ['rateLimit' => [1, 1.0]], ['undoable' => true],
            ] as $needs) {
                $store = new ArrayStore(static fn (string $method) => $method === $bad
                    ? throw new DomainException('no database') : null);
                $registry = new Registry();
                $handler = static fn () => ToolOutput::ok(undoMetadata: ['x' => 1]);
                $registry->register(
                    new ToolDefinition(
                        ...['name' => 't', 'id' => 'T', 'handler' => $handler, ...$needs]
                    )
                );
                $execution = (new Executor($registry, $store))->execute(['type' => 'T']);
                $failed = $execution->error?->getPrevious();
                if ($failed !== null) {
                    self::assertInstanceOf(StoreException::class, $failed);
                    self::assertInstanceOf(DomainException::class, $failed->getPrevious());
                    self::assertSame('tool.failed', array_slice($execution->events, -1)[0]['type']);
                } elseif (isset($needs['undoable']) && $bad === 'put') {
                    self::assertSame('completed', $execution->state);
                    self::assertSame('tool.undo_store_failed', $execution->events[3]['type']);
                    self::assertSame(
                        StoreException::class,
                        $execution->events[3]['data']['error_code']
                    );
                } else {
                    self::assertContains($execution->state, ['completed', 'waiting']);
                }
                self::assertSame(
                    $bad === 'put' && !isset($needs['undoable']),
                    $failed !== null && $bad === 'put'
                );
            }
        }
    }

    public function testWhatAStoreOfPhpAnswersIsChecked(): void
    {
        foreach ([
            ['value' => 'x'], ['value' => 1, 'version' => 1, 'expires_at' => null],
            ['value' => 'x', 'version' => -1, 'expires_at' => null], [],
        ] as $wrong) {
            $store = new ArrayStore(
                static fn (string $method) => $method === 'get' ? $wrong : null
            );
            $error = $this->assertStoreFails(
                'host',
                static fn () => (new UndoStore($store))->get('a')
            );
            self::assertStringContainsString("the store's get() must return", $error->getMessage());
        }
        $store = new ArrayStore(static fn (string $method) => $method === 'get'
            ? ['value' => '{"half":', 'version' => 1, 'expires_at' => null] : null);
        $this->assertStoreFails('corrupt', static fn () => (new UndoStore($store))->get('a'));
    }

    /** The store exits at one call after another; it is not called once more after that. */
    public function testAStoreThatExitsIsNotCalledAgain(): void
    {
        $store = 'new class($argv[1]) implements Toolwire\Tools\Store { private $m;'
            . 'function __construct(private int $left)'
            . ' { $this->m = new Toolwire\Tools\Store\Memory(); }'
            . 'function __call($n, $a) { if ($this->left < 1) { echo "called "; }'
            . ' if (--$this->left === 0) { echo "exit "; exit(3); } return $this->m->$n(...$a); }'
            . 'function get(string $k, int $n): ?array { return $this->__call("get", [$k, $n]); }'
            . 'function put(string $k, string $v, ?int $e, ?int $x, int $n): ?int'
            . ' { return $this->__call("put", [$k, $v, $e, $x, $n]); }'
            . 'function delete(string $k, ?int $e, int $n): bool'
            . ' { return $this->__call("delete", [$k, $e, $n]); }'
            . 'function scan(string $p, ?string $a, int $l, int $n): array'
            . ' { return $this->__call("scan", [$p, $a, $l, $n]); }'
            . 'function purge(string $p, int $n): int { return $this->__call("purge", [$p, $n]); }'
            . 'function shared(): bool { return false; } }';
        $code = "\$store = $store; \$registry = new Toolwire\\Tools\\Registry();"
            . '$registry->register(new Toolwire\Tools\ToolDefinition("t", "T",'
            . ' fn () => print("ran"), requiresApproval: true));'
            . '(new Toolwire\Tools\Executor($registry, $store))->start(["id" => "c", "type" => "T"]);';
        $exits = 0;
        for ($call = 1; ($got = ToolsSafetyTest::php($code, (string) $call)) !== ['', 0]; $call++) {
            self::assertSame(['exit', 3], $got, "at call $call");
            $exits++;
        }
        self::assertGreaterThan(8, $exits);
    }

    public function testAStoreOfPhpMayExit(): void
    {
        $store = 'new class implements Toolwire\Tools\Store {'
            . 'function get(string $key, int $now): ?array { echo "in "; exit(3); }'
            . 'function put(string $key, string $v, ?int $expected, ?int $until, int $now): ?int'
            . '{ return 1; }'
            . 'function delete(string $key, ?int $expected, int $now): bool { return true; }'
            . 'function scan(string $prefix, ?string $after, int $limit, int $now): array'
            . '{ return []; }'
            . 'function purge(string $prefix, int $now): int { return 0; }'
            . 'function shared(): bool { return false; } }';
        $code = "\$store = $store; \$registry = new Toolwire\\Tools\\Registry();"
            . '$tool = new Toolwire\Tools\ToolDefinition("t", "T", fn () => print("ran"),'
            . ' rateLimit: [1, 1]); $registry->register($tool);'
            . '$executor = new Toolwire\Tools\Executor($registry, $store);'
            . '$executor->listen(function ($type) { echo "$type "; });'
            . 'try { $executor->execute(["type" => "T"]); } catch (Throwable $e) { echo "caught"; }'
            . 'echo "after";';
        self::assertSame(['tool.invoked in', 3], ToolsSafetyTest::php($code));
    }

    public function testWhatIsNoStoreIsRefused(): void
    {
        foreach ([new Registry(), 'memory', []] as $wrong) {
            try {
                new UndoStore($wrong);
                self::fail('nothing was thrown');
            } catch (Throwable $error) {
                self::assertInstanceOf(TypeError::class, $error);
                self::assertStringContainsString(
                    'must be of type Toolwire\Tools\Store',
                    $error->getMessage()
                );
            }
        }
        self::assertSame('completed', self::over(null), 'an executor makes a store of its own');
    }

    private static function over(?Store $store): string
    {
        $registry = new Registry();
        $registry->register(
            new ToolDefinition('t', 'T', static fn () => ToolOutput::ok(), rateLimit: [1, 1])
        );
        return (new Executor($registry, $store))->execute(['type' => 'T'])->state;
    }
}
