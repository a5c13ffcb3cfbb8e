<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Format\Format;
use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Detect\Near\NearTokens;
use Toolwire\Plain\Detect\Profile\MessageShape;
use Toolwire\Plain\Detect\Profile\Table;
use Toolwire\Plain\Detect\Profile\ThoughtTags;
use Toolwire\Plain\Span;

/** Where calls between markers may start: the markers of all formats, found by one byte of each. */
final class MarkerIndex
{
    /** What tokens begin with, so that they are told from other text. */
    public const TOKEN_BEGINNINGS = ['<|', '<｜'];
    /** The number of bytes at the end of a text in which a token may be cut off. */
    private const LOOKED_AT = 64;

    /** How many bytes of a marker the quick look compares, as core's does. */
    private const COMPARED = 8;

    /** @var bool whether a marker shows that what stands before it was reasoning */
    public $closesReasoning = false;

    /** @var bool whether markup that is not read is told */
    public $tellsUnread = false;

    /** @var list<SoughtMarker> */
    private $all = [];

    /**
     * @var list<array{Format, int}> the formats with markers that open a call where a text begins
     */
    private $first = [];

    /** @var array<string, true> the bytes at which anything may start, behind a letter `b` */
    private $bytes;

    /**
     * @var array<string, array<string, list<SoughtMarker>>> the markers by their byte and the next
     */
    private $pairs = [];

    /** @var array<string, true> the tags of reasoning that are written in another way */
    private $otherWays = [];

    /** @var NearTokens|null the tokens that are understood although they are damaged */
    private $near = null;

    /** @param string $bytes at which something else may start */
    public function __construct(string $bytes)
    {
        $this->bytes = [];
        foreach (str_split($bytes) as $byte) {
            $this->bytes["b$byte"] = true;
        }
    }

    /** The bytes at which anything may start. */
    public function bytes(): string
    {
        $bytes = '';
        foreach ($this->bytes as $byte => $_) {
            $bytes .= $byte[1];
        }
        return $bytes;
    }

    /** Adds the markers of a format. */
    public function add(Format $format, int $index): void
    {
        if (!$format->isMarked) {
            return;
        }
        if ($format->call->opensFirst() !== []) {
            $this->first[] = [$format, $index];
        }
        $groups = [
            [$format->wrapper === null ? [] : $format->wrapper->open, true, false],
            [$format->call->opensAnywhere(), false, !$format->bare],
        ];
        foreach ($groups as [$markers, $wraps, $inside]) {
            foreach ($markers as $marker) {
                $sought = $this->push($marker, null);
                $sought->opens($format, $index, $wraps);
                $sought->inside = $inside;
            }
        }
    }

    /** Adds the markers that close the calls of a format, if it shows in them that they do. */
    public function addClosing(Format $format): void
    {
        if (!$format->isMarked) {
            return;
        }
        $wrapper = $format->wrapper;
        $call = $format->call;
        $isVague = $format->parameter !== null && $format->isVague();
        $groups = [
            ClosingMarker::WRAPPER => $wrapper !== null && $wrapper->end === 'lenient'
                ? $wrapper->close : [],
            ClosingMarker::CALL => $call->end === 'lenient' ? $call->close : [],
            ClosingMarker::PARAMETER => $isVague ? $format->parameter->close : [],
            ClosingMarker::NAME => $format->body === 'named' ? $call->nameEnd : [],
        ];
        foreach ($groups as $closes => $markers) {
            foreach ($markers as $marker) {
                $tells = $marker->namesCalls() || $call->isToolTag();
                $telling = SoughtMarker::tellingPart($marker);
                if ($telling !== null && ($closes === ClosingMarker::PARAMETER || $tells)) {
                    $isLast = $closes === ClosingMarker::WRAPPER || $wrapper === null;
                    $this->push($telling, new ClosingMarker($format->slug, $closes, $isLast));
                }
            }
        }
    }

    /** Takes a wrapper of the format that holds no call for a frame. */
    public function addEmptyWrapper(Format $format): void
    {
        if (!$format->isMarked || $format->wrapper === null) {
            return;
        }
        foreach ($format->wrapper->open as $open) {
            foreach ($format->wrapper->close as $close) {
                $empty = Marker::of("$open->written{space}$close->written");
                $this->push($empty, new Mark(Mark::FRAMES));
            }
        }
    }

