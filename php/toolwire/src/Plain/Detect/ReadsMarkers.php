<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Detect\Marked\MarkedOutcome;
use Toolwire\Plain\Detect\Marked\MarkedReader;
use Toolwire\Plain\Span;

/** Calls between markers: finds their format, and hands out the calls that were read. */
trait ReadsMarkers
{
    /** @var int the longest marker that closes a wrapper, in bytes */
    private static $longestClose = 256;

    /** @var bool whether a call may begin here as where the text begins */
    private $isFirst = false;

    /** @var int the place of a marker that was read and opened no call */
    private $passed = -1;

    /**
     * @var array{int, int}|null the format whose wrapper is still open after a refused call, and
     * the offset up to which the wrapper is known not to close
     */
    private $openWrapper = null;

    /** @var int|null where a call begins inside which the text ends */
    private $cutOff = null;

    /** @var Unclosed */
    private $unclosed;

    /** @var bool whether the text is for a person, so that no call of it counts */
    private $inAnswer = false;

    /** @var string|null the format of a refused call in a message, while its end may follow */
    private $refusedFormat = null;

    /** The offset before which no marker begins. */
    private function markerFloor(): int
    {
        return max($this->floor, $this->codeEnd);
    }

    /** What starts at the markers that stand at the search's position. */
    private function markers(): bool
    {
        $open = $this->openWrapper === null ? null : $this->stillOpen();
        $floors = [$this->markerFloor(), $this->floor];
        $here = $this->config->markers->at($this->text, $this->pos, $floors, $open);
        if ($here === null) {
            return false;
        }
        $passed = $this->passed === $this->pos;
        // In a message to a person, only the marker of the next message begins a call.
        $isText = $passed || ($this->inAnswer && $here->mark === null);
        $first = $isText ? null : $here->opened[0] ?? null;
        $mark = $here->mark;
        if ($first === null || ($mark !== null && !$mark->letsOpen($first[1]->length()))) {
            if ($mark === null && $here->closing !== null && !$passed) {
                return $this->loneEnd(...$here->closing);
            }
            return $mark !== null && $this->passMarker($mark);
        }
        // An end tag behind the tag of a tool that opened no call is told.
        if (!$first[0]->format->plain && !$first[0]->isToolTag()) {
            $this->unclosed->opened($first[0]->wraps);
        }
        return $this->markedCalls($here->opened);
    }

    /** Acts on a marker of the message, and notes what follows it. */
    private function passMarker(Mark $mark): bool
    {
        if (!$this->messageMarker($mark)) {
            return false;
        }
        $this->inAnswer = $mark->kind === Mark::OPENS_ANSWER;
        $this->refusedFormat = null;
        return true;
    }

    /**
     * Reads what counts only where the text begins: framing, reasoning, or a call; the last also
     * right behind such a call.
     */
    private function first(): void
    {
        $message = $this->config->message;
        if ($this->pos === 0) {
            $length = Marker::first($message->begins, $this->text, 0);
            if ($length >= 0) {
                $this->frame(0, $length, null);
                return;
            }
            foreach ($message->reasoning as $index => $style) {
                $length = Marker::first($style->openFirst, $this->text, 0);
                if ($length >= 0) {
                    $this->frame(0, $length, $index);
                    return;
                }
            }
        }
        $opened = $this->config->markers->first($this->text, $this->pos);
        if ($opened !== []) {
            $this->markedCalls($opened);
        }
    }

    /** The place of the format whose wrapper is open at the search's position. */
    private function stillOpen(): ?int
    {
        [$index, $from] = $this->openWrapper;
        $wrapper = $this->config->formats[$index]->wrapper;
        $passed = substr($this->text, $from, max(0, $this->pos - $from));
        if ($wrapper !== null && Marker::find($wrapper->close, (string) $passed) !== null) {
            $this->openWrapper = null;
            return null;
        }
        // A marker may begin in the passed text and end after it.
        $this->openWrapper[1] = max($from, $this->pos - self::$longestClose);
        return $index;
    }

