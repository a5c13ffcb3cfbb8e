<?php

declare(strict_types=1);

namespace Toolwire\Plain\Result;

use Toolwire\Plain\Utf8;

/**
 * A summary of results that fits a prompt: lines are left out, the largest first, then results.
 *
 * A size is a pair: the number of words, and that of punctuation marks.
 */
final class Budget
{
    private const LINES_NOTE = [5, 0];
    private const RESULTS_NOTE = [4, 0];

    /** @var list<array{string, list<string>}> */
    private $blocks;

    /** @var int */
    private $maxTokens;

    /** @var list<list<array{int, int}>> the size of each line */
    private $sizes = [];

    /** @var array<int, array<int, true>> the lines that are left out */
    private $lines = [];

    /** @var array<int, true> the results that are left out */
    private $results = [];

    /**
     * @param list<array{string, list<string>}> $blocks results as {@see Summary::result()} gives
     */
    public function __construct(array $blocks, int $maxTokens)
    {
        $this->blocks = $blocks;
        $this->maxTokens = $maxTokens;
    }

    /**
     * The whole text of results.
     *
     * @param list<array{string, list<string>}> $blocks
     */
    public static function whole(array $blocks): string
    {
        $texts = [];
        foreach ($blocks as [$head, $lines]) {
            $texts[] = $head . implode("\n", $lines) . "\n";
        }
        return implode("\n", $texts);
    }

    public function text(): string
    {
        $whole = self::whole($this->blocks);
        $size = self::size($whole);
        if (self::tokens($size) <= $this->maxTokens) {
            return $whole;
        }
        $this->leaveResultsOut($this->leaveLinesOut($size));
        return $this->compose();
    }

    /**
     * @param array{int, int} $size
     * @return array{int, int}
     */
    private function leaveLinesOut(array $size): array
    {
        $order = [];
        foreach ($this->blocks as $at => [, $lines]) {
            $this->sizes[$at] = array_map([self::class, 'size'], $lines);
            foreach ($this->sizes[$at] as $line => $one) {
                $order[] = [self::weight($one), $at, $line];
            }
        }
        rsort($order);
        foreach ($order as [, $at, $line]) {
            if (self::tokens($size) <= $this->maxTokens) {
                break;
            }
            $size = self::minus($size, $this->sizes[$at][$line]);
            if (!isset($this->lines[$at])) {
                $size = self::plus($size, self::LINES_NOTE);
            }
            $this->lines[$at][$line] = true;
        }
        return $size;
    }

    /** @param array{int, int} $size */
    private function leaveResultsOut(array $size): void
    {
        if (self::tokens($size) <= $this->maxTokens) {
            return;
        }
        [$order, $heads] = [[], []];
        foreach ($this->blocks as $at => [$head, $lines]) {
            $heads[$at] = self::size($head);
            if ($lines !== []) {
                $heads[$at] = self::plus($heads[$at], self::LINES_NOTE);
            }
            $order[] = [self::weight($heads[$at]), $at];
        }
        rsort($order);
        $size = self::plus($size, self::RESULTS_NOTE);
        foreach ($order as [, $at]) {
            if (self::tokens($size) <= $this->maxTokens) {
                break;
            }
            $this->results[$at] = true;
            $size = self::minus($size, $heads[$at]);
        }
    }

    private function compose(): string
    {
        $text = '';
        foreach ($this->blocks as $at => [$head, $lines]) {
            if (isset($this->results[$at])) {
                continue;
            }
            $text .= ($text === '' ? '' : "\n") . $head;
            $left = $this->lines[$at] ?? [];
            foreach (array_diff_key($lines, $left) as $line) {
                $text .= "$line\n";
            }
            if ($left !== []) {
                $text .= '- ' . count($left) . " more left out\n";
            } elseif ($lines === []) {
                $text .= "\n";
            }
        }
        if ($this->results !== []) {
            $gap = $text === '' ? '' : "\n";
            $text .= "$gap\n(" . count($this->results) . " results left out)\n";
        }
        return $text;
    }

    /** @return array{int, int} */
    private static function size(string $text): array
    {
        $text = Utf8::lossy($text);
        $words = (int) preg_match_all('/[^' . Utf8::SPACE . ']++/u', $text);
        $marks = array_intersect_key(count_chars($text, 1), array_flip([46, 44, 33, 63, 59, 58]));
        return [$words, array_sum($marks)];
    }

    /** @param array{int, int} $size */
    private static function tokens(array $size): int
    {
        return (int) ($size[0] * 1.3 + $size[1] * 0.1);
    }

    /** @param array{int, int} $size */
    private static function weight(array $size): int
    {
        return $size[0] * 13 + $size[1];
    }

    /**
     * @param array{int, int} $one
     * @param array{int, int} $other
     * @return array{int, int}
     */
    private static function plus(array $one, array $other): array
    {
        return [$one[0] + $other[0], $one[1] + $other[1]];
    }

    /**
     * @param array{int, int} $one
     * @param array{int, int} $other
     * @return array{int, int}
     */
    private static function minus(array $one, array $other): array
    {
        return [max(0, $one[0] - $other[0]), max(0, $one[1] - $other[1])];
    }
}
