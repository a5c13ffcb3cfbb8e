<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Marked;

use Toolwire\Plain\Detect\Candidate;
use Toolwire\Plain\Detect\Format\Format;
use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Detect\JsonReader;
use Toolwire\Plain\Detect\Literal\LiteralReader;
use Toolwire\Plain\Detect\Near\TextToken;
use Toolwire\Plain\Detect\Refusal;
use Toolwire\Plain\Detect\Rules;
use Toolwire\Plain\Detect\Verdict;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Json\Bad;
use Toolwire\Plain\Json\Tolerance;
use Toolwire\Plain\Span;
use Toolwire\Plain\TextEnded;

/** Reads the calls from one opening marker on, alone or several in a wrapper. */
final class MarkedReader
{
    /** The most bytes of words between the marker that opens a wrapper and its first call. */
    private const MOST_WORDS = 512;

    /** @var list<Candidate|Refusal> the calls that were read; each has its own span */
    public $found = [];

    /** @var Format */
    private $format;

    /** @var string */
    private $text;

    /** @var Tolerance */
    private $tolerance;

    /** @var Rules */
    private $rules;

    /** @var int */
    private $start;

    /** @var int the byte behind the opening marker that was read last */
    private $opened;

    /** @var int */
    private $pos;

    /** @var bool */
    private $wrapped;

    /** @var int|null the byte behind the last call that was read */
    private $read = null;

    /** @var bool whether a comma or semicolon was read since then */
    private $divided = false;

    /** @var Span|null where the header of a message stands that is a call */
    private $header = null;

    /** Starts at the marker of `$length` bytes at `$start`, which opens a wrapper or a call. */
    public function __construct(
        Format $format,
        string $text,
        int $start,
        int $length,
        bool $wrapped,
        Tolerance $tolerance,
        Rules $rules
    ) {
        [$this->format, $this->text, $this->start] = [$format, $text, $start];
        [$this->wrapped, $this->tolerance, $this->rules] = [$wrapped, $tolerance, $rules];
        $this->opened = $this->pos = $start + $length;
    }

    /** Where the header of a message stands that is a call, from its first marker to its last. */
    public function header(): ?Span
    {
        return $this->header;
    }

    public function read(): MarkedOutcome
    {
        if (!$this->wrapped) {
            return $this->call($this->start, $this->pos);
        }
        do {
            $outcome = $this->between();
        } while ($outcome === null);
        return $outcome;
    }

    /** Looks for the next call or the end of the wrapper, and reads the call. */
    private function between(): ?MarkedOutcome
    {
        [$format, $text] = [$this->format, $this->text];
        $wrapper = $format->wrapper;
        $this->pos += strspn($text, Arguments::BLANK, $this->pos);
        $length = Marker::first($wrapper->close, $text, $this->pos);
        if ($length >= 0) {
            return $this->read === null
                ? MarkedOutcome::prose()
                : MarkedOutcome::closed($this->pos + $length, false);
        }
        $open = $this->opens();
        if ($open !== null) {
            return $this->enter($open);
        }
        $next = $text[$this->pos] ?? '';
        if (($next === ',' || $next === ';') && $this->read !== null && !$this->divided) {
            $this->pos++;
            $this->divided = true;
            return null;
        }
        // What opened the wrapper may be written in another way, and then so is what closes it.
        if ($this->read !== null && !$format->plain) {
            foreach ($wrapper->close as $close) {
                $length = TextToken::endTag($close, $text, $this->pos);
                if ($length !== null) {
                    return MarkedOutcome::closed($this->pos + $length, true);
                }
            }
        }
        $own = OwnMarkup::of($format, $text);
        if ($own !== null && $own->lacksOpening($this->pos)) {
            return $this->damaged($own);
        }
        return $this->wordsStandBeforeACall()
            ? MarkedOutcome::words($this->opened)
            : $this->left();
    }

