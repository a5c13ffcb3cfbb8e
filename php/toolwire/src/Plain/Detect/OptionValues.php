<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use stdClass;
use Toolwire\Plain\Detect\Format\Format;
use Toolwire\Plain\Detect\Format\Formats;
use Toolwire\Plain\Detect\Profile\ModelProfile;
use Toolwire\Plain\Detect\Typed\Schema;
use Toolwire\Plain\LeftOut;
use Toolwire\Plain\Misuse;
use Toolwire\Plain\Nearest;
use Toolwire\Plain\Utf8;
use Toolwire\Plain\Values;
use Toolwire\Profile;

/** Reads the values of options; a value that is not allowed is an exception that says what is. */
final class OptionValues
{
    /** No option is read deeper: the definitions of tools have a name, and no more is looked at. */
    private const MOST_DEPTH = 128;

    /**
     * Names of formats, or `auto` for all that tell themselves apart.
     *
     * @param mixed $value
     * @return list<Format>
     */
    public static function formats($value): array
    {
        $several = is_array($value) && Values::isList($value) ? $value : [$value];
        $formats = [];
        foreach ($several as $format) {
            if (is_array($format) || $format instanceof stdClass) {
                throw LeftOut::error('a format of your own');
            }
            $formats = array_merge($formats, self::format($format));
        }
        if ($formats === []) {
            throw Misuse::of('invalid_option', 'formats must name at least one format');
        }
        return $formats;
    }

    /**
     * @param mixed $format
     * @return list<Format>
     */
    private static function format($format): array
    {
        if (!is_string($format)) {
            $message = 'formats must be a name, a definition, or a list of these';
            throw Misuse::of('wrong_type', $message);
        }
        self::checkText('formats', $format);
        if ($format === 'auto') {
            return Formats::automatic();
        }
        if (!isset(Formats::definitions()[$format])) {
            $message = 'unknown format "' . Utf8::shown($format) . '"'
                . Nearest::suggestion($format, array_keys(Formats::definitions()));
            throw Misuse::of('unknown_format', $message);
        }
        return [Formats::named($format)];
    }

    /**
     * The names of tools, given as names or definitions, and the schemas of their arguments.
     *
     * @param mixed $value
     * @return array{array<array-key, true>, array<array-key, Schema>}
     */
    public static function tools($value): array
    {
        if (!is_array($value) || !Values::isList($value)) {
            throw Misuse::of('wrong_type', 'tools must be a list of names and definitions');
        }
        $tools = $schemas = [];
        foreach ($value as $index => $entry) {
            $name = self::tool("tools[$index]", $entry);
            $tools[$name] = true;
            $schema = self::schema($entry);
            unset($schemas[$name]);
            $schemas += $schema === null ? [] : [$name => Schema::of($schema)];
        }
        return [$tools, $schemas];
    }

    /** @param mixed $entry */
    private static function tool(string $which, $entry): string
    {
        $definition = self::object($entry);
        if ($definition === null && !is_string($entry)) {
            throw Misuse::of('invalid_tool', "$which must be a name or a definition");
        }
        $function = self::object($definition['function'] ?? null);
        $name = $definition === null ? $entry : ($function ?? $definition)['name'] ?? null;
        if (!is_string($name)) {
            throw Misuse::of('invalid_tool', "$which has no name");
        }
        self::checkText('tools', $name);
        $white = Utf8::WHITE;
        $name = (string) preg_replace("/^[$white]++|[$white]++\$/Du", '', $name);
        if ($name === '') {
            throw Misuse::of('invalid_tool', "$which has an empty name");
        }
        return $name;
    }

    /**
     * The schema in a definition of a tool; null for none.
     *
     * @param mixed $entry
     * @return mixed
     */
    private static function schema($entry)
    {
        $definition = self::object($entry) ?? [];
        $definition = self::object($definition['function'] ?? null) ?? $definition;
        foreach (['parameters', 'input_schema', 'inputSchema'] as $key) {
            if (array_key_exists($key, $definition)) {
                return $definition[$key];
            }
        }
        return null;
    }

