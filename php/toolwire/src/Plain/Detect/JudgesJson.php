<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Json\Bad;
use Toolwire\Plain\Json\ReadArguments;
use Toolwire\Plain\Json\Repairer;
use Toolwire\Plain\Json\Tolerance;
use Toolwire\Plain\Span;

/** The verdict on JSON that is no call: prose, a refusal, or an attempt to repair it. */
trait JudgesJson
{
    /** What an object is that lacks a part of a call: a refusal between markers, else prose. */
    private function lacks(Span $span, string $code, string $reason): ?Refusal
    {
        return $this->endMarker === null
            ? null
            : new Refusal($this->format, $code, $span, $reason);
    }

    /** Ties a refusal in prose to its name: it counts only if a tool has this name. */
    private function claim(Refusal $refusal, string $name): Refusal
    {
        $refusal->claimed = $this->endMarker === null ? $name : null;
        return $refusal;
    }

    /** The verdict on an array that holds something other than objects. */
    private function ofSomethingElse(): Verdict
    {
        if ($this->endMarker === null) {
            return $this->prose();
        }
        $span = new Span($this->start, $this->scanner->pos);
        $reason = 'the array holds something other than calls';
        $refusal = new Refusal($this->format, 'not_an_object', $span, $reason);
        return Verdict::refused($refusal, $this->start + 1);
    }

    private function prose(): Verdict
    {
        return Verdict::prose($this->start + 1);
    }

    private function looksLikeACall(): bool
    {
        return $this->outer->looksLikeACall()
            || ($this->inner !== null && $this->inner->looksLikeACall());
    }

    private function fault(): Verdict
    {
        $bad = Bad::fault($this->scanner);
        // The elements of an array are repaired one by one.
        if ($this->tolerance->repairs && !$this->array) {
            [$repairer] = $this->repair
                ?? [new Repairer(
                    $this->text,
                    $this->start,
                    $this->tolerance,
                    $this->endMarker ?? ''
                )];
            return $this->repairWith($repairer, $this->scanner->start) ?? $this->fail($bad);
        }
        return $this->fail($bad);
    }

    private function repairWith(Repairer $repairer, int $fault): ?Verdict
    {
        $this->repair = [$repairer, $fault];
        $repaired = $repairer->read();
        return $repaired instanceof ReadArguments ? $this->repaired($repaired) : null;
    }

    /** Reads the repaired object as if the model had written it so. */
    private function repaired(ReadArguments $read): Verdict
    {
        $json = $read->json($this->text);
        $strict = new Tolerance($this->tolerance->depth, $this->tolerance->bytes, false);
        $verdict = (new self($this->format, $this->keys, $json, 0, $strict, $this->endMarker))
            ->read();
        if ($verdict->kind === Verdict::REFUSED) {
            $verdict->refusal->span = $read->span;
            return Verdict::refused($verdict->refusal, $read->span->end);
        }
        if ($verdict->kind !== Verdict::CALLS) {
            return Verdict::prose($read->span->end);
        }
        foreach ($verdict->found as $found) {
            $found->place($json, $read->span, $read->notes);
        }
        return Verdict::calls($verdict->found, $read->span->end);
    }

    private function cutOff(): Verdict
    {
        $this->repair = null;
        $reason = 'the text ends inside the call';
        return $this->fail(new Bad('incomplete', strlen($this->text), $reason));
    }

    private function fail(Bad $bad): Verdict
    {
        // In an array the element is refused later, when it is read on its own.
        if ($this->endMarker === null && ($this->array || !$this->looksLikeACall())) {
            return $this->prose();
        }
        $bad = $this->tooDeep === null ? $bad : Bad::tooDeep($this->tooDeep);
        return Verdict::refused($this->refusal($bad), $this->start + 1);
    }

    private function oversized(int $limit): Verdict
    {
        $looks = $this->endMarker !== null || $this->looksLikeACall();
        return Verdict::oversized($looks ? $this->refusal(Bad::tooLarge($limit)) : null);
    }

    private function refusal(Bad $bad): Refusal
    {
        $inner = $this->inner;
        $format = $this->outer->format($this->format)
            ?? ($inner === null ? null : $inner->format($this->format))
            ?? $this->format;
        $name = $this->nameOf($this->outer) ?? ($inner === null ? null : $this->nameOf($inner));
        return $this->claim(Refusal::ofArguments($format, $this->objectStart, $bad), $name ?? '');
    }
}
