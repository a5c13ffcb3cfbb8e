<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Error;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use stdClass;
use Toolwire\Comment;
use Toolwire\Detector;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Reply;
use Toolwire\Report;
use Toolwire\Text;
use Toolwire\Tokens;
use Toolwire\ToolResult;
use Toolwire\ToolResultFinder;

/** Runs the shared cases, which cargo test and pytest run too. */
final class CasesTest extends TestCase
{
    private const TOPICS = [
        'comment', 'constrain', 'detection', 'diff', 'errors', 'finder', 'formats', 'logs',
        'messages', 'profiles', 'provider', 'projection', 'quote', 'render',
        'replace', 'reply', 'report', 'requests', 'runs', 'store', 'summary', 'tokens', 'tools',
        'transcript', 'visible',
    ];

    /** @var array<string, int> */
    private static array $ran = [];

    /** @return iterable<string, array{string, stdClass}> */
    public static function cases(): iterable
    {
        foreach (Cases::all() as $topic => $cases) {
            foreach ($cases as $case) {
                yield "$topic: {$case->name}" => [$topic, $case];
            }
        }
    }

    /** @dataProvider cases */
    #[DataProvider('cases')]
    public function testCase(string $topic, stdClass $case): void
    {
        self::$ran[$topic] = (self::$ran[$topic] ?? 0) + 1;
        self::assertContains($topic, self::TOPICS, "$topic: an unknown topic");
        $run = fn () => $this->{'run' . ucfirst($topic)}($case);
        if (isset($case->error)) {
            $this->expectKind($case->error->kind, $run);
        } else {
            $run();
        }
    }

    public static function tearDownAfterClass(): void
    {
        $extension = getenv('TOOLWIRE_SO');
        $build = $extension === false ? Cases::ROOT . '/build' : dirname($extension);
        is_dir($build) || mkdir($build);
        ksort(self::$ran);
        file_put_contents(
            "$build/cases-php.json",
            json_encode(self::$ran, JSON_PRETTY_PRINT) . "\n"
        );
    }

    /** @return iterable<string, array{string}> */
    public static function refused(): iterable
    {
        yield 'no cases' => ['[]'];
        yield 'an unknown field' => ['[{"name": "a", "input": {}, "output": {}, "x": 1}]'];
        yield 'a name that comes twice' => [
            '[{"name": "a", "input": {}, "output": {}}, {"name": "a", "input": {}, "output": {}}]',
        ];
        yield 'nothing expected' => ['[{"name": "a", "input": {}}]'];
        yield 'both expected' => [
            '[{"name": "a", "input": {}, "output": {}, "error": {"kind": "x"}}]',
        ];
        yield 'an error with a message' => [
            '[{"name": "a", "input": {}, "error": {"kind": "x", "message": ""}}]',
        ];
    }

    /** @dataProvider refused */
    #[DataProvider('refused')]
    public function testTheReaderIsStrict(string $json): void
    {
        $this->expectException(RuntimeException::class);
        Cases::read($json);
    }

    private function expectKind(string $kind, callable $run): void
    {
        try {
            $run();
        } catch (ToolwireThrowable $error) {
            self::assertSame($kind, $error->getKind(), $error->getMessage());
            return;
        } catch (Error $error) {
            // An option is a named argument, so PHP refuses an unknown one.
            self::assertSame('unknown_option', $kind, $error->getMessage());
            self::assertStringStartsWith('Unknown named parameter', $error->getMessage());
            return;
        }
        self::fail("nothing was thrown, $kind was expected");
    }

    private function runDetection(stdClass $case): void
    {
        (new DetectionCase($case->input, $case->output ?? new stdClass()))->run();
    }

    private function runFormats(stdClass $case): void
    {
        $this->runDetection($case);
    }

    private function runMessages(stdClass $case): void
    {
        $this->runDetection($case);
    }

    private function runErrors(stdClass $case): void
    {
        Cases::fields($case->input, ['options'], []);
        DetectionCase::withOptions($case->input->options);
    }

    private function runStore(stdClass $case): void
    {
        foreach (ToolsStoreTest::stores() as [$make]) {
            $folder = sys_get_temp_dir() . '/toolwire-' . bin2hex(random_bytes(6));
            mkdir($folder);
            try {
                (new StoreCase($make($folder)))->run($case);
            } finally {
                exec('rm -r ' . escapeshellarg($folder));
            }
        }
    }

