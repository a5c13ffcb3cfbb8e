<?php

declare(strict_types=1);

namespace Toolwire\Plain\Agent;

use stdClass;
use Toolwire\Plain\Detect\ToolName;
use Toolwire\Plain\Json\Plain;
use Toolwire\Plain\Json\Scanner;
use Toolwire\Plain\Utf8;

/** Reads the calls that a server of chat completions has found itself. */
final class ChatCalls
{
    private const DEEPEST = 128;

    /**
     * Reads a call.
     *
     * @param mixed $call
     * @return array<string, string> `name` and `arguments`; or `code`, `message` and `path`
     */
    public static function read($call, string $path): array
    {
        $function = $call->function ?? null;
        $name = $function->name ?? null;
        if (!is_string($name) || $name === '') {
            return self::refused('missing_name', 'the call names no tool', "$path/function/name");
        }
        $isName = strlen($name) <= ToolName::LONGEST
            && strspn($name, ToolName::OF_NAMES) === strlen($name);
        if (!$isName) {
            $message = 'the name is not of the form [A-Za-z0-9_.:/-]{1,128}';
            return self::refused('bad_name', $message, "$path/function/name");
        }
        $read = self::arguments($function->arguments ?? null);
        return is_string($read)
            ? ['name' => $name, 'arguments' => $read]
            : self::refused($read[0], $read[1], "$path/function/arguments");
    }

    /**
     * The arguments as JSON text of an object; else why they are none: a code and a message.
     *
     * @param mixed $value
     * @return string|array{string, string}
     */
    public static function arguments($value)
    {
        if ($value === null || $value === []) {
            return '{}';
        }
        if (is_string($value)) {
            return self::ofText($value, true);
        }
        if (!$value instanceof stdClass) {
            return ['not_an_object', 'the arguments are JSON, but not an object'];
        }
        $line = Plain::line($value);
        return self::fault($line) ?? $line;
    }

    /** @return string|array{string, string} */
    private static function ofText(string $text, bool $unwraps)
    {
        if (trim($text, " \t\n\r\f") === '') {
            return '{}';
        }
        $text = Utf8::lossy($text);
        $fault = self::fault($text);
        if ($fault !== null) {
            return $fault;
        }
        if (self::first($text) === '{') {
            return $text;
        }
        $value = json_decode($text, false, self::DEEPEST + 1);
        if ($value === null || $value === []) {
            return '{}';
        }
        if ($unwraps && is_string($value)) {
            $inner = self::ofText($value, false);
            $isObject = is_string($inner) && self::first($value) === '{';
            if ($isObject || (is_array($inner) && $inner[0] === 'too_deep')) {
                return $inner;
            }
        }
        return ['not_an_object', 'the arguments are JSON, but not an object'];
    }

    /** The first byte that is not white space. */
    private static function first(string $text): string
    {
        return substr(ltrim($text, " \t\n\r"), 0, 1);
    }

    /**
     * Why a text is no JSON within the depth. Whatever PHP cannot decode is refused: a call without
     * its arguments must not run.
     *
     * @return array{string, string}|null
     */
    private static function fault(string $text): ?array
    {
        json_decode($text, false, self::DEEPEST + 1);
        switch (json_last_error()) {
            case JSON_ERROR_NONE:
                return null;
            case JSON_ERROR_DEPTH:
                return ['too_deep', 'the arguments nest deeper than ' . self::DEEPEST];
            case JSON_ERROR_INVALID_PROPERTY_NAME:
                $why = 'a name in the arguments begins with NUL, which PHP\'s objects cannot hold';
                return ['bad_json', $why];
        }
        return ['bad_json', 'the arguments are not JSON: ' . self::why($text)];
    }

    private static function why(string $text): string
    {
        $scanner = new Scanner("$text ", 0, self::DEEPEST);
        do {
            $kind = $scanner->next();
            if ($kind === Scanner::FAULT) {
                return "$scanner->fault at byte $scanner->start";
            }
            if ($kind === Scanner::END) {
                return 'the text ends too early at byte ' . strlen($text);
            }
        } while (!$scanner->done());
        $end = $scanner->end;
        return 'text follows the value at byte ' . ($end + strspn($text, " \t\n\r", $end));
    }

    /** @return array{code: string, message: string, path: string} */
    private static function refused(string $code, string $message, string $path): array
    {
        return ['code' => $code, 'message' => $message, 'path' => $path];
    }
}
