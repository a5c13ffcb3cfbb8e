<?php

/**
 * The peers of the PHP rows: the code of plugins, written as plainly and as fast as possible.
 */

namespace Toolwire\Bench;

/** Finds the first packet of a handler, by the loop of Data Machine's document. */
function find_plain(array $data, string $handler): ?array
{
    foreach ($data as $entry) {
        $type = $entry['type'] ?? '';
        if ($type !== 'tool_result' && $type !== 'ai_handler_complete') {
            continue;
        }
        if (($entry['metadata']['handler_tool'] ?? '') === $handler) {
            return $entry;
        }
    }
    return null;
}

/**
 * Finds every packet of the handlers in one pass. The plugin makes a pass for each handler, which
 * is slower.
 */
function find_all_plain(array $data, array $handlers): array
{
    $found = [];
    foreach ($data as $entry) {
        $type = $entry['type'] ?? '';
        if ($type !== 'tool_result' && $type !== 'ai_handler_complete') {
            continue;
        }
        if (in_array($entry['metadata']['handler_tool'] ?? '', $handlers, true)) {
            $found[] = $entry;
        }
    }
    return $found;
}

const TAG = '/<tool:([^>]+)>([\s\S]*?)<\/tool>/';
const FENCE = '/```(?:json)?\s*(\{[\s\S]*?\})\s*```/';
const ELEMENT = '/<div[^>]*class="[^"]*mpai-tool-call[^"]*"[^>]*data-tool-name="([^"]+)"[^>]*'
    . 'data-tool-parameters=\'([^\']*)\'[^>]*>/';

/**
 * Finds the calls of a text by three passes of preg and json_decode, as MemberPress AI Assistant's
 * document describes them: the tag, JSON in a fence, the element.
 *
 * @return list<array{name: string, parameters: mixed, original: string}>
 */
function detect_with_preg(string $response): array
{
    $calls = [];
    foreach (matches(TAG, $response) as [$original, $name, $text]) {
        $parameters = json_decode($text, true);
        if (json_last_error() === JSON_ERROR_NONE) {
            $calls[] = ['name' => $name, 'parameters' => $parameters, 'original' => $original];
        }
    }
    foreach (matches(FENCE, $response) as [$original, $text]) {
        $call = json_decode($text, true);
        if (json_last_error() === JSON_ERROR_NONE && isset($call['name'], $call['parameters'])) {
            $calls[] = [
                'name' => $call['name'],
                'parameters' => $call['parameters'],
                'original' => $original,
            ];
        }
    }
    foreach (matches(ELEMENT, $response) as [$original, $name, $text]) {
        $parameters = json_decode(html_entity_decode($text, ENT_QUOTES | ENT_HTML5), true);
        if (json_last_error() === JSON_ERROR_NONE) {
            $calls[] = ['name' => $name, 'parameters' => $parameters, 'original' => $original];
        }
    }
    return $calls;
}

/** @return list<list<string>> */
function matches(string $pattern, string $text): array
{
    if (preg_match_all($pattern, $text, $matches, PREG_SET_ORDER) === false) {
        throw new \RuntimeException(preg_last_error_msg());
    }
    return $matches;
}
