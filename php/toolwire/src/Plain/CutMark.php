<?php

declare(strict_types=1);

namespace Toolwire\Plain;

use Toolwire\Plain\Detect\Format\Table as Formats;
use Toolwire\Plain\Detect\Profile\Table as Profiles;

/**
 * The beginning of a mark of any family at the end of a text: the model was cut off there.
 *
 * The extension tells it by {@see \Toolwire\Detector::stream()}, which holds such an end back.
 */
final class CutMark
{
    /** The shortest beginning that counts; `<` and `[` alone stand in ordinary texts. */
    private const SHORTEST = 2;

    /** @var list<string>|null */
    private static $marks = null;

    /** The text without the beginning of a mark at its end. */
    public static function without(string $text): string
    {
        $longest = 0;
        foreach (self::marks() as $mark) {
            $longest = max($longest, strlen($mark));
        }
        $from = max(0, strlen($text) - $longest);
        for ($at = $from; $at <= strlen($text) - self::SHORTEST; $at++) {
            if ($text[$at] !== '<' && $text[$at] !== '[') {
                continue;
            }
            $end = substr($text, $at);
            foreach (self::marks() as $mark) {
                if ($mark !== $end && strncmp($mark, $end, strlen($end)) === 0) {
                    return substr($text, 0, $at);
                }
            }
        }
        return $text;
    }

    /** @return list<string> */
    private static function marks(): array
    {
        if (self::$marks === null) {
            $marks = [];
            $take = static function ($value, $key) use (&$marks): void {
                if (is_string($value) && preg_match('/^[<\[]\S+$/', $value) === 1) {
                    $marks[$value] = $key !== 'example' && $key !== 'models';
                }
            };
            [$formats, $profiles] = [Formats::ALL, Profiles::ALL];
            array_walk_recursive($formats, $take);
            array_walk_recursive($profiles, $take);
            self::$marks = array_map('strval', array_keys(array_filter($marks)));
        }
        return self::$marks;
    }
}
