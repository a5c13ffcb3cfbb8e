<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Detect\Profile\ReasoningStyle;
use Toolwire\Plain\Detect\Profile\ThoughtTags;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Span;

/**
 * Reasoning, and the parts of the text in which calls do not count.
 *
 * Reasoning ends at the first marker that closes it, even where that marker stands in a call that
 * the model only thought about. Where nothing closes it, calls at the end of the text count.
 */
trait ReadsReasoning
{
    /**
     * @var int the bytes in which the end of reasoning is searched for first. The next parts
     * double, so that many short thoughts do not each search the whole text for a marker that never
     * comes.
     */
    private static $nearEnd = 512;

    /** @var bool whether the calls being read stand at the end of reasoning that nothing closed */
    private $inOpenReasoning = false;

    /** Passes reasoning in which calls do not count. */
    private function reasoning(int $style, int $start, bool $kept): void
    {
        $tags = $this->config->inner[$style]->tags;
        $found = $this->endOfReasoning($this->config->message->reasoning[$style], $start, $tags);
        [$at, $length] = $found ?? [strlen($this->text), 0];
        $this->findings->addInnerFrames($this->innerFrames($style, $start, $at));
        if ($found === null) {
            $this->endInReasoning($start);
            return;
        }
        foreach ($this->callsIn(new Span($start, $at), 'in_reasoning') as $refusal) {
            $this->findings->refuse($refusal);
        }
        if ($kept) {
            $this->pos = $at + $length;
            return;
        }
        $this->findings->closeReasoning($at);
        if ($length === 0) {
            $this->pos = $at;
        } else {
            $this->frame($at, $at + $length, null);
        }
    }

    /**
     * Where the reasoning ends, and the length of the marker if it belongs to it.
     *
     * @param ThoughtTags|null $tags the tags that are written in another way, where they count
     * @return array{int, int}|null
     */
    private function endOfReasoning(ReasoningStyle $style, int $start, ?ThoughtTags $tags): ?array
    {
        $length = strlen($this->text);
        [$from, $to] = [$start, $start + self::$nearEnd];
        while (true) {
            $found = null;
            foreach ([[$style->close, true], [$style->endsAt, false]] as [$markers, $belongs]) {
                foreach ($markers as $marker) {
                    // What begins behind the first end ends nothing.
                    $nearest = $found === null ? min($to, $length) : $found[0];
                    $reach = min($nearest + strlen($marker->lead), $length);
                    $part = substr($this->text, $from, max(0, $reach - $from));
                    $at = strpos($part, $marker->lead);
                    while ($at !== false && $from + $at < $nearest) {
                        $size = $marker->at($this->text, $from + $at);
                        if ($size >= 0) {
                            $found = [$from + $at, $belongs ? $size : 0];
                            break;
                        }
                        $at = strpos($part, $marker->lead, $at + strlen($marker->lead));
                    }
                }
            }
            if ($tags !== null) {
                $nearest = $found === null ? min($to, $length) : $found[0];
                $found = $tags->first($this->text, $start, new Span($from, $nearest)) ?? $found;
            }
            if ($found !== null || $to >= $length) {
                return $found;
            }
            [$from, $to] = [$to, $start + 2 * ($to - $start)];
        }
    }

    /**
     * The framing tokens in a part of the reasoning, which goes on behind them.
     *
     * @return list<Span>
     */
    private function innerFrames(int $style, int $start, int $end): array
    {
        $inner = $this->config->inner[$style];
        $frames = [];
        while ($inner->tokens !== [] && $start < $end) {
            $start += strcspn($this->text, '<', $start, $end - $start);
            $length = $start < $end ? $inner->longest($this->text, $start) : 0;
            if ($start + $length > $end) {
                break;
            }
            if ($length > 0) {
                $frames[] = new Span($start, $start + $length);
            }
            $start += max(1, $length);
        }
        return $frames;
    }

