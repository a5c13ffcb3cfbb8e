<?php

declare(strict_types=1);

namespace Toolwire\Plain\Schema;

use Toolwire\Plain\Utf8;

/** Texts about values of strangers, which are told in part if they are long. */
final class Told
{
    private const MOST = 500;

    /** The bytes of a character behind its first. */
    private const BEHIND_FIRST = "\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8A\x8B\x8C\x8D\x8E\x8F"
        . "\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9A\x9B\x9C\x9D\x9E\x9F"
        . "\xA0\xA1\xA2\xA3\xA4\xA5\xA6\xA7\xA8\xA9\xAA\xAB\xAC\xAD\xAE\xAF"
        . "\xB0\xB1\xB2\xB3\xB4\xB5\xB6\xB7\xB8\xB9\xBA\xBB\xBC\xBD\xBE\xBF";

    /** A text without its middle, if it is long. */
    public static function bounded(string $text): string
    {
        if (strlen($text) <= self::MOST) {
            return $text;
        }
        $text = Utf8::lossy($text);
        $half = intdiv(self::MOST, 2);
        $more = self::MOST + 1;
        if (preg_match("/^.{{$more}}/su", $text) !== 1) {
            return $text;
        }
        preg_match("/^.{{$half}}/su", $text, $start);
        // A character has four bytes at most.
        $end = substr($text, -4 * $half);
        $end = substr($end, strspn($end, self::BEHIND_FIRST));
        preg_match("/.{{$half}}$/Dsu", $end, $end);
        return $start[0] . '…' . $end[0];
    }
}