    /**
     * The entries of a map or a plain object; null for any other value.
     *
     * @param mixed $value
     * @return array<array-key, mixed>|null
     */
    private static function object($value): ?array
    {
        return is_array($value) && Values::isList($value) ? null : Values::entries($value);
    }

    /**
     * Old names, each with the new one.
     *
     * @param mixed $value
     * @return array<array-key, string>
     */
    public static function names(string $option, $value): array
    {
        $names = Values::entries($value);
        $list = is_array($value) && $value !== [] && Values::isList($value);
        foreach ($list || $names === null ? [null] : $names as $old => $new) {
            if (!is_string($new)) {
                throw Misuse::of('wrong_type', "$option must be a map of old names to new names");
            }
            self::checkText($option, $new);
            if (!Utf8::isValid((string) $old)) {
                throw Misuse::of('invalid_option', "$option holds a key that is not UTF-8");
            }
        }
        return (array) $names;
    }

    /** @param mixed $value the name of a model */
    public static function profile($value): ModelProfile
    {
        if ($value instanceof Profile) {
            return $value->ofModel();
        }
        if (is_array($value) && Values::isList($value) && $value !== []) {
            throw Misuse::of('wrong_type', 'model must be a name or a definition');
        }
        if (is_array($value) || $value instanceof stdClass) {
            throw LeftOut::error('a profile of your own');
        }
        if (!is_string($value)) {
            throw Misuse::of('wrong_type', 'model must be a name or a definition');
        }
        self::checkText('model', $value);
        return ModelProfile::named($value);
    }

    /** @param mixed $value */
    public static function text(string $option, $value): string
    {
        if (!is_string($value)) {
            throw Misuse::of('wrong_type', "$option must be a text");
        }
        // A prompt may be cut off anywhere.
        return Utf8::lossy($value);
    }

    /** @param mixed $value */
    public static function className(string $option, $value): string
    {
        if (!is_string($value)) {
            throw Misuse::of('wrong_type', "$option must be a class name");
        }
        self::checkText($option, $value);
        if ($value === '' || preg_match('/[' . Utf8::WHITE . ']/u', $value) === 1) {
            $message = "$option must be one class name without white space";
            throw Misuse::of('invalid_option', $message);
        }
        return $value;
    }

    /**
     * @param mixed $value
     * @param list<string> $allowed
     */
    public static function word(string $option, $value, array $allowed): string
    {
        $words = implode(', ', $allowed);
        if (!is_string($value)) {
            throw Misuse::of('wrong_type', "$option must be one of $words");
        }
        self::checkText($option, $value);
        if (!in_array($value, $allowed, true)) {
            $message = "$option must be one of $words, not \"" . Utf8::shown($value) . '"';
            throw Misuse::of('invalid_option', $message);
        }
        return $value;
    }

    /** @param mixed $value */
    public static function count(string $option, $value, int $most): int
    {
        if (!is_int($value) && !is_float($value)) {
            throw Misuse::of('wrong_type', "$option must be a positive integer");
        }
        if (!is_int($value) || $value < 1 || $value > $most) {
            $range = $most === PHP_INT_MAX ? 'at least 1' : "from 1 to $most";
            $given = is_float($value) ? json_encode($value) : $value;
            throw Misuse::of('invalid_option', "$option must be an integer $range, not $given");
        }
        return $value;
    }

    /**
     * Refuses numbers that are not finite, at any depth.
     *
     * @param mixed $value
     */
    public static function checkNumbers(string $option, $value, int $depth = 0): void
    {
        if (is_float($value) && !is_finite($value)) {
            throw Misuse::of('invalid_option', "$option holds a number that is not finite");
        }
        foreach ($depth < self::MOST_DEPTH ? Values::entries($value) ?? [] : [] as $entry) {
            self::checkNumbers($option, $entry, $depth + 1);
        }
    }

    private static function checkText(string $option, string $text): void
    {
        if (!Utf8::isValid($text)) {
            throw Misuse::of('invalid_option', "$option holds text that is not UTF-8");
        }
    }
}
