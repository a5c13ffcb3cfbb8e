<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Marked;

use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Span;
use Toolwire\Plain\TextEnded;

/**
 * Where the value of a tagged parameter ends. A value never swallows markup of its own form:
 *
 * - An end tag ends the value where the structure can continue after it.
 * - Tags that are opened and closed again in the value are its text. So is an end tag between
 *   quotes
 *   or spaces, and the opening of a parameter that is also given.
 * - Where tags are names of tools, an end tag that nothing of the call follows is text too: the
 *   last
 *   one counts. One that is written twice is not.
 * - A tag in a string of JSON is text where the JSON is whole and an end tag follows it.
 * - Anything else means that a tag is missing or one too many: the call is damaged.
 */
final class ValueSearch
{
    /** The most tags that are open inside each other in a value as text. */
    private const MOST_NESTED = 12;
    /** The most elements of the value that are open inside each other. */
    private const MOST_ELEMENTS = 128;

    /** What stands in front of a tag that a text mentions, and what stands behind one. */
    public const BEFORE_QUOTED = " \t\"'`(";
    public const BEHIND_QUOTED = " \t\"'`),.;:!?";

    /** @var int where the search goes on */
    public $pos;

    /** @var int */
    private $start;

    /** @var list<StandingTag> the tags in the value that are not closed yet */
    private $nested = [];

    /** @var StandingTag|null the first tag that was opened in the value */
    private $opened = null;

    /** @var StandingTag|null the first one that opens a call */
    private $call = null;

    /** @var bool whether an end tag was passed that is text */
    private $quoted = false;

    /** @var int|null the offset of the first `<` in the value, once it was asked for */
    private $firstBracket = null;

    /** @var string */
    private $text;

    /** @var OwnMarkup */
    private $own;

    /** @var JsonValue */
    private $json;

    /** @var string the key of the parameter */
    private $key = '';

    /** `$isNoText` says whether the parameter is known to be no text. */
    public function __construct(string $text, int $start, OwnMarkup $own, bool $isNoText)
    {
        [$this->text, $this->own] = [$text, $own];
        $this->start = $this->pos = $start;
        $this->json = new JsonValue($text, $start, $own, $isNoText);
    }

    /** The damage that is known so far, where nothing beyond is looked at. */
    public function damage(): ?StandingTag
    {
        return $this->call ?? $this->opened;
    }

    /**
     * The end of the value, null where it is not up to a limit. `$isGiven` says whether the call
     * has a parameter of a key already.
     *
     * @param callable(string): bool $isGiven
     * @throws TextEnded
     */
    public function end(int $limit, string $key, callable $isGiven): ?ValueEnd
    {
        $this->key = $key;
        while (true) {
            $last = end($this->nested);
            $name = $last !== false && $last->key !== null ? $last->key->of($this->text) : $key;
            $standing = $this->own->find($this->pos, $name);
            if ($standing === null) {
                $this->pos = strlen($this->text);
                // The text is cut off in the value. A whole call in it is data, as in a file that
                // shows calls, and must not run in place of the call around it.
                throw new TextEnded();
            }
            $this->pos = $standing->span->start;
            if ($standing->span->start > $limit) {
                return null;
            }
            $jsonEnd = $this->json->isNoText ? $this->json->endTag($limit, $key) : null;
            if ($jsonEnd !== null) {
                return ValueEnd::at($jsonEnd);
            }
            switch ($standing->tag) {
                case StandingTag::OPENS_PARAMETER:
                case StandingTag::OPENS_CALL:
                case StandingTag::OPENS_WRAPPER:
                    $end = $this->opens($standing);
                    break;
                case StandingTag::CLOSES_PARAMETER:
                    $end = $this->closesParameter($standing, $isGiven);
                    break;
                default:
                    $end = $this->closes($standing);
            }
            if ($end !== null) {
                return $this->besideJson($end, $limit, $key);
            }
            $this->pos = $standing->span->end;
        }
    }

