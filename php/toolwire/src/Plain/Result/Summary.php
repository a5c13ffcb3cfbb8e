<?php

declare(strict_types=1);

namespace Toolwire\Plain\Result;

use Toolwire\Plain\Misuse;
use Toolwire\Plain\Utf8;
use Toolwire\Plain\Values;
use Toolwire\ToolResult;

/** Sums tool results up as text for a model's prompt: a line for each entry of a tool's data. */
final class Summary
{
    /** Texts with more code points than this are cut. */
    private const LONGEST = 100;

    /**
     * The lines of one tool's data; the text for data that is false is one line without an end.
     *
     * @param mixed $data
     * @return array{string, list<string>} text in place of lines, and the lines
     */
    public static function lines($data): array
    {
        if (!Values::truthy($data)) {
            return ['No data returned', []];
        }
        $entries = Values::entries($data);
        if ($entries === null || (is_array($data) && Values::isList($data))) {
            $message = 'tool data must be a map, not ' . Values::kind($data);
            throw Misuse::of('wrong_type', $message);
        }
        $lines = [];
        foreach ($entries as $name => $value) {
            $lines[] = "- $name: " . self::item($value);
        }
        return ['', $lines];
    }

    /**
     * One result: what stands in front of its lines, and the lines.
     *
     * @return array{string, list<string>}
     */
    public static function result(ToolResult $result): array
    {
        if (!$result->success) {
            return ["\n**$result->tool** (Failed): " . ($result->errorMessage ?? 'None'), []];
        }
        $confidence = Numbers::percent($result->confidence);
        [$text, $lines] = self::lines($result->data);
        return ["\n**$result->tool** (Success, Confidence: $confidence):\n$text", $lines];
    }

    /**
     * The value of an entry: counted, cut or shown.
     *
     * @param mixed $value
     */
    private static function item($value): string
    {
        if (is_string($value)) {
            $shown = Utf8::prefix($value, self::LONGEST);
            return strlen($shown) < strlen($value) ? "$shown..." : $shown;
        }
        $entries = Values::entries($value);
        if ($entries !== null) {
            $list = is_array($value) && Values::isList($value);
            return count($entries) . ($list ? ' items' : ' properties');
        }
        if ($value === null || is_bool($value)) {
            return $value === null ? 'None' : ($value ? 'True' : 'False');
        }
        return is_float($value)
            ? Numbers::float($value)
            : (is_int($value) ? (string) $value : Values::display($value));
    }
}
