<?php

declare(strict_types=1);

namespace Toolwire\Tests\Plain\Fuzz;

use Throwable;
use Toolwire\Detection;
use Toolwire\Detector;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Html;
use Toolwire\Report;
use Toolwire\Seen;
use Toolwire\ToolResult;
use Toolwire\ToolResultFinder;

/** What the library, or the extension, answers to a random question. */
final class Answers
{
    /** @return array{mixed, mixed} the question and the answer */
    public static function to(int $seed): array
    {
        mt_srand($seed);
        switch ($seed % 8) {
            case 0:
                return self::packets();
            case 1:
                return self::report();
            case 2:
                return self::html();
            default:
                return self::detection();
        }
    }

    /**
     * What a function gives, or the exception that it throws.
     *
     * @return mixed
     */
    private static function given(callable $function)
    {
        try {
            return $function();
        } catch (Throwable $thrown) {
            $kind = $thrown instanceof ToolwireThrowable ? $thrown->getKind() : '';
            return [get_class($thrown), $kind, $thrown->getCode(), $thrown->getMessage()];
        }
    }

    /** @return array{mixed, mixed} */
    private static function detection(): array
    {
        $options = self::options();
        $text = Texts::next();
        if (mt_rand(0, 2) > 0) {
            [$slugs, $text] = FormatTexts::next();
            $options[0] = self::formats($slugs);
            $asked = [true, false, ['enable_thinking' => true], ['thinking' => 'off'], [], 1];
            $options[17] = mt_rand(0, 2) === 0 ? FormatTexts::model() : null;
            $options[19] = mt_rand(0, 5) === 0 ? FormatTexts::prompt() : null;
            $options[20] = mt_rand(0, 5) === 0 ? $asked[mt_rand(0, 5)] : null;
        }
        $seen = mt_rand(0, 9) === 0;
        $answer = self::given(static function () use ($options, $text, $seen): array {
            $options[8] = $seen ? new Seen(mt_rand(1, 3)) : null;
            $detector = new Detector(...$options);
            $found = $detector->detect($text);
            $answer = self::described($found, $text);
            $profile = $detector->profile();
            $shown = $profile === null ? null : [$profile->toArray(), json_encode($profile)];
            $answer['profile'] = $shown;
            $known = Detector::profileFor(FormatTexts::model());
            $answer['known'] = $known === null ? null : $known->toArray();
            return $seen ? [$answer, self::described($detector->detect($text), $text)] : $answer;
        });
        return [[$options, $text], $answer];
    }

    /**
     * The formats of a text, some of them, others, or all.
     *
     * @param list<string> $slugs
     * @return list<string>|string|null
     */
    private static function formats(array $slugs)
    {
        switch (mt_rand(0, 5)) {
            case 0:
                return array_merge($slugs, [FormatTexts::slug()]);
            case 1:
                return $slugs[0];
            case 2:
                return $slugs;
            case 3:
                return array_merge(['auto'], $slugs);
            default:
                return null;
        }
    }

    /** @return list<mixed> */
    private static function options(): array
    {
        $usual = mt_rand(0, 3) > 0;
        $one = static function (array $words) use ($usual) {
            // A wrong option hides what the others do.
            if ($usual && mt_rand(0, 2) > 0) {
                return null;
            }
            return $words[mt_rand(0, count($words) - 1)];
        };
        $weather = ['type' => 'object', 'properties' => [
            'city' => ['type' => ['string', 'null']], 'n' => ['type' => 'integer'],
            's' => ['enum' => ['a', 1]], 'flag' => ['type' => 'boolean'],
            'list' => ['type' => 'array', 'items' => ['$ref' => '#/$defs/one']],
            'path' => ['anyOf' => [['type' => 'number'], ['type' => 'object']]],
        ], '$defs' => ['one' => ['type' => 'integer', 'nullable' => true]]];
        $tools = [
            [['name' => 'get_weather', 'parameters' => $weather], 'add', 'read_file'],
            [['name' => 'add', 'input_schema' => $weather]], ['get_weather'],
            null, null, null, ['add', 'b'], ['add', ['name' => ' tool ']], ['x'],
            [['type' => 'function', 'function' => ['name' => 'add']]],
            [''], ['a' => 'b'], [7], [[]],
        ];
        // The default of the extension is every form that it reads.
        $formats = ['tag', 'json', 'html'];
        return [
            $one([['tag', 'html'], 'json', ['json', 'json'], 'html', ['tag'], 'nix', []]) ?? $formats,
            $one($tools),
            $one([null, null, ['old' => 'add', '7' => 'b'], ['x', 'y'], ['a' => 1]]),
            $one([null, null, null, ['nix' => 'add'], ['old' => 'b']]),
            $one([null, null, null, null, 'memberpress', 'nix']),
            $one([null, null, 'json', 'all', 'all', 'none', 'nix']),
            $one([null, null, 'separate', 'keep', 'calls', true]),
            $one([null, null, 'off', 'safe', 'safe']),
            null,
            $one([null, null, null, 'off', 'nix']),
            $one([null, null, false, 1]),
            $one([null, null, null, null, 50, 0]),
            $one([null, null, null, 2, 1]),
            $one([null, null, 1, 3]),
            $one([null, null, null, 2, 5, 4097]),
            $one([null, null, null, 8, 1, 1.5]),
            $one([null, null, null, 'x', 'a b']),
            null, null, null, null,
            $one([null, null, null, null, 'read', 'refuse', 'nix']),
        ];
    }

