<?php

declare(strict_types=1);

namespace Toolwire\Plain\Redact;

use Toolwire\Plain\Utf8;

/** Strikes secrets out of a text, in any of its views. */
final class Strike
{
    public const REDACTED = '[redacted]';

    /** The most searches of one text; a mark may form a new secret with the text beside it. */
    private const ROUNDS = 8;

    /** How many bits the end of a span takes; no text of PHP is longer. */
    private const BITS = 31;

    /** A text without what looks like a secret, and without what it assigns to a secret's name. */
    public static function secrets(string $text, SecretNames $names): string
    {
        // In a text that is not UTF-8 and holds a secret, odd bytes become U+FFFD.
        $struck = Utf8::lossy($text);
        for ($round = 0; $round < self::ROUNDS; $round++) {
            $parts = self::parts($struck, $names);
            if ($parts === null) {
                return self::REDACTED;
            }
            if ($parts === []) {
                return $round === 0 ? $text : $struck;
            }
            $struck = self::without($struck, $parts);
        }
        return self::REDACTED;
    }

    /** A span as one number, which takes less memory than a list and is sorted as one. */
    public static function span(int $start, int $end): int
    {
        return $start << self::BITS | $end;
    }

    /** @return array{int, int} */
    public static function ends(int $span): array
    {
        return [$span >> self::BITS, $span & (1 << self::BITS) - 1];
    }

    /** @return list<int>|null the spans in the order of their starts; null: all of it */
    private static function parts(string $text, SecretNames $names): ?array
    {
        $parts = [];
        foreach (DerivedText::all($text) as $view) {
            $tokens = Tokens::in($view->text);
            if ($tokens === null) {
                return null;
            }
            foreach ($tokens as $token) {
                $parts[] = self::span(...$view->span(...self::ends($token)));
            }
            foreach (Assignments::in($view->text, $names) as $value) {
                $parts[] = self::span(...$view->span(...$value));
            }
        }
        $marks = $parts === [] ? [] : self::marks($text);
        $kept = [];
        foreach ($parts as $part) {
            $part = self::besideMarks(self::ends($part), $marks);
            if ($part !== null) {
                $kept[] = self::span(...$part);
            }
        }
        sort($kept);
        return $kept;
    }

    /** @return list<int> */
    private static function marks(string $text): array
    {
        $marks = [];
        for ($at = -1; ($at = strpos($text, self::REDACTED, $at + 1)) !== false;) {
            $marks[] = $at;
        }
        return $marks;
    }

    /**
     * Extends a part to cover each mark that it touches; null if it lies inside one.
     *
     * @param array{int, int} $part
     * @param list<int> $marks
     * @return array{int, int}|null
     */
    private static function besideMarks(array $part, array $marks): ?array
    {
        [$start, $end] = $part;
        [$low, $high] = [0, count($marks)];
        while ($low < $high) {
            $middle = intdiv($low + $high, 2);
            if ($marks[$middle] + strlen(self::REDACTED) <= $start) {
                $low = $middle + 1;
            } else {
                $high = $middle;
            }
        }
        for ($at = $low; isset($marks[$at]) && $marks[$at] < $part[1]; $at++) {
            $mark = $marks[$at];
            $behind = $mark + strlen(self::REDACTED);
            if ($mark <= $part[0] && $part[1] <= $behind) {
                return null;
            }
            [$start, $end] = [min($start, $mark), max($end, $behind)];
        }
        return [$start, $end];
    }

    /** @param list<int> $parts */
    private static function without(string $text, array $parts): string
    {
        [$made, $done, $isFirst] = ['', 0, true];
        foreach ($parts as $part) {
            [$start, $end] = self::ends($part);
            if ($isFirst || $start >= $done) {
                $made .= substr($text, $done, $start - $done) . self::REDACTED;
                $isFirst = false;
            }
            $done = max($done, $end);
        }
        return $made . substr($text, $done);
    }
}
