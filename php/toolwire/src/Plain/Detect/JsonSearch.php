<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Format\Format;
use Toolwire\Plain\Detect\Format\Keys;
use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Json\Scanner;
use Toolwire\Plain\Json\Tolerance;
use Toolwire\Plain\Misuse;
use Toolwire\Plain\Span;

/** JSON in the text: calls of its own, or what is left of calls that have lost their opening. */
final class JsonSearch
{
    /** The most white space between an object and an end marker. */
    private const MOST_SPACE = 16;

    /** @var string */
    public $format;

    /** @var Keys */
    public $keys;

    /** @var Tolerance */
    public $tolerance;

    /** @var bool whether an object that is a call counts; otherwise a marker is missing */
    public $counts;

    /** @var list<array{string, Marker}> what ends a call behind its object, with its format */
    private $ends = [];

    /**
     * The search for these formats, if there is one.
     *
     * @param list<Format> $formats
     */
    public static function of(array $formats, Tolerance $tolerance, bool $knowsTools): ?self
    {
        $search = new self();
        $lost = null;
        foreach ($formats as $format) {
            foreach (self::endsOf($format) as $end) {
                $search->ends[] = [$format->slug, $end];
            }
            if ($knowsTools && $lost === null && self::leavesJson($format)) {
                $lost = [$format->slug, $format->keys];
            }
        }
        $counted = self::plainJson($formats);
        $search->counts = $counted !== null;
        $ends = $search->ends === [] ? null : [$search->ends[0][0], new Keys()];
        $sought = $counted ?? $lost ?? $ends;
        if ($sought === null) {
            return null;
        }
        [$search->format, $search->keys] = $sought;
        $repairs = $search->keys->python || $tolerance->repairs;
        $search->tolerance = new Tolerance($tolerance->depth, $tolerance->bytes, $repairs);
        return $search;
    }

    /**
     * The keys of calls that are plain JSON: those of the formats that are nothing else, or of the
     * first one that may be.
     *
     * @param list<Format> $formats
     * @return array{string, Keys}|null
     */
    private static function plainJson(array $formats): ?array
    {
        $bare = $others = [];
        foreach ($formats as $format) {
            if ($format->body === 'bare') {
                $bare[$format->slug] = [$format->slug, $format->keys];
            } elseif ($format->bareJson() !== null) {
                $others[] = [$format->slug, $format->keys];
            }
        }
        $bare = array_values($bare);
        if (count($bare) < 2) {
            return $bare[0] ?? $others[0] ?? null;
        }
        $joined = Keys::joining($bare);
        if ($joined === null) {
            $message = 'the formats of plain JSON cannot be read together: their keys are too '
                . 'many, or written in different ways';
            throw Misuse::of('invalid_option', $message);
        }
        return [$bare[0][0], $joined];
    }

    /**
     * The markers of a format that close a call without a wrapper behind its object, and always
     * stand there.
     *
     * @return list<Marker>
     */
    private static function endsOf(Format $format): array
    {
        $isClosed = $format->isMarked && $format->wrapper === null && $format->body === 'named'
            && $format->call->end === 'required';
        $close = $isClosed ? $format->call->close : [];
        return array_values(array_filter($close, static function (Marker $marker): bool {
            return !$marker->echoes();
        }));
    }

    /**
     * Whether nothing but JSON is left of the calls of a format when the marker that opens them is
     * missing.
     */
    private static function leavesJson(Format $format): bool
    {
        if ($format->body !== 'json' || $format->wrapper === null) {
            return false;
        }
        $tells = false;
        foreach ($format->wrapper->close as $marker) {
            $tells = $tells || $marker->namesCalls();
        }
        return $format->wrapper->end !== 'lenient' || !$tells;
    }

    /** Whether calls of a format are read here. */
    public function reads(string $format): bool
    {
        return $this->counts && $this->keys->areOf($this->format, $format);
    }

    /** Whether there are end markers that may stand behind an object. */
    public function hasEnds(): bool
    {
        return $this->ends !== [];
    }

    /** Whether an object in a text may be a call or what is left of one, as far as its keys tell. */
    public function mayHoldPartOfCall(string $text): bool
    {
        if ($this->tolerance->repairs || $this->keys->mayStandIn($text)) {
            return true;
        }
        foreach ($this->ends as [, $marker]) {
            if (strpos($text, $marker->lead) !== false) {
                return true;
            }
        }
        return false;
    }

    public function reader(string $text, int $start): JsonReader
    {
        return new JsonReader($this->format, $this->keys, $text, $start, $this->tolerance);
    }

    /** Whether JSON that may be a call can have a byte behind its first bracket. */
    public function mayFollow(string $next, string $bracket): bool
    {
        if ($bracket === '[') {
            return $next === '{';
        }
        return $next === '"' || ($this->tolerance->repairs
            && (strpos("'/_$", $next) !== false || ElementReader::isLetter($next)));
    }

    /**
     * The format of the end marker behind an object that is JSON, and where it stands. Code is full
     * of empty objects, so the marker must touch such an object.
     *
     * @return array{string, Span}|null
     */
    public function endBehind(string $text, Span $object): ?array
    {
        if ($this->ends === [] || ($text[$object->end - 1] ?? '') !== '}') {
            return null;
        }
        $space = strspn($text, Arguments::BLANK, $object->end, self::MOST_SPACE);
        $start = $object->end + $space;
        $first = $object->start + 1;
        $first += strspn($text, Arguments::BLANK, $first);
        $isTouched = $object->length() === 2 && $space === 0;
        if ($start >= strlen($text) || (($text[$first] ?? '') === '}' && !$isTouched)) {
            return null;
        }
        foreach ($this->ends as [$format, $marker]) {
            $length = $marker->at($text, $start);
            if ($length >= 0) {
                return self::isJson($object->of($text))
                    ? [$format, new Span($start, $start + $length)]
                    : null;
            }
        }
        return null;
    }

    /** Whether an object is JSON. One that was repaired is not. */
    private static function isJson(string $object): bool
    {
        $scanner = new Scanner($object, 0, PHP_INT_MAX);
        do {
            $kind = $scanner->next();
            if ($kind === Scanner::FAULT || $kind === Scanner::END) {
                return false;
            }
        } while (!$scanner->done());
        return $scanner->pos === strlen($object);
    }
}
