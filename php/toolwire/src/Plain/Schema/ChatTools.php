<?php

declare(strict_types=1);

namespace Toolwire\Plain\Schema;

use stdClass;
use Toolwire\Plain\Misuse;
use Toolwire\Tools\ToolDefinition;

/** Writes tools as a request of chat completions has them. */
final class ChatTools
{
    /** How many digits of the hash a made name ends with, and how many if that name is taken. */
    private const DIGITS = [8, 24];

    /** What OpenAI refuses at the top level of a schema. */
    private const REFUSED = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'];

    /** The longest name and the characters beside letters and digits, for each kind of server. */
    private const RULES = [
        [64, '_-', false], [64, '_-.', true], [64, '_', true], [128, '_-.', false],
    ];

    /**
     * @param list<ToolDefinition> $tools
     * @param callable(string): ?ToolDefinition $find finds a tool by a name
     * @return list<array<string, mixed>>
     */
    public static function of(array $tools, callable $find): array
    {
        $written = [];
        foreach ($tools as $tool) {
            $function = ['name' => self::name($tool, $find)];
            if ($tool->description !== '') {
                $function['description'] = $tool->description;
            }
            $function['parameters'] = self::parameters($tool);
            $written[] = ['type' => 'function', 'function' => $function];
        }
        return $written;
    }

    /**
     * The tool that a server was given under a name that is made of its own.
     *
     * @param list<ToolDefinition> $tools
     */
    public static function named(array $tools, string $name): ?ToolDefinition
    {
        foreach ($tools as $tool) {
            if (self::function($tool->name) === $name && strpos($tool->name, '/') !== false) {
                return $tool;
            }
            foreach (self::RULES as $rule) {
                if (in_array($name, self::made($tool, $rule), true)) {
                    return $tool;
                }
            }
        }
        return null;
    }

    /** @param callable(string): ?ToolDefinition $find */
    public static function name(ToolDefinition $tool, callable $find, ?array $rule = null): string
    {
        $rule = $rule ?? self::RULES[0];
        $isTaken = preg_match('/^[A-Za-z0-9_-]{1,64}$/D', $tool->name) === 1;
        $names = array_merge($isTaken ? [$tool->name] : [], self::made($tool, $rule));
        foreach ($names as $name) {
            if ($find($name) === $tool) {
                return $name;
            }
        }
        $message = "other tools have every name that \"$tool->name\" could be given";
        throw Misuse::of('invalid_tool', $message);
    }

    /** The name of an ability as a function; any other name stays as it is. */
    private static function function(string $name): string
    {
        $isAbility = preg_match('~^[a-z0-9/-]*/[a-z0-9/-]*$~D', $name) === 1;
        return $isAbility ? 'wpab__' . str_replace('/', '__', $name) : $name;
    }

    /**
     * @param array{int, string, bool} $rule
     * @return list<string> the names for a tool whose own is refused or taken, the best first
     */
    private static function made(ToolDefinition $tool, array $rule): array
    {
        [$longest, $marks, $letter] = $rule;
        $marks = preg_quote($marks, '/');
        $stem = (string) preg_replace("/[^A-Za-z0-9$marks]/u", '_', $tool->name);
        $begins = $letter ? '/^[A-Za-z_]/' : "/^[A-Za-z0-9$marks]/";
        if (preg_match($begins, $stem) !== 1) {
            $stem = "_$stem";
        }
        $hash = hash('sha256', $tool->id);
        return array_map(static function (int $digits) use ($stem, $hash, $longest): string {
            return substr($stem, 0, $longest - $digits - 1) . '_' . substr($hash, 0, $digits);
        }, self::DIGITS);
    }

    private static function parameters(ToolDefinition $tool): stdClass
    {
        $given = get_object_vars(InputSchema::of($tool->inputSchema, $tool->name)->json());
        $types = (array) ($given['type'] ?? 'object');
        if ($types !== ['object']) {
            throw self::refused($tool, '/type', 'the arguments of a tool are an object');
        }
        $object = isset($given['type']) ? $given : ['type' => 'object'] + $given;
        $object['type'] = 'object';
        $object += ['properties' => new stdClass()];
        foreach (self::REFUSED as $keyword) {
            if (array_key_exists($keyword, $object) && !isset($given['properties'])) {
                $why = 'openai refuses it at the top level, and without it no properties are left';
                throw self::refused($tool, "/$keyword", $why);
            }
            unset($object[$keyword]);
        }
        return self::portable((object) $object);
    }

    /** Says of each array what its items are, since servers refuse one that does not. */
    private static function portable(stdClass $schema): stdClass
    {
        $members = get_object_vars($schema);
        $isArray = ($members['type'] ?? null) === 'array';
        if ($isArray && !isset($members['items']) && !isset($members['prefixItems'])) {
            $members['items'] = new stdClass();
        }
        $each = static function ($part) {
            return $part instanceof stdClass ? self::portable($part) : $part;
        };
        foreach ($members as $keyword => $value) {
            $keyword = (string) $keyword;
            if ($value instanceof stdClass && in_array($keyword, UsualForm::MAPS, true)) {
                $members[$keyword] = (object) array_map($each, get_object_vars($value));
            } elseif (is_array($value) && in_array($keyword, UsualForm::LISTS_OF_SCHEMAS, true)) {
                $members[$keyword] = array_map($each, $value);
            } elseif (in_array($keyword, UsualForm::SCHEMAS, true)) {
                $members[$keyword] = $each($value);
            }
        }
        return (object) $members;
    }

    private static function refused(ToolDefinition $tool, string $path, string $why): \Throwable
    {
        $message = "the schema of \"$tool->name\" at $path: $why";
        return Misuse::of('invalid_schema', $message);
    }
}
