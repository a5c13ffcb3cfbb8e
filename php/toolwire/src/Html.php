<?php

declare(strict_types=1);

namespace Toolwire;

use Toolwire\Plain\Json\Pretty;
use Toolwire\Plain\Utf8;

/** Calls and results as HTML, with every value escaped for its place. */
final class Html
{
    private const ENTITIES = [
        '&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;', "'" => '&#39;',
        "\0" => Utf8::REPLACEMENT,
    ];

    private function __construct()
    {
    }

    /** The block of a call, whose arguments are JSON text. */
    public static function call(
        ?string $name,
        ?string $arguments,
        string $status = 'processing',
        string $id = ''
    ): string {
        $arguments = Utf8::lossy((string) $arguments);
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

    private static function escape(?string $text): string
    {
        return strtr(Utf8::lossy((string) $text), self::ENTITIES);
    }
}
