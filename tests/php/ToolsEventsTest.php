<?php

declare(strict_types=1);

use Monolog\Handler\TestHandler;
use Monolog\Logger;
use PHPUnit\Framework\TestCase;
use Symfony\Component\EventDispatcher\EventDispatcher;
use Toolwire\Tools\Events\EventDispatch;
use Toolwire\Tools\Events\EventLog;
use Toolwire\Tools\Events\ToolEvent;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;

/** Events for loggers of PSR-3 and dispatchers of PSR-14: Monolog and Symfony's. */
final class ToolsEventsTest extends TestCase
{
    public static function setUpBeforeClass(): void
    {
        foreach (['Monolog', 'Symfony/Component/EventDispatcher'] as $package) {
            $file = "/usr/share/php/$package/autoload.php";
            if (!is_file($file)) {
                self::markTestSkipped("$file is missing: .ci/setup installs it");
            }
            require_once $file;
        }
        require_once dirname(__DIR__, 2) . '/php/toolwire/autoload.php';
    }

    private function executor(): Executor
    {
        $registry = new Registry();
        $registry->register(new ToolDefinition('look', 'LOOK', static fn () => ToolOutput::ok(['seen' => 7])));
        $registry->register(new ToolDefinition('fail', 'FAIL', static function (): void {
            throw new RuntimeException('broken');
        }));
        return new Executor($registry);
    }

    /** @param array<string, string> $payload */
    private function call(Executor $executor, string $tool, array $payload = []): void
    {
        $executor->execute(['id' => $tool, 'type' => strtoupper($tool), 'payload' => $payload]);
    }

    public function testALoggerGetsEachEventWithoutSecrets(): void
    {
        $handler = new TestHandler();
        $executor = $this->executor();
        $executor->listen(new EventLog(new Logger('tools', [$handler])));
        $this->call($executor, 'look', ['password' => 'swordfish']);
        $this->call($executor, 'fail');
        $told = array_map(
            static fn ($record): string => "{$record['level_name']} {$record['context']['event']}",
            $handler->getRecords()
        );
        self::assertSame([
            'DEBUG tool.invoked', 'DEBUG tool.started', 'INFO tool.completed',
            'DEBUG tool.invoked', 'DEBUG tool.started', 'ERROR tool.failed',
        ], $told);
        $context = $handler->getRecords()[0]['context'];
        self::assertSame('look', $context['tool_name']);
        self::assertSame('{tool_name}: {event}', $handler->getRecords()[0]['message']);
        self::assertStringNotContainsString('swordfish', serialize($handler->getRecords()));
    }

    public function testTheProgramChoosesTheLevels(): void
    {
        $handler = new TestHandler();
        $executor = $this->executor();
        $executor->listen(
            new EventLog(new Logger('tools', [$handler]), ['tool.completed' => 'critical'])
        );
        $this->call($executor, 'look');
        self::assertSame('CRITICAL', $handler->getRecords()[2]['level_name']);
        self::assertSame('DEBUG', $handler->getRecords()[0]['level_name']);
    }

    public function testADispatcherGetsEachEventAsAnObject(): void
    {
        $heard = [];
        $dispatcher = new EventDispatcher();
        $dispatcher->addListener(ToolEvent::class, static function (ToolEvent $event) use (&$heard): void {
            $heard[] = [$event->type, $event->data['tool_name']];
        });
        $executor = $this->executor();
        $executor->listen(new EventDispatch($dispatcher));
        $this->call($executor, 'look');
        self::assertSame(
            [['tool.invoked', 'look'], ['tool.started', 'look'], ['tool.completed', 'look']],
            $heard
        );
    }

    public function testADispatcherThatThrowsStopsNoRun(): void
    {
        $dispatcher = new EventDispatcher();
        $dispatcher->addListener(ToolEvent::class, static function (): void {
            throw new LogicException('not now');
        });
        $executor = $this->executor();
        $executor->listen(new EventDispatch($dispatcher));
        $warned = [];
        set_error_handler(static function (int $level, string $message) use (&$warned): bool {
            $warned[] = $message;
            return true;
        });
        try {
            $action = ['id' => 'c1', 'type' => 'LOOK', 'payload' => []];
            self::assertSame(['seen' => 7], $executor->execute($action)->output->data);
        } finally {
            restore_error_handler();
        }
        self::assertCount(3, $warned);
        self::assertStringContainsString('not now', $warned[0]);
    }
}
