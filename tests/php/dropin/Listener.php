<?php

declare(strict_types=1);

namespace Toolwire\Tests\Dropin {
    use DomainException;

    /** Records every action and every read of an object, and may throw. */
    final class Listener
    {
        /** @var list<mixed> */
        public static array $heard = [];
        public static bool $throws = false;

        public static function start(bool $throws): void
        {
            [self::$heard, self::$throws] = [[], $throws];
        }

        public static function hear(mixed ...$what): void
        {
            self::$heard[] = $what;
            if (self::$throws && $what[0] === 'datamachine_log') {
                throw new DomainException('a listener');
            }
        }
    }
}

namespace DataMachine\Engine\AI\Tools {
    function do_action(string $hook, mixed ...$arguments): void
    {
        \Toolwire\Tests\Dropin\Listener::hear($hook, ...$arguments);
    }
}
