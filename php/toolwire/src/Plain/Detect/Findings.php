<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Profile\InnerMarkers;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Span;
use Toolwire\Plain\Utf8;

/** Calls and refusals in the order in which they were decided, reasoning, and what frames it. */
final class Findings
{
    /** The most characters in the excerpt of a rejection. */
    private const EXCERPT = 120;

    /** @var list<FoundCall> */
    public $calls = [];

    /** @var list<array<string, mixed>> the fields of each rejection, with a span */
    public $rejections = [];

    /** @var list<Span> */
    public $reasoning = [];

    /** @var list<Span> */
    public $frames = [];

    /** @var int the number of rejections beyond the limit */
    public $rejectionsDropped = 0;

    /** @var bool whether the text ends in reasoning that nothing closes */
    public $reasoningOpen = false;

    /** @var bool whether any reasoning was found */
    public $hasReasoned = false;

    /** @var string */
    private $text;

    /** @var int */
    private $maxRejections;

    /** @var LineCounter */
    private $lines;

    /** @var int|null the start of the reasoning that is not recorded yet */
    private $begun = null;

    /** @var int the length of the start of the text that shows nothing */
    private $unseen = 0;

    /** @var bool whether text was found that shows something */
    private $showsText = false;

    /** @var int up to where the text was looked at for what is not white space */
    private $looked = 0;

    /** @var int the end of the last such byte before it */
    private $solid = 0;

    public function __construct(string $text, int $maxRejections)
    {
        $this->text = $text;
        $this->maxRejections = $maxRejections;
        $this->lines = new LineCounter();
    }

    public function inReasoning(): bool
    {
        return $this->begun !== null;
    }

    public function addCall(FoundCall $call): void
    {
        $reasons = $this->begun !== null;
        $this->closeReasoning($call->span->start);
        $this->begun = $reasons ? $call->span->end : null;
        $this->calls[] = $call;
    }

    /** Whether another rejection is kept, and not only counted. */
    public function keepsRejections(): bool
    {
        return count($this->rejections) < $this->maxRejections;
    }

    public function refuse(Refusal $refusal): void
    {
        if (!$this->keepsRejections()) {
            $this->rejectionsDropped++;
            return;
        }
        // What one format has refused, another one refuses for the same reason: that says nothing.
        $last = end($this->rejections);
        $isSame = $last !== false && $last['code'] === $refusal->code;
        if ($isSame && $last['span'] == $refusal->span) {
            return;
        }
        [$line, $column] = $this->lines->at($this->text, $refusal->span->start);
        $this->rejections[] = [
            'code' => $refusal->code,
            'message' => $refusal->reason,
            'span' => $refusal->span,
            'line' => $line,
            'column' => $column,
            'excerpt' => self::excerpt($this->text, $refusal->span),
            'format' => $refusal->format,
        ];
    }

    /** The beginning of a part of a text, as a rejection shows it. */
    public static function excerpt(string $text, Span $span): string
    {
        // No character has more than four bytes.
        $length = min(4 * self::EXCERPT, $span->length());
        return Utf8::prefix(Utf8::lossy(substr($text, $span->start, $length)), self::EXCERPT);
    }

    /** Whether the text before a place shows anything to a person. */
    public function showsTextBefore(int $end): bool
    {
        $this->showsText = $this->showsText || $this->solidEnd($this->unseen, $end) > $this->unseen;
        return $this->showsText;
    }

    /** Records framing tokens and the white space that belongs to them. */
    public function addFrame(Span $frame): void
    {
        $blank = $this->begun === null && !$this->showsTextBefore($frame->start);
        $start = $blank ? min($this->unseen, $frame->start) : $frame->start;
        if ($this->begun !== null) {
            $this->endReasoning($this->begun, $frame->start);
            $this->begun = $frame->end;
        }
        $this->skip($start, $frame->end);
    }

    /** Takes what follows for reasoning. */
    public function openReasoning(int $start): void
    {
        $this->begun = $start;
        $this->hasReasoned = true;
    }

    /** Records the reasoning that ends at a place. */
    public function closeReasoning(int $end): void
    {
        if ($this->begun !== null) {
            $this->endReasoning($this->begun, $end);
            $this->begun = null;
        }
    }

    /**
     * Takes everything up to a place for reasoning, and the calls in it for refused.
     *
     * @param list<InnerMarkers> $inner the markers that may stand inside each style of reasoning
     */
    public function takeForReasoning(int $end, array $inner): void
    {
        $whole = $this->unseen;
        $span = $this->withoutBlankEnd($this->behindName($whole, $end, $inner), $end);
        $this->hasReasoned = true;
        $this->frames = array_values(array_filter(
            $this->frames,
            static function (Span $frame) use ($whole): bool {
                return $frame->end <= $whole;
            }
        ));
        $this->skip($whole, $span->start);
        if ($span->length() > 0) {
            $this->reasoning[] = $span;
        }
        [$this->unseen, $this->showsText] = [$span->end, false];
        $this->refuseCallsBefore();
        $this->skip($span->end, $end);
    }

