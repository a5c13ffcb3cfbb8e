<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Span;

/** The parts of a message that are neither text nor calls: the tokens that frame a turn. */
trait ReadsMessages
{
    /** @var list<int> the kinds of markers that end reasoning which is searched */
    private static $endsThought = [Mark::CLOSES_REASONING, Mark::FRAMES, Mark::OPENS_ANSWER];

    /** What a marker of the message does that stands at the search's position. */
    private function messageMarker(Mark $mark): bool
    {
        $endsThought = $mark->kind === Mark::CLOSES_REASONING && $this->thought !== null;
        // In a code block that is being searched, markers are text.
        if ($this->probe !== null || ($this->fence !== null && !$endsThought)) {
            return false;
        }
        if ($mark->kind !== Mark::OPENS_OTHER) {
            $this->refuseForeign();
        }
        if (in_array($mark->kind, self::$endsThought, true)) {
            $this->fence = null;
            $this->endThought();
        }
        $span = $mark->span;
        $inReasoning = $this->findings->inReasoning();
        switch ($mark->kind) {
            case Mark::STRAY:
            case Mark::OPENS_OTHER:
                if (!$inReasoning) {
                    $isStray = $mark->kind === Mark::STRAY;
                    $isStray ? $this->stray($mark) : $this->foreignOpening($mark);
                }
                return false;
            case Mark::OPENS_TURN:
                return !$inReasoning && $this->madeUpTurn($mark);
            case Mark::FRAMES:
            case Mark::OPENS_ANSWER:
                $this->findings->closeReasoning($span->start);
                return $this->frame($span->start, $span->end, null);
            case Mark::OPENS_REASONING:
                $style = $inReasoning ? null : (int) $mark->what;
                return $this->frame($span->start, $span->end, $style);
        }
        return $this->closesReasoning($span);
    }

    private function closesReasoning(Span $marker): bool
    {
        if ($this->findings->inReasoning()) {
            $this->findings->closeReasoning($marker->start);
        } elseif ($this->options->reasoning === 'keep') {
            return false;
        } elseif (!$this->findings->hasReasoned) {
            $this->findings->takeForReasoning($marker->start, $this->config->inner);
        } elseif ($this->findings->showsTextBefore($marker->start)) {
            // Behind reasoning that has ended, words about the marker are text.
            return false;
        }
        return $this->frame($marker->start, $marker->end, null);
    }

    /**
     * Records a framing marker and the white space that belongs to it; a style opens reasoning
     * behind it.
     */
    private function frame(int $start, int $pos, ?int $style): bool
    {
        if ($style !== null || !$this->findings->showsTextBefore($start)) {
            $markers = $style === null ? null : $this->config->inner[$style];
            $leading = $markers === null ? [] : $markers->leading;
            $pos = $this->passFrames($leading, $pos);
            // Openings that are repeated may be written in another way.
            while ($markers !== null && $markers->tags->openingAt($this->text, $pos) > 0) {
                $pos += $markers->tags->openingAt($this->text, $pos);
                $pos = $this->passFrames($leading, $pos);
            }
        }
        $this->floor = max($this->floor, $pos);
        $kept = $this->options->reasoning === 'keep' && $style !== null;
        if (!$kept) {
            $this->findings->addFrame(new Span($start, $pos));
        }
        $this->pos = $pos;
        if ($style === null) {
            return true;
        }
        if (!$kept) {
            $this->findings->openReasoning($pos);
        }
        $counts = $this->options->reasoning === 'calls' || $this->config->message->callsInReasoning;
        if ($counts) {
            [$this->thought, $this->thoughtEnd] = [$style, -1];
        } else {
            $this->reasoning($style, $pos, $kept);
        }
        return true;
    }

    /**
     * The place behind white space and the framing tokens in it.
     *
     * @param list<Marker> $frames
     */
    private function passFrames(array $frames, int $pos): int
    {
        while (true) {
            $pos += $pos < strlen($this->text) ? strspn($this->text, Arguments::BLANK, $pos) : 0;
            $length = Marker::first($frames, $this->text, $pos);
            if ($length < 0) {
                return $pos;
            }
            $pos += $length;
        }
    }

    /** Takes for a frame what the end of the text has cut off: the markup of a call, or a token. */
    private function hideCutOff(): void
    {
        if (!$this->options->hasProfile()) {
            return;
        }
        if (!$this->done && $this->fence === null) {
            $this->hideCutToken(0);
        }
        $isLast = $this->cutOff !== null && $this->findings->isLast($this->cutOff);
        if ($isLast && !$this->findings->inReasoning()) {
            $this->findings->addCutOff($this->cutOff);
        }
    }

    /** Takes for a frame the token behind a place that the end of the text has cut off. */
    private function hideCutToken(int $floor): void
    {
        $length = $this->options->hasProfile() ? $this->config->markers->cutToken($this->text) : 0;
        $start = strlen($this->text) - $length;
        if ($length === 0 || $start < $floor || !$this->findings->isLast($start)) {
            return;
        }
        if ($this->findings->inReasoning()) {
            $this->findings->addInnerFrames([new Span($start, strlen($this->text))]);
        } else {
            $this->noteCutOff($start);
        }
    }

    /** Notes a call inside which the text ends; the first one of several counts. */
    private function noteCutOff(int $start): void
    {
        $isKnown = $this->cutOff !== null && $this->findings->isLast($this->cutOff);
        $this->cutOff = $isKnown ? $this->cutOff : $start;
    }
}
