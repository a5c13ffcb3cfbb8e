<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Span;

/**
 * Calls inside of a call that was refused. They are data, and must not run in place of the call
 * around them.
 */
trait ReadsBrokenCalls
{
    /** @var list<string> the codes of calls whose arguments are broken */
    private static $ofArguments = [
        'bad_json', 'incomplete', 'malformed', 'not_an_object', 'too_deep',
    ];

    /** @var BrokenCall|null the last call that was refused, while calls may stand inside of it */
    private $brokenCall = null;

    /** Notes a call that was refused and whose inside is searched. */
    private function noteRefused(Refusal $refusal): void
    {
        $this->refuseForeign();
        if (in_array($refusal->code, self::$ofArguments, true)) {
            $toEnd = $refusal->code === 'incomplete';
            $this->noteBroken($refusal->span, $refusal->format, $toEnd);
        }
    }

    /** The same of the part of a text that could be read of a call. */
    private function noteBroken(Span $read, ?string $format, bool $toEnd): void
    {
        if (!$this->standsInRefused($read->start)) {
            $known = $format === null ? null : $this->formatNamed($format);
            $this->brokenCall = new BrokenCall($read, $known, $toEnd);
        }
    }

    /**
     * Notes a tag that begins a line and opens a result, where no call stands in front of it. What
     * a model quotes or makes up of results must not run.
     */
    private function noteResult(Span $tag): void
    {
        if ($this->beginsLineBehindCall($tag->start) && !$this->standsInRefused($tag->start)) {
            $this->brokenCall = BrokenCall::result($tag, $tag->of($this->text));
        }
    }

    /** The refusal of a call that stands inside of one that was refused. */
    private function insideRefused(Candidate $call): ?Refusal
    {
        $start = $call->span->start;
        // What is refused anyway says why, wherever it stands, and ends nothing.
        if ($this->brokenCall !== null && !is_string($this->rules->check($call))) {
            return null;
        }
        if ($this->standsInRefused($start)) {
            $isResult = $this->brokenCall !== null && $this->brokenCall->isResult();
            $reason = $isResult
                ? 'the call stands in a result, which no model writes'
                : 'the call stands inside of a call that was refused';
        } elseif ($this->isArgument($start)) {
            $reason = 'the call stands inside of the arguments of another one';
        } else {
            return null;
        }
        return is_string($this->rules->check($call))
            ? new Refusal($call->format, 'malformed', $call->span, $reason)
            : null;
    }

    /** Whether a place stands in the arguments of another call that is not read. */
    private function isArgument(int $place): bool
    {
        if ((new UnmarkedJson($this->text, 0, []))->isArgument($place)) {
            return true;
        }
        $byte = $this->text[$place] ?? '';
        $behind = $this->text[$place + 1] ?? '';
        // A marker such as `[TOOL_CALLS]` is no JSON.
        $isMarker = $behind >= 'A' && $behind <= 'Z';
        $isJson = $byte === '{' || ($byte === '[' && !$isMarker);
        return $this->options->tools !== null && $isJson
            && (new UnmarkedCalls($this->text, $this->options->tools))->holds($place, $this->floor);
    }

    /** Whether a place stands inside of the last call that was refused. */
    private function standsInRefused(int $place): bool
    {
        if ($this->brokenCall === null) {
            return false;
        }
        $holds = $this->brokenCall->holds($place, $this->text);
        if ($holds === null) {
            $this->brokenCall = null;
        }
        return $holds === true;
    }
}
