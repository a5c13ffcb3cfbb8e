<?php

declare(strict_types=1);

namespace Toolwire\Tools;

use Countable;
use Toolwire\Plain\LeftOut;
use Toolwire\Plain\Providers;
use Toolwire\Plain\Schema\ChatTools;
use Toolwire\Plain\Unsaved;

/** The tools of a program. */
final class Registry implements Countable
{
    use Unsaved;

    /** @var array<string, ToolDefinition> by id */
    private $tools = [];

    /** @var array<string, string> the id of the tool with a name or alias */
    private $names = [];

    public function __construct()
    {
    }

    /** Adds a tool, or replaces the one of the same id. */
    public function register(ToolDefinition $tool): void
    {
        // The names of a tool that is replaced find nothing any more.
        $this->names = array_diff($this->names, [$tool->id]);
        $this->tools["\0$tool->id"] = $tool;
        foreach (array_merge([$tool->name], $tool->aliases) as $name) {
            $this->names["\0$name"] = $tool->id;
        }
    }

    /** The tool of this id, or else of this name or alias. */
    public function get(string $name): ?ToolDefinition
    {
        $type = isset($this->tools["\0$name"]) ? $name : $this->names["\0$name"] ?? null;
        if ($type !== null) {
            return $this->tools["\0$type"];
        }
        return ChatTools::named($this->list(), $name);
    }

    public function getById(string $id): ?ToolDefinition
    {
        return $this->tools["\0$id"] ?? null;
    }

    /** Whether there is a tool of this id, name or alias. */
    public function has(string $name): bool
    {
        return $this->get($name) !== null;
    }

    /** @return list<ToolDefinition> in the order in which they were first registered */
    public function list(): array
    {
        return array_values($this->tools);
    }

    /**
     * The tools as a request of chat completions has them.
     *
     * @return list<array<string, mixed>>
     */
    public function toProvider(string $provider, bool $strict = false): array
    {
        Providers::onlyChat($provider, 'tools', 'Registry::toProvider() for');
        LeftOut::refuse($strict, 'the option strict');
        return ChatTools::of($this->list(), [$this, 'get']);
    }

    /** The number of tools. */
    public function count(): int
    {
        return count($this->tools);
    }

    /** @param list<mixed> $arguments */
    public function __call(string $name, array $arguments)
    {
        throw LeftOut::method(self::class, $name);
    }
}
