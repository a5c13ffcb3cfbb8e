<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Typed;

use Toolwire\Plain\Json\Arguments;

/** The elements that the text of a value consists of. */
final class Elements
{
    /**
     * The name and the content of each element; null where anything else stands beside them.
     *
     * @return list<array{string, string}>|null
     */
    public static function split(string $text, string $marker): ?array
    {
        $found = [];
        $text = trim($text, Arguments::BLANK);
        $pos = 0;
        while ($pos < strlen($text)) {
            $start = $pos + strlen($marker);
            $end = strpos($text, '>', min($start, strlen($text)));
            if ($end === false || substr_compare($text, $marker, $pos, strlen($marker)) !== 0) {
                return null;
            }
            $name = substr($text, $start, $end - $start);
            $close = "$marker/$name>";
            $at = self::nestedEnd($text, $end + 1, "$marker$name>", $close);
            if ($at === null) {
                return null;
            }
            $found[] = [$name, substr($text, $end + 1, $at - $end - 1)];
            $pos = $at + strlen($close);
            $pos += strspn($text, Arguments::BLANK, $pos);
        }
        return $found;
    }

    /**
     * The members of an object by their names; of those with one name, the last counts.
     *
     * @param list<array{string, string}> $found
     * @return list<array{string, string}>
     */
    public static function lastOfEach(array $found): array
    {
        $last = [];
        foreach ($found as [$name, $inner]) {
            // A name of digits would become a number.
            $last["$name>"] = [$name, $inner];
        }
        return array_values($last);
    }

    /** Where the end stands that belongs to an opening of the same name in front of a place. */
    private static function nestedEnd(string $text, int $pos, string $open, string $close): ?int
    {
        $depth = 0;
        $next = strpos($text, $open, $pos);
        $end = strpos($text, $close, $pos);
        for (; $end !== false; $end = strpos($text, $close, $end + strlen($close))) {
            while ($next !== false && $next < $end) {
                $depth++;
                $next = strpos($text, $open, $next + strlen($open));
            }
            if ($depth-- === 0) {
                return $end;
            }
        }
        return null;
    }
}
