<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Marked;

use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Detect\Near\NearTokens;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Span;

/** The end tag of a value that is damaged, as `</parameter1>` or `</arg_val>`. */
final class DamagedEnd
{
    /** The longest damaged end tag, in bytes. */
    private const LONGEST = 64;
    /** The fewest letters by which a damaged tag is known. */
    private const FEWEST = 4;

    /**
     * The damaged end tag with which a value ends.
     *
     * A tag whose letters are nearly those of an end tag, and which closes nothing in the value, is
     * no text of it.
     *
     * @param list<Marker> $close
     */
    public static function of(string $text, Span $value, array $close): ?Span
    {
        $whole = rtrim(substr($text, $value->start, $value->end - $value->start), Arguments::BLANK);
        $at = strrpos(substr($whole, -self::LONGEST), '<');
        if ($at === false) {
            return null;
        }
        $at += max(0, strlen($whole) - self::LONGEST);
        $slashes = strspn($whole, '/\\ ', $at + 1);
        $name = substr($whole, $at + 1 + $slashes);
        $name = substr($name, -1) === '>' ? substr($name, 0, -1) : $name;
        $isTag = strpos(substr($whole, $at + 1, $slashes), '/') !== false
            && strpbrk($name, "\n\r\"'>") === false;
        $letters = self::letters($name);
        if (!$isTag || strlen($letters) < self::FEWEST || strpos($whole, '<' . $name) !== false) {
            return null;
        }
        foreach ($close as $marker) {
            // Braces hold what stands for other letters.
            $written = (string) preg_replace('/\{[^}]*(\}|$)/', '', $marker->written);
            if (self::isNear($letters, self::letters($written))) {
                return new Span($value->start + $at, $value->start + strlen($whole));
            }
        }
        return null;
    }

    /**
     * The end tag of the parameter's own name with which a value ends, as `</path>`: what stands
     * round it, or its right form, is lost. It closes nothing in the value.
     */
    public static function ofName(string $text, Span $value, string $key): ?Span
    {
        $whole = substr($text, $value->start, $value->end - $value->start);
        $behind = substr($whole, -self::LONGEST);
        $behind = substr($behind, strlen(rtrim($behind, "[]<>" . Arguments::BLANK)));
        $tag = '</' . $key;
        $start = strlen($whole) - strlen($behind) - strlen($tag);
        $isTag = $key !== '' && $start >= 0 && ($behind[0] ?? '') === '>'
            && substr_compare($whole, $tag, $start, strlen($tag)) === 0;
        $inside = substr($whole, 0, strlen($whole) - strlen($behind));
        if (!$isTag || strpos($inside, '<' . $key) !== false) {
            return null;
        }
        return new Span($value->start + $start, $value->end);
    }

    /** Whether letters are those of a tag but for one, or begin like it. */
    private static function isNear(string $letters, string $known): bool
    {
        return strlen($known) >= self::FEWEST
            && (strncmp($letters, $known, strlen($known)) === 0
                || strncmp($known, $letters, strlen($letters)) === 0
                || NearTokens::edits($letters, $known) !== null);
    }

    private static function letters(string $text): string
    {
        return strtolower((string) preg_replace('/[^a-zA-Z]/', '', $text));
    }
}
