<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Json\Bad;
use Toolwire\Plain\Json\ReadArguments;
use Toolwire\Plain\Json\Repairer;
use Toolwire\Plain\Json\Tolerance;
use Toolwire\Plain\Span;

/** One call of the format `tag`: `<tool:NAME>{…}</tool>`. The arguments decide where it ends. */
final class TagCall
{
    public const OPEN = '<tool:';
    public const LONGEST_NAME = 128;
    public const OF_NAMES = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/-';
    public const BAD_NAME = 'a tool\'s name has 1 to 128 characters of A-Z a-z 0-9 _ . : / -';

    public const CLOSE = '</tool>';

    private const FORMAT = 'tag';

    /** @var string */
    private $text;

    /** @var int */
    private $start;

    /** @var Tolerance */
    private $tolerance;

    public function __construct(string $text, int $start, Tolerance $tolerance)
    {
        $this->text = $text;
        $this->start = $start;
        $this->tolerance = $tolerance;
    }

    /** @return Candidate|Refusal */
    public function read()
    {
        $text = $this->text;
        $first = $this->start + strlen(self::OPEN);
        $first += strspn($text, Arguments::BLANK, $first);
        $length = strspn($text, self::OF_NAMES, $first, self::LONGEST_NAME);
        $pos = $first + $length;
        $pos += strspn($text, Arguments::BLANK, $pos);
        if ($pos >= strlen($text)) {
            return $this->incomplete();
        }
        if ($text[$pos] !== '>') {
            $span = new Span($this->start, $pos);
            return new Refusal(self::FORMAT, 'bad_name', $span, self::BAD_NAME);
        }
        if ($length === 0) {
            $span = new Span($this->start, $pos + 1);
            return new Refusal(self::FORMAT, 'missing_name', $span, 'the name is empty');
        }
        $read = $this->arguments($pos + 1);
        if ($read instanceof ReadArguments) {
            return $this->end(substr($text, $first, $length), $read);
        }
        return $read === null ? $this->incomplete() : $this->refused($read, $pos + 1);
    }

    private function incomplete(): Refusal
    {
        return Refusal::incomplete(self::FORMAT, new Span($this->start, strlen($this->text)));
    }

    /** @return ReadArguments|Bad|null */
    private function arguments(int $pos)
    {
        $read = Arguments::at($this->text, $pos, $this->tolerance);
        if (!$read instanceof Bad || !$this->tolerance->repairs || $read->code !== 'bad_json') {
            return $read;
        }
        $repaired = (new Repairer($this->text, $pos, $this->tolerance, self::CLOSE))->read();
        // The first fault says more than the fault of the repair.
        return $repaired instanceof Bad ? $read : $repaired;
    }

    private function refused(Bad $bad, int $pos): Refusal
    {
        $blank = $pos + strspn($this->text, Arguments::BLANK, $pos) >= $bad->at;
        if ($bad->code === 'bad_json' && $blank && ($this->text[$bad->at] ?? '') === '<') {
            $span = new Span($this->start, $bad->at);
            return new Refusal(self::FORMAT, 'missing_arguments', $span, 'there are no arguments');
        }
        return Refusal::ofArguments(self::FORMAT, $this->start, $bad);
    }

    /** @return Candidate|Refusal */
    private function end(string $name, ReadArguments $read)
    {
        $pos = $read->span->end;
        $pos += strspn($this->text, Arguments::BLANK, $pos);
        $cut = false;
        foreach ([self::CLOSE, "</tool:$name>"] as $close) {
            $rest = substr($this->text, $pos, strlen($close));
            if ($rest === $close) {
                return $this->call($name, $read, $pos + strlen($close));
            }
            $cut = $cut || strncmp($close, $rest, strlen($rest)) === 0;
        }
        if ($cut) {
            $length = strlen($this->text);
            $end = $pos < $length ? $length : $read->span->end;
            $call = $this->call($name, $read, $end);
            $call->missesEnd($end);
            return $call;
        }
        $span = new Span($this->start, $pos);
        $reason = self::CLOSE . ' is expected behind the arguments';
        return new Refusal(self::FORMAT, 'bad_json', $span, $reason);
    }

    private function call(string $name, ReadArguments $read, int $end): Candidate
    {
        $span = new Span($this->start, $end);
        return new Candidate(self::FORMAT, $name, $read->span, $read->made, $span, $read->notes);
    }
}
