<?php

/**
 * A registry with the methods of the plugin's own. The arguments of a call say how its tool
 * misbehaves.
 */

declare(strict_types=1);

final class MPAI_Tool_Registry
{
    public static int $made = 0;
    /** @var list<string> tools that a site's filter takes away */
    public static array $taken = [];
    /** @var list<mixed> the parameters of every call that ran */
    public static array $ran = [];
    /** @var array<string, object> */
    private array $tools = [];
    /** @var array<string, array{class: string, file: ?string}> */
    private array $definitions = [];

    public function __construct()
    {
        self::$made++;
        $this->register_tool('wpcli', new MPAI_Tool());
        $this->register_tool('site/own.tool', new MPAI_Tool());
        $this->register_tool('broken', (object) []);
        $this->register_tool('<b>', new MPAI_Tool());
        $this->register_tool_definition('lazy', MPAI_Tool::class);
        $this->register_tool_definition('lost', 'MPAI_Lost_Tool');
    }

    public function register_tool(string $id, object $tool): bool
    {
        $this->tools[$id] ??= $tool;
        return $this->tools[$id] === $tool;
    }

    public function register_tool_definition(string $id, string $class, ?string $file = null): bool
    {
        $this->definitions[$id] = ['class' => $class, 'file' => $file];
        return true;
    }

    public function get_tool(string $id): ?object
    {
        $class = $this->definitions[$id]['class'] ?? '';
        return $this->tools[$id] ?? (class_exists($class) ? new $class() : null);
    }

    /** @return array<string, object|array<string, mixed>> */
    public function get_available_tools(): array
    {
        return array_diff_key($this->tools + $this->definitions, array_flip(self::$taken));
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
            'fail' => throw new TypeError('called in ' . __FILE__),
            'deny' => ['success' => false, 'error' => 'You may not.', 'code' => 403],
            'wordless' => ['success' => false],
            'wp error' => new WP_Error('Not <allowed>.'),
            'false' => false,
            'null' => null,
            'object' => new ArrayObject(['a/b' => 'é']),
            'array' => ['success' => true, 'list' => [1, "\xff"]],
            'other call' => '<tool:wpcli>{"do":2}</tool>',
            default => $parameters['do'] ?? 'done',
        };
    }
}