    /** Adds the markers of the message. */
    public function addMessage(MessageShape $shape): void
    {
        $this->closesReasoning = $shape->closing() !== [];
        foreach (self::ofReasoning($shape) as [$marker, $mark]) {
            $this->push($marker, $mark);
            $this->pushApart(ThoughtTags::otherWays($marker), $mark);
        }
        $this->pushMarks($shape->answers, new Mark(Mark::OPENS_ANSWER));
        $this->pushMarks($shape->frames, new Mark(Mark::FRAMES));
        $this->pushMarks($shape->afterEnd, new Mark(Mark::OPENS_TURN));
    }

    /**
     * Adds the markup that stands in a text only where something was written that is not read: what
     * opens calls of other formats, and what belongs to no message of the model.
     *
     * @param list<Format> $others
     */
    public function addUnread(array $others): void
    {
        $this->tellsUnread = true;
        $groups = [];
        foreach ($others as $format) {
            $groups[] = [self::opening($format), new Mark(Mark::OPENS_OTHER, $format->slug)];
        }
        $groups[] = [Marker::all(Table::ALL['strays']), new Mark(Mark::STRAY)];
        $groups[] = [Marker::all(Table::ALL['stops']), new Mark(Mark::FRAMES)];
        $groups[] = [Marker::all(Table::ALL['turns']), new Mark(Mark::OPENS_TURN)];
        foreach ($groups as [$markers, $mark]) {
            foreach ($markers as $marker) {
                // What is known by these bytes already says more.
                if (!$this->knowsLead($marker->lead)) {
                    $this->push($marker, $mark);
                }
            }
        }
    }

    /** Adds what begins a result that a model made up behind a call of the format. */
    public function addTurns(Format $format): void
    {
        $this->pushMarks($format->call->turns, new Mark(Mark::OPENS_TURN));
    }

    private function knowsLead(string $lead): bool
    {
        foreach ($this->all as $known) {
            if ($known->marker->lead === $lead) {
                return true;
            }
        }
        return false;
    }

    /** @return list<Marker> the markers that open calls of a format, those that tell themselves */
    private static function opening(Format $format): array
    {
        if (!$format->isMarked) {
            return [];
        }
        $calls = $format->bare ? $format->call->opensAnywhere() : [];
        $wrappers = $format->wrapper === null ? [] : $format->wrapper->open;
        $telling = array_filter(array_merge($wrappers, $calls), [SoughtMarker::class, 'isTelling']);
        return array_values($telling);
    }

    /** @param list<Marker> $markers */
    private function pushMarks(array $markers, Mark $mark): void
    {
        foreach ($markers as $marker) {
            $this->push($marker, $mark);
        }
    }

    /** Adds the rarer ways in which models write the tags of reasoning. */
    public function addRareWays(MessageShape $shape): void
    {
        foreach (self::ofReasoning($shape) as [$marker, $mark]) {
            $this->pushApart(ThoughtTags::rareWays($marker), $mark);
        }
    }

    /** @return list<array{Marker, Mark}> the markers that open and close reasoning */
    private static function ofReasoning(MessageShape $shape): array
    {
        $all = [];
        foreach ($shape->reasoning as $index => $style) {
            foreach ($style->open as $marker) {
                $all[] = [$marker, new Mark(Mark::OPENS_REASONING, $index)];
            }
        }
        foreach ($shape->closing() as $marker) {
            $all[] = [$marker, new Mark(Mark::CLOSES_REASONING)];
        }
        return $all;
    }

    /**
     * Adds tags that models write for a tag of reasoning.
     *
     * @param list<string> $ways
     */
    private function pushApart(array $ways, Mark $mark): void
    {
        foreach ($ways as $way) {
            // Several styles have the same tags.
            if (!isset($this->otherWays[$way])) {
                $this->otherWays[$way] = true;
                $this->push(Marker::of($way), $mark)->isApart = true;
            }
        }
    }

    /** @param Mark|ClosingMarker|null $does */
    private function push(Marker $marker, $does): SoughtMarker
    {
        $sought = new SoughtMarker($marker, $does, $this->bytes);
        $this->bytes['b' . $sought->byte()] = true;
        return $this->all[] = $sought;
    }

