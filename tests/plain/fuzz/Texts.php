<?php

declare(strict_types=1);

namespace Toolwire\Tests\Plain\Fuzz;

/** Random texts for a detector: spliced, mutated, hostile. The same seed gives the same text. */
final class Texts
{
    private const PIECES = [
        '<tool:add>{"a":1}</tool>', '<tool:', '<tool:add>', '<tool:add >{}', '</tool>',
        '</tool:add>', '</tool:', '</to', '<tool: x y>', '<tool:>{}</tool>', '<tool:add>[]</tool>',
        '<tool:add>{"a":', '<tool:add>"x"</tool>', '<tool:add> {"b":[1,{"c":null}]} </tool:add>',
        '<tool:old>{}</tool>', '{"name":"add","arguments":{"a":1}}',
        '{"name": "add", "parameters": {"a": [1, 2]}}', '{"tool":"add","args":{"x":"y"}}',
        '{"function":{"name":"add","arguments":"{\"a\":1}"}}',
        '{"type":"function","function":{"name":"add","arguments":{}},"id":"call_7"}',
        '{"name":"add","arguments":[]}', '{"name":"add","arguments":null}',
        '{"name":"add","input":3}', '{"name":"add","arguments":"{}","id":12}',
        '{"name":"add","arguments":{"a":1,"a":2}}',
        '{"name":"add","arguments":{"n":12345678901234567890}}', '{"name":"nix","arguments":{}}',
        '{"name":"add","arguments":{', '{"name":"add",', '{"a":', '{"a":{"b":', '[{', '[', ']',
        '}', '[{"name":"add","arguments":{}},{"name":"b","arguments":{"q":"<tool:x>{}</tool>"}}]',
        '{"', '"', '{"x":1}', '\\', '\\u0041', '\\ud83d', '\\ud83d\\ude00',
        '{"n\\u0061me":"add","arguments":{}}',
        '<div class="mpai-tool-call" data-tool-name="x" data-tool-parameters="{&quot;a&quot;:1}">',
        '<p class="mpai&#45;tool-call" data-tool-name=x data-tool-parameters="{}">',
        '{"a": x "{"} ":1,', '{"a":"`"}', '{"a":"<tool:a>{}</tool>"}', '"\\u0061rguments":{}}',
        "```php\n", '[{"a":1},',
        '<div class=mpai-tool-call data-tool-name=add data-tool-parameters={}>', '</div>', '<div>',
        "<p class='x mpai-tool-call' data-tool-name='add' data-tool-parameters='{}' id='i1'>",
        '</p>', '<br class="mpai-tool-call" data-tool-name="add" data-tool-parameters="{}"/>',
        '<br>', '<p', '<div class="mpai-tool-call" data-tool-name="add">', '<script>', '</script>',
        '<!--', '-->', '<title>', '</title >', '<!', '<?', '</', '<', '>', ' =', "'", '&amp;',
        '&lt', '&not;', '&#65;', '&#x41;', '&#0;', '&notit;', '&foo;', '&copy=',
        "<div class='mpai-tool-call", '<div x="', '```', '```json', "```json\n", "```\n", "\n```",
        "\n```\n", "\n``` x", '~~~', "\n~~~\n", '`', '``', ' `a` ', '<think>', '</think>',
        '<thinking>', '</thinking>', '<think>hm</think>', ' ', "\n", "\r\n", "\t", "\n\n  ",
        'text', 'I look: ', '.', 'é', '漢字', '😀', "\xff", "\xed\xa0\x80", "\0", "\x0b", "\f",
        "\u{FEFF}", ',', ':', '1', '-0', '1e5', 'true', 'null', 'True', "{'a': 1,}", '{a: 1}',
        '// x', '/* y */', '{"name":"add","arguments":{"a":1,}}', "{'name':'add','args':{}}",
    ];

