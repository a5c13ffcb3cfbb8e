<?php

declare(strict_types=1);

namespace Toolwire\Plain\Redact;

/**
 * Finds the values that a text assigns to names: `password=x`, `"password": "x"`, `X-Api-Key: x`,
 * `define('PASSWORD', 'x')`, `<password>x</password>`.
 *
 * A value is as short as possible, so that a person who approves sees the text around it.
 */
final class Assignments
{
    private const LONGEST_NAME = 80;

    private const LABEL_WORDS = 4;

    private const LONGEST_VALUE = 1024;

    private const LONGEST_TAG = 256;

    /** Functions whose second argument is the value of the name in the first one. */
    private const SETTERS = ['define', 'setenv', 'add_option', 'update_option'];

    private const QUOTES = '"\'`';

    public const NO_WORD = " \t\n\r\f\"'`<>;|&\\(){}[]";

    /** @return iterable<array{int, int}> where the values stand, in order */
    public static function in(string $text, SecretNames $names): iterable
    {
        [$done, $length] = [0, strlen($text)];
        $words = [new Word($text), new Word($text)];
        while ($done < $length) {
            $at = $done + strcspn($text, ':=,>', $done);
            if ($at >= $length) {
                return;
            }
            $width = self::sign($text, $at);
            if ($width === 0) {
                $done = $at + 1;
                continue;
            }
            $done = $at + $width;
            if ($text[$at] === ',') {
                $value = self::argument($text, $at, $names);
            } elseif ($text[$at] === '>') {
                $value = self::content($text, $at, $names);
            } else {
                $value = self::value($text, $at, $done, $names, $words);
            }
            if ($value !== null) {
                $done = max($done, $value[1]);
                if ($value[0] < $value[1]) {
                    yield $value;
                }
            }
        }
    }

    /**
     * The width of the sign of an assignment at a place: `:`, `=`, `:=` or `=>`; of a comma in a
     * call, or of the end of a tag; 0 for none.
     */
    private static function sign(string $text, int $at): int
    {
        if ($text[$at] === ',' || $text[$at] === '>') {
            return 1;
        }
        $before = $at > 0 ? $text[$at - 1] : ' ';
        $two = substr($text, $at, 2);
        if ($two === '::' || $two === '==' || substr($text, $at, 3) === '://') {
            return 0;
        }
        if ($two === ':=' || $two === '=>') {
            return 2;
        }
        $isNone = $text[$at] === ':'
            ? $before === ':'
            : strpos('=!<>+', $before) !== false;
        return $isNone ? 0 : 1;
    }

    /**
     * The value; null if the name is not a secret's.
     *
     * @param array{Word, Word} $words
     * @return array{int, int}|null
     */
    private static function value(
        string $text,
        int $at,
        int $end,
        SecretNames $names,
        array $words
    ): ?array {
        $hides = static function (string $name) use ($names): bool {
            return self::hides($names, $name);
        };
        // No name is longer, so no more is looked at.
        $from = max(0, $at - 2 * self::LONGEST_NAME - 64);
        $named = substr($text, $from, $at - $from);
        $before = rtrim($named, " \t");
        $start = $end + strspn($text, " \t", $end);
        $isEqual = substr($text, $at, $end - $at) === '=';
        $name = self::bareName($before);
        $quotedName = self::quotedName($before);
        $near = substr($text, $start, self::LONGEST_VALUE + self::LONGEST_NAME);
        $prefix = self::literalPrefix($near);
        $literal = substr($near, $prefix);
        $inner = $start + $prefix;
        $part = null;
        if ($quotedName !== null) {
            $part = $hides($quotedName) ? self::jsonValue($literal, $text, $inner, $prefix) : null;
        } elseif ($isEqual && $name !== '' && self::isQuote($literal)) {
            $part = $hides($name) ? self::quoted($literal, $text, $inner, $prefix) : null;
        } elseif ($isEqual && $name !== '' && $start === $end && $before === $named) {
            $part = $hides($name) ? [0, self::word($text, $start)] : null;
        } else {
            $label = self::label($before, $from === 0);
            if ($label !== null && $hides($label[0])) {
                $part = self::ofLabel($label, $text, $start, $isEqual, $words);
            }
        }
        return $part === null ? null : [$start + $part[0], $start + $part[1]];
    }

