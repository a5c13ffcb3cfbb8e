<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Marked;

use Toolwire\Plain\Detect\Candidate;
use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Detect\Format\NamePlace;
use Toolwire\Plain\Detect\Refusal;
use Toolwire\Plain\Detect\ToolName;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Json\Bad;
use Toolwire\Plain\Json\ReadArguments;
use Toolwire\Plain\Span;
use Toolwire\Plain\TextEnded;

/** The name of a call, and what stands round it. */
trait NamesCalls
{
    /** @var int the length of a number behind a name, with its colon */
    private static $ofNumber = 20;

    /** @return Candidate|Refusal|false|null */
    private function readName()
    {
        $call = $this->format->call;
        if ($call->place->kind === NamePlace::INLINE) {
            return $this->readInlineName();
        }
        if ($call->place->kind === NamePlace::TAG) {
            return $this->nameEnds(new Span($this->start + 1, $this->pos - 1), $this->pos);
        }
        $looked = Opening::read($this->text, $this->pos, $call->place, null, $call->nameEnd);
        $end = $this->lacksNameEnd($looked);
        if ($end !== null) {
            $reason = 'the call is damaged: the marker behind its name is missing';
            $span = new Span($this->start, $end);
            return new Refusal($this->format->slug, 'malformed', $span, $reason);
        }
        if (is_int($looked)) {
            return false;
        }
        return $looked->closes
            ? $this->closesItself($looked)
            : $this->nameOpens($looked);
    }

    /**
     * Reads the name of a call whose parameters stand behind its opening. With none there,
     * arguments that are attributes would be lost.
     *
     * @return Refusal|false|null
     */
    private function nameOpens(Opening $opening)
    {
        $follows = $opening->hasOthers && $this->format->body === 'tagged'
            ? OwnMarkup::of($this->format, $this->text)->continues($opening->end)
            : null;
        $outcome = $this->nameEnds($opening->name, $opening->end);
        if ($outcome === null && ($follows === OwnMarkup::END || $follows === OwnMarkup::CALL)) {
            $this->bad = self::inAttributes($opening->end);
        }
        return $outcome;
    }

    private static function inAttributes(int $at): Bad
    {
        $reason = 'the call is damaged: attributes stand where parameters should';
        return new Bad('malformed', $at, $reason);
    }

    /**
     * Reads a call that is one tag: it has no arguments, unless parameters stand behind it.
     *
     * @return Candidate|Refusal|false|null
     */
    private function closesItself(Opening $opening)
    {
        if ($this->format->body !== 'tagged') {
            return false;
        }
        $goesOn = OwnMarkup::of($this->format, $this->text)->goesBeyond($opening->end);
        $outcome = $this->nameEnds($opening->name, $opening->end);
        if ($outcome !== null) {
            return $outcome;
        }
        $this->read = new ReadArguments(new Span($opening->end, $opening->end), [], '{}');
        if ($opening->hasOthers) {
            $this->bad = self::inAttributes($opening->end);
            return null;
        }
        if ($goesOn) {
            $this->bad = self::beyondEnd($opening->end);
            return null;
        }
        return $this->accept($opening->end, null);
    }

    private static function beyondEnd(int $at): Bad
    {
        return new Bad('malformed', $at, 'the call is damaged: parameters stand behind its end');
    }

    /**
     * The end of a call whose opening has lost its end: the end of the call stands in it, or a
     * parameter begins where it fails.
     *
     * @param Opening|int $looked
     */
    private function lacksNameEnd($looked): ?int
    {
        $call = $this->format->call;
        $end = $looked instanceof Opening ? $looked->end : $looked;
        if ($call->place->kind === NamePlace::AFTER) {
            $opening = (string) substr($this->text, $this->pos, $end - $this->pos);
            $close = Marker::find($call->close, $opening);
            return $close === null ? null : $this->pos + $close[0] + $close[1];
        }
        $fails = is_int($looked) && $end > $this->pos && $this->format->body === 'tagged';
        return $fails && OwnMarkup::of($this->format, $this->text)->lacksOpening($end)
            ? $this->pos
            : null;
    }

