<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Format\Format;
use Toolwire\Plain\Detect\Format\Formats;
use Toolwire\Plain\Detect\Format\Marker;
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
        if ($this->foreign !== []) {
            $first = $this->foreign[0];
            $this->foreign = [];
            $this->otherFormat($first);
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
        if ($this->foreignWrapper === []) {
            return;
        }
        $end = max($this->foreignEnd, $this->floor);
        $this->pos = $end;
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
            $format = Formats::named($slug);
            foreach ([$format->wrapper->close ?? [], $format->call->close ?? []] as $markers) {
                $length = Marker::first($markers, $this->text, $at);
                if ($length >= 0) {
                    return $length;
                }
            }
        }
        return -1;
    }

    /** Whether nothing but a little white space stands between two places. */
    private function isShortSpace(int $start, int $end): bool
    {
        $length = $end - $start;
        return $length <= self::$mostForeignSpace
            && ($length <= 0 || strspn($this->text, Arguments::BLANK, $start, $length) === $length);
    }
}
