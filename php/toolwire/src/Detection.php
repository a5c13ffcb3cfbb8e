<?php

declare(strict_types=1);

namespace Toolwire;

use ArrayIterator;
use Countable;
use Iterator;
use IteratorAggregate;
use JsonSerializable;
use Toolwire\Plain\Detect\Findings;
use Toolwire\Plain\Detect\Locator;
use Toolwire\Plain\Detect\SavedDetection;
use Toolwire\Plain\Detect\Unread;
use Toolwire\Plain\Fields;
use Toolwire\Plain\LeftOut;
use Toolwire\Plain\Misuse;
use Toolwire\Plain\ReadOnlyFields;
use Toolwire\Plain\Record;
use Toolwire\Plain\Span;

/**
 * The result of a detection. `count()` and `foreach` go over its calls.
 *
 * @property-read list<ToolCall> $calls the calls, in the text's order
 * @property-read list<Rejection> $rejections what looked like a call and was refused
 * @property-read int $rejectionsDropped the number of rejections beyond `maxRejections`
 * @property-read bool $reasoningOpen whether the text ends in reasoning that nothing closes
 * @property-read string $text what a person should see
 * @property-read string|null $reasoning what the model thought; an empty line divides parts
 * @property-read list<Segment> $segments the parts of the message in order
 *
 * @implements IteratorAggregate<int, ToolCall>
 */
final class Detection implements Countable, IteratorAggregate, JsonSerializable
{
    use ReadOnlyFields;
    use Record {
        field as private fieldAsKept;
    }

    private const FIELDS = [
        'calls', 'rejections', 'rejectionsDropped', 'reasoningOpen', 'text', 'reasoning',
        'segments',
    ];

    private function __construct()
    {
    }

    /** @internal for a detector */
    public static function ofFindings(string $input, Findings $found): self
    {
        $calls = $rejections = [];
        foreach ($found->calls as $call) {
            $calls[] = ToolCall::of($call, $input);
        }
        foreach ($found->rejections as $rejection) {
            $rejections[] = Rejection::of($rejection);
        }
        return self::filled([
            'input' => $input,
            'calls' => $calls,
            'rejections' => $rejections,
            'rejectionsDropped' => $found->rejectionsDropped,
            'reasoningOpen' => $found->reasoningOpen,
            'reasoningSpans' => $found->reasoning,
            'frameSpans' => $found->frames,
        ]);
    }

    /**
     * Methods that only the extension has.
     *
     * @param list<mixed> $arguments
     */
    public function __call(string $name, array $arguments)
    {
        throw LeftOut::method(self::class, $name);
    }

    /** The number of calls. */
    public function count(): int
    {
        return count($this->fields['calls']);
    }

    /** @return Iterator<int, ToolCall> */
    public function getIterator(): Iterator
    {
        return new ArrayIterator($this->fields['calls']);
    }

    /**
     * What a person should see, with each call replaced by what `$replacement` returns for it.
     *
     * @param callable(ToolCall): string $replacement
     */
    public function replace($replacement): string
    {
        if (!is_callable($replacement)) {
            $message = 'replacement must be callable, got ' . Misuse::typeName($replacement);
            throw Misuse::of('wrong_type', $message);
        }
        $given = [];
        foreach ($this->fields['calls'] as $call) {
            $one = $replacement($call);
            if (!is_string($one)) {
                $message = 'the replacement of a call must be a string, got '
                    . Misuse::typeName($one);
                throw Misuse::of('wrong_type', $message);
            }
            $given[] = $one;
        }
        return $this->shown($given);
    }

    /**
     * The spans of calls that are given by their markup; null for markup that is not in the text.
     *
     * @param array<array-key, string> $originals
     * @return list<array{start: int, end: int}|null>
     */
    public function locate(array $originals): array
    {
        foreach ($originals as $original) {
            if (!is_string($original)) {
                $message = 'originals must be strings, got ' . Misuse::typeName($original);
                throw Misuse::of('wrong_type', $message);
            }
        }
        $locator = new Locator($this->fields['input'], $this->fields['calls']);
        return $locator->places(array_values($originals));
    }