    /** @return Refusal|false|null */
    private function readInlineName()
    {
        $call = $this->format->call;
        $longest = ToolName::LONGEST + strlen($call->prefix)
            + ($call->numbered ? self::$ofNumber : 0);
        [$first, $last] = [null, $this->pos];
        while (true) {
            $byte = $this->text[$this->pos] ?? '';
            // A text that ends inside the marker ends inside the call.
            $length = $byte === '' ? Marker::CUT
                : Marker::first($call->nameEnd, $this->text, $this->pos, '', false);
            if ($length === Marker::CUT) {
                throw new TextEnded();
            }
            if ($length >= 0) {
                $this->id = $this->idInNameEnd();
                $end = $this->pos + $length;
                break;
            }
            if (strpos(Arguments::BLANK, $byte) !== false) {
                $this->pos++;
                continue;
            }
            $whole = $first !== null
                && ($this->pos - $first >= $longest || $last !== $this->pos);
            if ($whole || strpos(ToolName::OF_NAMES, $byte) === false) {
                if ($first !== null && ($call->nameEnd === [] || $call->nameEndOptional)) {
                    $end = $this->pos;
                    break;
                }
                $span = new Span($this->start, $this->pos);
                $slug = $this->format->slug;
                return $this->format->isVague()
                    ? false
                    : new Refusal($slug, 'bad_name', $span, ToolName::BAD_NAME);
            }
            $first = $first ?? $this->pos;
            $last = ++$this->pos;
        }
        $name = $first === null ? new Span($this->pos, $this->pos) : new Span($first, $last);
        return $this->nameEnds($name, $end);
    }

    /** The id that stands in the marker behind the name. */
    private function idInNameEnd(): ?Span
    {
        foreach ($this->format->call->nameEnd as $marker) {
            $word = $marker->at($this->text, $this->pos) >= 0
                ? $marker->placeOf(['{word}', '{id}'], $this->text, $this->pos)
                : null;
            if ($word !== null) {
                return new Span(...$word);
            }
        }
        return null;
    }

    /** The id that stands in the marker which opens the call. */
    private function idInOpening(): ?Span
    {
        foreach ($this->format->call->open as $marker) {
            $id = $marker->holdsId() && $marker->at($this->text, $this->start) >= 0
                ? $marker->placeOf(['{id}'], $this->text, $this->start)
                : null;
            if ($id !== null) {
                return new Span(...$id);
            }
        }
        return null;
    }

    /** @return Refusal|false|null */
    private function nameEnds(Span $name, int $end)
    {
        $call = $this->format->call;
        $written = $name->of($this->text);
        $length = strlen($call->prefix);
        $prefixed = $length > 0 && strncmp($written, $call->prefix, $length) === 0;
        $bare = $prefixed ? (string) substr($written, $length) : $written;
        $this->name = new Span($name->end - strlen($bare), $name->end);
        $at = $call->numbered ? strrpos($bare, ':') : false;
        if ($at !== false && preg_match('/^[0-9]*$/D', (string) substr($bare, $at + 1)) === 1) {
            $this->id = $name;
            $this->name = new Span($this->name->start, $this->name->start + $at);
        }
        $this->pos = $end;
        $this->id = $this->id ?? $this->idInOpening();
        if (trim($this->name->of($this->text), Arguments::BLANK) === '') {
            $span = new Span($this->start, $this->pos);
            $slug = $this->format->slug;
            return $this->format->isVague()
                ? false
                : new Refusal($slug, 'missing_name', $span, 'the name is empty');
        }
        if ($this->format->body === 'json') {
            return false;
        }
        $this->isNamed = true;
        return null;
    }
}
