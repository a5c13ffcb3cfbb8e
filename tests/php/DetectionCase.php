<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Assert;
use stdClass;
use Toolwire\Detection;
use Toolwire\Detector;
use Toolwire\Event;
use Toolwire\Rejection;
use Toolwire\Seen;
use Toolwire\ToolCall;

/** A case of the topic `detection`, run on the whole text and as a stream. */
final class DetectionCase
{
    private const CHUNKS = [1, 2, 3, 5, 16];

    private string $text;

    public function __construct(private stdClass $input, private stdClass $output)
    {
        Cases::fields($input, ['text'], ['options', 'seen']);
        Cases::fields(
            $output,
            ['calls'],
            [
                'rejections', 'text', 'reasoning', 'segments', 'rejections_dropped',
                'reasoning_open', 'told',
            ]
        );
        $this->text = Cases::text($input->text);
    }

    public function run(): void
    {
        $whole = $this->detector()->detect($this->text);
        $this->checkDetection($whole);
        foreach (self::CHUNKS as $size) {
            $this->checkStream($size, $whole);
        }
    }

    /**
     * A detector with the options of a case, given as named arguments.
     */
    public static function withOptions(?stdClass $options, ?Seen $seen = null): Detector
    {
        $named = $seen === null ? [] : ['seen' => $seen];
        foreach (get_object_vars($options ?? new stdClass()) as $name => $value) {
            $named[lcfirst(str_replace('_', '', ucwords($name, '_')))] = Cases::arrays($value);
        }
        return new Detector(...$named);
    }

    private function detector(): Detector
    {
        $seen = isset($this->input->seen) ? new Seen(1000) : null;
        $detector = self::withOptions($this->input->options ?? null, $seen);
        foreach ($this->input->seen ?? [] as $before) {
            $detector->detect(Cases::text($before));
        }
        return $detector;
    }

    private function checkDetection(Detection $found): void
    {
        $calls = $found->calls;
        $expected = $this->output->calls;
        Assert::assertSame(
            array_column($expected, 'name'),
            array_column($calls, 'name'),
            'names of the calls'
        );
        foreach ($calls as $place => $call) {
            Assert::assertSame($place, $call->index);
            self::checkCall($call, $expected[$place], "call $place: ");
        }
        $rejections = $this->output->rejections ?? [];
        Assert::assertSame(
            array_column($rejections, 'code'),
            array_column($found->rejections, 'code'),
            'codes of the rejections'
        );
        foreach ($found->rejections as $place => $rejection) {
            self::checkRejection($rejection, $rejections[$place], "rejection $place: ");
        }
        if (isset($this->output->text)) {
            Assert::assertSame(Cases::text($this->output->text), $found->text, 'text');
        }
        $thought = isset($this->output->reasoning) ? Cases::text($this->output->reasoning) : null;
        Assert::assertSame($thought, $found->reasoning, 'reasoning');
        $open = $this->output->reasoning_open ?? false;
        Assert::assertSame($open, $found->reasoningOpen, 'reasoning_open');
        if (isset($this->output->rejections_dropped)) {
            Assert::assertSame(
                $this->output->rejections_dropped,
                $found->rejectionsDropped,
                'rejections_dropped'
            );
        }
        $this->checkSegments($found);
    }

    private static function checkCall(ToolCall $call, stdClass $expected, string $what): void
    {
        Cases::fields($expected, ['name', 'arguments', 'format'], [
            'original', 'id', 'id_given', 'index', 'span', 'status', 'diagnostics', 'arguments_raw',
        ]);
        $objects = $call->argumentsObject();
        $message = $what . 'arguments ' . json_encode($objects) . ' instead of '
            . json_encode($expected->arguments);
        Assert::assertTrue(Cases::same($objects, $expected->arguments), $message);
        Assert::assertTrue(
            Cases::same($call->arguments, Cases::arrays($expected->arguments)),
            $message
        );
        Assert::assertSame($expected->format, $call->format, $what . 'format');
        Assert::assertSame($expected->status ?? 'complete', $call->status, $what . 'status');
        $codes = array_column($call->diagnostics, 'code');
        Assert::assertSame($expected->diagnostics ?? [], $codes, $what . 'diagnostics');
        $found = $call->toArray();
        foreach (['original', 'arguments_raw'] as $field) {
            if (isset($expected->$field)) {
                Assert::assertSame(Cases::text($expected->$field), $found[$field], $what . $field);
            }
        }
        foreach (['id', 'id_given', 'index'] as $field) {
            if (isset($expected->$field)) {
                Assert::assertSame($expected->$field, $found[$field], $what . $field);
            }
        }
        if (isset($expected->span)) {
            Assert::assertSame($expected->span, array_values($call->span), $what . 'span');
        }
    }

    private static function checkRejection(
        Rejection $rejection,
        stdClass $expected,
        string $what,
    ): void {
        Cases::fields($expected, ['code'], ['span', 'line', 'column', 'excerpt', 'format']);
        $found = ['span' => array_values($rejection->span)] + $rejection->toArray();
        foreach (['span', 'line', 'column', 'excerpt', 'format'] as $field) {
            if (isset($expected->$field)) {
                Assert::assertSame($expected->$field, $found[$field], $what . $field);
            }
        }
    }

