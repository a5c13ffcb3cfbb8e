<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Near;

use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Detect\Tag;

/** A special token, or a tag, as it stands in a text: its letters, and what may stand between. */
final class TextToken
{
    /** The longest token, in bytes. */
    public const LONGEST = 64;
    /** What stands for a bar. */
    private const BARS = ['|', '｜', '¦', '│', '∣', '❘', '‖'];
    /** What stands between the words of a token. */
    private const GAPS = ['_', ' ', '▁', '-'];

    private const ALPHANUMERIC
        = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

    /** @var string its letters and digits, in small letters */
    public $letters = '';

    /** @var bool */
    public $closes = false;

    /** @var bool */
    public $hasBar = false;

    /** @var int its length, without the `>` */
    public $length = 0;

    /** @var bool whether the `>` stands behind it */
    public $ends = false;

    /** @var int how much of the text was read */
    public $read = 0;

    /**
     * @var list<array{int, int}> where blanks stand in it, with the number of letters before them
     */
    public $blanks = [];

    /** Reads the token at a place, up to its `>` or the first byte that no token holds. */
    public static function at(string $text, int $start): ?self
    {
        $token = new self();
        $rest = (string) substr($text, $start, self::LONGEST + 4);
        $token->closes = ($rest[1] ?? '') === '/';
        $pos = $token->closes ? 2 : 1;
        $barEnds = $textEnds = false;
        while ($pos < self::LONGEST) {
            $next = $rest[$pos] ?? '';
            $textEnds = $next === '';
            $bar = self::part(self::BARS, $rest, $pos);
            $gap = self::part(self::GAPS, $rest, $pos);
            if ($bar > 0) {
                $token->hasBar = $barEnds = true;
                $token->length = $pos += $bar;
            } elseif ($gap > 0) {
                $token->blanks[] = [$pos, strlen($token->letters)];
                $pos += $gap;
            } elseif ($next === '>') {
                [$token->ends, $token->length] = [true, $pos];
                return $token;
            } elseif (strspn($next, self::ALPHANUMERIC) === 1) {
                $token->letters .= Tag::lower($next);
                $barEnds = false;
                $token->length = ++$pos;
            } else {
                break;
            }
        }
        $token->read = $pos;
        // Without its end, a token ends with a bar or the text, or is followed by attributes.
        return $barEnds || $textEnds || $token->blanks !== [] ? $token : null;
    }

    /** @param list<string> $parts */
    private static function part(array $parts, string $rest, int $pos): int
    {
        foreach ($parts as $part) {
            if (substr($rest, $pos, strlen($part)) === $part) {
                return strlen($part);
            }
        }
        return 0;
    }

    /** The length of the end tag of a marker at a place, written in another way. */
    public static function endTag(Marker $marker, string $text, int $pos): ?int
    {
        $known = self::at($marker->written, 0);
        if ($known === null || !$known->closes || !$known->ends || ($text[$pos] ?? '<') !== '<') {
            return null;
        }
        $token = self::at($text, $pos);
        $isSame = $token !== null && $token->closes && $token->ends
            && $token->letters === $known->letters;
        return $isSame ? $token->length + 1 : null;
    }
}
