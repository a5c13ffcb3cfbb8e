<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Profile\ThoughtTags;
use Toolwire\Plain\Span;

/**
 * Whether markup stands apart from the words of a text: it has the beginning or the end of its line
 * for itself.
 */
final class Apart
{
    /** Whether nothing but blanks stands in front of a place in its line, or behind a call. */
    public static function beginsLine(string $text, int $at, int $floor): bool
    {
        do {
            $at--;
        } while ($at >= $floor && ($text[$at] === ' ' || $text[$at] === "\t"));
        return $at < $floor || $text[$at] === "\n";
    }

    /** Whether a blank stands right in front of a marker and right behind it. */
    public static function standsBetweenBlanks(string $text, Span $marker): bool
    {
        return preg_match('/^[ \t]$/D', $text[$marker->start - 1] ?? '') === 1
            && preg_match('/^[ \t]$/D', $text[$marker->end] ?? '') === 1;
    }

    /**
     * Whether a tag of reasoning that is written in another way counts where it stands, since words
     * about it do not: one that opens reasoning begins its line. One that closes what nothing has
     * opened begins or ends it.
     */
    public static function thoughtTagCounts(Mark $mark, string $text, Span $tag, int $floor): bool
    {
        $begins = self::beginsLine($text, $tag->start, $floor);
        if ($mark->kind !== Mark::CLOSES_REASONING) {
            return $begins;
        }
        return ($begins || ThoughtTags::endsLine($text, $tag->end))
            && !ThoughtTags::isOpened($text, new Span(0, $tag->start));
    }
}
