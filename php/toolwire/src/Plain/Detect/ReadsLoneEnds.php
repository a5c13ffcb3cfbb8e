<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Marked\ValueSearch;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Span;

/** End markers that close nothing: the call that they belong to has lost its beginning. */
trait ReadsLoneEnds
{
    /** @var int the most white space behind an end marker that is passed */
    private static $mostSpace = 16;

    /** @var int the longest word between two markers that are only mentioned: `and` */
    private static $longestWord = 3;

    /**
     * Refuses an end marker that closes nothing, unless it stands behind a call or a text only
     * mentions it.
     */
    private function loneEnd(ClosingMarker $closing, Span $span): bool
    {
        if ($this->fence !== null) {
            return false;
        }
        $this->passEmpty($span);
        $refusedFormat = $this->refusedFormat;
        $this->refusedFormat = null;
        if ($refusedFormat === $closing->format && $this->probe === null) {
            $this->unclosed->close($closing);
            return $this->frame($span->start, $span->end, null);
        }
        $next = $this->text[$span->end] ?? '';
        $space = $next === ''
            ? 0
            : strspn($this->text, Arguments::BLANK, $span->end, self::$mostSpace);
        $solid = $space < self::$mostSpace ? $this->text[$span->end + $space] ?? '' : '';
        // An object behind an end marker is a call that has lost its opening.
        $object = $closing->closes === ClosingMarker::NAME
            || ($closing->closes === ClosingMarker::WRAPPER && $solid === '{');
        $before = $span->start > 0 ? $this->text[$span->start - 1] : '';
        $isMentioned = ($before === '' || strpos(ValueSearch::BEFORE_QUOTED, $before) !== false)
            && ($next === '' || strpos(ValueSearch::BEHIND_QUOTED, $next) !== false)
            && !($object && $solid === '{');
        $last = end($this->findings->rejections);
        $refused = $last === false ? 0 : $last['span']->end;
        [$lastEnd, $chained] = $this->unclosed->last;
        $call = max($this->floor, $refused);
        $from = max($call, $lastEnd);
        $between = $from < $span->start ? substr($this->text, $from, $span->start - $from) : '';
        $known = $lastEnd > $call ? $chained : $call > 0;
        $follows = $known && strspn($between, Arguments::BLANK) === strlen($between);
        $opening = $this->probe === null ? $this->unclosed->opening : null;
        $isLone = $this->unclosed->close($closing);
        if ($opening !== null && $closing->isLast && !$isLone && $this->endsLine($span->end)) {
            $inside = substr($this->text, $opening->end, $span->start - $opening->end);
            if (strlen(trim($inside, Arguments::BLANK)) > self::$longestWord) {
                $whole = new Span($opening->start, $span->end);
                $reason = 'markup of a call stands here, and no call can be read of it';
                $this->refuse(new Refusal($closing->format, 'malformed', $whole, $reason));
                return $this->searchFrom($span->end);
            }
        }
        $this->unclosed->last = [$span->end, $follows];
        if ($isLone && ($object || !$follows) && !$isMentioned) {
            $reason = 'the end of a call stands where none has begun';
            $this->refuse(new Refusal($closing->format, 'malformed', $span, $reason));
        }
        // Behind a call, such a marker is one too many, and nothing to show.
        $isFraming = $this->probe === null && $this->config->markers->tellsUnread && $follows
            && !$object && $this->floor > max($refused, $lastEnd);
        return $isFraming
            ? $this->frame($span->start, $span->end, null)
            : $this->searchFrom($span->end);
    }

    /** Whether nothing but blanks stands in front of the end of a line, or of another marker. */
    private function endsLine(int $at): bool
    {
        $blanks = strspn($this->text, " \t", $at, self::$mostSpace);
        $next = $blanks < self::$mostSpace ? $this->text[$at + $blanks] ?? "\n" : "\n";
        return strpos("\n\r<", $next) !== false;
    }

    /** Passes an empty object that an end marker may touch; code is full of others. */
    private function emptyObject(JsonSearch $json): bool
    {
        $end = $this->pos + 2;
        if (($this->text[$end] ?? '') !== '<' || !$json->hasEnds()) {
            return false;
        }
        $start = $this->pos;
        $this->pos = $end;
        $this->behindObject($json, new Span($start, $end));
        return true;
    }

    /** Looks for an end marker behind an object that is no call: its opening is missing. */
    private function behindObject(JsonSearch $json, Span $object): void
    {
        $found = $this->fence === null ? $json->endBehind($this->text, $object) : null;
        if ($found === null) {
            return;
        }
        [$format, $span] = $found;
        if ($this->unclosed->close(new ClosingMarker($format, ClosingMarker::CALL, true))) {
            $reason = 'the end of a call stands where none has begun';
            $this->refuse(new Refusal($format, 'malformed', $span, $reason));
        }
        $this->pos = $span->end;
    }
}