    /** Whether the wrapper begins a line with a few words, and a call opens behind them. */
    private function wordsStandBeforeACall(): bool
    {
        $before = $this->start > 0 ? $this->text[$this->start - 1] : "\n";
        $words = (string) substr($this->text, $this->opened, self::MOST_WORDS);
        if ($this->read !== null || $before !== "\n" || preg_match('/^[A-Za-z]/', $words) !== 1) {
            return false;
        }
        $paragraph = strpos($words, "\n\n");
        $part = $paragraph === false ? $words : substr($words, 0, $paragraph);
        return Marker::find($this->format->call->open, $part) !== null;
    }

    /** Refuses a damaged call, and goes on behind its end. */
    private function damaged(OwnMarkup $own, ?int $from = null): MarkedOutcome
    {
        $end = $own->damageEnd($from ?? $this->pos, $this->pos);
        $start = $this->read === null ? $this->start : $this->pos;
        $reason = 'the call is damaged: the marker that opens it is missing';
        $span = new Span($start, $end);
        return $this->refused(new Refusal($this->format->slug, 'malformed', $span, $reason));
    }

    /** The length of the marker with which a call begins here. */
    private function opens(): ?int
    {
        $next = $this->text[$this->pos] ?? '';
        if ($next === '') {
            return null;
        }
        if ($this->format->body === 'json') {
            return $next === '{' || $next === '[' ? 0 : null;
        }
        if ($this->format->call->open === []) {
            return preg_match('/^[A-Za-z_]/', $next) === 1 ? 0 : null;
        }
        $length = Marker::first($this->format->call->open, $this->text, $this->pos);
        return $length < 0 ? null : $length;
    }

    private function enter(int $length): ?MarkedOutcome
    {
        $this->divided = false;
        if ($this->format->body === 'json') {
            return $this->format->keys->python ? $this->literal() : $this->json();
        }
        $this->opened = $this->pos + $length;
        return $this->call($this->pos, $this->opened);
    }

    /** The ending of a wrapper that does not continue as its format requires. */
    private function left(): MarkedOutcome
    {
        [$format, $text, $wrapper] = [$this->format, $this->text, $this->format->wrapper];
        $textEnds = $this->pos >= strlen($text);
        $begins = function (array $markers): bool {
            return Marker::first($markers, $this->text, $this->pos, '', false) === Marker::CUT;
        };
        if ($this->read === null) {
            $cut = $textEnds || $begins($format->call->open) || $begins($wrapper->close);
            if ($cut && !$format->plain) {
                $span = new Span($this->start, strlen($text));
                return $this->refused(Refusal::incomplete($format->slug, $span));
            }
            return $this->nothing();
        }
        $cut = $textEnds || $begins($wrapper->close);
        $end = $cut && !$textEnds ? strlen($text) : $this->read;
        if ($wrapper->end === 'required' && ($format->plain || !$cut)) {
            return MarkedOutcome::prose();
        }
        return MarkedOutcome::closed($end, $wrapper->end !== 'optional');
    }

    /**
     * The ending of a wrapper behind which no call stands: what opens it may be a word of a text,
     * unless it is a token.
     */
    private function nothing(): MarkedOutcome
    {
        $opening = (new Span($this->start, $this->opened))->of($this->text);
        $isToken = strncmp($opening, '<|', 2) === 0;
        if ($this->format->plain || $this->format->wrapper->end !== 'lenient' || !$isToken) {
            return MarkedOutcome::prose();
        }
        $span = new Span($this->start, $this->opened);
        $reason = 'no call stands behind the marker that opens calls';
        return $this->refused(new Refusal($this->format->slug, 'malformed', $span, $reason));
    }

    /** @param list<int> $brackets */
    private function refused(Refusal $refusal, array $brackets = []): MarkedOutcome
    {
        // Text that was read to its end is not searched again.
        $resume = max($this->opened, $this->read ?? 0);
        if ($refusal->code === 'malformed') {
            $resume = max($resume, $refusal->span->end);
        }
        return MarkedOutcome::refused($refusal, $resume, $brackets);
    }

    private function reached(int $end): void
    {
        $this->pos = $this->read = $end;
    }

