<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Span;
use Toolwire\ToolCall;

/** Finds the places of calls in a text by their markup. No two places overlap. */
final class Locator
{
    /** @var string */
    private $text;

    /** @var array<array-key, list<Span>> the spans of the detected calls, by their markup */
    private $detected = [];

    /** @var list<int> where the taken places start, in order */
    private $starts = [];

    /** @var array<int, int> the end of each taken place, by its start */
    private $taken = [];

    /** @var array<array-key, int> where the search for each markup goes on */
    private $searched = [];

    /** @param list<ToolCall> $calls */
    public function __construct(string $text, array $calls)
    {
        $this->text = $text;
        foreach (array_reverse($calls) as $call) {
            $this->detected[$call->original][] = new Span($call->span['start'], $call->span['end']);
        }
    }

    /**
     * @param list<string> $markups
     * @return list<array{start: int, end: int}|null>
     */
    public function places(array $markups): array
    {
        $places = [];
        foreach ($markups as $at => $markup) {
            $span = isset($this->detected[$markup]) ? array_pop($this->detected[$markup]) : null;
            $places[$at] = $span === null ? null : $span->toArray();
            if ($span !== null) {
                $this->taken[$span->start] = $span->end;
            }
        }
        ksort($this->taken);
        $this->starts = array_keys($this->taken);
        foreach ($markups as $at => $markup) {
            if ($places[$at] === null && $markup !== '') {
                $places[$at] = $this->free($markup);
            }
        }
        return $places;
    }

    /** @return array{start: int, end: int}|null the next place that overlaps no taken one */
    private function free(string $markup): ?array
    {
        $from = $this->searched[$markup] ?? 0;
        while ($from < strlen($this->text)) {
            $start = strpos($this->text, $markup, $from);
            if ($start === false) {
                break;
            }
            $end = $start + strlen($markup);
            $before = $this->lastBefore($end);
            $known = $before < 0 ? 0 : $this->taken[$this->starts[$before]];
            if ($known > $start) {
                $from = $known;
                continue;
            }
            array_splice($this->starts, $before + 1, 0, [$start]);
            $this->taken[$start] = $end;
            $this->searched[$markup] = $end;
            return ['start' => $start, 'end' => $end];
        }
        $this->searched[$markup] = strlen($this->text);
        return null;
    }

    /** The index of the last taken place that starts before a place; -1 if none does. */
    private function lastBefore(int $place): int
    {
        [$low, $high] = [0, count($this->starts)];
        while ($low < $high) {
            $middle = ($low + $high) >> 1;
            if ($this->starts[$middle] < $place) {
                $low = $middle + 1;
            } else {
                $high = $middle;
            }
        }
        return $low - 1;
    }

    /**
     * What is left of each span without the holes that stand in it; both are in order.
     *
     * @param list<Span> $spans
     * @param list<Span> $holes
     * @return list<list<Span>>
     */
    public static function without(array $spans, array $holes): array
    {
        [$left, $first] = [[], 0];
        foreach ($spans as $span) {
            while ($first < count($holes) && $holes[$first]->start < $span->start) {
                $first++;
            }
            $inside = [];
            for ($at = $first; $at < count($holes) && $holes[$at]->end <= $span->end; $at++) {
                $inside[] = $holes[$at];
            }
            $left[] = $span->without($inside);
        }
        return $left;
    }
}
