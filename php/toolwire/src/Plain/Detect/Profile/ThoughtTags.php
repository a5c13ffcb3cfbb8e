<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Profile;

use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Detect\Tag;
use Toolwire\Plain\Span;

/**
 * Tags of reasoning that are written in another way than the model's own.
 *
 * Models write `<THINK>`, `</think >`, `<//think>` or `<\/think>`, and end `<think>` with
 * `</thinking>`. Without such an end, the answer behind it would be lost in the reasoning.
 */
final class ThoughtTags
{
    /** The names of the tags that reasoning stands in, in small letters. */
    private const NAMES = [
        'think', 'thinking', 'thought', 'thoughts', 'reasoning',
        'mm:think', 'seed:think', 'antml:thinking',
    ];
    /** The bytes of a name. */
    private const OF_NAME = self::CAPITAL . self::SMALL . ':_';
    private const CAPITAL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
    private const SMALL = 'abcdefghijklmnopqrstuvwxyz';
    /** The longest of these names, in bytes. */
    private const LONGEST_NAME = 16;
    /** The most slashes and blanks in front of a name. */
    private const MOST_SLASHES = 3;
    /** The most blanks behind a name, and behind a tag. */
    private const MOST_BLANKS = 16;
    /** How far back a tag is looked for that opens what another style's tag closes. */
    private const LOOK_BACK = 4096;

    /** @var list<string> the names of the style's own tags; none if no tags close it */
    private $own = [];

    /** @param list<Marker> $close the markers that close the style */
    public function __construct(array $close)
    {
        foreach ($close as $marker) {
            [$closes, $name] = self::ownName($marker);
            if ($closes && $name !== '') {
                $this->own[] = Tag::lower($name);
            }
        }
    }

    /**
     * Whether a tag closes something, and its name, as the marker begins with it; an empty name for
     * another marker.
     *
     * @return array{bool, string}
     */
    private static function ownName(Marker $tag): array
    {
        $pattern = '~^<(/?)([' . self::OF_NAME . ']+)>?$~D';
        $isTag = preg_match($pattern, $tag->lead, $parts) === 1;
        return $isTag ? [$parts[1] === '/', $parts[2]] : [false, ''];
    }

    /**
     * The other ways in which models write a tag that opens or closes reasoning, where the search
     * for markers finds them; none for another marker.
     *
     * @return list<string>
     */
    public static function otherWays(Marker $tag): array
    {
        [$closes, $name] = self::ownName($tag);
        if ($name === '') {
            return [];
        }
        // What PHP's own functions make of a letter is the locale's affair before PHP 8.2.
        $upper = strtr($name, self::SMALL, self::CAPITAL);
        $capital = $upper[0] . substr($name, 1);
        return $closes
            ? ["</$name >", "</$capital>", "</$upper>", "<\\/$name>", "</$name{ahead}\n"]
            : ["<$name >", "<$capital>", "<$upper>"];
    }

    /**
     * The ways that are rarer still.
     *
     * @return list<string>
     */
    public static function rareWays(Marker $tag): array
    {
        [$closes, $name] = self::ownName($tag);
        if ($name === '') {
            return [];
        }
        return $closes ? ["</ $name>", "< /$name>", "<//$name>"] : ["< $name>"];
    }

    /** Whether the start tag of the end tag behind a part, spelled as that one is, stands near. */
    public static function isOpened(string $text, Span $before): bool
    {
        $name = self::read($text, $before->end)[1];
        $from = max($before->start, $before->end - self::LOOK_BACK);
        return strpos((string) substr($text, $from, $before->end - $from), "<$name") !== false;
    }

    /** Whether nothing but blanks stands in the rest of a line. */
    public static function endsLine(string $text, int $at): bool
    {
        $behind = $text[$at + strspn($text, " \t", $at, self::MOST_BLANKS)] ?? "\n";
        return $behind === "\n" || $behind === "\r";
    }

    /**
     * The first end tag in a part of the reasoning that begins at `$start`, and its length.
     *
     * @return array{int, int}|null
     */
    public function first(string $text, int $start, Span $part): ?array
    {
        if ($this->own === []) {
            return null;
        }
        $at = strpos($text, '<', $part->start);
        while ($at !== false && $at < $part->end) {
            $length = $this->lengthAt($text, $start, $at);
            if ($length > 0) {
                return [$at, $length];
            }
            $at = strpos($text, '<', $at + 1);
        }
        return null;
    }

    /** The length of a tag of its own that opens reasoning, or 0 if none stands at a place. */
    public function openingAt(string $text, int $at): int
    {
        if ($this->own === [] || ($text[$at] ?? '') !== '<') {
            return 0;
        }
        [$closes, $name, $inside] = self::read($text, $at);
        $isOwn = !$closes && in_array(Tag::lower($name), $this->own, true);
        return $isOwn && ($text[$inside] ?? '') === '>' ? $inside + 1 - $at : 0;
    }

    /**
     * Whether the tag at a place closes something, its name, and where what it says ends.
     *
     * @return array{bool, string, int}
     */
    private static function read(string $text, int $at): array
    {
        $slashes = strspn($text, '/\\ ', $at + 1, self::MOST_SLASHES);
        $from = $at + 1 + $slashes;
        $closes = strpos((string) substr($text, $at + 1, $slashes), '/') !== false;
        $length = strspn($text, self::OF_NAME, $from, self::LONGEST_NAME);
        $inside = $from + $length + strspn($text, " \t", $from + $length, self::MOST_BLANKS);
        return [$closes, (string) substr($text, $from, $length), $inside];
    }

    /** The length of the end tag at a place, or 0 if none stands there that ends the thought. */
    private function lengthAt(string $text, int $start, int $at): int
    {
        [$closes, $name, $inside] = self::read($text, $at);
        [$next, $lower] = [$text[$inside] ?? '', $closes ? Tag::lower($name) : ''];
        if (in_array($lower, $this->own, true)) {
            // At the end of its line, a tag may lack its bracket.
            $isCut = $next === "\n" || $next === "\r";
            return $next === '>' ? $inside + 1 - $at : ($isCut ? $inside - $at : 0);
        }
        if ($next !== '>' || !in_array($lower, self::NAMES, true)) {
            return 0;
        }
        // The tag of another style is a word of the thought, unless it ends its line and nothing in
        // the thought has opened it.
        $end = $inside + 1;
        $ends = self::endsLine($text, $end) && !self::isOpened($text, new Span($start, $at));
        return $ends ? $end - $at : 0;
    }
}
