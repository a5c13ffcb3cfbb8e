<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Span;

/** Code in a text: fenced blocks, and code within a line. */
trait ReadsCode
{
    /** @var Fence|null the code block that is open and whose content is searched */
    private $fence = null;

    /** @var int the end of the last code that is no call: no marker begins before it */
    private $codeEnd = 0;

    /** @var CodeSpans */
    private $codeSpans;

    /** @var bool whether a search that hands out no calls tells code from text */
    private $seesCode = false;

    /** @var bool whether CommonMark reads the code fences so far in another way */
    private $readOtherwise = false;

    /**
     * @var string the text that code may reach over: all of it, but in reasoning whose calls count
     * that up to the end of the reasoning
     */
    private $codeText;

    /** @var string the text up to the end of the last reasoning that was limited; it only grows */
    private $thoughtText = '';

    /** @var int|null the style of the reasoning that is being searched, where its calls count */
    private $thought = null;

    /** @var int where that reasoning ends behind the code that was read last, as far as known */
    private $thoughtEnd = -1;

    /** What starts at a backtick or tilde. */
    private function codeMarker(string $byte): bool
    {
        if ($this->probe !== null && !$this->seesCode) {
            return false;
        }
        $this->limitCode($this->pos);
        $shown = $this->options->fences !== 'all';
        if (
            Fence::atLineStart($this->codeText, $this->pos)
            || ($shown && Enclosure::beginsAt($this->codeText, $this->pos))
        ) {
            $this->openFence($this->pos);
            return true;
        }
        if ($byte !== '`' || !$shown) {
            return false;
        }
        $this->backticks($this->pos, true);
        return true;
    }

    /** Lets code that begins at a place reach no further than the reasoning it stands in. */
    private function limitCode(int $start): void
    {
        if ($this->thought === null || $start <= $this->thoughtEnd) {
            return;
        }
        $style = $this->config->message->reasoning[$this->thought];
        $this->thoughtEnd = $this->endOfReasoning($style, $start, null)[0] ?? strlen($this->text);
        // Nothing else may hold the text while it grows, or else PHP copies it, for each reasoning.
        $this->useCodeText('');
        $known = strlen($this->thoughtText);
        $this->thoughtText .= substr($this->text, $known, $this->thoughtEnd - $known);
        $this->useCodeText($this->thoughtText);
    }

    private function useCodeText(string $text): void
    {
        $this->codeText = $text;
        $this->codeSpans = new CodeSpans($text);
    }

    /** The reasoning that was searched has ended. */
    private function endThought(): void
    {
        if ($this->thought !== null) {
            [$this->thought, $this->thoughtEnd] = [null, -1];
            $this->useCodeText($this->text);
        }
    }

    private function backticks(int $start, bool $mayFence): void
    {
        $this->refuseForeign();
        $read = $this->codeSpans->read($start, $mayFence);
        if ($read === null) {
            $this->readOtherwise = true;
            $this->openFence($start);
        } elseif ($read instanceof Span) {
            foreach ($this->callsIn($read, 'in_code') as $refusal) {
                $this->findings->refuse($refusal);
            }
            $this->pos = $this->codeEnd = $read->end + $read->start - $start;
        } else {
            $this->pos = $read;
        }
    }

    /** Reads an opening fence and, where it may be a call, its content. */
    private function openFence(int $start): void
    {
        $this->refuseForeign();
        $fence = new Fence($this->codeText, $start, $this->config->message->frames);
        if ($fence->length < 3) {
            $this->noFence($fence);
            return;
        }
        $refusal = null;
        // What a quote holds is shown.
        $counts = $this->json !== null && $this->json->counts;
        $searched = $counts && $this->options->fences !== 'none' && $this->fence === null
            && ($this->options->fences === 'all'
                || Enclosure::ofBlock($this->codeText, $start)->quotes === 0);
        if ($searched && $this->fencedCalls($fence, $this->json, $refusal)) {
            return;
        }
        // After a marker of backticks, another backtick in this line means that there is no fence.
        $stops = $fence->byte === '`' ? "\n`" : "\n";
        $fence->content = $fence->afterMarker()
            + strcspn($this->codeText, $stops, $fence->afterMarker());
        if (($this->codeText[$fence->content] ?? '') === '`') {
            $this->noFence($fence);
            return;
        }
        if ($refusal !== null && $this->options->fences !== 'all') {
            $this->refuse($refusal);
        }
        $this->enterCode($fence);
    }

