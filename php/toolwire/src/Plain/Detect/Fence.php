<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Json\Arguments;

/** A fenced code block: its marker, where its content starts, and where it ends. */
final class Fence
{
    /** @var int */
    public $start;

    /** @var string the byte of the marker */
    public $byte;

    /** @var int the length of the marker */
    public $length;

    /** @var int where the content starts; the first byte of it that is not white space, if known */
    public $content = 0;

    /** @var list<Marker> the tokens of the message, which may follow the marker at once */
    private $frames;

    /** @param list<Marker> $frames the tokens of the message */
    public function __construct(string $text, int $start, array $frames)
    {
        $this->frames = $frames;
        $this->start = $start;
        $this->byte = $text[$start];
        $this->length = strspn($text, $this->byte, $start);
    }

    public function afterMarker(): int
    {
        return $this->start + $this->length;
    }

    /** Moves the start of the content over white space. */
    public function skipBlank(string $text): void
    {
        $this->content += strspn($text, Arguments::BLANK, $this->content);
    }

    /** Whether only white space stands between the start of the line and a place. */
    public static function atLineStart(string $text, int $pos): bool
    {
        $first = strncmp($text, "\u{FEFF}", 3) === 0 && $pos >= 3 ? 3 : 0;
        while ($pos > $first && ($text[$pos - 1] === ' ' || $text[$pos - 1] === "\t")) {
            $pos--;
        }
        return $pos <= $first || $text[$pos - 1] === "\n" || $text[$pos - 1] === "\r";
    }

    /**
     * Where the block ends, from a place in its content on: the byte behind the closing marker, or
     * the start of the line that ends what holds the block; and whether CommonMark ends the block
     * elsewhere. Null when the text ends first.
     *
     * @return array{int, bool}|null
     */
    public function end(string $text, int $pos): ?array
    {
        $held = Enclosure::ofBlock($text, $this->start);
        $begun = $differs = false;
        while (($at = strpos($text, "\n", $pos)) !== false) {
            $content = $at + 1;
            if (!$held->isNone()) {
                $place = $held->place($text, $content);
                if ($place === null || ($begun && !$place[1] && !$place[2])) {
                    return [$content, $differs];
                }
                // In CommonMark a block is empty whose first line is not in the item. Models write
                // their code like this.
                if (!$begun && !$place[1] && !$place[2]) {
                    [$held->indent, $differs] = [0, true];
                }
                $begun = $begun || $place[2];
                $content = $place[0];
            }
            [$pos, $closes, $textFollows] = $this->line($text, $content);
            if ($closes) {
                return [$pos, $textFollows || $differs];
            }
        }
        return null;
    }

    /**
     * What follows calls: the end of the block, whether the text cuts the block off, and whether
     * text follows in the line; null when something else follows.
     *
     * @return array{int, bool, bool}|null
     */
    public function tail(string $text, int $callsEnd): ?array
    {
        $pos = $callsEnd + strspn($text, Arguments::BLANK, $callsEnd);
        if ($pos >= strlen($text)) {
            return [$callsEnd, true, false];
        }
        [$end, $closes, $textFollows, $run] = $this->line($text, $pos);
        if ($closes) {
            return [$end, false, $textFollows];
        }
        return $end === strlen($text) && $run > 0 ? [$end, true, false] : null;
    }

    /**
     * Reads a line: the byte behind a closing marker, or that from which to look for the next line;
     * whether it closes, whether text follows, and the length of the run of the marker's byte.
     *
     * @return array{int, bool, bool, int}
     */
    private function line(string $text, int $pos): array
    {
        $pos += strspn($text, " \t", $pos);
        $run = strspn($text, $this->byte, $pos);
        $end = $pos + $run;
        if ($run < $this->length) {
            return [$end, false, false, $run];
        }
        $next = $text[$end] ?? '';
        if ($next === '' || strpos("\n\r", $next) !== false) {
            return [$end, true, false, $run];
        }
        if ($next !== ' ' && $next !== "\t") {
            return [$end, Marker::first($this->frames, $text, $end) >= 0, false, $run];
        }
        // In CommonMark no text follows the marker. Models write it, and go on there.
        $behind = $text[$end + strspn($text, " \t", $end)] ?? '';
        return [$end, true, $behind !== '' && strpos("\n\r", $behind) === false, $run];
    }
}
