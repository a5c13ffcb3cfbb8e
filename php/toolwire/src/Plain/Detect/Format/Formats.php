<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Format;

use Toolwire\Plain\Detect\ToolName;

/** The built-in formats, and which of them a word stands for. */
final class Formats
{
    /** A format whose keys are some of another one's, which reads its calls. */
    private const COVERED = ['xlam'];
    /** Formats that are read only for the models that write them: their markers are words. */
    private const OF_MODELS = [
        'kimi_k2_stripped', 'harmony_stripped', 'hyperclova', 'react', 'gemini',
    ];
    /** A format whose tags are names of tools. */
    private const OF_TOOLS = ['cline'];
    /** A format whose opening prose may hold: it is read only where a message begins. */
    private const ONLY_FIRST = ['functionary_v32'];

    /** @var array<string, Format> */
    private static $known = [];

    /** @var array<string, array<string, mixed>>|null the definitions by slug */
    private static $definitions = null;

    /** @return array<string, array<string, mixed>> the definitions by slug */
    public static function definitions(): array
    {
        if (self::$definitions === null) {
            self::$definitions = array_column(Table::ALL, null, 'slug');
        }
        return self::$definitions;
    }

    public static function named(string $slug): Format
    {
        if (!isset(self::$known[$slug])) {
            self::$known[$slug] = new Format(self::definitions()[$slug]);
        }
        return self::$known[$slug];
    }

    /**
     * The formats that are looked for unless others are named: all that can be told apart by how
     * they are written.
     *
     * @return list<Format>
     */
    public static function automatic(): array
    {
        $left = array_merge(self::COVERED, self::OF_MODELS, self::OF_TOOLS);
        $formats = [];
        foreach (array_diff(array_keys(self::definitions()), $left) as $slug) {
            $formats[] = self::onlyFirst($slug);
        }
        return $formats;
    }

    private static function onlyFirst(string $slug): Format
    {
        if (!in_array($slug, self::ONLY_FIRST, true)) {
            return self::named($slug);
        }
        $key = "$slug first";
        return self::$known[$key] = self::$known[$key] ?? self::named($slug)->onlyFirst();
    }

    /**
     * The formats, each of those whose tags are names of tools as one format for each name: those
     * of the tools, and those of the format.
     *
     * @param list<Format> $formats
     * @param list<string> $tools
     * @return list<Format>
     */
    public static function withTagsOf(array $formats, array $tools): array
    {
        $all = [];
        foreach ($formats as $format) {
            if ($format->call->names === []) {
                $all[] = $format;
                continue;
            }
            $own = array_map('strval', array_keys($format->call->names));
            $names = array_merge($own, array_filter($tools, [self::class, 'isTagName']));
            $names = array_unique($names);
            sort($names, SORT_STRING);
            foreach ($names as $name) {
                $all[] = self::ofTag($format, $name, $names);
            }
        }
        return $all;
    }

    private static function isTagName(string $name): bool
    {
        return preg_match('/^[A-Za-z0-9_]/', $name) === 1
            && substr($name, -1) !== '/'
            && strlen($name) <= ToolName::LONGEST
            && strspn($name, ToolName::OF_NAMES) === strlen($name);
    }

    /** @param list<string> $names */
    private static function ofTag(Format $format, string $name, array $names): Format
    {
        $one = clone $format;
        $call = clone $format->call;
        $call->names = array_fill_keys($names, true);
        $call->open = [Marker::of("<$name>")];
        $call->close = [Marker::of("</$name>")];
        $call->nameEnd = [];
        $call->place = new NamePlace(NamePlace::TAG);
        $one->call = $call;
        return $one;
    }
}