    /**
     * Reads the calls from markers on, by the first of their formats that fits.
     *
     * @param list<array{SoughtMarker, Span}> $opened
     */
    private function markedCalls(array $opened): bool
    {
        $furthest = null;
        foreach ($opened as $place => [$sought, $span]) {
            $reader = new MarkedReader(
                $sought->format,
                $this->text,
                $span->start,
                $span->length(),
                $sought->wraps,
                $this->options->tolerance,
                $this->rules
            );
            $outcome = $reader->read();
            $calls = new HeldCalls($sought, $span);
            foreach ($reader->found as $found) {
                $this->hold($calls, $found);
                if ($this->done) {
                    return true;
                }
            }
            if ($outcome->kind === MarkedOutcome::CLOSED) {
                return $this->close($calls, $outcome);
            }
            if ($outcome->kind === MarkedOutcome::WORDS) {
                $this->openWrapper = [$sought->index, $outcome->end];
                return $this->frame($span->start, $outcome->end, null);
            }
            if ($outcome->refusal !== null) {
                $known = $furthest === null ? -1 : $furthest->refusal->span->end;
                $furthest = $outcome->refusal->span->end > $known ? $outcome : $furthest;
            }
            if ($calls->resolved || $calls->held !== [] || !isset($opened[$place + 1])) {
                return $this->giveUp($calls, $furthest, $reader->header(), $span->start);
            }
        }
        return false;
    }

    /**
     * Takes a call that was read. After too many calls, the search is done.
     *
     * @param Candidate|Refusal $found
     */
    private function hold(HeldCalls $calls, $found): void
    {
        $checked = $found instanceof Candidate ? $this->rules->check($found) : $found;
        if ($checked instanceof Refusal) {
            $calls->held[] = $checked;
        }
        if (!is_string($checked)) {
            return;
        }
        $end = $found->span->end;
        $found->span = new Span($calls->share, $end);
        if ($calls->held !== [] && $calls->handsOutEarly() && $this->fence === null) {
            $calls->resolved = true;
            $held = $calls->held;
            $calls->held = [];
            $this->emit($held);
        }
        $calls->share = $end;
        $calls->held[] = $found;
    }

    /** Ends the markup; the last call owns the rest of it. */
    private function close(HeldCalls $calls, MarkedOutcome $outcome): bool
    {
        $end = $outcome->end;
        $this->closed($calls->sought, $end);
        for ($last = count($calls->held) - 1; $last >= 0; $last--) {
            if ($calls->held[$last] instanceof Candidate) {
                $calls->held[$last]->span = new Span($calls->held[$last]->span->start, $end);
                break;
            }
        }
        if ($outcome->missing) {
            self::noteMissingEnd($calls->held, $end);
        }
        $fillsFence = $this->accept($calls->held, $end, $end);
        $this->isFirst = $calls->sought->format->call->onlyFirst && !$fillsFence;
        return true;
    }

    /**
     * Notes that the calls from a marker on are read. A call without a wrapper of its own leaves
     * the wrapper open in which it stands.
     */
    private function closed(SoughtMarker $sought, int $end): void
    {
        $inside = $this->openWrapper !== null && $this->openWrapper[0] === $sought->index
            && !$sought->wraps;
        $this->openWrapper = $inside ? [$sought->index, $end] : null;
        $this->unclosed = Unclosed::behindCall($inside);
        $this->inAnswer = false;
    }

    /** Gives up the formats that do not fit the text that follows. */
    private function giveUp(
        HeldCalls $calls,
        ?MarkedOutcome $refused,
        ?Span $header,
        int $start
    ): bool {
        $plain = !$calls->handsOutEarly();
        // A marker may begin before the byte by which it was found. It must not be found again.
        $this->passed = $this->pos;
        if ($refused === null) {
            if ($plain || $calls->held === []) {
                if ($calls->held === []) {
                    $this->openedNoCall($calls->sought, $calls->opening);
                }
                // Something else may start here.
                return $this->searchFrom(max($this->pos, $start));
            }
            $this->accept($calls->held, $calls->share, $calls->share);
            return true;
        }
        $refusal = $refused->refusal;
        $this->ruleOut($refused->brackets);
        $isCut = $refusal->code === 'incomplete';
        if ($isCut) {
            $this->noteCutOff($calls->share);
        }
        if (!$plain) {
            $this->emit($calls->held);
            if ($this->done) {
                return true;
            }
        }
        $this->noteRefused($refusal);
        $this->openWrapper = [$calls->sought->index, $refused->end];
        $this->unclosed = Unclosed::behindRefusal();
        $isMalformed = $refusal->code === 'malformed';
        $this->refuse($refusal);
        // What a message says stays to be read, without its header.
        if ($header !== null && !$isMalformed) {
            if ($isCut && $this->options->hasProfile()) {
                return $this->searchFrom($header->end);
            }
            $this->refusedFormat = $calls->sought->format->slug;
            return $this->frame($header->start, $header->end, null);
        }
        // A call that is refused here is not searched again, as little as one that counts.
        $passed = $plain ? 0 : $calls->heldEnd();
        return $this->searchFrom(max($refused->end, $this->floor, $passed));
    }
}
