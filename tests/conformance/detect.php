<?php

declare(strict_types=1);

/*
 * Prints what is found in each case of a list, as JSON lines, for `make conformance`.
 */

use Toolwire\Detector;
use Toolwire\Rejection;
use Toolwire\Segment;
use Toolwire\ToolCall;

$cases = json_decode(file_get_contents($argv[1]), true, flags: JSON_THROW_ON_ERROR);
foreach ($cases as $case) {
    $found = (new Detector(...$case['options']))->detect(implode('', $case['chunks']));
    // JSON has line breaks only between its tokens; here one would end the line.
    $raw = static fn (ToolCall $call): string => str_replace(
        ["\r", "\n"],
        ' ',
        $call->argumentsRaw
    );
    $written = static fn (ToolCall $call): string => '{"name":' . json_encode($call->name)
        . ',"arguments":' . ($raw($call) === '[]' ? '{}' : $raw($call)) . '}';
    $calls = array_map($written, $found->calls);
    $codes = array_map(
        static fn (Rejection $rejection): string => $rejection->code,
        $found->rejections
    );
    $read = array_map(
        static fn (ToolCall $call): string => serialize($call->arguments),
        $found->calls
    );
    $reasoned = array_filter(
        $found->segments,
        static fn (Segment $part): bool => $part->type === 'reasoning'
    );
    $line = json_encode(
        [
            'id' => $case['id'], 'text' => $found->text, 'rejections' => $codes,
            'with_calls' => $found->replace(static fn (ToolCall $call): string => $call->original),
            'reasoning' => array_map(
                static fn (Segment $part): string => $part->text,
                array_values($reasoned)
            ),
            'last_frame' => ($last = $found->segments[count($found->segments) - 1] ?? null)?->type
                === 'frame' ? $last->text : '',
            'read' => count($read),
        ],
        JSON_THROW_ON_ERROR
    );
    echo substr($line, 0, -1), ',"calls":[', implode(',', $calls), "]}\n";
}
