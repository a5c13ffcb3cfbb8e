<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Format;

/**
 * The keys of a call in JSON, of one format or of several; for each part, the first that is there
 * counts.
 */
final class Keys
{
    /** The most keys that one part of a call may have. */
    private const MOST = 4;
    private const USUAL = [
        'name' => 'name', 'arguments' => ['arguments', 'parameters'], 'id' => 'id',
    ];

    /** @var list<string> */
    public $name = [];

    /** @var list<string> */
    public $arguments = [];

    /** @var list<string> the keys of arguments that are common words */
    public $weak = [];

    /** @var list<string> */
    public $id = [];

    /** @var string the key of an object that holds name and arguments in the wrapped form */
    public $wrapper = '';

    /** @var bool whether the object's one key is the name and its value the arguments */
    public $nameIsKey = false;

    /** @var bool whether the values are written in Python's notation */
    public $python = false;

    /**
     * @var list<array{string, list<bool>, list<bool>}> the formats whose keys these are, if several
     */
    private $joined = [];

    /** @param array<string, mixed>|null $definition */
    public static function of(?array $definition): self
    {
        $definition = $definition ?? self::USUAL;
        $keys = new self();
        foreach (['name', 'arguments', 'weak', 'id'] as $part) {
            $keys->$part = array_values((array) ($definition[$part] ?? []));
        }
        $keys->wrapper = $definition['wrapper'] ?? '';
        $keys->nameIsKey = $definition['name_is_key'] ?? false;
        $keys->python = $definition['python'] ?? false;
        if ($keys->nameIsKey) {
            // Where the key is the name, its value is the arguments.
            $keys->arguments = ['*'];
        }
        return $keys;
    }

    /**
     * The keys of several formats; null when they are too many, or written in different ways.
     *
     * @param list<array{string, self}> $formats
     */
    public static function joining(array $formats): ?self
    {
        $joined = new self();
        foreach ($formats as [, $keys]) {
            if ($keys->nameIsKey || $keys->python) {
                return null;
            }
            foreach (['name', 'arguments', 'weak', 'id'] as $part) {
                $all = array_merge($joined->$part, $keys->$part);
                $joined->$part = array_values(array_unique($all));
            }
            if ($joined->wrapper === '') {
                $joined->wrapper = $keys->wrapper;
            } elseif ($keys->wrapper !== '' && $keys->wrapper !== $joined->wrapper) {
                return null;
            }
        }
        if (max(count($joined->name), count($joined->arguments), count($joined->id)) > self::MOST) {
            return null;
        }
        foreach ($formats as [$slug, $keys]) {
            $joined->joined[] = [
                $slug,
                self::which($joined->name, $keys->name),
                self::which($joined->arguments, $keys->arguments),
            ];
        }
        return $joined;
    }

    /**
     * @param list<string> $all
     * @param list<string> $some
     * @return list<bool>
     */
    private static function which(array $all, array $some): array
    {
        return array_map(static function (string $key) use ($some): bool {
            return in_array($key, $some, true);
        }, $all);
    }

    /** The format of a call with these keys, by their indices; null when no format has both. */
    public function format(string $slug, int $name, int $arguments): ?string
    {
        if ($this->joined === []) {
            return $slug;
        }
        foreach ($this->joined as [$one, $names, $argumentKeys]) {
            if (($names[$name] ?? false) && ($argumentKeys[$arguments] ?? false)) {
                return $one;
            }
        }
        return null;
    }

    /** Whether calls of the format may be written with these keys, which `$slug` has. */
    public function areOf(string $slug, string $format): bool
    {
        return $slug === $format || in_array($format, array_column($this->joined, 0), true);
    }

    /** The place of the wrapper's key among those of the name; -1 for none. */
    public function wrapperPlace(): int
    {
        $place = array_search($this->wrapper, $this->name, true);
        return $place === false ? -1 : (int) $place;
    }

    /** Whether a key of arguments, or an escape with which one may be written, stands in a text. */
    public function mayStandIn(string $json): bool
    {
        if ($this->nameIsKey) {
            return true;
        }
        foreach ($this->arguments as $key) {
            if (strpos($json, "\"$key\"") !== false) {
                return true;
            }
        }
        foreach ($this->arguments as $key) {
            foreach (count_chars($key, 1) as $byte => $_) {
                if (strpos($json, sprintf('\\u00%x', $byte >> 4)) !== false) {
                    return true;
                }
            }
        }
        return false;
    }
}
