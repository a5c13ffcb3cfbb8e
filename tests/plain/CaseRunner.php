<?php

declare(strict_types=1);

namespace Toolwire\Tests\Plain;

use RuntimeException;
use stdClass;
use Toolwire\Detector;
use Toolwire\Exception\ExtensionNeeded;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Html;
use Toolwire\Plain\LeftOut;
use Toolwire\Report;
use Toolwire\Text;
use Toolwire\Tests\Cases;
use Toolwire\ToolResult;
use Toolwire\ToolResultFinder;

/**
 * Runs the shared cases that the library in plain PHP offers.
 *
 * A case that needs what is left out must say so by its exception; any other must pass.
 */
final class CaseRunner
{
    /** The errors of schemas, which are not read. */
    private const OF_SCHEMAS = ['invalid_schema', 'schema_limit'];

    public const TOPICS = [
        'detection', 'errors', 'finder', 'formats', 'messages', 'profiles', 'projection', 'render',
        'replace', 'report', 'summary', 'visible',
    ];

    /** @var array<string, int> the cases that passed, by topic */
    public $ran = [];

    /** @var array<string, int> the cases of what is left out, by topic */
    public $leftOut = [];

    /** @var list<string> what failed */
    public $failures = [];

    public function run(): void
    {
        foreach (array_intersect_key(Cases::all(), array_flip(self::TOPICS)) as $topic => $cases) {
            $this->ran[$topic] = $this->leftOut[$topic] = 0;
            foreach ($cases as $case) {
                $left = self::isLeftOut($topic, $case);
                try {
                    $this->case($topic, $case, $left);
                    $left ? $this->leftOut[$topic]++ : $this->ran[$topic]++;
                } catch (RuntimeException $failure) {
                    $this->failures[] = "$topic: $case->name: {$failure->getMessage()}";
                }
            }
        }
    }

    /**
     * Fails unless two values are the same.
     *
     * @param mixed $expected
     * @param mixed $found
     */
    public static function same($expected, $found, string $what = 'the result'): void
    {
        if ($expected !== $found) {
            $flags = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PARTIAL_OUTPUT_ON_ERROR;
            [$found, $expected] = [json_encode($found, $flags), json_encode($expected, $flags)];
            throw new RuntimeException("$what is $found, not $expected");
        }
    }

    /** Whether a case uses what the library leaves out. */
    private static function isLeftOut(string $topic, stdClass $case): bool
    {
        if ($topic === 'render') {
            return in_array($case->input->function, ['calls', 'message'], true);
        }
        $options = $topic === 'profiles' ? $case->input : $case->input->options ?? new stdClass();
        foreach (get_object_vars($options) as $name => $value) {
            if ($name === 'formats') {
                foreach (is_array($value) ? $value : [$value] as $format) {
                    if ($format instanceof stdClass) {
                        return true;
                    }
                }
            } elseif ($name === 'model' && $value instanceof stdClass) {
                return true;
            } elseif (array_key_exists($name, LeftOut::OPTIONS)) {
                $values = LeftOut::OPTIONS[$name];
                if ($values === null || in_array($value, $values, true)) {
                    return true;
                }
            }
        }
        return $topic === 'errors' && in_array($case->error->kind ?? '', self::OF_SCHEMAS, true);
    }

    private function case(string $topic, stdClass $case, bool $left): void
    {
        $expected = $case->error->kind ?? null;
        try {
            $this->{"run$topic"}($case);
        } catch (ExtensionNeeded $needed) {
            self::same($left, true, 'the need of the extension');
            return;
        } catch (ToolwireThrowable $error) {
            self::same($expected, $error->getKind(), 'the kind of the error');
            self::same(false, $left, 'what is left out');
            return;
        }
        // An unknown option is a named argument that PHP itself refuses; schemas are not read.
        $accepted = in_array($expected, [null, 'unknown_option', ...self::OF_SCHEMAS], true);
        self::same(true, $accepted, "without the error $expected, acceptance");
        self::same(in_array($expected, self::OF_SCHEMAS, true), $left, 'what is left out');
    }

    private function runDetection(stdClass $case): void
    {
        (new DetectionCheck($case->input, $case->output ?? new stdClass()))->run();
    }

    private function runVisible(stdClass $case): void
    {
        $text = $case->input->text;
        $text = is_string($text) ? $text : base64_decode($text->{'$base64'}, true);
        self::same($case->output->text, Text::visible((string) $text));
    }

