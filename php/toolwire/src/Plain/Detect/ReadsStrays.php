<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Span;

/**
 * Markup that no call owns: of another format, of a damaged call, or of a turn that is made up; and
 * calls that have lost all markers. What cannot be read is told.
 */
trait ReadsStrays
{
    /** @var int|null the end of the last markup that no call owns */
    private $strayEnd = null;

    /** Refuses markup that no call owns. One refusal stands for all of it up to an empty line. */
    private function stray(Mark $mark): void
    {
        $reason = 'markup of a call stands here, and no call can be read of it';
        $this->refuseStray(null, 'malformed', $mark, $reason);
    }

    /** Refuses markup of a format that is not looked for. */
    private function otherFormat(Mark $mark): void
    {
        $reason = "this is markup of the format \"$mark->what\", which is not looked for; naming "
            . 'it in formats, or the model that wrote it, would read it';
        $this->refuseStray((string) $mark->what, 'other_format', $mark, $reason);
    }

    private function refuseStray(?string $format, string $code, Mark $mark, string $reason): void
    {
        $span = $mark->span;
        $told = end($this->findings->rejections);
        $told = $told === false ? null : $told['span']->end;
        $last = max($this->strayEnd ?? -1, $told ?? -1);
        $this->strayEnd = $span->end;
        if ($last >= 0) {
            $between = $last < $span->start ? substr($this->text, $last, $span->start - $last) : '';
            if (strpos($between, "\n\n") === false) {
                return;
            }
        }
        $this->refuse(new Refusal($format, $code, $span, $reason));
    }

    /** The turn of somebody else begins, which the model made up. */
    private function madeUpTurn(Mark $mark): bool
    {
        $start = $mark->span->start;
        $hasCalled = $this->findings->calls !== [];
        $hasBegun = $hasCalled || $this->findings->hasReasoned
            || $this->findings->showsTextBefore($start);
        $opening = $mark->span->of($this->text);
        $isToken = $isOwn = false;
        foreach (MarkerIndex::TOKEN_BEGINNINGS as $token) {
            $isToken = $isToken || strncmp($opening, $token, strlen($token)) === 0;
        }
        foreach ($this->config->message->afterEnd as $marker) {
            $isOwn = $isOwn || strncmp($opening, $marker->lead, strlen($marker->lead)) === 0;
        }
        $isKnown = $isToken || $isOwn;
        // A tag may be a word of the text, unless it begins a line behind a call.
        if (!$hasBegun || !($isKnown || ($hasCalled && $this->beginsLineBehindCall($start)))) {
            if ($isKnown) {
                $this->stray($mark);
            }
            // `Observation:` may be a word.
            if (!$isToken && ($opening[0] === '<' || $opening[0] === '[')) {
                $this->noteResult($mark->span);
            }
            return false;
        }
        $this->findings->closeReasoning($start);
        // Everything up to the end of the text is no part of the message.
        $span = new Span($start, strlen($this->text));
        $reason = 'the model made up another turn; nothing of it counts';
        $this->refuse(new Refusal(null, 'after_end', $span, $reason));
        $this->findings->addFrame($span);
        return $this->done = true;
    }

    /** Whether nothing but blanks stands in front of a place in its line, or behind a call. */
    private function beginsLineBehindCall(int $at): bool
    {
        return Apart::beginsLine($this->text, $at, $this->floor);
    }

    /** Refuses the first call without markers, if the text holds nothing else that was found. */
    private function tellUnmarked(): void
    {
        $isEmpty = $this->findings->calls === [] && $this->findings->rejections === []
            && $this->findings->rejectionsDropped === 0;
        if (!$isEmpty || !$this->config->markers->tellsUnread || $this->options->tools === null) {
            return;
        }
        $start = min($this->findings->shownFrom(), strlen($this->text));
        $found = (new UnmarkedCalls($this->text, $this->options->tools))->first($start);
        if ($found !== null) {
            $this->refuse($found);
        }
    }
}
