<?php

/** A registry of tools as the MemberPress AI Assistant has it, whose tools misbehave by what they are asked. */

declare(strict_types=1);

final class MPAI_Tool_Registry
{
    public static int $made = 0;
    /** @var list<array<array-key, mixed>> the parameters of every call that ran */
    public static array $ran = [];

    private function __construct()
    {
        self::$made++;
    }

    public static function get_instance(): self
    {
        static $instance = null;
        return $instance ??= new self();
    }

    public function get_tool(string $name): ?object
    {
        return match ($name) {
            'wpcli', '<b>' => new MPAI_Tool(),
            'plugin_logs' => throw new TypeError('no logs'),
            'broken' => (object) [],
            default => null,
        };
    }
}

final class MPAI_Tool
{
    public function execute(array $parameters): mixed
    {
        MPAI_Tool_Registry::$ran[] = $parameters;
        return match ($parameters['do'] ?? null) {
            'throw' => throw new LogicException('<i>thrown</i>'),
            'throw nothing' => throw new LogicException(),
            'fail' => intdiv(1, 0),
            'deny' => ['success' => false, 'error' => 'You may not.', 'code' => 403],
            'wp error' => new WP_Error('Not <allowed>.'),
            'false' => false,
            'null' => null,
            'object' => new ArrayObject(['a/b' => 'é']),
            'array' => ['success' => true, 'list' => [1, "\xff"]],
            'other call' => '<tool:wpcli>{"do":2}</tool>',
            'exit' => exit(3),
            default => $parameters['do'] ?? 'done',
        };
    }
}

final class WP_Error
{
    public function __construct(private string $message)
    {
    }

    public function get_error_message(): string
    {
        return $this->message;
    }
}

function is_wp_error(mixed $thing): bool
{
    return $thing instanceof WP_Error;
}