    /**
     * The second argument of a call that sets what its first argument names, if it is in quotes.
     *
     * @return array{int, int}|null
     */
    private static function argument(string $text, int $comma, SecretNames $names): ?array
    {
        $from = max(0, $comma - 4 * self::LONGEST_NAME);
        $before = rtrim(substr($text, $from, $comma - $from), " \t");
        $name = self::quotedName($before);
        if ($name === null) {
            return null;
        }
        $call = rtrim(substr($before, 0, -strlen($name) - 2), " \t");
        if (substr($call, -1) !== '(') {
            return null;
        }
        $function = strtolower(self::bareName(rtrim(substr($call, 0, -1), " \t")));
        $start = $comma + 1 + strspn($text, " \t", $comma + 1);
        $start += self::literalPrefix((string) substr($text, $start, 3));
        $near = (string) substr($text, $start, self::LONGEST_VALUE);
        $isSecret = in_array($function, self::SETTERS, true) && self::isQuote($near)
            && self::hides($names, $name);
        if (!$isSecret) {
            return null;
        }
        $part = self::quoted($near, $text, $start, 0);
        return [$start + $part[0], $start + $part[1]];
    }

    /**
     * The content of the element whose start tag ends here, if its end tag is near.
     *
     * @return array{int, int}|null
     */
    private static function content(string $text, int $end, SecretNames $names): ?array
    {
        $from = max(0, $end - self::LONGEST_TAG);
        $tag = strrchr(substr($text, $from, $end - $from), '<');
        if ($tag === false || substr($tag, -1) === '/') {
            return null;
        }
        $name = substr($tag, 1, strcspn($tag, " \t\n\r\f", 1));
        $local = substr((string) strrchr(":$name", ':'), 1);
        if ($local === '' || self::bareName($local) !== $local || !self::hides($names, $local)) {
            return null;
        }
        $near = (string) substr($text, $end + 1, self::LONGEST_VALUE);
        $expression = '~</' . preg_quote($name, '~') . '[ \t\r\n>]~i';
        if (preg_match($expression, $near, $found, PREG_OFFSET_CAPTURE) !== 1) {
            return null;
        }
        return [$end + 1, $end + 1 + $found[0][1]];
    }

    private static function hides(SecretNames $names, string $name): bool
    {
        return $names->hide(\Toolwire\Plain\Utf8::lossy($name));
    }

    /** The bytes of the letters before the quotes of a literal, as in `b'x'`. */
    private static function literalPrefix(string $text): int
    {
        $letters = strspn($text, 'bBfFrRuU', 0, 2);
        return self::isQuote((string) substr($text, $letters, 1)) ? $letters : 0;
    }

    /** The name in quotes at the end of a text. */
    private static function quotedName(string $text): ?string
    {
        $quote = substr($text, -1);
        if ($quote === '' || strpos(self::QUOTES, $quote) === false) {
            return null;
        }
        $inside = substr(substr($text, 0, -1), -self::LONGEST_NAME);
        $at = $inside === '' || $inside === false ? false : strrpos($inside, $quote);
        if ($at === false) {
            return null;
        }
        $name = (string) substr($inside, $at + 1);
        return $name !== '' && strpos($name, "\n") === false ? $name : null;
    }

    /** The name without quotes at the end of a text; empty if there is none. */
    private static function bareName(string $text): string
    {
        $near = substr($text, -self::LONGEST_NAME);
        return preg_match('/[A-Za-z0-9\x80-\xFF_$@.\[\]-]+\z/', $near, $found) === 1
            ? $found[0]
            : '';
    }

    private static function isQuote(string $text): bool
    {
        return $text !== '' && strpos(self::QUOTES, $text[0]) !== false;
    }

    /** @return array{int, int} a text without its quotes, a list or map, or a word */
    private static function jsonValue(string $near, string $text, int $start, int $prefix): array
    {
        if (self::isQuote($near)) {
            return self::quoted($near, $text, $start, $prefix);
        }
        if ($near !== '' && ($near[0] === '{' || $near[0] === '[')) {
            return [0, self::balanced(substr($near, 0, self::LONGEST_VALUE))];
        }
        return [0, strcspn($text, self::NO_WORD . ',', $start)];
    }

    /**
     * @param int $prefix the bytes before the quotes, at which the offsets begin
     * @return array{int, int} the content of quotes, or a word if the line does not close them
     */
    private static function quoted(string $near, string $text, int $start, int $prefix): array
    {
        $near = substr($near, 0, self::LONGEST_VALUE);
        $line = substr($near, 0, strcspn($near, "\n"));
        $end = self::closingQuote($line, 0);
        $end = $end ?? 1 + self::word($text, $start + 1);
        return [$prefix + 1, $prefix + $end];
    }