    /**
     * The calls of other formats, and damaged ones, that a detector of a few formats did not read,
     * as rejections. The text is searched again.
     *
     * @return list<Rejection>
     */
    public function unread(): array
    {
        $read = [];
        foreach (array_merge($this->fields['calls'], $this->fields['rejections']) as $one) {
            $read[] = new Span($one->span['start'], $one->span['end']);
        }
        return array_map([Rejection::class, 'of'], Unread::of($this->fields['input'], $read));
    }

    /** @return array<string, mixed> every field, by its name in snake case */
    public function toArray(): array
    {
        $fields = $this->fields;
        $each = static function (object $one): array {
            return $one->toArray();
        };
        return [
            'calls' => array_map($each, $fields['calls']),
            'rejections' => array_map($each, $fields['rejections']),
            'rejections_dropped' => $fields['rejectionsDropped'],
            'reasoning_open' => $fields['reasoningOpen'],
            'reasoning' => $this->field('reasoning'),
            'reasoning_spans' => array_map($each, $fields['reasoningSpans']),
            'frame_spans' => array_map($each, $fields['frameSpans']),
            'input' => $fields['input'],
        ];
    }

    /** @return mixed */
    private function field(string $name)
    {
        switch ($name) {
            case 'text':
                return $this->shown([]);
            case 'reasoning':
                return $this->reasoning();
            case 'segments':
                if (!isset($this->fields['segments'])) {
                    $this->fields['segments'] = $this->segments();
                }
        }
        return $this->fieldAsKept($name);
    }

    /**
     * The calls, the reasoning and the frames, in text order: type, span, call.
     *
     * @return list<array{string, Span, ?ToolCall}>
     */
    private function marked(): array
    {
        [$parts, $starts] = [[], []];
        foreach ($this->fields['calls'] as $call) {
            $parts[] = ['call', new Span($call->span['start'], $call->span['end']), $call];
        }
        $frames = $this->fields['frameSpans'];
        foreach (Locator::without($this->fields['reasoningSpans'], $frames) as $spans) {
            foreach ($spans as $span) {
                $parts[] = ['reasoning', $span, null];
            }
        }
        foreach ($frames as $span) {
            $parts[] = ['frame', $span, null];
        }
        foreach ($parts as $part) {
            $starts[] = $part[1]->start;
        }
        $order = array_keys($parts);
        array_multisort($starts, $order);
        return array_map(static function (int $at) use ($parts): array {
            return $parts[$at];
        }, $order);
    }

    /** @return list<Segment> */
    private function segments(): array
    {
        [$segments, $start, $input] = [[], 0, $this->fields['input']];
        foreach ($this->marked() as [$type, $span, $call]) {
            if ($span->start > $start) {
                $segments[] = Segment::of('text', $input, new Span($start, $span->start));
            }
            $segments[] = Segment::of($type, $input, $span, $call);
            $start = $span->end;
        }
        if (strlen($input) > $start) {
            $segments[] = Segment::of('text', $input, new Span($start, strlen($input)));
        }
        return $segments;
    }

    /**
     * The input without calls, reasoning and frames; with something in place of each call.
     *
     * @param list<string> $replacements
     */
    private function shown(array $replacements): string
    {
        [$shown, $start, $input] = ['', 0, $this->fields['input']];
        foreach ($this->marked() as [$type, $span, $call]) {
            $shown .= substr($input, $start, max(0, $span->start - $start));
            $shown .= $type === 'call' ? $replacements[$call->index] ?? '' : '';
            $start = $span->end;
        }
        return $shown . substr($input, $start);
    }

    private function reasoning(): ?string
    {
        [$reasoning, $input] = [$this->fields['reasoningSpans'], $this->fields['input']];
        $blocks = [];
        foreach (Locator::without($reasoning, $this->fields['frameSpans']) as $spans) {
            $blocks[] = implode('', array_map(static function (Span $span) use ($input): string {
                return $span->of($input);
            }, $spans));
        }
        return $blocks === [] ? null : implode("\n\n", $blocks);
    }

    /** @return array<string, mixed> */
    private static function read(Fields $fields): array
    {
        return SavedDetection::read($fields);
    }
}
