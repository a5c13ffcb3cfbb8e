<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Format\Format;
use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Span;

/** A marker that is searched for, and what it does. */
final class SoughtMarker
{
    /** The number of bytes of a marker's text from which the byte to search for is chosen. */
    private const LOOKED_AT = 64;
    /** The most white space that is passed before and behind a name. */
    private const MOST_SPACE = 64;
    /** The fewest bytes of a marker that no prose holds. */
    public const TELLING = 6;

    /** @var Marker */
    public $marker;

    /** @var int the offset in the marker of the byte that is searched for */
    public $offset;

    /** @var Mark|ClosingMarker|null null where it opens calls */
    public $does;

    /** @var Format|null the format whose calls it opens */
    public $format = null;

    /** @var int the place of the format among those that are looked for */
    public $index = -1;

    /** @var bool whether it opens a wrapper; otherwise it opens a call */
    public $wraps = false;

    /** @var bool whether it counts only apart from the words of the text */
    public $isApart = false;

    /** @var bool whether functions must follow: in a list of calls, anything else is prose */
    private $listsFunctions = false;

    /** @var bool whether it counts only where a wrapper of its format is open */
    public $inside = false;

    /**
     * @param Mark|ClosingMarker|null $does
     * @param array<string, true> $known the bytes that are searched for already
     */
    public function __construct(Marker $marker, $does, array $known)
    {
        [$this->marker, $this->does] = [$marker, $does];
        $this->offset = self::searchedByte($marker->lead, $known);
    }

    /**
     * Whether it cannot stand at a place, since a name with a round bracket must follow, as in
     * `[f(`. Most brackets of a text have something else behind them.
     */
    public function lacksFunction(string $text, int $end): bool
    {
        if (!$this->listsFunctions) {
            return false;
        }
        $behind = $end + strspn($text, Arguments::BLANK, $end, self::MOST_SPACE);
        $next = $text[$behind] ?? '';
        if ($next === '' || $behind - $end === self::MOST_SPACE) {
            return false;
        }
        if ($next !== '_' && !ElementReader::isLetter($next)) {
            return true;
        }
        $length = strspn($text, ToolName::OF_NAMES, $behind, ToolName::LONGEST);
        $behind += $length;
        $space = strspn($text, Arguments::BLANK, $behind, self::MOST_SPACE);
        return $length < ToolName::LONGEST && $space < self::MOST_SPACE
            && ($text[$behind + $space] ?? '(') !== '(';
    }

    /** It opens the calls of a format, or their wrapper. */
    public function opens(Format $format, int $index, bool $wraps): void
    {
        [$this->format, $this->index, $this->wraps] = [$format, $index, $wraps];
        // Behind `[` of a list of calls in Python, a name and a round bracket must follow.
        $this->listsFunctions = $wraps && $format->plain && $format->body === 'literal'
            && $format->quote === null && $format->call->open === []
            && $this->marker->written === $this->marker->lead;
    }

    /** The byte by which it is searched for. */
    public function byte(): string
    {
        return $this->marker->lead[$this->offset];
    }

    /** Whether it stands apart from the words of the text, if it has to. */
    public function standsApart(string $text, Span $span, int $over): bool
    {
        return !$this->isApart || !$this->does instanceof Mark
            || Apart::thoughtTagCounts($this->does, $text, $span, $over);
    }

    public function isToolTag(): bool
    {
        return $this->format !== null && $this->format->call->isToolTag();
    }

    /** Whether it counts where the wrapper of a format is open: it may do so only there. */
    public function counts(?int $open): bool
    {
        return !$this->inside || $open === $this->index;
    }

    /** Whether a marker tells itself from prose. */
    public static function isTelling(Marker $marker): bool
    {
        $first = $marker->lead[0] ?? '';
        return strlen($marker->lead) >= self::TELLING && ($first === '<' || $first === '[');
    }

    /**
     * The part of a marker that no prose holds: a bracket or a fence in front of it stands in every
     * text.
     */
    public static function tellingPart(Marker $marker): ?Marker
    {
        if (strlen($marker->lead) >= self::TELLING) {
            return $marker;
        }
        foreach ($marker->texts() as $text) {
            if (strlen($text) >= self::TELLING) {
                return Marker::of($text);
            }
        }
        return null;
    }

    /**
     * The offset of the byte by which a marker is searched for: a byte that is searched for
     * already, or else a rare one.
     *
     * @param array<string, true> $known
     */
    private static function searchedByte(string $lead, array $known): int
    {
        [$best, $rarest] = [0, -1];
        foreach (str_split(substr($lead, 0, self::LOOKED_AT)) as $at => $byte) {
            if (isset($known["b$byte"])) {
                return $at;
            }
            $rarity = self::rarity($byte);
            if ($rarity > $rarest) {
                [$best, $rarest] = [$at, $rarity];
            }
        }
        return $best;
    }

    private static function rarity(string $byte): int
    {
        if (ord($byte) >= 0x80) {
            return 5;
        }
        if (strpos(" .,\n", $byte) !== false) {
            return 0;
        }
        if ($byte >= 'a' && $byte <= 'z') {
            return 1;
        }
        if (preg_match('/[A-Z0-9]/', $byte) === 1) {
            return 2;
        }
        return strpos("-\"':()", $byte) !== false ? 3 : 6;
    }
}