    /** Ends the text in reasoning that nothing closes: the calls at its end count. */
    private function endInReasoning(int $start): void
    {
        $calls = $this->callsAtEnd($start);
        if (is_int($calls)) {
            foreach ($this->callsIn(new Span($start, $calls), 'in_reasoning') as $refusal) {
                $this->findings->refuse($refusal);
            }
            $this->findings->closeReasoning($calls);
            $this->inOpenReasoning = true;
            $this->pos = $calls;
            return;
        }
        $part = new Span($start, strlen($this->text));
        $refusals = array_merge($calls, $this->callsIn($part, 'in_reasoning'));
        $this->refuseEach($refusals === [] ? $this->unreadInThought($start) : $refusals);
        $this->hideCutToken($start);
        $this->findings->reasoningOpen = true;
        $this->findings->closeReasoning(strlen($this->text));
        $this->done = true;
    }

    /**
     * The refusal of what cannot be read as a call in reasoning that nothing closes, where nothing
     * else was found: a call there would count.
     *
     * @return list<Refusal>
     */
    private function unreadInThought(int $start): array
    {
        $isFirst = $this->findings->calls === [] && $this->findings->rejections === []
            && $this->probe === null;
        if (!$isFirst || $this->inOpenReasoning || $this->limited) {
            return [];
        }
        $engine = new self($this->config, $this->text, false);
        $engine->pos = $engine->floor = $start;
        $engine->findings->showFrom($start);
        // Reasoning in it is not searched so again.
        $engine->inOpenReasoning = true;
        $engine->run();
        $engine->refuseForeign();
        $engine->tellUnmarked();
        foreach ($engine->findings->rejections as $told) {
            if ($told['code'] === 'malformed' || $told['code'] === 'other_format') {
                $reason = $told['message'];
                return [new Refusal($told['format'], $told['code'], $told['span'], $reason)];
            }
        }
        return [];
    }

    /** Ends the text in reasoning that was searched and that nothing closes. */
    private function endInThought(): void
    {
        if ($this->findings->inReasoning()) {
            $this->findings->reasoningOpen = true;
            $this->findings->closeReasoning(strlen($this->text));
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
        // What max_input cuts off may go on with words.
        $rest = substr($this->text, $start);
        if (strlen($this->text) >= $this->options->maxInput || !$this->mayHoldPartOfCall($rest)) {
            return [];
        }
        $thought = new self($this->config, $this->text, true);
        $thought->seesCode = true;
        $thought->pos = $thought->floor = $start;
        $thought->run();
        $frames = $this->config->message->frames;
        [$first, $end] = [null, $start];
        foreach ($thought->probe as [$format, $span]) {
            // The text between two calls is judged as if it ended there, as core does.
            $goesOn = $first !== null && $this->passesAll($frames, new Span($end, $span->start));
            $begins = ltrim($span->of($this->text), Arguments::BLANK)[0] ?? '';
            // A fence round plain JSON makes it an example.
            $fenced = ($begins === '`' || $begins === '~')
                && $this->json !== null && $this->json->reads($format);
            $first = $fenced ? null : ($goesOn ? $first : $span->start);
            $end = $span->end;
        }
        $ends = $this->passFrames($frames, $end) >= strlen($this->text);
        return $ends && $first !== null ? $first : $thought->probedRefusals;
    }

    /**
     * Whether a part of the text holds white space and framing tokens alone.
     *
     * @param list<Marker> $frames
     */
    private function passesAll(array $frames, Span $part): bool
    {
        $between = $part->of($this->text);
        $pos = 0;
        do {
            $pos += strspn($between, Arguments::BLANK, $pos);
            $length = Marker::first($frames, $between, $pos);
            $pos += max(0, $length);
        } while ($length >= 0);
        return $pos >= strlen($between);
    }

    /** Whether a call, or what is left of one and is refused, may stand anywhere in a text. */
    private function mayHoldPartOfCall(string $text): bool
    {
        if ($this->json !== null && $this->json->mayHoldPartOfCall($text)) {
            return true;
        }
        if ($this->element !== null && $this->element->mayMark($text)) {
            return true;
        }
        $starts = $this->config->starts;
        $length = strlen($text);
        $pos = strcspn($text, $starts);
        while ($pos < $length && !$this->config->markers->mayStand($text, $pos)) {
            $pos++;
            $pos += $pos < $length ? strcspn($text, $starts, $pos) : 0;
        }
        return $pos < $length;
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
        $plain = strcspn($this->text, $this->config->starts, $part->start, $part->length());
        if ($this->probe !== null || $plain === $part->length()) {
            return [];
        }
        $probe = new self($this->config, $part->of($this->text), true);
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
