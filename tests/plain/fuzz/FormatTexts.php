<?php

declare(strict_types=1);

namespace Toolwire\Tests\Plain\Fuzz;

use Toolwire\Detector;

/**
 * Random texts of every format: their examples with tags missing, doubled, damaged or of another
 * format, among prose, reasoning and framing tokens. The same seed gives the same text.
 */
final class FormatTexts
{
    private const PROSE = [
        ' ', "\n", "\n\n", 'I look. ', 'Done.', ' and ', '`', "```\n", "\n```\n", "```json\n", '"',
        ', ', ';', ' Rome ', '<b>x</b>', '</s>', "\r\n", '{', '}', '[', ']', '(', ')', '<', '</',
        '<|', '|>', '>', '/>', "'", '\\', '{"city": "Paris"}', '{"name": "add", "arguments": {}}',
        '[add(n=1)]', '[add(n=1, s=\'it\'s\'), add(n=02)]', ' {1, 2}', 'get_weather', 'add', ':0',
        ' to=functions.add', 'functions.add:1', 'name="add"', ' string="false"', ' type="number"',
        '5', 'true', 'null', '<![CDATA[x]]>', "\xff", 'é', "\u{3000}", 'call_0123abcd', '&amp;',
        '{"a": [1, 2], "b": {"c": null}}', '<Tool_Call >', '<tool-call>', '<|tool_call|',
        '<| im_end |>',
        'Action: add',
        "\nAction Input: {\"n\": 5}", '<read_file><path>a.txt</path></read_file>',
        '<add><n>5</n></add>', '>>>add', '>>>all', '{"tool_name": "add", "parameters": {"n": 1}}',
    ];

    /** @var list<string> what messages are made of: tokens, markers of reasoning, other turns */
    private static $tokens = [];

    /** @var list<string> names of models */
    private static $models = ['auto'];

    /** @var list<array{string, list<string>}> each format, and the parts of its example */
    private static $parts = [];

    /** @return array{list<string>, string} formats that may be named, and a text */
    public static function next(): array
    {
        self::load();
        $text = $slugs = [];
        for ($count = mt_rand(1, 3); $count > 0; $count--) {
            [$slug, $parts] = self::$parts[mt_rand(0, count(self::$parts) - 1)];
            $slugs[] = $slug;
            $text[] = self::around();
            $text[] = implode('', mt_rand(0, 3) === 0 ? $parts : self::damaged($parts));
        }
        $text[] = self::around();
        $text = implode('', $text);
        if (mt_rand(0, 2) === 0) {
            $text = self::withBytesChanged($text);
        }
        return [$slugs, mt_rand(0, 5) === 0 ? substr($text, 0, mt_rand(0, strlen($text))) : $text];
    }

    /** A name of a format at random. */
    public static function slug(): string
    {
        self::load();
        return self::$parts[mt_rand(0, count(self::$parts) - 1)][0];
    }

    /** A name of a model, known or nearly. */
    public static function model(): string
    {
        self::load();
        $name = self::$models[mt_rand(0, count(self::$models) - 1)];
        $name = strtr($name, ['*' => ['x', '30b', ''][mt_rand(0, 2)]]);
        switch (mt_rand(0, 7)) {
            case 0:
                return "org/$name-" . mt_rand(1, 9) . '.' . mt_rand(0, 9) . '-instruct';
            case 1:
                return strtoupper(strtr($name, '-', '_'));
            case 2:
                return "us.meta.$name-v" . mt_rand(1, 2) . ':0';
            case 3:
                return "/models/$name-Q4_K_M.gguf";
            case 4:
                return (string) preg_replace('/[0-9]/', (string) mt_rand(0, 9), $name, 1);
            case 5:
                $new = ['x', '-', '.', '4', ''][mt_rand(0, 4)];
                return substr_replace($name, $new, mt_rand(0, 9), 1);
            default:
                return $name;
        }
    }

    /** A prompt, or the end of one. */
    public static function prompt(): string
    {
        return self::around() . self::around() . self::around();
    }

    /** Prose and tokens around a call. */
    private static function around(): string
    {
        $text = '';
        for ($count = mt_rand(0, 3); $count > 0; $count--) {
            $all = mt_rand(0, 1) === 1 ? self::PROSE : self::$tokens;
            $text .= $all[mt_rand(0, count($all) - 1)];
        }
        return $text;
    }

    /**
     * @param list<string> $parts
     * @return list<string>
     */
    private static function damaged(array $parts): array
    {
        for ($count = mt_rand(1, 4); $count > 0 && $parts !== []; $count--) {
            $at = mt_rand(0, count($parts) - 1);
            switch (mt_rand(0, 5)) {
                case 0:
                    array_splice($parts, $at, 1);
                    break;
                case 1:
                    array_splice($parts, $at, 0, [$parts[$at]]);
                    break;
                case 2:
                    array_splice($parts, $at, 0, [self::PROSE[mt_rand(0, count(self::PROSE) - 1)]]);
                    break;
                case 3:
                    [, $others] = self::$parts[mt_rand(0, count(self::$parts) - 1)];
                    array_splice($parts, $at, 0, [$others[mt_rand(0, count($others) - 1)]]);
                    break;
                case 4:
                    $to = mt_rand($at, count($parts) - 1);
                    array_splice($parts, $to, 0, array_slice($parts, $at, $to - $at + 1));
                    break;
                default:
                    $parts = array_slice($parts, 0, max(1, $at));
            }
        }
        return $parts;
    }

    private static function withBytesChanged(string $text): string
    {
        for ($count = mt_rand(1, 3); $count > 0 && $text !== ''; $count--) {
            $at = mt_rand(0, strlen($text) - 1);
            $length = mt_rand(0, 3);
            $all = ['', '<', '>', '|', ' ', '_', '"', "\n", 'x', chr(mt_rand(0, 255))];
            $new = $all[mt_rand(0, 9)];
            $text = substr_replace($text, $new, $at, $length);
        }
        return $text;
    }

    private static function load(): void
    {
        if (self::$parts !== []) {
            return;
        }
        foreach (Detector::formats() as $format) {
            $flags = PREG_SPLIT_DELIM_CAPTURE | PREG_SPLIT_NO_EMPTY;
            $tags = '/(<[^<>]*>|[\[\](){}"\',:=\s]|[A-Za-z_]+)/';
            $parts = preg_split($tags, $format['example'], -1, $flags);
            self::$parts[] = [$format['slug'], $parts];
        }
        $file = __DIR__ . '/../../../core/src/detect/profile/builtin.json';
        $table = json_decode((string) file_get_contents($file), true);
        foreach ($table['profiles'] as $row) {
            $names = array_merge((array) ($row['match'] ?? []), (array) ($row['aliases'] ?? []));
            self::$models = array_merge(self::$models, [$row['slug']], $names);
        }
        foreach (['reasoning', 'frames', 'strays', 'stops', 'turns'] as $member) {
            array_walk_recursive($table[$member], static function ($text): void {
                if (is_string($text)) {
                    self::$tokens[] = (string) preg_replace('/\{[a-z]+\}/', '', $text);
                }
            });
        }
    }
}