    private function noFence(Fence $fence): void
    {
        if ($fence->byte !== '`' || $this->options->fences === 'all') {
            $this->pos = $fence->afterMarker();
        } else {
            $this->backticks($fence->start, false);
        }
    }

    /** Whether a call or an array of calls fills the block, and so is handed out. */
    private function fencedCalls(Fence $fence, JsonSearch $json, ?Refusal &$refusal): bool
    {
        $pos = $fence->afterMarker();
        $pos += Tag::lower(substr($this->codeText, $pos, 4)) === 'json' ? 4 : 0;
        $pos += strspn($this->codeText, Arguments::BLANK, $pos);
        $bracket = $this->codeText[$pos] ?? '';
        if ($bracket !== '{' && $bracket !== '[') {
            return false;
        }
        $tolerance = $this->options->tolerance;
        $reader = new JsonReader($json->format, $json->keys, $this->codeText, $pos, $tolerance);
        $verdict = $reader->read();
        $refusal = $verdict->refusal;
        $tail = $verdict->kind === Verdict::CALLS
            ? $fence->tail($this->codeText, $verdict->end)
            : null;
        if ($tail === null) {
            return false;
        }
        [$end, $cut, $textFollows] = $tail;
        $found = $this->share($verdict->found, new Span($fence->start, $end));
        if ($cut) {
            self::noteMissingEnd($found, $end);
        }
        $this->readOtherwise = $this->readOtherwise || $textFollows;
        $this->handOut($found, $end, $end);
        return true;
    }

    /** Goes on in a code block that is not a call. */
    private function enterCode(Fence $fence): void
    {
        if ($this->options->fences !== 'all') {
            $this->passCode($fence);
            return;
        }
        $this->pos = $fence->content;
        if ($this->fence === null) {
            $this->fence = $fence;
            return;
        }
        // The line may close the block that is being searched.
        if ($this->fence->byte !== $fence->byte || $fence->length < $this->fence->length) {
            return;
        }
        $end = $fence->afterMarker();
        $rest = substr($this->codeText, $end, $fence->content - $end);
        if (strspn($rest, Arguments::BLANK) === strlen($rest)) {
            $this->fence = null;
        } elseif ($rest[0] === ' ' || $rest[0] === "\t") {
            [$this->fence, $this->readOtherwise] = [null, true];
            $this->pos = $end;
        } elseif (Marker::first($this->config->message->frames, $rest, 0) >= 0) {
            $this->fence = null;
            $this->pos = $end;
        }
    }

    /** Passes a block in which calls do not count. */
    private function passCode(Fence $fence): void
    {
        $found = $fence->end($this->codeText, $fence->content);
        if ($found === null) {
            $end = strlen($this->codeText);
            $this->refuseCode(new Span($fence->content, $end));
            $this->pos = $this->codeEnd = $end;
            $this->done = $end === strlen($this->text);
            return;
        }
        [$end, $textFollows] = $found;
        $this->readOtherwise = $this->readOtherwise || $textFollows;
        $this->refuseCode(new Span($fence->content, $end));
        $this->pos = $this->codeEnd = $end;
    }

    /** Refuses the calls in a block of code. JSON without a key of arguments is not searched. */
    private function refuseCode(Span $block): void
    {
        $length = strspn($this->codeText, Arguments::BLANK, $block->start, $block->length());
        $first = $this->codeText[$block->start + $length] ?? '';
        $json = $length < $block->length() && ($first === '{' || $first === '[');
        $known = $this->json;
        $passed = $json && $known !== null && $known->counts && !$known->tolerance->repairs
            && !$known->keys->mayStandIn($block->of($this->codeText));
        foreach ($passed ? [] : $this->callsIn($block, 'in_code') as $refusal) {
            $this->findings->refuse($refusal);
        }
    }

    /** Calls that begin the content of the block that is searched, as its whole content or not. */
    private function fenceEnd(array $found, int $end, int $resume, Fence $fence): void
    {
        $this->limitCode($fence->start);
        $tail = $fence->tail($this->codeText, $end);
        if ($tail !== null) {
            [$close, $cut, $textFollows] = $tail;
            $found = $this->share($found, new Span($fence->start, $close));
            if (self::firstCall($found) !== null) {
                if ($cut) {
                    self::noteMissingEnd($found, $close);
                }
                $this->fence = null;
                $this->readOtherwise = $this->readOtherwise || $textFollows;
                $this->handOut($found, $close, $close);
                return;
            }
        }
        // The block holds more than these calls.
        $fence->content = 0;
        $this->handOut($found, $end, $resume);
    }
}
