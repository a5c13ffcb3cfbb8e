<?php

declare(strict_types=1);

namespace Toolwire\Tools;

use Toolwire\Plain\LeftOut;
use Toolwire\Plain\Unsaved;
use Toolwire\Tools\Store\Memory;

/**
 * The tools of an agent, and the store of its conversations. It runs nothing here: runs, approval
 * and undo need the extension, and an agent is given `runCall`.
 */
final class Executor
{
    use Unsaved;

    /** @var Registry */
    private $tools;

    /** @var Store */
    private $store;

    /** The options of runs, with their defaults; any other value needs the extension. */
    private const OF_RUNS = [
        'permission' => null, 'approvalTimeout' => 86400.0, 'undoTtl' => 3600.0,
        'emitEvents' => true, 'storeUndoData' => true, 'requireApprovalForRisky' => true,
        'redact' => null, 'changes' => null, 'approvalRetention' => 2592000.0,
        'runRetention' => 604800.0, 'keepOutputs' => true,
    ];

    /** @param \Toolwire\Redaction|list<string>|null $redact */
    public function __construct(
        Registry $registry,
        ?Store $store = null,
        ?callable $permission = null,
        float $approvalTimeout = 86400.0,
        float $undoTtl = 3600.0,
        bool $emitEvents = true,
        bool $storeUndoData = true,
        bool $requireApprovalForRisky = true,
        $redact = null,
        ?callable $changes = null,
        float $approvalRetention = 2592000.0,
        float $runRetention = 604800.0,
        bool $keepOutputs = true
    ) {
        $given = compact(array_keys(self::OF_RUNS));
        foreach (self::OF_RUNS as $name => $default) {
            LeftOut::refuse($given[$name] !== $default, "the option $name of Executor");
        }
        $this->tools = $registry;
        $this->store = $store ?? new Memory();
    }

    /**
     * @internal for an agent
     * @return array{Registry, Store}
     */
    public function parts(): array
    {
        return [$this->tools, $this->store];
    }

    /** @param list<mixed> $arguments */
    public function __call(string $name, array $arguments)
    {
        throw LeftOut::method(self::class, $name);
    }

    /** @param list<mixed> $arguments */
    public static function __callStatic(string $name, array $arguments)
    {
        throw LeftOut::method(self::class, $name);
    }
}
