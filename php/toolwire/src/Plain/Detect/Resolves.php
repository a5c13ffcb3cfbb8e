<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Span;

/** Acts on what a reader found: hands out calls, records refusals, moves the search on. */
trait Resolves
{
    /** Acts on bare JSON. The elements of an array without a good call are searched. */
    private function resolve(
        Verdict $verdict,
        int $start,
        JsonReader $reader,
        JsonSearch $json
    ): void {
        if ($verdict->refusal !== null) {
            $isSearched = $verdict->end < $verdict->refusal->span->end;
            if ($verdict->kind === Verdict::REFUSED && $isSearched) {
                $this->noteRefused($verdict->refusal);
            }
            $this->refuse($verdict->refusal);
        }
        if ($verdict->kind === Verdict::OVERSIZED) {
            $this->pos = $reader->skip();
        } elseif ($verdict->kind !== Verdict::CALLS) {
            $this->pos = $verdict->end;
            if ($this->text[$start] === '{' && $verdict->end > $start + 1) {
                $this->behindObject($json, new Span($start, $verdict->end));
            }
        } elseif (!$json->counts) {
            $this->lostOpening($verdict->found);
            $this->pos = $verdict->end;
        } elseif ($this->text[$start] === '{') {
            $this->accept($verdict->found, $verdict->end, $verdict->end);
        } else {
            $found = $this->share($verdict->found, new Span($start, $verdict->end));
            if (self::firstCall($found) === null) {
                $this->pos = $start + 1;
            } else {
                $this->accept($found, $verdict->end, $verdict->end);
            }
        }
    }

    /**
     * Refuses calls of known tools that are written as their format requires, without the marker
     * that opens them.
     *
     * @param list<Candidate|Refusal> $found
     */
    private function lostOpening(array $found): void
    {
        foreach ($found as $one) {
            if ($one instanceof Candidate) {
                $reason = 'the marker that opens the call is missing';
                $known = is_string($this->rules->check($one));
                $one = $known ? new Refusal($one->format, 'malformed', $one->span, $reason) : null;
            }
            if ($one !== null) {
                $this->refuse($one);
            }
        }
    }

    /**
     * Divides a wrapper among its good calls, and leaves prose out.
     *
     * Each span starts where the call before it ends. The first span starts with the wrapper, and
     * the last span ends with it.
     *
     * @param list<Candidate|Refusal> $found
     * @return list<Candidate|Refusal>
     */
    private function share(array $found, Span $wrapper): array
    {
        $kept = [];
        foreach ($found as $one) {
            $checked = $one instanceof Candidate ? $this->rules->check($one) : $one;
            if ($checked !== false) {
                $kept[] = $checked instanceof Refusal ? $checked : $one;
            }
        }
        $start = $wrapper->start;
        $last = null;
        foreach ($kept as $one) {
            if ($one instanceof Candidate) {
                $one->span = new Span($start, $one->span->end);
                $start = $one->span->end;
                $last = $one;
            }
        }
        if ($last !== null) {
            $last->span = new Span($last->span->start, $wrapper->end);
        }
        return $kept;
    }

    /**
     * Hands out calls, as a whole where they fill the code block that is being searched; says
     * whether they begin its content.
     *
     * When none of them is good, the search goes on at `$resume`.
     *
     * @param list<Candidate|Refusal> $found
     */
    private function accept(array $found, int $end, int $resume): bool
    {
        if ($this->fence !== null) {
            $this->fence->skipBlank($this->text);
            $first = self::firstCall($found);
            if ($first !== null && $first->span->start === $this->fence->content) {
                $this->fenceEnd($found, $end, $resume, $this->fence);
                return true;
            }
        }
        $this->handOut($found, $end, $resume);
        return false;
    }

    /** @param list<Candidate|Refusal> $found */
    private function handOut(array $found, int $end, int $resume): void
    {
        $any = $this->emit($found);
        if (!$this->done && $any) {
            $this->searchBehind($end);
        } elseif (!$this->done) {
            $this->pos = $resume;
        }
    }