    private function checkSegments(Detection $found): void
    {
        $end = 0;
        $shown = [];
        $calls = [];
        foreach ($found->segments as $segment) {
            Assert::assertSame($end, $segment->span['start'], 'the segments join');
            $end = $segment->span['end'];
            $length = $end - $segment->span['start'];
            Assert::assertSame(
                substr($this->text, $segment->span['start'], $length),
                $segment->text
            );
            if ($segment->type === 'call') {
                Assert::assertSame($segment->call->span, $segment->span);
                $calls[] = $segment->call;
                $shown[] = ['call' => $segment->call->index];
            } else {
                $shown[] = [$segment->type => $segment->text];
            }
        }
        Assert::assertSame(strlen($this->text), $end, 'the segments reach to the end');
        Assert::assertSame($found->calls, $calls, 'each call has its segment');
        if (isset($this->output->segments)) {
            $expected = array_map(static function (stdClass $segment): array {
                Cases::fields($segment, [], ['text', 'reasoning', 'frame', 'call']);
                $segment = get_object_vars($segment);
                return isset($segment['call']) ? $segment : array_map(Cases::text(...), $segment);
            }, $this->output->segments);
            Assert::assertSame($expected, $shown, 'segments');
        }
    }

    private function checkStream(int $size, Detection $whole): void
    {
        $stream = $this->detector()->stream();
        $events = [];
        foreach ($this->text === '' ? [] : str_split($this->text, $size) as $chunk) {
            array_push($events, ...$stream->feed($chunk));
        }
        array_push($events, ...$stream->finish());
        $what = "in chunks of $size: ";
        $folded = $stream->detection();
        $plain = static fn (ToolCall $call): array => [
            'id' => $call->idGiven ? $call->id : '',
        ] + $call->toArray();
        $calls = array_map($plain, $whole->calls);
        Assert::assertSame($calls, array_map($plain, $folded->calls), $what . 'calls');
        $list = static fn (Rejection $rejection): array => $rejection->toArray();
        $rejections = array_map($list, $whole->rejections);
        Assert::assertSame(
            $rejections,
            array_map($list, $folded->rejections),
            $what . 'rejections'
        );
        Assert::assertSame($whole->text, $folded->text, $what . 'text');
        Assert::assertSame($whole->reasoning, $folded->reasoning, $what . 'reasoning');
        Assert::assertSame($whole->reasoningOpen, $folded->reasoningOpen, $what . 'open');
        Assert::assertSame(
            $whole->rejectionsDropped,
            $folded->rejectionsDropped,
            $what . 'rejections_dropped'
        );
        $this->checkEvents($events, $folded, $what);
    }

    /**
     * Events hold the whole text, each call and each rejection once, and the arguments of each
     * call. Where a marker shows that all before it was reasoning, what was told before does not
     * count.
     *
     * @param list<Event> $events
     */
    private function checkEvents(array $events, Detection $found, string $what): void
    {
        $joined = $thought = '';
        $withdrawn = false;
        $begun = 0;
        $open = $ids = $calls = $rejections = [];
        foreach ($events as $event) {
            switch ($event->type) {
                case 'text':
                    $joined .= $event->text;
                    break;
                case 'reasoning':
                    $thought .= $event->text;
                    break;
                case 'reasoning_end':
                    [$joined, $thought, $calls, $withdrawn] = ['', $event->text, [], true];
                    break;
                case 'call_retracted':
                    unset($open[$event->number]);
                    break;
                case 'call_start':
                    Assert::assertSame(
                        $begun++,
                        $event->number,
                        $what . 'number of a call that begins'
                    );
                    $open[$event->number] = [$event->name, ''];
                    $ids[$event->number] = $event->id;
                    break;
                case 'arguments_delta':
                    Assert::assertArrayHasKey(
                        $event->number,
                        $open,
                        $what . 'a call that did not begin'
                    );
                    $open[$event->number][1] .= $event->json;
                    break;
                case 'call_end':
                    Assert::assertArrayHasKey(
                        $event->number,
                        $open,
                        $what . 'a call that did not begin'
                    );
                    $own = [$event->call->name, $event->call->argumentsRaw];
                    Assert::assertSame(
                        $own,
                        $open[$event->number],
                        $what . 'name and arguments told'
                    );
                    // An id may be written behind the arguments.
                    if (!$event->call->idGiven) {
                        Assert::assertSame($event->call->id, $ids[$event->number], $what . 'id');
                    }
                    $joined .= $event->call->original;
                    $calls[] = $event->call->toArray();
                    unset($open[$event->number]);
                    break;
                default:
                    Assert::assertSame('rejection', $event->type);
                    $rejections[] = $event->rejection->toArray();
            }
        }
        $all = static fn (array $of): array => array_map(
            static fn (object $one): array => $one->toArray(),
            $of
        );
        Assert::assertSame([], $open, $what . 'calls that did not end');
        $of = static fn (string ...$types): string => implode('', array_map(
            static fn (object $part): string => in_array($part->type, $types) ? $part->text : '',
            $found->segments
        ));
        // The markup of a call that is cut off is not told as text after its arguments were told.
        $told = $this->output->told ?? null;
        $shown = $told === null ? $of('text', 'call') : Cases::text($told);
        Assert::assertSame($shown, $joined, $what . 'the events join');
        Assert::assertSame($of('reasoning'), $thought, $what . 'reasoning of the events');
        Assert::assertSame($all($found->calls), $calls, $what . 'calls of the events');
        if (!$withdrawn) {
            Assert::assertSame(
                $all($found->rejections),
                $rejections,
                $what . 'rejections of the events'
            );
        }
    }
}
