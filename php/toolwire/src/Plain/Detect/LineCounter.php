<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

/** Counts lines forward. A query for an earlier place returns the last answer. */
final class LineCounter
{
    /** @var int */
    private $pos = 0;

    /** @var int */
    private $line = 1;

    /** @var int */
    private $column = 1;

    /**
     * The line and the column of a byte, both from 1; the column counts code points.
     *
     * @return array{int, int}
     */
    public function at(string $text, int $pos): array
    {
        if ($pos > $this->pos) {
            $passed = substr($text, $this->pos, $pos - $this->pos);
            $lines = substr_count($passed, "\n");
            if ($lines > 0) {
                $this->line += $lines;
                $this->column = 1;
                $passed = substr($passed, strrpos($passed, "\n") + 1);
            }
            $this->column += strlen($passed) - self::continuations($passed);
            $this->pos = $pos;
        }
        return [$this->line, $this->column];
    }

    /** The number of bytes that continue a code point. */
    private static function continuations(string $text): int
    {
        $count = 0;
        foreach (count_chars($text, 1) as $byte => $times) {
            $count += ($byte & 0xC0) === 0x80 ? $times : 0;
        }
        return $count;
    }
}
