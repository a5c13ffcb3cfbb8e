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

    public function __construct(Registry $tools, ?Store $store = null)
    {
        LeftOut::refuse(func_num_args() > 2, 'an option of Executor');
        $this->tools = $tools;
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
