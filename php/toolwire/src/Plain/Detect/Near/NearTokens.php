<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Near;

use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Detect\Here;
use Toolwire\Plain\Detect\Mark;
use Toolwire\Plain\Detect\SoughtMarker;
use Toolwire\Plain\Detect\Tag;
use Toolwire\Plain\Span;

/**
 * Special tokens that are damaged: a bar is doubled, missing or another character, a letter is
 * missing, blanks stand inside. Tags that name calls, written with capitals or blanks.
 *
 * A token with bars is no prose, and neither is a tag such as `<Tool_Call >`. So one that is not
 * known, and that differs from a known one by that little, is taken for it.
 */
final class NearTokens
{
    /** The fewest letters of a token of which one may be missing, one too many, or another one. */
    private const FEWEST = 6;
    /** The fewest letters of a tag without bars that may be written in another way. */
    private const FEWEST_OF_TAG = 8;
    /** The number of letters by which it is seen whether a word may be a token. */
    private const START = 4;
    /** The same with what may stand between them. */
    private const START_WITH_GAPS = 6;
    /** The bytes with which a bar begins. */
    private const BARS = "|\xC2\xE2\xEF";

    /** @var list<array{SoughtMarker, TextToken, Marker|null}> the rest of the marker behind each */
    private $known = [];

    /** @var array<string, true> the first letters of those that open something */
    private $starts = [];

    /** @var array<string, true> the first two letters of these, and the first one alone */
    private $pairs = [];

    /** @var array<string, true> the first letters of the tags without bars that open something */
    private $ofTags = [];

    /** @param list<SoughtMarker> $all */
    public function __construct(array $all)
    {
        foreach ($all as $sought) {
            if (!$sought->isToolTag()) {
                $this->add($sought);
            }
        }
    }

    /** Takes a marker that begins with a token. */
    private function add(SoughtMarker $sought): void
    {
        $written = $sought->marker->written;
        $text = (string) preg_replace('/\{[^}]*\}/', '', $written);
        $token = TextToken::at($text, 0);
        if ($token === null) {
            return;
        }
        $isWhole = $token->ends || $token->length === strlen($text);
        $isTag = $token->ends && strlen($token->letters) >= self::FEWEST_OF_TAG
            && $sought->marker->namesCalls();
        if ((!$token->hasBar && !$isTag) || !$isWhole || strlen($token->letters) < 2) {
            return;
        }
        $at = $token->ends ? strpos($written, '>') : false;
        $rest = $at === false ? null : Marker::of(substr($written, $at));
        if ($token->ends !== ($rest !== null)) {
            return;
        }
        $this->known[] = [$sought, $token, $rest];
        $start = $token->closes ? null : self::start($token->letters, 0);
        if ($start !== null) {
            $this->starts[$start] = true;
            $this->pairs[substr($start, 0, 2)] = $this->pairs[$start[0]] = true;
        }
        if (!$token->closes && !$token->hasBar) {
            $this->ofTags[$token->letters[0]] = true;
        }
    }

    /**
     * The first letters of a word, in small letters, if there are enough of them near its start.
     */
    private static function start(string $text, int $pos): ?string
    {
        $near = (string) substr($text, $pos, self::START_WITH_GAPS);
        $letters = Tag::lower(str_replace(['_', '-', ' '], '', $near));
        $start = (string) substr($letters, 0, self::START);
        return preg_match('/^[a-z]{4}$/D', $start) === 1 ? $start : null;
    }

    /** Whether the word at a place begins as a token does, as far as it is known. */
    private function beginsWord(string $text, int $pos): bool
    {
        $start = self::start($text, $pos);
        if ($start !== null) {
            return isset($this->starts[$start]);
        }
        $near = (string) substr($text, $pos, self::START_WITH_GAPS);
        return preg_match('/^[A-Za-z_ -]*$/D', $near) === 1;
    }

