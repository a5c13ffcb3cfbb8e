<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

/**
 * The quotes and the list item in which a line stands, as CommonMark has them.
 *
 * A code block ends with the quote or the list item that holds it.
 */
final class Enclosure
{
    /** How many bytes before a code block are searched for the list item that holds it. */
    private const LOOK_BACK = 1024;

    /** How many bytes are searched at once for the start of a line. */
    private const STEP = 64;

    private const MARKS = " \t>-*+.)0123456789";

    /** @var int how many quotes hold the line */
    public $quotes = 0;

    /** @var int the indentation of the item in the innermost quote, 0 without an item */
    public $indent = 0;

    /** @var int the first byte behind the marks of the line */
    private $end = 0;

    /** @var int the column of that byte within the quotes */
    private $column = 0;

    private function __construct()
    {
    }

    /** Whether only marks of quotes and items stand between the start of a line and a place. */
    public static function beginsAt(string $text, int $pos): bool
    {
        $start = $pos;
        while ($start > 0 && strpos(self::MARKS, $text[$start - 1]) !== false) {
            $start--;
        }
        if ($start === 3 && strncmp($text, "\u{FEFF}", 3) === 0) {
            $start = 0;
        }
        $begins = $start === 0 || $text[$start - 1] === "\n" || $text[$start - 1] === "\r";
        return $begins && self::read($text, $start, $pos)->end === $pos;
    }

    /** What holds the code block whose marker stands at a place. */
    public static function ofBlock(string $text, int $pos): self
    {
        $start = self::lineStart($text, $pos);
        $held = self::read($text, $start, $pos);
        if ($held->indent === 0 && $held->column >= 2) {
            $held->indent = $held->itemBefore($text, $start);
        }
        return $held;
    }

    public function isNone(): bool
    {
        return $this->quotes === 0 && $this->indent === 0;
    }

    /**
     * Where the content of a later line begins, and whether the line is blank, or indented as far
     * as the item; null for a line that stands outside of the quotes.
     *
     * @return array{int, bool, bool}|null
     */
    public function place(string $text, int $pos): ?array
    {
        for ($quotes = $this->quotes; $quotes > 0; $quotes--) {
            $pos += strspn($text, " \t", $pos);
            if (($text[$pos] ?? '') !== '>') {
                return null;
            }
            $pos++;
        }
        $content = $pos += $this->quotes > 0 && ($text[$pos] ?? '') === ' ' ? 1 : 0;
        $column = 0;
        while ($column < $this->indent && strspn($text, " \t", $pos, 1) === 1) {
            $column = self::nextColumn($column, $text[$pos]);
            $pos++;
        }
        $next = $text[$pos] ?? "\n";
        $indented = $column >= $this->indent;
        return [$content, !$indented && ($next === "\n" || $next === "\r"), $indented];
    }

    /** The indentation of the item that an earlier line begins and that reaches to a line. */
    private function itemBefore(string $text, int $line): int
    {
        $start = $line;
        while ($start > 0 && $line - $start < self::LOOK_BACK) {
            $end = $start - 1;
            $start = self::lineStart($text, $end);
            $held = self::read($text, $start, $end, $this->quotes, $this->column);
            if ($held->quotes !== $this->quotes) {
                return 0;
            }
            $next = $text[$held->end];
            if ($held->indent > 0 || ($next !== "\n" && $next !== "\r" && $held->column < 2)) {
                return $held->indent;
            }
        }
        return 0;
    }

    /** Reads the start of the line, up to a place, and no deeper than this. */
    private static function read(
        string $text,
        int $start,
        int $limit,
        int $quotes = PHP_INT_MAX,
        int $indent = PHP_INT_MAX
    ): self {
        $held = new self();
        $at = $start === 0 && $limit >= 3 && strncmp($text, "\u{FEFF}", 3) === 0 ? 3 : $start;
        while (true) {
            $space = strspn($text, " \t", $at, $limit - $at);
            for ($end = $at + $space; $at < $end; $at++) {
                $held->column = self::nextColumn($held->column, $text[$at]);
            }
            if ($at < $limit && $text[$at] === '>' && $held->quotes < $quotes) {
                [$held->column, $held->indent] = [0, 0];
                $held->quotes++;
                $at += $at + 1 < $limit && $text[$at + 1] === ' ' ? 2 : 1;
                continue;
            }
            $marker = self::itemMarker($text, $at, $limit);
            if ($marker === 0) {
                break;
            }
            $space = strspn($text, " \t", $at + $marker, $limit - $at - $marker);
            // Text that is indented more is code, which begins behind one space.
            $deeper = $held->column + $marker + ($space > 4 ? 1 : $space);
            if ($deeper > $indent) {
                break;
            }
            $held->indent = $deeper;
            $held->column += $marker + $space;
            $at += $marker + $space;
        }
        $held->end = $at;
        return $held;
    }

    /** The length of the marker of a list item, without the white space behind it, or 0. */
    private static function itemMarker(string $text, int $pos, int $limit): int
    {
        $length = strspn($text, '-*+', $pos, min(1, $limit - $pos));
        if ($length === 0) {
            $digits = strspn($text, '0123456789', $pos, $limit - $pos);
            $closed = $pos + $digits < $limit && strpos('.)', $text[$pos + $digits]) !== false;
            $length = $closed && $digits > 0 && $digits <= 9 ? $digits + 1 : 0;
        }
        $spaced = $pos + $length < $limit && strspn($text, " \t", $pos + $length, 1) === 1;
        return $spaced ? $length : 0;
    }

    private static function nextColumn(int $column, string $byte): int
    {
        return $byte === "\t" ? (intdiv($column, 4) + 1) * 4 : $column + 1;
    }

    private static function lineStart(string $text, int $pos): int
    {
        for ($at = $pos; $at > 0; $at = $from) {
            $from = max(0, $at - self::STEP);
            $found = strrpos(substr($text, $from, $at - $from), "\n");
            if ($found !== false) {
                return $from + $found + 1;
            }
        }
        return 0;
    }
}
