<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Marked;

use Toolwire\Plain\Detect\Candidate;
use Toolwire\Plain\Detect\Format\Format;
use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Detect\Format\NamePlace;
use Toolwire\Plain\Detect\Literal\LiteralReader;
use Toolwire\Plain\Detect\Refusal;
use Toolwire\Plain\Detect\Rules;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Json\Bad;
use Toolwire\Plain\Json\ReadArguments;
use Toolwire\Plain\Json\Repairer;
use Toolwire\Plain\Json\Tolerance;
use Toolwire\Plain\Span;
use Toolwire\Plain\TextEnded;

/**
 * One call between markers: what opens it, its name, its arguments, its end.
 *
 * The arguments decide where a call ends: an end marker inside a string is text. Each step gives
 * null where the next one follows, false for prose, or else the call or its refusal.
 */
final class CallReader
{
    use EndsCalls;
    use NamesCalls;

    /** @var Format */
    private $format;

    /** @var string */
    private $text;

    /** @var Tolerance */
    private $tolerance;

    /** @var Rules */
    private $rules;

    /** @var int the first byte of the call's own marker */
    private $start;

    /** @var int */
    private $pos;

    /** @var Span the name as it is written */
    private $name;

    /** @var Span|null */
    private $id = null;

    /** @var bool whether the name was read */
    private $isNamed = false;

    /** @var ParametersReader|null */
    private $parameters = null;

    /** @var LiteralReader|null */
    private $literal = null;

    /** @var ReadArguments|null */
    private $read = null;

    /** @var Bad|null what is wrong with the arguments */
    private $bad = null;

    /** Starts behind the opening marker of the call, which stands from `$start` to `$pos`. */
    public function __construct(
        Format $format,
        string $text,
        int $start,
        int $pos,
        Tolerance $tolerance,
        Rules $rules
    ) {
        [$this->format, $this->text, $this->tolerance] = [$format, $text, $tolerance];
        [$this->start, $this->pos, $this->rules] = [$start, $pos, $rules];
        $this->name = new Span($pos, $pos);
    }

    /** @return Candidate|Refusal|false */
    public function read()
    {
        try {
            $outcome = $this->readName() ?? ($this->read === null ? $this->readArguments() : null);
            if ($outcome === null && $this->bad === null) {
                $outcome = $this->readEnd();
            }
            return $outcome ?? $this->readRefused();
        } catch (TextEnded $ended) {
            return $this->cutOff();
        }
    }

    /** The end of the header of a message, once the header is read. */
    public function headerEnd(): ?int
    {
        $isHeader = $this->format->call->place->kind === NamePlace::AFTER;
        return $this->isNamed && $isHeader ? $this->pos : null;
    }

    /** The name, once it is read. */
    private function bareName(): string
    {
        $name = trim($this->name->of($this->text), Arguments::BLANK);
        return $this->format->call->place->read($name);
    }

    /** @return Refusal|false */
    private function cutOff()
    {
        $call = $this->format->call;
        // A word and a bracket are not enough for a call without markers.
        $begun = $this->isNamed
            && ($this->literal === null || $this->read !== null || $this->literal->begun());
        if ($this->parameters !== null && $call->isToolTag() && $this->read === null) {
            $begun = $this->parameters->begun() || $this->beginsLine();
        }
        if (($this->format->plain || $call->onlyFirst || $call->isToolTag()) && !$begun) {
            return false;
        }
        $span = new Span($this->start, strlen($this->text));
        return $this->refuse(Refusal::incomplete($this->format->slug, $span));
    }

    /** @return Refusal|false|null */
    private function readArguments()
    {
        if ($this->format->body === 'tagged') {
            return $this->readParameters();
        }
        if ($this->format->body === 'literal') {
            return $this->readLiteral();
        }
        $read = Arguments::at($this->text, $this->pos, $this->tolerance);
        if ($read instanceof Bad && $this->tolerance->repairs && $read->code === 'bad_json') {
            $close = $this->format->call->close;
            $end = $close === [] ? '' : $close[0]->lead;
            $repaired = (new Repairer($this->text, $this->pos, $this->tolerance, $end))->read();
            // The first fault says more than the fault of the repair.
            $read = $repaired instanceof Bad ? $read : $repaired;
        }
        if ($read === null) {
            throw new TextEnded();
        }
        $this->take($read);
        return null;
    }

    /** @param ReadArguments|Bad $read */
    private function take($read): void
    {
        if ($read instanceof Bad) {
            $this->bad = $read;
        } else {
            $this->read = $read;
        }
    }

    /** @return false|null */
    private function readLiteral()
    {
        $this->literal = LiteralReader::ofCall(
            $this->format,
            $this->text,
            $this->pos,
            $this->tolerance
        );
        $read = $this->literal->read();
        // Text without markers is a call only when all of it can be read.
        if ($read instanceof Bad && $this->format->plain) {
            return false;
        }
        $this->take($read);
        return null;
    }

    /** @return Refusal|false|null */
    private function readParameters()
    {
        $own = OwnMarkup::of($this->format, $this->text);
        $own->schema = $this->rules->schema($this->bareName());
        $this->parameters = new ParametersReader($this->text, $this->pos, $this->tolerance, $own);
        $read = $this->parameters->read();
        $begun = $this->parameters->begun();
        if ($read instanceof ReadArguments && !$begun && $this->isMentioned()) {
            $reason = 'a word between markers in a sentence is no call';
            $span = new Span($this->start, $this->name->end);
            return new Refusal($this->format->slug, 'missing_arguments', $span, $reason);
        }
        $isBad = $read instanceof Bad && $read->code !== 'malformed';
        if ($isBad && !$begun && $this->format->isVague()) {
            return false;
        }
        $this->take($read);
        return null;
    }

    /**
     * Refuses bad arguments, as what stands where they should be.
     *
     * @return Refusal|false
     */
    private function readRefused()
    {
        $bad = $this->bad;
        $slug = $this->format->slug;
        if ($bad->code === 'malformed' && $this->format->body === 'tagged') {
            $end = OwnMarkup::of($this->format, $this->text)->damageEnd($bad->at, $bad->at);
            $bad = new Bad($bad->code, $end, $bad->reason);
            return $this->refuse(Refusal::ofArguments($slug, $this->start, $bad));
        }
        $length = max(0, $bad->at - $this->pos);
        $blank = $bad->at >= $this->pos
            && strspn($this->text, Arguments::BLANK, $this->pos, $length) === $length;
        $call = $this->format->call;
        $nothing = $bad->code === 'bad_json' && $blank && !$call->onlyFirst
            && (($this->text[$bad->at] ?? '') === '<'
                || Marker::first($call->close, $this->text, $bad->at) >= 0);
        if ($nothing) {
            $span = new Span($this->start, $bad->at);
            $reason = 'there are no arguments';
            return $this->refuse(new Refusal($slug, 'missing_arguments', $span, $reason));
        }
        if ($this->format->isVagueBehindName() && $blank) {
            return false;
        }
        return $this->refuse(Refusal::ofArguments($slug, $this->start, $bad));
    }

    /** Refuses the call; where the format is so plain that it may be prose, by its name. */
    private function refuse(Refusal $refusal): Refusal
    {
        if ($this->format->plain && $this->isNamed) {
            $refusal->claimed = $this->bareName();
        }
        return $refusal;
    }
}