    /** Whether a token may begin at a `<`, as far as the next bytes tell. */
    public function mayBegin(string $text, int $pos): bool
    {
        if ($this->known === [] || $text[$pos] !== '<') {
            return false;
        }
        $next = $text[$pos + 1] ?? '';
        $isBehind = $next === '/' || $next === ' ';
        $at = $isBehind ? $pos + 2 : $pos + 1;
        if (!isset($text[$at]) || strpos(self::BARS, $text[$at]) !== false) {
            return true;
        }
        // Only what begins like a known word is looked at, as `< tool` and `<tool`.
        $letters = Tag::lower(substr($text, $at, $isBehind ? 1 : 2));
        $isKnown = $isBehind ? isset($this->ofTags[$letters]) : isset($this->pairs[$letters]);
        return $next !== '/' && $isKnown && $this->beginsWord($text, $at);
    }

    /** Notes the markers that a damaged token is. */
    public function note(string $text, int $pos, ?int $open, Here $here): void
    {
        $token = $this->mayBegin($text, $pos) ? TextToken::at($text, $pos) : null;
        if ($token === null || (!$token->hasBar && !$token->ends)) {
            return;
        }
        [$found, $least] = [[], PHP_INT_MAX];
        foreach ($this->known as [$sought, $known, $rest]) {
            if ($known->closes !== $token->closes || ($token->hasBar && !$known->hasBar)) {
                continue;
            }
            $near = self::distance($token, $known, $rest);
            $end = $near === null ? null : self::end($token, $rest, $text, $pos, $near[1]);
            if ($end !== null && $near[0] <= $least) {
                $found = $near[0] < $least ? [] : $found;
                $least = $near[0];
                $found[] = [$sought, $known->letters, $end];
            }
        }
        if ($found === []) {
            return;
        }
        $here->mark = null;
        if (count(array_unique(array_column($found, 1))) > 1) {
            // It could be one of several tokens.
            $end = $pos + $token->length + (int) $token->ends;
            $here->mark = (new Mark(Mark::STRAY))->at(new Span($pos, $end));
            return;
        }
        foreach ($found as [$sought, , $length]) {
            if ($sought->counts($open)) {
                $here->note($sought, new Span($pos, $pos + $length));
            }
        }
    }

    /** The length of the whole marker, if its rest stands behind the token. */
    private static function end(
        TextToken $token,
        ?Marker $rest,
        string $text,
        int $pos,
        int $length
    ): ?int {
        if ($rest !== null && $token->ends) {
            $more = $rest->at($text, $pos + $length);
            return $more < 0 ? null : $length + $more;
        }
        return $rest !== null && $rest->written !== '>' ? null : $length;
    }

    /**
     * The number of edits that make a token the known one, if they are few, and the length of the
     * token, without its end.
     *
     * @return array{int, int}|null
     */
    private static function distance(TextToken $token, TextToken $known, ?Marker $rest): ?array
    {
        if (!$token->hasBar) {
            // A tag without bars may be a word of HTML, so its letters are those of the known one.
            return !$known->hasBar && $token->letters === $known->letters
                ? [0, $token->length]
                : null;
        }
        $parts = [[$token->length, strlen($token->letters)]];
        if ($rest === null) {
            // Attributes stand behind a blank.
            $parts = array_merge($token->blanks, $token->ends ? [] : $parts);
        }
        $near = null;
        foreach ($parts as [$length, $letters]) {
            $edits = self::edits((string) substr($token->letters, 0, $letters), $known->letters);
            $one = $edits === null ? null : [$edits, $length];
            $near = $near === null || ($one !== null && $one < $near) ? $one : $near;
        }
        return $near;
    }

    /** The number of letters that are missing, one too many or others, if it is at most one. */
    public static function edits(string $found, string $known): ?int
    {
        if ($found === $known) {
            return 0;
        }
        $lengths = [strlen($found), strlen($known)];
        if ($lengths[1] < self::FEWEST || abs($lengths[0] - $lengths[1]) > 1) {
            return null;
        }
        $same = strspn($found ^ $known, "\0");
        $rest = substr($found, $same + ($lengths[0] >= $lengths[1] ? 1 : 0));
        $other = substr($known, $same + ($lengths[1] >= $lengths[0] ? 1 : 0));
        return (string) $rest === (string) $other ? 1 : null;
    }
}
