<?php

declare(strict_types=1);

namespace Toolwire\Plain\Agent;

use Toolwire\Detector;
use Toolwire\Plain\Utf8;
use Toolwire\Text;

/** What a model is told of a call that was refused: one sentence of 1 KB at most. */
final class Refusal
{
    private const MOST_QUOTED = 120;

    private const MOST_CODE = 32;

    private const MOST_REASON = 320;

    private const MOST_EXAMPLE = 448;

    /** A call in a text. */
    public static function ofText(\Toolwire\Rejection $rejection): string
    {
        $place = "line $rejection->line, column $rejection->column, \""
            . self::quoted($rejection->excerpt) . '"';
        $form = self::form($rejection->format);
        return self::text($rejection->code, $rejection->message, $place) . $form;
    }

    /**
     * A call in an object.
     *
     * @param array{code: string, message: string, path: string} $rejection
     */
    public static function ofObject(array $rejection): string
    {
        $place = self::quoted($rejection['path']);
        return self::text($rejection['code'], $rejection['message'], $place);
    }

    /** A call whose arguments are wrong at a place, a JSON Pointer. */
    public static function ofArguments(string $code, string $message, string $path): string
    {
        $place = ($path === '' ? '/' : self::quoted($path)) . ' of its arguments';
        return self::text($code, $message, $place);
    }

    private static function text(string $code, string $message, string $place): string
    {
        $controls = '/[\x{0}-\x{1F}\x{7F}-\x{9F}]/u';
        $blanks = (string) preg_replace($controls, ' ', Utf8::lossy($message));
        $reason = self::first(Text::visible($blanks), self::MOST_REASON);
        $code = self::first($code, self::MOST_CODE);
        return "Your tool call was not run ($code) at $place: $reason";
    }

    private static function form(?string $slug): string
    {
        foreach (Detector::formats() as $format) {
            if ($format['slug'] === $slug) {
                return strlen($format['example']) > self::MOST_EXAMPLE
                    ? "; write a call as $slug does"
                    : "; write a call so: $format[example]";
            }
        }
        return '';
    }

    private static function first(string $text, int $most): string
    {
        $end = min(strlen($text), $most);
        while ($end < strlen($text) && $end > 0 && (ord($text[$end]) & 0xC0) === 0x80) {
            $end--;
        }
        return substr($text, 0, $end);
    }

    /** The beginning of what the model wrote, as text that no line break or quote leaves. */
    private static function quoted(string $text): string
    {
        $quoted = '';
        foreach (preg_split('//u', Utf8::lossy($text), -1, PREG_SPLIT_NO_EMPTY) ?: [] as $letter) {
            $escaped = Utf8::shown($letter);
            if ($escaped === $letter && Text::visible($letter) !== $letter) {
                $escaped = sprintf('\\u{%x}', Utf8::codePoint($letter));
            }
            if (strlen($quoted) + strlen($escaped) > self::MOST_QUOTED) {
                break;
            }
            $quoted .= $escaped;
        }
        return $quoted;
    }
}