    /**
     * Records calls and refusals, and returns whether there was a good call. Behind the most calls
     * that are wanted, the search is done.
     *
     * @param list<Candidate|Refusal> $found
     */
    private function emit(array $found): bool
    {
        $any = false;
        // Where the search goes back into a call, it meets what stands inside once more.
        $searched = 0;
        foreach ($found as $one) {
            if ($one instanceof Refusal) {
                if ($one->span->start >= $searched) {
                    $this->noteRefused($one);
                    $this->refuse($one);
                }
                continue;
            }
            if (count($this->findings->calls) >= $this->options->maxCalls) {
                $reason = 'the text holds more than max_calls calls; the rest was not searched';
                $this->limitReached($one->span, 'too_many_calls', $reason);
                return $any;
            }
            $end = $one->span->end;
            if ($this->addCall($one)) {
                $any = true;
            } else {
                $searched = $end;
            }
        }
        return $any;
    }

    /** Hands out a call if the rules accept it; false when they do not. */
    private function addCall(Candidate $call): bool
    {
        $inside = $this->insideRefused($call);
        if ($inside !== null) {
            if ($this->probe === null) {
                $this->unclosed = Unclosed::behindRefusal();
            }
            $this->refuse($inside);
            return false;
        }
        if ($this->probe !== null) {
            $checked = $this->rules->check($call);
            if ($checked instanceof Refusal) {
                $this->refuse($checked);
            }
            if (!is_string($checked)) {
                return false;
            }
            $this->floor = $call->span->end;
            $this->probe[] = [$call->format, $call->span];
            return true;
        }
        if (is_string($this->rules->check($call))) {
            $call->span = $this->withForeign($call->span);
        }
        if ($this->readOtherwise) {
            $call->notes[] = [
                'code' => 'fence_differs',
                'message' => 'CommonMark reads a code fence before the call in another way',
                'offset' => $call->span->start,
            ];
        }
        if ($this->inOpenReasoning) {
            $call->notes[] = [
                'code' => 'in_open_reasoning',
                'message' => 'the reasoning in front of the call was never closed',
                'offset' => $call->span->start,
            ];
        }
        $index = count($this->findings->calls);
        $made = $this->rules->accept($call, $this->text, $index, $this->ids);
        if ($made instanceof FoundCall) {
            $this->enterForeign($made->span);
            $this->floor = $made->span->end;
            if ($this->rules->refusesAll()) {
                // Its markup is for nobody, and is not shown.
                $this->findings->addFrame($made->span);
                $reason = 'no tools were offered, so no call counts';
                $this->refuse(new Refusal($made->format, 'no_tools', $made->span, $reason));
                return true;
            }
            $this->findings->addCall($made);
            return true;
        }
        if ($made instanceof Refusal) {
            $this->refuse($made);
        }
        return false;
    }

    private function refuse(Refusal $refusal): void
    {
        if ($this->probe !== null) {
            // No more than that is ever reported.
            if (count($this->probedRefusals) < $this->options->maxRejections) {
                $this->probedRefusals[] = $refusal;
            }
            return;
        }
        $this->refuseForeign();
        // A call's share of its wrapper may begin before a part of the wrapper that was refused.
        $last = end($this->findings->rejections);
        $start = max($refusal->span->start, $last === false ? 0 : $last['span']->start);
        $refusal->span = new Span(min($start, $refusal->span->end), $refusal->span->end);
        if ($refusal->unknown !== null && $this->findings->keepsRejections()) {
            $refusal->reason .= $this->rules->nearestTo($refusal->unknown);
        }
        if ($refusal->claimed === null || $this->rules->knows($refusal->claimed)) {
            $this->findings->refuse($refusal);
        }
    }

    /** Refuses the rest of the text. */
    private function limitReached(Span $span, string $code, string $reason): void
    {
        $this->done = $this->limited = true;
        $this->refuse(new Refusal(null, $code, $span, $reason));
    }

    /** @param list<Candidate|Refusal> $found */
    private static function firstCall(array $found): ?Candidate
    {
        foreach ($found as $one) {
            if ($one instanceof Candidate) {
                return $one;
            }
        }
        return null;
    }

    /** @param list<Candidate|Refusal> $found */
    private static function noteMissingEnd(array $found, int $end): void
    {
        for ($at = count($found) - 1; $at >= 0; $at--) {
            if ($found[$at] instanceof Candidate) {
                $found[$at]->missesEnd($end);
                return;
            }
        }
    }
}