    private function json(): ?MarkedOutcome
    {
        $keys = $this->format->keys;
        $close = $this->format->wrapper->close;
        $end = $close === [] ? '' : $close[0]->lead;
        $start = $this->pos;
        $reader = new JsonReader(
            $this->format->slug,
            $keys,
            $this->text,
            $start,
            $this->tolerance,
            $end
        );
        $verdict = $reader->read();
        if ($verdict->kind === Verdict::CALLS) {
            $this->found = array_merge($this->found, $verdict->found);
            $this->reached($verdict->end);
            return null;
        }
        $this->found = array_merge($this->found, $reader->foundSoFar());
        if ($verdict->kind === Verdict::REFUSED && $verdict->end > $start + 1) {
            // The object was read to its end and is no call; other calls may follow.
            $this->found[] = $verdict->refusal;
            $this->reached($verdict->end);
            return null;
        }
        if ($verdict->kind === Verdict::REFUSED) {
            $refusal = $verdict->refusal;
            $failsAlone = in_array($refusal->code, ['bad_json', 'incomplete'], true);
            // On its own, an element of a list would fail at the same byte.
            $element = $failsAlone && !$this->tolerance->repairs ? [$refusal->span->start] : [];
            $brackets = array_merge([$start], $element, $reader->openBrackets());
            return $this->refused($refusal, $brackets);
        }
        return $verdict->refusal === null
            ? MarkedOutcome::prose()
            : $this->refused($verdict->refusal);
    }

    /** Calls in Python's notation become JSON, which is then read. */
    private function literal(): ?MarkedOutcome
    {
        $slug = $this->format->slug;
        $reader = LiteralReader::ofValue($this->text, $this->pos, $this->tolerance);
        try {
            $read = $reader->read();
        } catch (TextEnded $ended) {
            $span = new Span($this->pos, strlen($this->text));
            return $this->refused(Refusal::incomplete($slug, $span));
        }
        if ($read instanceof Bad) {
            return $this->refused(Refusal::ofArguments($slug, $this->pos, $read));
        }
        $json = $read->json($this->text);
        $keys = $this->format->keys;
        $verdict = (new JsonReader($slug, $keys, $json, 0, $this->tolerance, ''))->read();
        $found = $verdict->kind === Verdict::REFUSED ? [$verdict->refusal] : $verdict->found;
        $start = $read->span->start;
        foreach ($found as $place => $one) {
            $end = $reader->elementEnds[$place] ?? $read->span->end;
            $one->place($json, new Span($start, $end), $read->notes);
            $start = $end;
            $this->found[] = $one;
        }
        $this->reached($read->span->end);
        return null;
    }

    private function call(int $start, int $opened): ?MarkedOutcome
    {
        $format = $this->format;
        $reader = new CallReader(
            $format,
            $this->text,
            $start,
            $opened,
            $this->tolerance,
            $this->rules
        );
        $call = $reader->read();
        $headerEnd = $reader->headerEnd();
        $this->header = $headerEnd === null ? null : new Span($this->start, $headerEnd);
        if ($call === false) {
            $own = $this->wrapped && $format->body === 'tagged'
                ? OwnMarkup::of($format, $this->text)
                : null;
            // Between the markers of a wrapper, only a call can open.
            return $own === null ? MarkedOutcome::prose() : $this->damaged($own, $this->opened);
        }
        if ($call instanceof Refusal) {
            return $this->refusedCall($call);
        }
        $call->proseIfUnknown = $format->plain;
        $this->found[] = $call;
        if (!$this->wrapped) {
            return MarkedOutcome::closed($call->span->end, false);
        }
        $this->reached($call->span->end);
        return null;
    }

    private function refusedCall(Refusal $refusal): MarkedOutcome
    {
        if ($refusal->code === 'incomplete' || !$this->format->call->isFenced()) {
            return $this->refused($refusal);
        }
        // The fence in the rest of the call is no code block of the message.
        $own = OwnMarkup::of($this->format, $this->text);
        $from = max($this->opened, $refusal->span->end);
        $end = $own === null ? $from : $own->damageEnd($from, $this->opened);
        return MarkedOutcome::refused($refusal, max($end, $this->opened));
    }
}