    private static function closingQuote(string $text, int $start): ?int
    {
        $quote = $text[$start];
        for ($at = $start + 1; true; $at += 2) {
            $at += strcspn($text, "$quote\\", min($at, strlen($text)));
            if ($at >= strlen($text)) {
                return null;
            }
            if ($text[$at] === $quote) {
                return $at;
            }
        }
    }

    /** The end of the list or map at the start of a text; 0 if it has none. */
    private static function balanced(string $text): int
    {
        $depth = 0;
        for ($at = 0; $at < strlen($text); $at++) {
            $byte = $text[$at];
            if ($byte === '{' || $byte === '[') {
                $depth++;
            } elseif ($byte === '}' || $byte === ']') {
                $depth--;
            } elseif ($byte === '"' || $byte === "'") {
                $end = self::closingQuote($text, $at);
                if ($end === null) {
                    return 0;
                }
                $at = $end;
            }
            if ($depth === 0) {
                return $at + 1;
            }
        }
        return 0;
    }

    /** The bytes of a word without markup and without a shell's special characters. */
    private static function word(string $text, int $start): int
    {
        return $start > strlen($text) ? 0 : strcspn($text, self::NO_WORD, $start);
    }

    /**
     * The label at the end of a text, and the byte before it.
     *
     * @return array{string, string}|null
     */
    private static function label(string $text, bool $isWhole): ?array
    {
        $near = substr($text, -self::LONGEST_NAME);
        $isAll = $isWhole && strlen($text) <= self::LONGEST_NAME;
        $behind = strcspn(strrev($near), "\n\"'`{(>,;|:=");
        if ($behind < strlen($near)) {
            $before = $near[strlen($near) - $behind - 1];
            $name = $behind === 0 ? '' : substr($near, -$behind);
        } elseif ($isAll) {
            [$before, $name] = ["\n", $near];
        } else {
            return null;
        }
        $expression = '/[A-Za-z0-9\x80-\xFF](?:.*[A-Za-z0-9\x80-\xFF])?/s';
        if (preg_match($expression, $name, $found) !== 1) {
            return null;
        }
        $words = preg_split('/[ \t]+/', $found[0], -1, PREG_SPLIT_NO_EMPTY) ?: [];
        return count($words) <= self::LABEL_WORDS ? [$found[0], $before] : null;
    }

    /**
     * The value that is assigned to a label.
     *
     * @param array{string, string} $label
     * @param array{Word, Word} $words the word at a place and the word behind it, which many labels
     *     may have in common
     * @return array{int, int}|null
     */
    private static function ofLabel(
        array $label,
        string $text,
        int $start,
        bool $isEquation,
        array $words
    ): ?array {
        [$name, $before] = $label;
        $near = (string) substr($text, $start, self::LONGEST_VALUE);
        $prefix = self::literalPrefix($near);
        $literal = (string) substr($near, $prefix);
        if (self::isQuote($literal) && !self::ends($before, $literal[0])) {
            return self::quoted($literal, $text, $start + $prefix, $prefix);
        }
        $length = $words[0]->length($start);
        $behind = $start + $length;
        $blanks = strspn($text, " \t", min($behind, strlen($text)), self::LONGEST_NAME);
        $next = $behind + $blanks;
        $nextWord = $words[1]->length($next);
        $isAuthorization = strcasecmp(substr($name, -13), 'authorization') === 0;
        if ($isAuthorization && $blanks > 0 && $nextWord > 0) {
            return [$length + $blanks, $length + $blanks + $nextWord];
        }
        $isOne = strpbrk($name, " \t") === false;
        $isJoined = preg_match('/[_-]|[a-z][A-Z]/', $name) === 1;
        $isHeader = $isOne && ($isJoined || $isAuthorization);
        $isLast = $next >= strlen($text) || self::ends($before, $text[$next]);
        $isCall = ($text[$behind] ?? '') === '(';
        $isProse = in_array(
            strtolower($name),
            ['cookie', 'cookies', 'nonce', 'pin', 'session'],
            true
        );
        $isValue = $isLast || $isHeader || ($isEquation && $isOne);
        return $isValue && !$isCall && !$isProse ? [0, $length] : null;
    }

    /** Whether a byte ends the value of a label that stands behind another one. */
    private static function ends(string $before, string $byte): bool
    {
        if (strpos(self::QUOTES, $before) !== false) {
            return $byte === $before || $byte === "\n";
        }
        if ($before === '>') {
            return $byte === '<' || $byte === "\n";
        }
        $isInside = strpos('{(,;|', $before) !== false;
        return strpos($isInside ? ",;})|\n" : "\n", $byte) !== false;
    }
}
