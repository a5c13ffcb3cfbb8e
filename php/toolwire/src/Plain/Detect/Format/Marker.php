<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Format;

use Toolwire\Plain\Detect\ToolName;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\TextEnded;

/**
 * A marker: the text that opens, divides or closes a call, with placeholders in braces.
 *
 * `{space}` is white space or nothing, `{suffix}` a colon and a word or nothing, `{word}` a name
 * that does not count, `{id}` the call's id, `{name}` the name of what the marker closes,
 * `{capital}` nothing in front of a capital letter, `{numbers}` numbers or nothing, `{header}` what
 * a message's header says besides. Behind `{end}` only white space stands in the text. The text
 * behind `{ahead}` must follow the marker, but does not belong to it.
 */
final class Marker
{
    /** The marker does not stand at the place. */
    public const NO = -1;
    /** The text ends inside the marker. */
    public const CUT = -2;

    private const HOLES = [
        '{space}', '{suffix}', '{word}', '{id}', '{capital}', '{name}', '{numbers}', '{header}',
        '{end}',
    ];
    private const HOLE = '/(\{(?:space|suffix|word|id|capital|name|numbers|header|end)\})/';
    /** The most bytes of white space, a suffix, or numbers. */
    private const MOST_SPACE = 64;
    private const MOST_HEADER = 256;
    private const OF_SUFFIXES
        = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-';
    private const OF_NUMBERS = '0123456789 ,:[]';
    /** Words of which markers of calls are made. */
    private const CALL_WORDS = ['tool', 'call', 'function', 'action', 'invoke', 'args', 'python'];
    private const CONSTRAINT = '<|constrain|>';
    private const RECIPIENT = 'to=';
    /** The recipients of a message that are no function. */
    private const PARTIES = ['user', 'self', 'assistant', 'system', 'developer'];

    /** @var string as the definition writes it */
    public $written;

    /** @var string the text with which it begins */
    public $lead;

    /** @var list<string> texts and placeholders */
    private $parts;

    /** @var int the number of bytes behind `{ahead}` */
    private $ahead;

    /** @var array<string, self> */
    private static $known = [];

    private function __construct(string $written)
    {
        [$belongs, $ahead] = explode('{ahead}', $written, 2) + [1 => ''];
        $flags = PREG_SPLIT_DELIM_CAPTURE | PREG_SPLIT_NO_EMPTY;
        $this->parts = (array) preg_split(self::HOLE, $belongs . $ahead, -1, $flags);
        $this->written = $written;
        $this->ahead = strlen($ahead);
        $first = $this->parts[0] ?? '';
        $this->lead = in_array($first, self::HOLES, true) ? '' : $first;
    }

    /** The marker that the tables write so. */
    public static function of(string $written): self
    {
        return self::$known[$written] = self::$known[$written] ?? new self($written);
    }

    /**
     * @param list<string>|string $written
     * @return list<self>
     */
    public static function all($written): array
    {
        return array_map([self::class, 'of'], array_values((array) $written));
    }

    /** @return list<string> the texts in the marker */
    public function texts(): array
    {
        return array_values(array_diff($this->parts, self::HOLES));
    }

    /** @return list<string> the tags in it, such as `</key>` and `<value>` */
    public function tags(): array
    {
        $tags = [];
        foreach ($this->parts as $index => $text) {
            if (in_array($text, self::HOLES, true)) {
                continue;
            }
            $goesOn = ($this->parts[$index + 1] ?? '') === '{suffix}';
            for ($at = 0; ($at = strpos($text, '<', $at)) !== false; $at++) {
                $end = strpos($text, '>', $at);
                if ($end !== false) {
                    $tags[] = substr($text, $at, $end + 1 - $at);
                } elseif ($goesOn) {
                    $tags[] = substr($text, $at);
                }
            }
        }
        return $tags;
    }

    /** Whether a marker that ends something says that it ends a call, and not a message. */
    public function namesCalls(): bool
    {
        foreach (self::CALL_WORDS as $word) {
            if (stripos($this->written, $word) !== false) {
                return true;
            }
        }
        return false;
    }

    /** Whether it depends on the name of the call or key that it closes. */
    public function echoes(): bool
    {
        return in_array('{name}', $this->parts, true);
    }

    public function holdsId(): bool
    {
        return in_array('{id}', $this->parts, true);
    }

    /**
     * The length of the marker at a place, `NO`, or `CUT` where the text ends inside it and may go
     * on (`$whole` is false).
     */
    public function at(string $text, int $start, string $name = '', bool $whole = true): int
    {
        $cut = $whole ? self::NO : self::CUT;
        $pos = $start;
        $length = strlen($text);
        foreach ($this->parts as $part) {
            if ($part[0] !== '{' || !in_array($part, self::HOLES, true) || $part === '{name}') {
                $part = $part === '{name}' ? $name : $part;
                $here = (string) substr($text, $pos, strlen($part));
                if ($here !== $part) {
                    return strncmp($part, $here, strlen($here)) === 0 ? $cut : self::NO;
                }
                $pos += strlen($part);
                continue;
            }
            if ($part === '{end}') {
                $ends = self::endsText($text, $pos, $whole);
                if ($ends !== 0) {
                    return $ends;
                }
                continue;
            }
            $count = $this->hole($part, $text, $pos, $whole);
            if ($count < 0) {
                return $count;
            }
            $pos += $count;
            if ($pos === $length && !$whole) {
                return self::CUT;
            }
        }
        return max(0, $pos - $start - $this->ahead);
    }