    /** The end of the value, where this one may stand in JSON. */
    private function besideJson(ValueEnd $end, int $limit, string $key): ValueEnd
    {
        $at = $end->tag === null ? $end->damage->span->start : $end->tag->start;
        $tag = $this->json->endTag($limit, $key);
        if ($tag === null || $tag->start <= $at) {
            return $end;
        }
        $isAmbiguous = $end->tag !== null
            && $this->json->mayBeginCall(new Span($at, $tag->start), $key);
        return $isAmbiguous ? ValueEnd::ambiguous($tag->start) : ValueEnd::at($tag);
    }

    private function opens(StandingTag $standing): ?ValueEnd
    {
        if ($standing->tag !== StandingTag::OPENS_PARAMETER) {
            if (!$this->own->goesOn($standing->tag, $standing->span->end)) {
                return null;
            }
            $this->call = $this->call ?? $standing;
            if ($this->quoted) {
                return ValueEnd::damaged($this->call);
            }
        }
        if ($this->isTooDeep($standing)) {
            return $this->unclosed($standing);
        }
        $this->opened = $this->opened ?? $standing;
        $this->nested[] = $standing;
        return null;
    }

    private function isElement(StandingTag $standing): bool
    {
        return $this->own->parameter->nested && $standing->tag === StandingTag::OPENS_PARAMETER;
    }

    private function isTooDeep(StandingTag $standing): bool
    {
        if ($this->isElement($standing)) {
            return count($this->nested) >= self::MOST_ELEMENTS;
        }
        $others = 0;
        foreach ($this->nested as $open) {
            $others += $this->isElement($open) ? 0 : 1;
        }
        return $others >= self::MOST_NESTED;
    }

    /** @param callable(string): bool $isGiven */
    private function closesParameter(StandingTag $standing, callable $isGiven): ?ValueEnd
    {
        $span = $standing->span;
        $own = $this->own;
        $follows = $own->continues($span->end);
        $innermost = end($this->nested);
        if ($innermost === false) {
            $holds = $follows === OwnMarkup::UNKNOWN_PARAMETER
                && $this->holdsTagBefore($span->start);
            if ($holds || ($follows === null && $own->hasToolTags() && !$own->isRepeated($span))) {
                // The end tag is text of the value: the last one counts.
                $this->quoted = true;
                return null;
            }
            return $follows === null ? $this->stray($standing) : ValueEnd::at($span);
        }
        if ($innermost->tag !== StandingTag::OPENS_PARAMETER) {
            return $this->unclosed($standing);
        }
        $nested = $own->parameter->nested;
        $next = !$nested && $follows === OwnMarkup::PARAMETER ? $own->nextKey($span->end) : null;
        $goesOn = $follows === OwnMarkup::END || $follows === OwnMarkup::PARAMETER;
        if ($goesOn && !$nested && $this->areGiven($next, $isGiven)) {
            return ValueEnd::at($span);
        }
        $inside = new Span($innermost->span->end, $span->start);
        if (!$nested && trim($inside->of($this->text), Arguments::BLANK) === '') {
            return $this->unclosed($standing);
        }
        array_pop($this->nested);
        return null;
    }

    /** Whether a `<` stands in the value in front of an end tag. It is looked for once. */
    private function holdsTagBefore(int $end): bool
    {
        if ($this->firstBracket === null) {
            $length = strcspn($this->text, '<', $this->start, $end - $this->start);
            $this->firstBracket = $this->start + $length;
        }
        return $this->firstBracket < $end;
    }

    private function closes(StandingTag $standing): ?ValueEnd
    {
        $last = end($this->nested);
        $open = $last === false ? 0 : $last->tag;
        $tag = $standing->tag;
        $closesCall = $open === StandingTag::OPENS_CALL && $tag === StandingTag::CLOSES_CALL;
        $closesWrapper = $open === StandingTag::OPENS_WRAPPER
            && $tag === StandingTag::CLOSES_WRAPPER;
        if ($closesCall || $closesWrapper) {
            array_pop($this->nested);
            return null;
        }
        // The end of another tool's call, which may be in a call that the value shows.
        if ($tag === StandingTag::CLOSES_OTHER && $this->own->hasToolTags()) {
            if ($open === StandingTag::OPENS_CALL) {
                array_pop($this->nested);
            }
            return null;
        }
        // The end of a call may be missing where its wrapper ends.
        $lenient = $this->own->format->call->end !== 'required';
        if (
            $lenient && $open === StandingTag::OPENS_CALL && $tag === StandingTag::CLOSES_WRAPPER
        ) {
            array_pop($this->nested);
            $last = end($this->nested);
            if ($last !== false && $last->tag === StandingTag::OPENS_WRAPPER) {
                array_pop($this->nested);
            }
            return null;
        }
        return $last === false ? $this->stray($standing) : $this->unclosed($standing);
    }