    /** @return array<string, mixed> */
    private static function described(Detection $found, string $text): array
    {
        $plain = $found->toArray();
        $ids = $made = [];
        foreach ($found as $index => $call) {
            $known = $call->idGiven;
            $ids[] = $known ? $call->id : strlen($call->id);
            $plain['calls'][$index]['id'] = '';
            $json = str_replace($call->id, '', $call->toJson());
            $made[] = [
                $json, $call->argumentsObject(), str_replace($call->id, '', $call->toHtml()),
                str_replace($call->id, '', (string) json_encode($call)),
            ];
        }
        $segments = [];
        foreach ($found->segments as $segment) {
            $segments[] = [$segment->type, $segment->text, $segment->span, $segment->call !== null];
        }
        $replaced = $found->replace(static function ($call): string {
            return "[$call->index $call->name]";
        });
        $originals = array_merge(array_column($found->calls, 'original'), ['<tool:', '', 'a', 'a']);
        return [
            'plain' => $plain, 'ids' => $ids, 'made' => $made, 'segments' => $segments,
            'text' => $found->text, 'reasoning' => $found->reasoning, 'replaced' => $replaced,
            'located' => $found->locate($originals), 'count' => count($found),
            'rejections' => json_encode($found->rejections, JSON_PARTIAL_OUTPUT_ON_ERROR),
            'unread' => json_encode($found->unread(), JSON_PARTIAL_OUTPUT_ON_ERROR),
            'again' => Detection::fromArray($found->toArray())->toArray() === $found->toArray(),
            'saved' => unserialize(serialize($found))->text === $found->text,
        ];
    }

    /** @return array{mixed, mixed} */
    private static function packets(): array
    {
        $packets = Values::packets();
        $handler = Values::text();
        $handlers = [Values::text(), Values::text(), $handler];
        $type = [null, null, 'tool_result', 'ai_handler_complete', "x\"\n"][mt_rand(0, 4)];
        $options = [mt_rand(0, 2) === 0, $type, mt_rand(0, 2) === 0];
        $answer = [
            self::given(static function () use ($packets, $handler, $options) {
                return ToolResultFinder::findHandlerResult($packets, $handler, ...$options);
            }),
            self::given(static function () use ($packets, $handlers, $options) {
                return ToolResultFinder::findAllHandlerResults($packets, $handlers, ...$options);
            }),
        ];
        foreach ($packets as $packet) {
            if (is_array($packet)) {
                $answer[] = [
                    ToolResultFinder::projectResultData($packet),
                    ToolResultFinder::projectResultEnvelope($packet),
                    ToolResultFinder::projectEnvelopeData($packet),
                    ToolResultFinder::projectResultSuccess($packet),
                ];
            }
            $answer[] = ToolResult::fromReturned('t', $packet)->toArray();
        }
        return [[$packets, $handler, $handlers, $options], $answer];
    }

    /** @return array{mixed, mixed} */
    private static function report(): array
    {
        $report = new Report();
        $results = [];
        for ($count = mt_rand(0, 5); $count > 0; $count--) {
            $data = mt_rand(0, 3) > 0 ? Values::map(3) : Values::value(2);
            $error = mt_rand(0, 1) === 1 ? Values::text() : null;
            $result = [Values::text(), mt_rand(0, 2) > 0, $data, $error, Values::float()];
            $results[] = $result;
            $report->add(new ToolResult(...$result));
        }
        $most = mt_rand(-1, 60);
        $answer = [
            $report->toArray(), $report->toJson(), $report->byTool(), count($report),
            $report->succeeded(), $report->failed(),
            $report->successRate(), $report->meanConfidence(),
            self::given([$report, 'summary']),
            self::given(static function () use ($report, $most): string {
                return $report->summary($most);
            }),
        ];
        foreach ($results as $result) {
            $answer[] = self::given(static function () use ($result): string {
                return Report::summarizeData($result[2]);
            });
        }
        return [[$results, $most], $answer];
    }

    /** @return array{mixed, mixed} */
    private static function html(): array
    {
        $json = mt_rand(0, 1) === 1
            ? (string) json_encode(Values::value(4), JSON_PARTIAL_OUTPUT_ON_ERROR)
            : Texts::next();
        $texts = [Values::text(), Values::text(), Values::text(), Texts::next()];
        // Without mbstring, only A to Z become capitals.
        $texts[1] = preg_match('/^[\x80-\xFF]/', $texts[1]) === 1 ? "a$texts[1]" : $texts[1];
        $answer = [
            Html::call($texts[0], $json, $texts[1], $texts[2]),
            Html::result($texts[0], mt_rand(0, 1) === 1, $texts[3]),
            Html::call($texts[3], $texts[1]),
        ];
        return [[$json, $texts], $answer];
    }
}
