<?php

declare(strict_types=1);

namespace Toolwire;

use stdClass;
use Toolwire\Plain\Json\Pretty;
use Toolwire\Plain\Misuse;
use Toolwire\Plain\Utf8;

/** Calls and results as HTML, with every value escaped for its place. */
final class Html
{
    private const ENTITIES = [
        '&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;', "'" => '&#39;',
        "\0" => Utf8::REPLACEMENT,
    ];

    /** How the extension writes arguments that are not text. */
    private const AS_JSON = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE
        | JSON_UNESCAPED_LINE_TERMINATORS | JSON_PRESERVE_ZERO_FRACTION
        | JSON_INVALID_UTF8_SUBSTITUTE;

    private function __construct()
    {
    }

    /**
     * The block of a call.
     *
     * @param mixed $arguments as a call has them: an array, an object, or JSON text
     */
    public static function call(
        ?string $name,
        $arguments,
        string $status = 'processing',
        string $id = ''
    ): string {
        $arguments = Utf8::lossy(self::json($arguments));
        $status = Utf8::lossy($status);
        [$name, $id] = [self::escape($name), self::escape($id)];
        $class = (string) preg_replace('/[' . Utf8::WHITE . ']/u', '-', $status);
        return "<div id=\"$id\" class=\"mpai-tool-call\" data-tool-name=\"$name\" "
            . 'data-tool-parameters="' . self::escape($arguments) . '">'
            . '<div class="mpai-tool-call-header">'
            . "<span class=\"mpai-tool-call-name\">$name</span> "
            . '<span class="mpai-tool-call-status mpai-tool-call-' . self::escape($class) . '">'
            . self::escape(Utf8::capitalised($status)) . '</span></div>'
            . '<div class="mpai-tool-call-parameters"><pre>'
            . self::escape(Pretty::of($arguments)) . '</pre></div>'
            . '<div class="mpai-tool-call-result"></div></div>';
    }

    /** The block of a result. */
    public static function result(?string $name, ?bool $success, ?string $result): string
    {
        $class = $success ? 'mpai-tool-success' : 'mpai-tool-error';
        $status = $success ? 'Success' : 'Error';
        return "<div class=\"mpai-tool-result $class\"><div class=\"mpai-tool-result-header\">"
            . '<span class="mpai-tool-result-name">' . self::escape($name) . '</span> '
            . "<span class=\"mpai-tool-result-status\">$status</span></div>"
            . '<pre class="mpai-tool-result-content">' . self::escape($result) . '</pre></div>';
    }

    /** @param mixed $arguments */
    private static function json($arguments): string
    {
        if (!is_array($arguments) && !$arguments instanceof stdClass) {
            return (string) $arguments;
        }
        if ((array) $arguments === []) {
            return '{}';
        }
        $json = json_encode($arguments, self::AS_JSON);
        if ($json === false) {
            $message = 'arguments cannot be written as JSON: ' . json_last_error_msg();
            throw Misuse::of('invalid_option', $message);
        }
        return $json;
    }

    private static function escape(?string $text): string
    {
        return strtr(Utf8::lossy((string) $text), self::ENTITIES);
    }
}