    /** Decides what a closing tag is that closes nothing in the value: text, or damage. */
    private function stray(StandingTag $standing): ?ValueEnd
    {
        [$tag, $span] = [$standing->tag, $standing->span];
        $next = $this->text[$span->end] ?? '';
        $closesCall = $tag === StandingTag::CLOSES_CALL;
        if ($next === '') {
            if ($closesCall && $this->endsValue($span->start)) {
                return $this->atCallEnd($span->start);
            }
            // The end of the text cuts the call off, whatever the tag is, unless all calls end so.
            if ($closesCall && $this->own->hasToolTags()) {
                return ValueEnd::damaged($this->opened ?? $standing);
            }
            throw new TextEnded();
        }
        if ($this->isMentioned($span, $next)) {
            $this->quoted = true;
            return null;
        }
        if ($closesCall && $this->endsValue($span->start) && $this->own->mayEndCall($span->end)) {
            return $this->atCallEnd($span->start);
        }
        if ($tag === StandingTag::CLOSES_PARAMETER && $this->own->isCut($span->end)) {
            throw new TextEnded();
        }
        return ValueEnd::damaged($this->opened ?? $standing);
    }

    /** The end of a value whose own end tag does not stand in front of the end of the call. */
    private function atCallEnd(int $at): ValueEnd
    {
        $close = $this->own->parameter->close;
        $value = new Span($this->start, $at);
        $tag = DamagedEnd::of($this->text, $value, $close)
            ?? DamagedEnd::ofName($this->text, $value, $this->key);
        return $tag === null
            ? ValueEnd::atCallEnd($at)
            : ValueEnd::damaged(new StandingTag(StandingTag::CLOSES_PARAMETER, $tag));
    }

    /** Whether a closing tag stands between quotes or spaces, as one that a text mentions. */
    private function isMentioned(Span $tag, string $next): bool
    {
        $before = $tag->start > $this->start ? $this->text[$tag->start - 1] : '';
        $opens = $before !== '' && strpos(self::BEFORE_QUOTED, $before) !== false;
        if (strpos(self::BEHIND_QUOTED, $next) !== false) {
            return $before === '' || $opens;
        }
        return $opens && $this->own->endsValue($tag->end);
    }

    /**
     * Whether the value can only end here if its end tag is missing: white space in front of the
     * end of a call may belong to the value or not.
     */
    private function endsValue(int $at): bool
    {
        if (
            $this->quoted || $this->opened !== null || $at <= $this->start
            || $this->own->format->call->end === 'required'
        ) {
            return false;
        }
        $lines = $this->own->parameter->trimLines && $this->text[$this->start] === "\n";
        $last = $lines && $this->text[$at - 1] === "\n" ? $at - 2 : $at - 1;
        return $last >= $this->start && strpos(Arguments::BLANK, $this->text[$last]) === false;
    }

    /**
     * Whether all tags that are open in the value are parameters that the call has too.
     *
     * @param callable(string): bool $isGiven
     */
    private function areGiven(?Span $next, callable $isGiven): bool
    {
        $next = $next === null ? null : $next->of($this->text);
        foreach ($this->nested as $open) {
            $key = $open->key === null ? null : $open->key->of($this->text);
            if ($key === null || !($isGiven($key) || $next === $key)) {
                return false;
            }
        }
        return $this->nested !== [];
    }

    /**
     * The damage that a tag shows which does not close the innermost open one: the outermost open
     * tag is one of the call or of the next one.
     */
    private function unclosed(StandingTag $standing): ValueEnd
    {
        return ValueEnd::damaged($this->nested[0] ?? $standing);
    }
}
