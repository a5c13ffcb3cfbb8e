<?php

declare(strict_types=1);

namespace Toolwire\Plain;

/** Which of many names are nearest to one that is not known. */
final class Nearest
{
    /** How alike a name must be to be suggested, in parts of a million of both names. */
    private const ALIKE = 600000;

    /** The longest unknown name that is compared, in bytes. */
    private const LONGEST = 48;

    /** How many names are suggested. */
    private const SUGGESTED = 3;

    /**
     * The end of a message about a name that is not known: the names that are like it, and all.
     *
     * @param array<array-key, string> $known
     */
    public static function suggestion(string $name, array $known): string
    {
        $name = Utf8::lossy($name);
        $all = '; known: ' . implode(', ', $known);
        if (strlen($name) > self::LONGEST) {
            return $all;
        }
        $alike = static function (string $other) use ($name): bool {
            return self::likeness($name, $other) >= self::ALIKE;
        };
        $near = array_slice(self::of($name, array_filter($known, $alike)), 0, self::SUGGESTED);
        return $near === [] ? $all : '; nearest: ' . implode(', ', $near) . $all;
    }

    /**
     * The names, the nearest first, and of equals in their order.
     *
     * @param array<array-key, string> $names
     * @return list<string>
     */
    public static function of(string $name, array $names): array
    {
        $alike = [];
        foreach ($names as $other) {
            $alike[] = [-self::likeness($name, $other), $other];
        }
        usort($alike, static function (array $one, array $other): int {
            return $one[0] <=> $other[0] ?: strcmp($one[1], $other[1]);
        });
        return array_column($alike, 1);
    }

    /**
     * How many characters a name and another one have in common, in the same order; in parts of a
     * million of both names.
     */
    private static function likeness(string $one, string $other): int
    {
        $known = self::characters($one);
        $row = array_fill(0, count($known), 0);
        $length = 0;
        foreach (self::characters($other) as $next) {
            $corner = $left = 0;
            foreach ($known as $at => $character) {
                $best = $character === $next ? $corner + 1 : max($left, $row[$at]);
                $corner = $row[$at];
                $left = $row[$at] = $best;
            }
            $length++;
        }
        $common = $row === [] ? 0 : $row[count($row) - 1];
        return intdiv($common * 2000000, max(count($known) + $length, 1));
    }

    /** @return list<string> */
    private static function characters(string $text): array
    {
        $characters = preg_split('//u', $text, -1, PREG_SPLIT_NO_EMPTY);
        return $characters === false ? str_split($text) : $characters;
    }
}