    /** The length of what a placeholder stands for, or `NO`, or `CUT`. */
    private function hole(string $part, string $text, int $pos, bool $whole): int
    {
        switch ($part) {
            case '{space}':
                return strspn($text, Arguments::BLANK, $pos, self::MOST_SPACE);
            case '{word}':
            case '{id}':
                return strspn($text, ToolName::OF_NAMES, $pos, ToolName::LONGEST);
            case '{suffix}':
                return self::suffix($text, $pos);
            case '{numbers}':
                return strspn($text, self::OF_NUMBERS, $pos, self::MOST_SPACE);
            case '{capital}':
                $next = $text[$pos] ?? 'A';
                return $next >= 'A' && $next <= 'Z' ? 0 : self::NO;
            default:
                return self::header($text, $pos, $whole);
        }
    }

    private static function suffix(string $text, int $pos): int
    {
        return ($text[$pos] ?? '') === ':'
            ? 1 + strspn($text, self::OF_SUFFIXES, $pos + 1, self::MOST_SPACE)
            : 0;
    }

    /** 0 where only white space stands in the rest of the text, else `NO` or `CUT`. */
    private static function endsText(string $text, int $pos, bool $whole): int
    {
        $rest = strlen($text) - $pos;
        $near = min($rest, self::MOST_SPACE);
        if (strspn($text, Arguments::BLANK, $pos, self::MOST_SPACE) < $near) {
            return self::NO;
        }
        if (!$whole && $rest <= self::MOST_SPACE) {
            return self::CUT;
        }
        return $near === $rest ? 0 : self::NO;
    }

    /** The length of a message's header up to its next token; `NO` where it names a function. */
    private static function header(string $text, int $pos, bool $whole): int
    {
        $rest = (string) substr($text, $pos, self::MOST_HEADER);
        $length = 0;
        while (true) {
            $length += strcspn($rest, "<\n", $length);
            $here = (string) substr($rest, $length, strlen(self::CONSTRAINT));
            if ($here === self::CONSTRAINT) {
                $length += strlen($here);
                continue;
            }
            $cut = strncmp(self::CONSTRAINT, $here, strlen($here)) === 0;
            if ($cut && !$whole && strlen($rest) < self::MOST_HEADER) {
                return self::CUT;
            }
            break;
        }
        $header = (string) substr($rest, 0, $length);
        $at = strpos($header, self::RECIPIENT);
        if ($at === false) {
            return $length;
        }
        $at += strlen(self::RECIPIENT);
        $recipient = (string) substr($header, $at, strcspn($header, Arguments::BLANK . '<', $at));
        return self::mayBeFunction($recipient) ? self::NO : $length;
    }

    /** Whether a recipient is not one that takes part in the talk. */
    public static function mayBeFunction(string $recipient): bool
    {
        return !in_array($recipient, self::PARTIES, true);
    }

    /**
     * Where the id stands in the marker, which stands at a place; with `{word}`, where the first
     * word stands too.
     *
     * @param list<string> $sought the placeholders
     * @return array{int, int}|null
     */
    public function placeOf(array $sought, string $text, int $pos): ?array
    {
        foreach ($this->parts as $part) {
            if ($part === '{name}') {
                return null;
            }
            if (!in_array($part, self::HOLES, true)) {
                $pos += strlen($part);
                continue;
            }
            $length = $part === '{end}' || $part === '{capital}'
                ? 0
                : $this->hole($part, $text, min($pos, strlen($text)), true);
            if (in_array($part, $sought, true)) {
                return $length > 0 ? [$pos, $pos + $length] : null;
            }
            if ($length < 0) {
                return null;
            }
            $pos += $length;
        }
        return null;
    }

    /**
     * The length of the first of several markers at a place, or `NO`, or `CUT`.
     *
     * @param list<self> $markers
     */
    public static function first(
        array $markers,
        string $text,
        int $pos,
        string $name = '',
        bool $whole = true
    ): int {
        foreach ($markers as $marker) {
            $length = $marker->at($text, $pos, $name, $whole);
            if ($length !== self::NO) {
                return $length;
            }
        }
        return self::NO;
    }

    /**
     * The same in a text that ends there; null for no marker.
     *
     * @param list<self> $markers
     * @throws TextEnded
     */
    public static function firstOrEnd(array $markers, string $text, int $pos, bool $whole): ?int
    {
        $length = self::first($markers, $text, $pos, '', $whole);
        if ($length === self::CUT) {
            throw new TextEnded();
        }
        return $length === self::NO ? null : $length;
    }

    /**
     * Where the first of several markers stands in a text, and its length.
     *
     * @param list<self> $markers
     * @return array{int, int}|null
     */
    public static function find(array $markers, string $text): ?array
    {
        $found = null;
        foreach ($markers as $marker) {
            $at = $marker->lead === '' ? false : strpos($text, $marker->lead);
            for (; $at !== false; $at = strpos($text, $marker->lead, $at + strlen($marker->lead))) {
                if ($found !== null && $at >= $found[0]) {
                    break;
                }
                $length = $marker->at($text, $at, '', false);
                if ($length >= 0) {
                    $found = [$at, $length];
                    break;
                }
            }
        }
        return $found;
    }
}
