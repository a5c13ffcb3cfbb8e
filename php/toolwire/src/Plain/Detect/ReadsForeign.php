<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Format\Format;
use Toolwire\Plain\Detect\Format\Formats;
use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Detect\Format\NamePlace;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Span;

/**
 * Markers of a format that is not looked for, around calls that are read.
 *
 * Such a marker alone says that something is not read. A call that is read right behind it stands
 * in that wrapper: it counts, and is not refused as well, so no host runs what it reports as lost.
 */
trait ReadsForeign
{
    /** @var int the most white space between a marker and a call, in bytes */
    private static $mostForeignSpace = 256;

    /** @var int the most markers that open one wrapper */
    private static $mostOpenings = 4;

    /** @var list<Mark> markers behind which nothing but white space stands so far */
    private $foreign = [];

    /** @var list<string> the formats of the wrapper around the last call */
    private $foreignWrapper = [];

    /** @var int the end of the last call or end marker in that wrapper */
    private $foreignEnd = 0;

    /** Notes a marker that is refused unless a call that is read stands right behind it. */
    private function foreignOpening(Mark $mark): void
    {
        $last = end($this->foreign);
        $follows = $last !== false && count($this->foreign) < self::$mostOpenings
            && $this->isShortSpace($last->span->end, $mark->span->start);
        if (!$follows) {
            $this->refuseForeign();
        }
        $this->foreign[] = $mark;
    }

    /** Refuses the marker behind which no call stands. */
    private function refuseForeign(): void
    {
        if ($this->foreign === []) {
            return;
        }
        $first = $this->foreign[0];
        $this->foreign = [];
        $this->noteBroken($first->span, (string) $first->what, false);
        $first->kind === Mark::STRAY ? $this->stray($first) : $this->otherFormat($first);
    }

    /**
     * Notes a marker of a format that is looked for, where no call of it stands behind the marker.
     *
     * A token, or a tag on a line of its own, is no word of the text, unless the token stands
     * between blanks in its line. Another tag is none either if it begins its line, and its end
     * marker ends a line.
     */
    private function openedNoCall(SoughtMarker $sought, Span $opening): void
    {
        $format = $sought->format;
        $written = $opening->of($this->text);
        $isWord = $format->plain || $format->call->onlyFirst || $sought->isToolTag()
            || $format->call->place->kind === NamePlace::AFTER;
        $tells = strlen($written) >= SoughtMarker::TELLING
            && ($written[0] === '<' || $written[0] === '[');
        $isText = $this->probe === null && $this->fence === null && !$this->findings->inReasoning();
        if ($isWord || !$tells || !$isText) {
            return;
        }
        $beginsLine = $this->beginsLineBehindCall($opening->start);
        $next = $this->text[$opening->end + strspn($this->text, " \t", $opening->end)] ?? "\n";
        $isToken = false;
        foreach (MarkerIndex::TOKEN_BEGINNINGS as $token) {
            $isToken = $isToken || strncmp($written, $token, strlen($token)) === 0;
        }
        // In a sentence about a token, blanks stand around it.
        $isToken = $isToken && ($beginsLine || !Apart::standsBetweenBlanks($this->text, $opening));
        if ($isToken || ($beginsLine && ($next === "\n" || $next === "\r"))) {
            $this->foreignOpening((new Mark(Mark::STRAY, $format->slug))->at($opening));
        } elseif ($beginsLine) {
            $this->unclosed->opening = $opening;
        }
    }

    /** Drops a marker that is closed at once: such a wrapper is empty, and nothing is lost. */
    private function passEmpty(Span $closing): void
    {
        $last = end($this->foreign);
        if (
            $last !== false && $this->foreign[0]->kind === Mark::STRAY
            && $this->isShortSpace($last->span->end, $closing->start)
        ) {
            $this->foreign = [];
        }
    }

    /** Refuses the marker if something else than a call stands behind it. */
    private function settleForeign(): void
    {
        $last = end($this->foreign);
        if ($last !== false && !$this->isShortSpace($last->span->end, $this->pos)) {
            $this->refuseForeign();
        }
    }

    /** The call with the markers in front of it that open a wrapper which is not looked for. */
    private function withForeign(Span $call): Span
    {
        $last = end($this->foreign);
        $inside = $last !== false && $this->isShortSpace($last->span->end, $call->start);
        return $inside ? new Span($this->foreign[0]->span->start, $call->end) : $call;
    }

    /** Notes the wrapper in which a call stands that counts, if it is not looked for. */
    private function enterForeign(Span $call): void
    {
        if ($this->foreign !== [] && $this->foreign[0]->span->start === $call->start) {
            $this->foreignWrapper = array_map(static function (Mark $mark): string {
                return (string) $mark->what;
            }, $this->foreign);
            $this->foreignEnd = $call->end;
            $this->foreign = [];
            return;
        }
        $this->refuseForeign();
        if ($this->isShortSpace($this->foreignEnd, $call->start)) {
            $this->foreignEnd = $call->end;
        } else {
            $this->foreignWrapper = [];
        }
    }

    /** Goes on behind calls and the end markers of their wrapper, which are nothing to show. */
    private function searchBehind(int $call): void
    {
        $this->pos = $call;
        // A call that was refused stands in no wrapper, whatever stands in front of it.
        if ($this->foreignWrapper === [] || $this->foreignEnd !== $call) {
            return;
        }
        $end = $call;
        while (true) {
            $space = strspn($this->text, Arguments::BLANK, $end, self::$mostForeignSpace);
            $length = $this->closesForeign($end + $space);
            if ($length < 0) {
                return;
            }
            $this->findings->addFrame(new Span($end, $end + $space + $length));
            $end += $space + $length;
            $this->floor = $this->foreignEnd = $this->pos = $end;
        }
    }

    /** The length of a marker that closes the wrapper, or -1. */
    private function closesForeign(int $at): int
    {
        foreach ($this->foreignWrapper as $slug) {
            $format = $this->formatNamed($slug);
            if ($format === null) {
                continue;
            }
            foreach ([$format->wrapper->close ?? [], $format->call->close ?? []] as $markers) {
                $length = Marker::first($markers, $this->text, $at);
                if ($length >= 0) {
                    return $length;
                }
            }
        }
        return -1;
    }

    /** A format that is looked for, or any built-in one. */
    private function formatNamed(string $slug): ?Format
    {
        foreach ($this->config->formats as $format) {
            if ($format->slug === $slug) {
                return $format;
            }
        }
        return isset(Formats::definitions()[$slug]) ? Formats::named($slug) : null;
    }

    /** Whether nothing but a little white space stands between two places. */
    private function isShortSpace(int $start, int $end): bool
    {
        $length = $end - $start;
        return $length <= self::$mostForeignSpace
            && ($length <= 0 || strspn($this->text, Arguments::BLANK, $start, $length) === $length);
    }
}
