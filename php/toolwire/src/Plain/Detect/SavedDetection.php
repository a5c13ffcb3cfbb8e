<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Fields;
use Toolwire\Plain\Span;
use Toolwire\Rejection;
use Toolwire\Segment;
use Toolwire\ToolCall;

/** Reads back a detection that was saved, and checks that its parts fit each other. */
final class SavedDetection
{
    /** @return array<string, mixed> the fields of a detection */
    public static function read(Fields $fields): array
    {
        [$input, $reasoning, $frames] = self::parts($fields);
        $calls = $fields->objects('calls', ToolCall::class);
        $rejections = $fields->objects('rejections', Rejection::class);
        $dropped = $fields->whole('rejections_dropped');
        [$end, $parts] = [0, array_merge($reasoning, $frames)];
        foreach ($calls as $index => $call) {
            $span = new Span($call->span['start'], $call->span['end']);
            $fits = $call->index === $index && $span->start >= $end;
            if (!$fits || $span->of($input) !== $call->original) {
                $wanted = 'in the order of the text, and to stand in it';
                throw $fields->error('calls', $wanted);
            }
            $end = $span->end;
            $parts[] = $span;
        }
        foreach ($rejections as $rejection) {
            if ($rejection->span['end'] > strlen($input)) {
                throw $fields->error('rejections', 'in the text');
            }
        }
        if (!self::areInOrder($reasoning) || !self::areInOrder($frames)) {
            throw $fields->error('calls', 'apart from the reasoning and the frames');
        }
        $parts = array_slice($parts, count($reasoning) + count($frames));
        foreach (Locator::without($reasoning, $frames) as $spans) {
            $parts = array_merge($parts, $spans);
        }
        if (!self::areApart(array_merge($parts, $frames), strlen($input))) {
            throw $fields->error('calls', 'apart from the reasoning and the frames');
        }
        return [
            'input' => $input,
            'calls' => $calls,
            'rejections' => $rejections,
            'rejectionsDropped' => $dropped,
            'reasoningOpen' => $fields->laterFlag('reasoning_open'),
            'reasoningSpans' => $reasoning,
            'frameSpans' => $frames,
        ];
    }

    /**
     * The text, the reasoning in it, and the frames.
     *
     * @return array{string, list<Span>, list<Span>}
     */
    private static function parts(Fields $fields): array
    {
        if (!$fields->areProperties()) {
            $input = $fields->bytes('input');
            return [$input, $fields->spans('reasoning_spans'), $fields->spans('frame_spans')];
        }
        [$input, $parts] = ['', ['reasoning' => [], 'frame' => []]];
        foreach ($fields->objects('segments', Segment::class) as $segment) {
            $input .= $segment->text;
            $parts[$segment->type][] = new Span($segment->span['start'], $segment->span['end']);
        }
        return [$input, $parts['reasoning'], $parts['frame']];
    }

    /** @param list<Span> $spans */
    private static function areInOrder(array $spans): bool
    {
        $start = 0;
        foreach ($spans as $span) {
            if ($span->start < $start) {
                return false;
            }
            $start = $span->start;
        }
        return true;
    }

    /** @param list<Span> $spans */
    private static function areApart(array $spans, int $length): bool
    {
        usort($spans, static function (Span $one, Span $other): int {
            return $one->start <=> $other->start;
        });
        $end = 0;
        foreach ($spans as $span) {
            if ($span->start < $end || $span->end > $length) {
                return false;
            }
            $end = $span->end;
        }
        return true;
    }
}