    private function runFormats(stdClass $case): void
    {
        $this->runDetection($case);
    }

    private function runMessages(stdClass $case): void
    {
        $this->runDetection($case);
    }

    private function runProfiles(stdClass $case): void
    {
        $input = get_object_vars($case->input);
        $isNamed = array_keys($input) === ['model'] && is_string($input['model']);
        $profile = $isNamed
            ? Detector::profileFor($input['model'])
            : DetectionCheck::detector($case->input)->profile();
        $found = $profile === null ? ['profile' => null] : [
            'profile' => $profile->slug, 'exact' => $profile->exact,
            'formats' => $profile->formats, 'reasoning_begun' => $profile->reasoningBegun,
        ];
        foreach (get_object_vars($case->output) as $name => $value) {
            self::same($value, $found[$name], $name);
        }
    }

    private function runErrors(stdClass $case): void
    {
        DetectionCheck::detector($case->input->options);
    }

    private function runReplace(stdClass $case): void
    {
        $detector = DetectionCheck::detector($case->input->options ?? new stdClass());
        $found = $detector->detect(Cases::text($case->input->text));
        $replaced = $found->replace(static function ($call) use ($case): string {
            return Cases::text($case->input->results->{$call->name});
        });
        self::same(Cases::text($case->output->text), $replaced);
    }

    private function runRender(stdClass $case): void
    {
        $input = $case->input;
        if ($input->function === 'call') {
            $html = Html::call($input->name, $input->arguments, $input->status, $input->id);
        } elseif ($input->function === 'result') {
            $html = Html::result($input->name, $input->success, $input->result);
        } elseif ($input->function === 'calls') {
            $html = Detector::renderCalls($input->calls, $input->format);
        } else {
            $html = Detector::renderMessage($input->message, $input->profile);
        }
        self::same($case->output->html, $html);
    }

    private function runFinder(stdClass $case): void
    {
        $input = $case->input;
        $packets = Cases::arrays($input->packets);
        $options = [$input->partial ?? false, $input->type ?? null, $input->success_only ?? false];
        if ($input->function === 'find') {
            $found = ToolResultFinder::findHandlerResult($packets, $input->handler, ...$options);
            self::same(Cases::arrays($case->output->packet), $found);
            return;
        }
        $found = ToolResultFinder::findAllHandlerResults($packets, $input->handlers, ...$options);
        self::same(Cases::arrays($case->output->packets), $found);
    }

    private function runProjection(stdClass $case): void
    {
        $functions = [
            'data' => 'projectResultData', 'envelope_data' => 'projectEnvelopeData',
            'envelope' => 'projectResultEnvelope', 'success' => 'projectResultSuccess',
        ];
        $function = $functions[$case->input->function];
        $found = ToolResultFinder::$function(Cases::arrays($case->input->value));
        self::same(Cases::arrays($case->output->value), $found);
    }

    private function runSummary(stdClass $case): void
    {
        if ($case->input->function === 'tool_data') {
            $text = Report::summarizeData(self::data($case->input->data));
        } else {
            $report = self::report($case->input->results, true);
            $text = $report->summary($case->input->max_tokens ?? null);
        }
        self::same($case->output->text, $text);
    }

    private function runReport(stdClass $case): void
    {
        $report = self::report($case->input->results, false);
        $expected = $case->output->report;
        self::same(Cases::arrays($expected), Cases::arrays($report->toArray()));
        $json = $report->toJson();
        $written = json_decode($json, false, 512, JSON_BIGINT_AS_STRING);
        self::same(true, Cases::same($expected, $written), "$json: equality");
    }

    /** @param list<stdClass> $results */
    private static function report(array $results, bool $arrays): Report
    {
        $report = new Report();
        foreach ($results as $result) {
            $error = $result->error_message ?? null;
            $confidence = (float) ($result->confidence ?? 0.0);
            $data = $arrays ? self::data($result->data) : $result->data;
            $made = new ToolResult($result->tool, $result->success, $data, $error, $confidence);
            $report->add($made);
        }
        return $report;
    }

    /**
     * Data as a tool gives it. The outermost value is an array, because an empty object is true.
     *
     * @param mixed $data
     * @return mixed
     */
    private static function data($data)
    {
        return $data instanceof stdClass ? get_object_vars($data) : $data;
    }
}
