<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Span;

/**
 * Reasoning, and the parts of the text in which calls do not count.
 *
 * Reasoning ends at the first marker that closes it, even where that marker stands in a call that
 * the model only thought about. Where nothing closes it, calls at the end of the text count.
 */
trait ReadsMessages
{
    /** The names of the elements that are reasoning. */
    private static $reasoningTags = ['think', 'thinking'];

    /** @var bool whether the calls being read stand at the end of reasoning that nothing closed */
    private $inOpenReasoning = false;

    /** What a marker of reasoning does that stands at the search's position. */
    private function reasoningMarker(): bool
    {
        // In a code block that is being searched, markers are text.
        if ($this->fence !== null || $this->probe !== null) {
            return false;
        }
        foreach (self::$reasoningTags as $tag) {
            if (substr($this->text, $this->pos, strlen($tag) + 2) === "<$tag>") {
                $this->opensReasoning($tag);
                return true;
            }
            if (substr($this->text, $this->pos, strlen($tag) + 3) === "</$tag>") {
                return $this->closesReasoning(strlen($tag) + 3);
            }
        }
        return false;
    }

    private function opensReasoning(string $tag): void
    {
        $start = $this->pos;
        $pos = $start + strlen($tag) + 2;
        if ($this->findings->inReasoning()) {
            $this->frame($start, $pos);
            return;
        }
        // A model may open it again.
        do {
            $pos += strspn($this->text, Arguments::BLANK, $pos);
            $again = substr($this->text, $pos, strlen($tag) + 2) === "<$tag>";
            $pos += $again ? strlen($tag) + 2 : 0;
        } while ($again);
        $this->floor = max($this->floor, $pos);
        $kept = $this->options->reasoning === 'keep';
        if (!$kept) {
            $this->findings->addFrame(new Span($start, $pos));
            $this->findings->openReasoning($pos);
        }
        if ($this->options->reasoning === 'calls') {
            $this->pos = $pos;
        } else {
            $this->reasoning("</$tag>", $pos, $kept);
        }
    }

    private function closesReasoning(int $length): bool
    {
        $start = $this->pos;
        if ($this->findings->inReasoning()) {
            $this->findings->closeReasoning($start);
        } elseif ($this->options->reasoning === 'keep') {
            return false;
        } elseif (!$this->findings->hasReasoned) {
            $this->findings->takeForReasoning($start);
        } elseif ($this->findings->showsTextBefore($start)) {
            // Behind reasoning that has ended, words about the marker are text.
            return false;
        }
        $this->frame($start, $start + $length);
        return true;
    }

    /** Records a marker and the white space that belongs to it. */
    private function frame(int $start, int $pos): void
    {
        if (!$this->findings->showsTextBefore($start)) {
            $pos += strspn($this->text, Arguments::BLANK, $pos);
        }
        $this->floor = max($this->floor, $pos);
        $this->findings->addFrame(new Span($start, $pos));
        $this->pos = $pos;
    }

    /** Passes reasoning in which calls do not count. */
    private function reasoning(string $close, int $start, bool $kept): void
    {
        $at = strpos($this->text, $close, $start);
        $calls = $at === false ? $this->callsAtEnd($start) : null;
        if (is_int($calls)) {
            $this->refuseCalls(new Span($start, $calls), 'in_reasoning');
            $this->findings->closeReasoning($calls);
            $this->inOpenReasoning = true;
            $this->pos = $calls;
            return;
        }
        $end = $at === false ? strlen($this->text) : $at;
        $this->refuseEach(array_merge(
            $calls ?? [],
            $this->callsIn(new Span($start, $end), 'in_reasoning')
        ));
        if ($at !== false && $kept) {
            $this->pos = $at + strlen($close);
            return;
        }
        $this->findings->closeReasoning($end);
        if ($at === false) {
            $this->findings->reasoningOpen = true;
            $this->done = true;
        } else {
            $this->frame($at, $at + strlen($close));
        }
    }

    /**
     * Where the calls begin that end the text and that open reasoning does not keep from running,
     * or else what was refused in the reasoning.
     *
     * @return int|list<Refusal>
     */
    private function callsAtEnd(int $start)
    {
        $length = strlen($this->text);
        // What max_input cuts off may go on with words.
        if ($length >= $this->options->maxInput) {
            return [];
        }
        $thought = new self($this->options, $this->text, true);
        $thought->seesCode = true;
        $thought->pos = $thought->floor = $start;
        $thought->run();
        $first = null;
        $end = $start;
        foreach ($thought->probe as [$format, $span]) {
            $between = strspn($this->text, Arguments::BLANK, $end, $span->start - $end);
            $goesOn = $first !== null && $between === $span->start - $end;
            $begins = ltrim($span->of($this->text), Arguments::BLANK)[0] ?? '';
            // A fence round plain JSON makes it an example.
            $fenced = $format === 'json' && ($begins === '`' || $begins === '~');
            $first = $fenced ? null : ($goesOn ? $first : $span->start);
            $end = $span->end;
        }
        $ends = $end + strspn($this->text, Arguments::BLANK, $end) === $length;
        return $ends && $first !== null ? $first : $thought->probedRefusals;
    }

    /** Refuses the calls in a part of the text in which calls do not count. */
    private function refuseCalls(Span $part, string $code): void
    {
        $this->refuseEach($this->callsIn($part, $code));
    }

    /**
     * Refuses in text order.
     *
     * @param list<Refusal> $refusals
     */
    private function refuseEach(array $refusals): void
    {
        $starts = $places = [];
        foreach ($refusals as $place => $refusal) {
            $starts[] = $refusal->span->start;
            $places[] = $place;
        }
        // The sort of PHP 7.4 does not keep the order of what is equal.
        array_multisort($starts, $places);
        foreach ($places as $place) {
            $this->refuse($refusals[$place]);
        }
    }

    /**
     * A refusal of each call in a part of the text in which calls do not count.
     *
     * @return list<Refusal>
     */
    private function callsIn(Span $part, string $code): array
    {
        $plain = strcspn($this->text, $this->starts, $part->start, $part->length());
        if ($this->probe !== null || $plain === $part->length()) {
            return [];
        }
        $probe = new self($this->options, $part->of($this->text), true);
        $probe->run();
        $reason = 'the call stands in ' . ($code === 'in_code' ? 'code' : 'reasoning');
        $refusals = [];
        foreach ($probe->probe as [$format, $span]) {
            $span = new Span($part->start + $span->start, $part->start + $span->end);
            $refusals[] = new Refusal($format, $code, $span, $reason);
        }
        return $refusals;
    }
}