    private function runProfiles(stdClass $case): void
    {
        Cases::fields($case->input, [], ['model', 'template', 'prompt']);
        $expected = Cases::arrays($case->output);
        if (array_keys((array) $case->input) === ['model'] && is_string($case->input->model)) {
            $found = Detector::profileFor($case->input->model);
            $exact = $found?->exact === false ? ['exact' => false] : [];
            self::assertSame($expected, ['profile' => $found?->slug, ...$exact]);
            return;
        }
        $profile = DetectionCase::withOptions($case->input)->profile();
        self::assertNotNull($profile);
        self::assertSame($expected, [
            'profile' => $profile->slug,
            'formats' => $profile->formats,
            'reasoning_begun' => $profile->reasoningBegun,
        ]);
    }

    private function runTools(stdClass $case): void
    {
        [$made, $expected] = ToolsCase::run($case);
        self::assertSame($expected, $made);
    }

    private function runRequests(stdClass $case): void
    {
        $made = RequestsCase::run($case->input);
        self::assertSame(json_encode($case->output), json_encode($made));
    }

    private function runRuns(stdClass $case): void
    {
        $made = RunsCase::run($case->input);
        self::assertSame(json_encode($case->output), json_encode($made));
    }

    private function runReplace(stdClass $case): void
    {
        Cases::fields($case->input, ['text', 'results'], ['options']);
        $detection = DetectionCase::withOptions($case->input->options ?? null)->detect(
            Cases::text($case->input->text)
        );
        $replaced = $detection->replace(
            static fn ($call) => Cases::text($case->input->results->{$call->name})
        );
        Cases::fields($case->output, ['text'], []);
        self::assertSame(Cases::text($case->output->text), $replaced);
    }

    private function runRender(stdClass $case): void
    {
        RenderCase::run($case);
    }

    private function runFinder(stdClass $case): void
    {
        $input = $case->input;
        $options = ['partial', 'type', 'success_only'];
        $one = $input->function === 'find';
        Cases::fields($input, ['function', 'packets', $one ? 'handler' : 'handlers'], $options);
        $packets = Cases::arrays($input->packets);
        $options = [$input->partial ?? false, $input->type ?? null, $input->success_only ?? false];
        if ($one) {
            $found = ToolResultFinder::findHandlerResult($packets, $input->handler, ...$options);
        } else {
            self::assertSame('find_all', $input->function);
            $found = ToolResultFinder::findAllHandlerResults(
                $packets,
                $input->handlers,
                ...$options
            );
        }
        $field = $one ? 'packet' : 'packets';
        Cases::fields($case->output, [$field], []);
        self::assertSame(Cases::arrays($case->output->$field), $found);
    }

    private function runProjection(stdClass $case): void
    {
        Cases::fields($case->input, ['function', 'value'], []);
        Cases::fields($case->output, ['value'], []);
        $value = Cases::arrays($case->input->value);
        $found = match ($case->input->function) {
            'data' => ToolResultFinder::projectResultData($value),
            'envelope_data' => ToolResultFinder::projectEnvelopeData($value),
            'envelope' => ToolResultFinder::projectResultEnvelope($value),
            'success' => ToolResultFinder::projectResultSuccess($value),
        };
        self::assertSame(Cases::arrays($case->output->value), $found);
    }

    private function runProvider(stdClass $case): void
    {
        (new ProviderCase($case->input, $case->output ?? new stdClass()))->run();
    }

    private function runDiff(stdClass $case): void
    {
        (new DiffCase($case->input))->run($case->output ?? null);
    }

    private function runTranscript(stdClass $case): void
    {
        (new TranscriptCase($case->input, $case->output ?? new stdClass()))->run();
    }

    private function runLogs(stdClass $case): void
    {
        $this->runTranscript($case);
    }

    private function runSummary(stdClass $case): void
    {
        if ($case->input->function === 'tool_data') {
            Cases::fields($case->input, ['function', 'data'], []);
            $text = Report::summarizeData(self::data($case->input->data));
        } else {
            self::assertSame('results', $case->input->function);
            Cases::fields($case->input, ['function', 'results'], ['max_tokens']);
            $report = self::report($case->input->results, self::data(...));
            $text = $report->summary($case->input->max_tokens ?? null);
        }
        Cases::fields($case->output, ['text'], []);
        self::assertSame($case->output->text, $text);
    }

    private function runComment(stdClass $case): void
    {
        $input = $case->input;
        $names = ['secrets', 'mentions', 'max_length', 'commands'];
        $options = $input->function === 'publishable' ? $names : [];
        Cases::fields($input, ['function', 'text'], $options);
        if ($input->function === 'publishable') {
            $given = array_map(
                static fn (string $name): mixed => Cases::arrays($input->$name ?? null),
                $options
            );
            self::assertSame(
                Cases::arrays($case->output ?? null),
                Comment::publishable($input->text, ...$given)
            );
            return;
        }
        $text = match ($input->function) {
            'clean' => Comment::clean($input->text),
            'from_reply' => Comment::fromReply($input->text),
            'redact' => Comment::redact($input->text),
        };
        Cases::fields($case->output, ['text'], []);
        self::assertSame($case->output->text, $text);
    }