    /**
     * The place behind white space, and behind the name of the channel of the reasoning.
     *
     * @param list<InnerMarkers> $inner
     */
    private function behindName(int $start, int $end, array $inner): int
    {
        $blank = function (int $pos) use ($end): int {
            $length = max(0, $end - $pos);
            return $pos + ($length > 0 ? strspn($this->text, Arguments::BLANK, $pos, $length) : 0);
        };
        $start = $blank($start);
        foreach ($inner as $markers) {
            foreach ($markers->names as $name) {
                $length = strlen($name->lead);
                $isHere = substr($this->text, $start, $length) === $name->lead;
                if ($isHere && $start + $length <= $end) {
                    return $blank($start + $length);
                }
            }
        }
        return $start;
    }

    /** Takes a place for the one where the text begins that a person sees. */
    public function showFrom(int $start): void
    {
        $this->unseen = $start;
    }

    /** Where the text that a person sees begins: all before it is reasoning and frames. */
    public function shownFrom(): int
    {
        return $this->unseen;
    }

    /**
     * Records framing tokens inside reasoning, which goes on behind them.
     *
     * @param list<Span> $frames
     */
    public function addInnerFrames(array $frames): void
    {
        if ($this->begun !== null && $frames !== []) {
            $this->frames = array_merge($this->frames, $frames);
        }
    }

    /** Records what the end of the text cuts off: a frame apart from the framing in front of it. */
    public function addCutOff(int $start): void
    {
        $end = strlen($this->text);
        $last = end($this->frames);
        $touches = $last !== false && $last->end === $start;
        $this->addFrame(new Span($start, $end));
        if ($touches) {
            $last = array_pop($this->frames);
            $this->frames[] = new Span($last->start, $start);
            $this->frames[] = new Span($start, $end);
        }
    }

    /** Whether no part of the message that was recorded ends behind a place. */
    public function isLast(int $start): bool
    {
        $call = end($this->calls);
        $ends = [
            $call === false ? 0 : $call->span->end,
            $this->frames === [] ? 0 : end($this->frames)->end,
            $this->reasoning === [] ? 0 : end($this->reasoning)->end,
        ];
        return max($ends) <= $start;
    }

    /** Makes a rejection of each call so far; the rejections stay in text order. */
    private function refuseCallsBefore(): void
    {
        [$calls, $this->calls] = [$this->calls, []];
        if ($calls === []) {
            return;
        }
        [$lines, $this->lines] = [$this->lines, new LineCounter()];
        foreach ($calls as $call) {
            $reason = 'the call stands in reasoning';
            $this->refuse(new Refusal($call->format, 'in_reasoning', $call->span, $reason));
        }
        $this->lines = $lines;
        $starts = $places = [];
        foreach ($this->rejections as $place => $rejection) {
            $starts[] = $rejection['span']->start;
            $places[] = $place;
        }
        // The sort of PHP 7.4 does not keep the order of what is equal.
        array_multisort($starts, $places);
        $rejections = $this->rejections;
        $this->rejections = array_map(static function (int $place) use ($rejections): array {
            return $rejections[$place];
        }, $places);
    }

    private function endReasoning(int $start, int $end): void
    {
        $span = $this->withoutFramesEnd($start, $end);
        // What stands behind the reasoning becomes one frame.
        while ($this->frames !== [] && end($this->frames)->start >= $span->end) {
            array_pop($this->frames);
        }
        if ($span->length() > 0) {
            $this->reasoning[] = $span;
        }
        if ($this->unseen === $span->start) {
            $this->unseen = $span->end;
        }
        $this->skip($span->end, $end);
    }

    /** Records a part of the text that is not shown. */
    private function skip(int $start, int $end): void
    {
        if ($start >= $end) {
            return;
        }
        $last = count($this->frames) - 1;
        if ($last >= 0 && $this->frames[$last]->end === $start) {
            $this->frames[$last] = new Span($this->frames[$last]->start, $end);
        } else {
            $this->frames[] = new Span($start, $end);
        }
        if ($this->unseen >= $start) {
            $this->unseen = max($this->unseen, $end);
        }
    }

    /** The reasoning without the framing tokens and the white space at its end. */
    private function withoutFramesEnd(int $start, int $end): Span
    {
        $span = $this->withoutBlankEnd($start, $end);
        for ($last = count($this->frames) - 1; $last >= 0; $last--) {
            $frame = $this->frames[$last];
            // Framing behind calls that are held back is known before the reasoning ends.
            if ($frame->start >= $end && $frame->start > $start) {
                continue;
            }
            if ($frame->start < $span->start || $frame->end < $span->end) {
                break;
            }
            $span = $this->withoutBlankEnd($span->start, $frame->start);
        }
        return $span;
    }

    /** The end of a part without the white space at its end; each byte is looked at once. */
    private function solidEnd(int $start, int $end): int
    {
        if ($end < $this->looked) {
            return $this->withoutBlankEnd($start, $end)->end;
        }
        if ($this->looked < $start) {
            // What was passed over was no white space, but calls and frames.
            $this->looked = $this->solid = $start;
        }
        $solid = $this->withoutBlankEnd($this->looked, $end);
        if ($solid->length() > 0) {
            $this->solid = $solid->end;
        }
        $this->looked = $end;
        return max($this->solid, $start);
    }

    private function withoutBlankEnd(int $start, int $end): Span
    {
        while ($end > $start && strpos(Arguments::BLANK, $this->text[$end - 1]) !== false) {
            $end--;
        }
        return new Span($start, $end);
    }
}
