<?php

declare(strict_types=1);

namespace Toolwire\Tests\Plain;

use RuntimeException;
use stdClass;
use Toolwire\Detection;
use Toolwire\Detector;
use Toolwire\Seen;
use Toolwire\Tests\Cases;

/** A case of the topic `detection`, run on the whole text. */
final class DetectionCheck
{
    /** The parameters of a detector, in their order. */
    public const OPTIONS = [
        'formats', 'tools', 'aliases', 'legacy', 'preset', 'fences', 'reasoning', 'repair', 'seen',
        'validate', 'coerce', 'max_input', 'max_calls', 'max_rejections', 'max_depth',
        'max_arguments', 'html_class', 'model', 'template', 'prompt', 'thinking', 'calls',
    ];

    /** @var stdClass */
    private $input;

    /** @var stdClass */
    private $output;

    public function __construct(stdClass $input, stdClass $output)
    {
        [$this->input, $this->output] = [$input, $output];
    }

    /** A detector with the options of a case; PHP 7.4 has no named arguments. */
    public static function detector(stdClass $options, ?Seen $seen = null): Detector
    {
        $given = array_fill_keys(self::OPTIONS, null);
        foreach (get_object_vars($options) as $name => $value) {
            if (array_key_exists($name, $given)) {
                $given[$name] = Cases::arrays($value);
            }
        }
        $given['seen'] = $seen;
        return new Detector(...array_values($given));
    }

    public function run(): void
    {
        $seen = isset($this->input->seen) ? new Seen(1000) : null;
        $detector = self::detector($this->input->options ?? new stdClass(), $seen);
        foreach ($this->input->seen ?? [] as $before) {
            $detector->detect(Cases::text($before));
        }
        $text = Cases::text($this->input->text);
        $found = $detector->detect($text);
        $output = $this->output;
        CaseRunner::same(count($output->calls), count($found), 'the number of calls');
        foreach ($found as $place => $call) {
            self::checkCall($call->toArray(), $output->calls[$place]);
            $objects = Cases::same($call->argumentsObject(), $output->calls[$place]->arguments);
            CaseRunner::same(true, $objects, 'equality of the arguments as objects');
        }
        $rejections = $output->rejections ?? [];
        $codes = array_column($found->rejections, 'code');
        CaseRunner::same(array_column($rejections, 'code'), $codes, 'codes');
        foreach ($found->rejections as $place => $rejection) {
            self::checkFields($rejection->toArray(), $rejections[$place]);
        }
        if (isset($output->text)) {
            CaseRunner::same(Cases::text($output->text), $found->text, 'text');
        }
        $thought = isset($output->reasoning) ? Cases::text($output->reasoning) : null;
        CaseRunner::same($thought, $found->reasoning, 'reasoning');
        CaseRunner::same($output->reasoning_open ?? false, $found->reasoningOpen, 'open');
        if (isset($output->rejections_dropped)) {
            CaseRunner::same($output->rejections_dropped, $found->rejectionsDropped, 'dropped');
        }
        $this->checkSegments($found, $text);
    }

    /** @param array<string, mixed> $found */
    private static function checkCall(array $found, stdClass $expected): void
    {
        $same = Cases::same($found['arguments'], Cases::arrays($expected->arguments));
        CaseRunner::same(true, $same, 'equality of the arguments');
        CaseRunner::same($expected->status ?? 'complete', $found['status'], 'status');
        $codes = array_column($found['diagnostics'], 'code');
        CaseRunner::same($expected->diagnostics ?? [], $codes, 'diagnostics');
        self::checkFields($found, $expected);
    }

    /** @param array<string, mixed> $found */
    private static function checkFields(array $found, stdClass $expected): void
    {
        $found['span'] = array_values($found['span']);
        foreach (get_object_vars($expected) as $field => $value) {
            if (!array_key_exists($field, $found)) {
                throw new RuntimeException("the field $field is missing");
            }
            if ($field === 'original' || $field === 'arguments_raw') {
                $value = Cases::text($value);
            }
            if (!in_array($field, ['arguments', 'diagnostics', 'status'], true)) {
                CaseRunner::same($value, $found[$field], $field);
            }
        }
    }

    private function checkSegments(Detection $found, string $text): void
    {
        $end = 0;
        $shown = $calls = [];
        foreach ($found->segments as $segment) {
            CaseRunner::same($end, $segment->span['start'], 'the start of a segment');
            $end = $segment->span['end'];
            $part = substr($text, $segment->span['start'], $end - $segment->span['start']);
            CaseRunner::same($part, $segment->text, 'the text of a segment');
            if ($segment->type === 'call') {
                CaseRunner::same($segment->call->span, $segment->span, 'the span of a call');
                $calls[] = $segment->call;
                $shown[] = ['call' => $segment->call->index];
            } else {
                $shown[] = [$segment->type => $segment->text];
            }
        }
        CaseRunner::same(strlen($text), $end, 'the end of the segments');
        CaseRunner::same($found->calls, $calls, 'the calls of the segments');
        if (isset($this->output->segments)) {
            $expected = array_map(static function (stdClass $segment): array {
                $segment = get_object_vars($segment);
                $text = [Cases::class, 'text'];
                return isset($segment['call']) ? $segment : array_map($text, $segment);
            }, $this->output->segments);
            CaseRunner::same($expected, $shown, 'segments');
        }
    }
}