    /** Sorts the markers by length: of two markers at the same place, the longer one counts. */
    public function arrange(): void
    {
        $lengths = $places = [];
        foreach ($this->all as $place => $sought) {
            $lengths[] = -strlen($sought->marker->lead);
            $places[] = $place;
        }
        // The sort of PHP 7.4 does not keep the order of what is equal.
        array_multisort($lengths, $places, $this->all);
        $nexts = [];
        foreach ($this->all as $sought) {
            $next = $sought->marker->lead[$sought->offset + 1] ?? '';
            $nexts['b' . $sought->byte()]["n$next"] = true;
        }
        foreach ($nexts as $byte => $following) {
            $this->pairs[$byte] = array_fill_keys(array_keys($following + ['n' => true]), []);
        }
        foreach ($this->all as $sought) {
            $byte = 'b' . $sought->byte();
            $next = $sought->marker->lead[$sought->offset + 1] ?? '';
            foreach ($next === '' ? array_keys($this->pairs[$byte]) : ["n$next"] as $following) {
                $this->pairs[$byte][$following][] = $sought;
            }
        }
        if ($this->tellsUnread) {
            $this->near = new NearTokens($this->all);
        }
    }

    /** Whether a marker may stand around the byte at a place, as far as a quick look tells. */
    public function mayStand(string $text, int $pos): bool
    {
        $pairs = $this->pairs['b' . $text[$pos]] ?? ['n' => []];
        foreach ($pairs['n' . ($text[$pos + 1] ?? '')] ?? $pairs['n'] as $sought) {
            $lead = $sought->marker->lead;
            $from = $pos - $sought->offset;
            $size = min(self::COMPARED, strlen($lead), strlen($text) - $from);
            if ($from >= 0 && strncmp(substr($text, $from, $size), $lead, $size) === 0) {
                return true;
            }
        }
        return $this->near !== null && $this->near->mayBegin($text, $pos);
    }

    /**
     * The markers that hold the byte at a place; null for none.
     *
     * @param array{int, int} $floors the offset before which no marker begins, and the end of what
     *     counted last: a line may begin there
     */
    public function at(string $text, int $pos, array $floors, ?int $open): ?Here
    {
        [$floor, $over] = $floors;
        $byte = 'b' . $text[$pos];
        $here = new Here();
        if (isset($this->pairs[$byte])) {
            $next = 'n' . ($text[$pos + 1] ?? '');
            foreach ($this->pairs[$byte][$next] ?? $this->pairs[$byte]['n'] as $sought) {
                $from = $pos - $sought->offset;
                if ($from < $floor || !$sought->counts($open)) {
                    continue;
                }
                $length = $sought->marker->at($text, $from);
                // As in core, a marker that says more keeps a list of calls from being passed.
                $isPassed = $here->isEmpty() && $sought->lacksFunction($text, $from + $length);
                $span = new Span($from, $from + max($length, 0));
                if ($length >= 0 && !$isPassed && $sought->standsApart($text, $span, $over)) {
                    $here->note($sought, $span);
                }
            }
        }
        // A stray says less than the token that it may be the beginning of.
        $isStray = $here->mark === null || $here->mark->kind === Mark::STRAY;
        $isKnown = $here->opened !== [] || !$isStray || $here->closing !== null;
        if ($this->near !== null && !$isKnown && $pos >= $floor) {
            $this->near->note($text, $pos, $open, $here);
        }
        return $here->isEmpty() ? null : $here;
    }

    /** Whether a marker may open a call only where the text begins. */
    public function mayOpenFirst(): bool
    {
        return $this->first !== [];
    }

    /**
     * The markers that open a call where the text begins, or right behind a call that such a marker
     * has opened.
     *
     * @return list<array{SoughtMarker, Span}>
     */
    public function first(string $text, int $start): array
    {
        $found = [];
        foreach ($this->first as [$format, $index]) {
            if ($start > 0 && !$format->call->onlyFirst) {
                continue;
            }
            foreach ($format->call->opensFirst() as $marker) {
                $length = $marker->at($text, $start);
                if ($length >= 0) {
                    $sought = new SoughtMarker($marker, null, []);
                    $sought->opens($format, $index, false);
                    $found[] = [$sought, new Span($start, $start + $length)];
                    break;
                }
            }
        }
        return $found;
    }

    /** The length of the end of a text that only the beginning of a token can be. */
    public function cutToken(string $text): int
    {
        $near = strlen($text) > self::LOOKED_AT ? substr($text, -self::LOOKED_AT) : $text;
        $at = strrpos($near, '<');
        $end = $at === false ? '' : substr($near, $at);
        $isToken = false;
        foreach (self::TOKEN_BEGINNINGS as $token) {
            $begins = strncmp($end, $token, strlen($token)) === 0;
            $isToken = $isToken || ($begins && strlen($end) > strlen($token));
        }
        foreach ($isToken ? $this->all : [] as $sought) {
            $waits = $sought->inside || $sought->does instanceof ClosingMarker;
            if (!$waits && $sought->marker->at($end, 0, '', false) === Marker::CUT) {
                return strlen($end);
            }
        }
        return 0;
    }
}
