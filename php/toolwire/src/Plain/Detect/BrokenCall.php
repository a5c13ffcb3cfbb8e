<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Format\Format;
use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Span;

/**
 * A call that was refused, or a result that the model made up, and what is known of where it ends.
 *
 * Arguments hold other calls as data: the content of a file, the calls of a batch. Where the call
 * around them cannot be read, they must not run in its place.
 */
final class BrokenCall
{
    /** @var int */
    private $start;

    /** @var int the offset up to which the text was passed */
    private $pos;

    /** @var int the braces that are open there */
    private $braces = 0;

    /** @var int the parentheses around them */
    private $parens = 0;

    /** @var int the markers of its format that are open */
    private $nested = 0;

    /** @var bool whether any brace or parenthesis was open */
    private $opened = false;

    /** @var Format|null */
    private $format;

    /** @var int where the text ends that could be read of it */
    private $fault;

    /** @var bool whether the whole text ends inside of it */
    private $toEnd;

    /** @var string|null the tag that ends a result */
    private $close = null;

    public function __construct(Span $span, ?Format $format, bool $toEnd)
    {
        $this->start = $this->pos = $span->start;
        [$this->format, $this->fault, $this->toEnd] = [$format, $span->end, $toEnd];
    }

    /** A result that a tag opens. */
    public static function result(Span $tag, string $written): self
    {
        $result = new self($tag, null, false);
        $result->pos = $tag->end;
        // A call right behind the tag stands in it, and begins nothing anew.
        $result->fault = $tag->start;
        $result->close = $written[0] . '/' . substr($written, 1);
        return $result;
    }

    public function isResult(): bool
    {
        return $this->close !== null;
    }

    /** Whether a place stands inside of it; null where the call has ended before. */
    public function holds(int $place, string $input): ?bool
    {
        if ($place <= $this->start) {
            return false;
        }
        // Where a call stands right at the fault, the model has begun anew.
        if ($this->pass($place, $input) || $place === $this->fault) {
            return null;
        }
        return $this->toEnd || $this->braces > 0 || $this->parens > 0 || $this->isResult();
    }

    /**
     * Passes the text up to a place; returns whether the call ends before.
     *
     * In a broken call, nobody knows which quotes are of the JSON. Its braces tell where it ends,
     * or its end marker.
     */
    private function pass(int $place, string $input): bool
    {
        $before = $this->pos;
        $text = $place > $before ? substr($input, $before, $place - $before) : '';
        $this->pos = max($before, $place);
        if ($this->close !== null) {
            return strpos($text, $this->close) !== false;
        }
        return !$this->toEnd && ($this->closes($text) || $this->endsIn($text, $before));
    }

    /**
     * Counts braces and parentheses; returns whether one closes all that were open, or whether a
     * line ends in which none has opened.
     */
    private function endsIn(string $text, int $start): bool
    {
        $length = strlen($text);
        $at = strcspn($text, "{}()\n");
        for (; $at < $length; $at += 1 + strcspn($text, "{}()\n", $at + 1)) {
            $byte = $text[$at];
            if ($byte === "\n") {
                if (!$this->opened && $start + $at >= $this->fault) {
                    return true;
                }
                continue;
            }
            if ($byte === '{' || $byte === '}') {
                $this->braces = max(0, $this->braces + ($byte === '{' ? 1 : -1));
            } elseif ($this->braces === 0) {
                $this->parens = max(0, $this->parens + ($byte === '(' ? 1 : -1));
            } else {
                continue;
            }
            $any = $this->braces > 0 || $this->parens > 0;
            $this->opened = $this->opened || $any;
            if ($this->opened && !$any) {
                return true;
            }
        }
        return false;
    }

    /** Whether an end marker of the call stands in a text, and not one of a call inside of it. */
    private function closes(string $text): bool
    {
        if ($this->format === null) {
            return false;
        }
        [$wrapper, $call] = [$this->format->wrapper, $this->format->call];
        $open = $wrapper === null ? $call->open ?? [] : $wrapper->open;
        $close = $wrapper === null ? $call->close ?? [] : $wrapper->close;
        while (($found = Marker::find($close, $text)) !== null) {
            $this->nested += self::count($open, substr($text, 0, $found[0]));
            // The first marker opens the call itself.
            if ($this->nested <= 1) {
                return true;
            }
            $this->nested--;
            $text = (string) substr($text, $found[0] + $found[1]);
        }
        $this->nested += self::count($open, $text);
        return false;
    }

    /**
     * The number of markers in a text.
     *
     * @param list<Marker> $markers
     */
    private static function count(array $markers, string $text): int
    {
        $count = 0;
        while (($found = Marker::find($markers, $text)) !== null) {
            $count++;
            $text = (string) substr($text, $found[0] + max(1, $found[1]));
        }
        return $count;
    }
}