    /** Parts of start tags, good and bad. */
    private const IN_TAGS = [
        ' ', "\n", "\r\n", "\r", "\t", "\f", '/', '=', ' = ', '"', "'", '<', '`', 'class', 'CLASS',
        'id', 'class=mpai-tool-call', 'class="x mpai-tool-call y"', "class='mpai-tool-call'",
        'title="a>b"', 'class="mpai&#x2d;tool-call"', 'data-tool-name=add', 'data-tool-name="b"',
        'Data-Tool-Name=add', 'data-tool-parameters={}',
        'data-tool-parameters="{&quot;a&quot;:1}"', 'id="&amp;&lt1&#65;"',
        "data-tool-parameters='{\"a\":\"&#x27;\"}'", 'data-tool-parameters="[]"', 'id=&copy=1',
        'id="&#128;"', 'data-tool-parameters="{&#34;b&#34;:&#91;&#93;}"', 'id="&ampx"',
        'id="&notin;"', 'id="&#xD800;"', 'id="&#1114112;"', 'id="&#xFDD0;"', 'id="&ngE;"',
        'id="&x;"', 'id="&"', 'id="&#;"', 'id="&#x;"', "\0", 'id=" 7 "', "\xff", "\x01",
        "\u{FFFE}", 'a=b', 'a', '>', '&quot;', '&NotEqualTilde;', 'é="1"',
    ];

    /** @var list<string> the texts of the shared cases */
    private static $known = [];

    /** A text for the generator's state. */
    public static function next(): string
    {
        switch (mt_rand(0, 7)) {
            case 0:
            case 1:
                return self::spliced();
            case 2:
                return self::mutated(self::knownText());
            case 3:
                return self::mutated(self::knownText() . self::spliced());
            case 4:
                return self::mutated(self::spliced());
            case 5:
                return str_repeat(self::piece(), mt_rand(1, 60)) . self::spliced();
            case 6:
                return self::tags() . self::spliced();
            default:
                return self::bytes();
        }
    }

    private static function piece(): string
    {
        return self::PIECES[mt_rand(0, count(self::PIECES) - 1)];
    }

    private static function spliced(): string
    {
        $text = '';
        for ($count = mt_rand(1, 24); $count > 0; $count--) {
            $text .= self::piece();
        }
        return $text;
    }

    /** Start tags with random attributes. */
    private static function tags(): string
    {
        $text = '';
        for ($tags = mt_rand(1, 3); $tags > 0; $tags--) {
            $text .= ['<div ', '<p ', '<br ', '<script ', '<X-y ', '<img/'][mt_rand(0, 5)];
            $whole = mt_rand(0, 2) > 0;
            $call = 'class="mpai-tool-call" data-tool-name=add data-tool-parameters=\'{"a":[]}\' ';
            $text .= $whole ? $call : '';
            for ($count = $whole ? mt_rand(0, 2) : mt_rand(2, 7); $count > 0; $count--) {
                $text .= self::IN_TAGS[mt_rand(0, count(self::IN_TAGS) - 1)];
                $text .= mt_rand(0, 2) > 0 ? ' ' : '';
            }
            $text .= '>' . (mt_rand(0, 1) === 1 ? self::piece() . '</div></p>' : '');
        }
        return $text;
    }

    /** Bytes of which texts of calls are made, and a few others. */
    private static function bytes(): string
    {
        $bytes = '{}[]"":,<>/tool:think`~\\ ' . "\n" . 'name1.e-\'&;=';
        $text = '';
        for ($count = mt_rand(1, 80); $count > 0; $count--) {
            $odd = mt_rand(0, 30) === 0;
            $text .= $odd ? chr(mt_rand(0, 255)) : $bytes[mt_rand(0, strlen($bytes) - 1)];
        }
        return $text;
    }

    private static function mutated(string $text): string
    {
        for ($count = mt_rand(0, 4); $count > 0; $count--) {
            $at = mt_rand(0, strlen($text));
            $length = mt_rand(0, 6);
            switch (mt_rand(0, 3)) {
                case 0:
                    $text = substr_replace($text, '', $at, $length);
                    break;
                case 1:
                    $text = substr_replace($text, self::piece(), $at, 0);
                    break;
                case 2:
                    $text = substr_replace($text, chr(mt_rand(0, 255)), $at, 1);
                    break;
                default:
                    $text = substr_replace($text, substr($text, mt_rand(0, $at), $length), $at, 0);
            }
        }
        return $text;
    }

    private static function knownText(): string
    {
        if (self::$known === []) {
            foreach (['detection', 'formats', 'messages', 'replace'] as $topic) {
                $file = __DIR__ . "/../../cases/$topic.json";
                foreach (json_decode((string) file_get_contents($file)) as $case) {
                    if (is_string($case->input->text)) {
                        self::$known[] = $case->input->text;
                    }
                }
            }
        }
        return self::$known[mt_rand(0, count(self::$known) - 1)];
    }
}