    private function runConstrain(stdClass $case): void
    {
        Cases::fields($case->input, ['tools', 'options'], []);
        $named = [];
        foreach (get_object_vars($case->input->options) as $name => $value) {
            $named[lcfirst(str_replace('_', '', ucwords($name, '_')))] = Cases::arrays($value);
        }
        $made = Detector::constrain(Cases::arrays($case->input->tools), ...$named);
        $told = $made->toArray();
        foreach (array_keys($told) as $name) {
            $property = $name === 'notes'
                ? array_map(static fn ($note): array => $note->toArray(), $made->notes)
                : $made->$name;
            self::assertEquals($told[$name], $property);
        }
        foreach ($told['notes'] as &$note) {
            self::assertNotSame('', $note['message']);
            unset($note['message']);
        }
        $grammar = json_encode($case->output->grammar);
        $request = json_encode($case->output->request);
        $case->output->request = json_decode(
            str_replace('{"$grammar":true}', $grammar, $request)
        );
        Cases::fields($case->output, array_keys($told), []);
        self::assertSame(
            json_encode($case->output),
            json_encode(array_replace(get_object_vars($case->output), $told))
        );
    }

    private function runVisible(stdClass $case): void
    {
        Cases::fields($case->input, ['text'], []);
        Cases::fields($case->output, ['text'], []);
        self::assertSame($case->output->text, Text::visible(Cases::text($case->input->text)));
    }

    private function runQuote(stdClass $case): void
    {
        Cases::fields($case->input, ['text'], []);
        Cases::fields($case->output, ['text'], []);
        self::assertSame(
            Cases::text($case->output->text),
            Text::quote(Cases::text($case->input->text))
        );
    }

    private function runTokens(stdClass $case): void
    {
        $input = $case->input;
        if ($input->function === 'chunks') {
            $options = ['max_tokens', 'min_tokens', 'overlap_tokens'];
            Cases::fields($input, ['function', 'text'], $options);
            $given = array_map(static fn (string $name): mixed => $input->$name ?? null, $options);
            $chunks = array_map(array_values(...), Tokens::chunks($input->text, ...$given));
            self::assertSame(Cases::arrays($case->output), ['chunks' => $chunks]);
        } elseif ($input->function === 'count') {
            Cases::fields($input, ['function', 'text'], []);
            self::assertSame(
                Cases::arrays($case->output),
                ['tokens' => Tokens::count($input->text)]
            );
        } else {
            self::assertSame('truncate', $input->function);
            Cases::fields($input, ['function', 'text', 'tokens'], []);
            $text = Tokens::truncate($input->text, $input->tokens);
            self::assertSame(Cases::arrays($case->output), ['text' => $text]);
        }
    }

    private function runReply(stdClass $case): void
    {
        Cases::fields($case->input, ['text'], ['keys', 'repair', 'max_depth']);
        $input = $case->input;
        $text = Cases::text($input->text);
        $options = [$input->keys ?? null, $input->repair ?? null, $input->max_depth ?? null];
        $found = Reply::extractJson($text, ...$options);
        Cases::fields($case->output, ['value'], ['span', 'repairs']);
        self::assertSame(Cases::arrays($case->output->value), $found);
    }

    private function runReport(stdClass $case): void
    {
        Cases::fields($case->input, ['results'], []);
        Cases::fields($case->output, ['report'], []);
        $report = self::report($case->input->results, static fn (mixed $data): mixed => $data);
        $expected = $case->output->report;
        self::assertSame(Cases::arrays($expected), Cases::arrays($report->toArray()));
        $written = json_decode(
            $report->toJson(),
            false,
            512,
            JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING
        );
        self::assertTrue(Cases::same($expected, $written), $report->toJson());
    }

    /** @param list<stdClass> $results */
    private static function report(array $results, callable $data): Report
    {
        $report = new Report();
        foreach ($results as $result) {
            Cases::fields($result, ['tool', 'success', 'data'], ['error_message', 'confidence']);
            $error = $result->error_message ?? null;
            $confidence = (float) ($result->confidence ?? 0.0);
            $given = $data($result->data);
            $report->add(
                new ToolResult($result->tool, $result->success, $given, $error, $confidence)
            );
        }
        return $report;
    }

    /**
     * Data as a tool gives it. The outermost value is an array, because an empty object is true in
     * PHP.
     */
    private static function data(mixed $data): mixed
    {
        return $data instanceof stdClass ? get_object_vars($data) : $data;
    }
}
