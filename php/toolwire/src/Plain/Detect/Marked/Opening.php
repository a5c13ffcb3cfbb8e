<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Marked;

use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Detect\Format\NamePlace;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Span;
use Toolwire\Plain\TextEnded;

/** The opening of a call or a parameter: a marker, a name, and the end of the opening. */
final class Opening
{
    /** The longest opening behind its marker, in bytes. */
    private const LONGEST = 512;
    private const OF_KEYS
        = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-:.';
    /** The attributes that name a call, and are no arguments of it. */
    private const NAMES_OF_CALL = ['id', 'index', 'call_id'];
    /** The attributes that tell the type of a parameter, whatever the format. */
    private const TYPES = ['type', 'string'];

    /** What no name of a parameter holds, unless the tool's schema has such a name. */
    private const NOT_OF_KEYS = " \t\"'`=,<>";

    /** @var Span the name or key as it is written; empty when there is none */
    public $name;

    /** @var Span|null the value of the attribute that gives the type */
    public $kind;

    /** @var int the byte behind the opening */
    public $end;

    /** @var bool whether it also closes what it opens */
    public $closes;

    /** @var bool whether it has attributes that may be arguments of a call */
    public $hasOthers = false;

    /** @var bool whether it has attributes that may hold the value of a parameter */
    public $hasValue = false;

    private function __construct(Span $name, ?Span $kind, int $end, bool $closes)
    {
        [$this->name, $this->kind, $this->end, $this->closes] = [$name, $kind, $end, $closes];
    }

    /**
     * Notes what attributes there are beside the name and the type.
     *
     * @param list<string> $keys
     */
    private function note(array $keys): void
    {
        $others = array_diff($keys, self::NAMES_OF_CALL);
        $this->hasOthers = $others !== [];
        $this->hasValue = array_diff($others, self::TYPES) !== [];
    }

    /** A key without the quotes around it, which some models write. */
    public static function withoutQuotes(Span $key, string $text): Span
    {
        $written = $key->of($text);
        $first = $written[0] ?? '';
        $isQuoted = strlen($written) > 2 && ($first === '"' || $first === "'")
            && substr($written, -1) === $first;
        return $isQuoted ? new Span($key->start + 1, $key->end - 1) : $key;
    }

    /** Whether a key holds more than a name: what a damaged tag has run together with it. */
    public static function isMoreThanKey(string $key): bool
    {
        return strcspn($key, self::NOT_OF_KEYS) < strlen($key);
    }

    /**
     * Reads the opening behind its marker, which ends at `$pos`; or the place at which it fails.
     *
     * @param list<Marker> $ends
     * @return self|int
     * @throws TextEnded
     */
    public static function read(
        string $text,
        int $pos,
        NamePlace $place,
        ?string $kind,
        array $ends
    ) {
        $rest = (string) substr($text, $pos, self::LONGEST);
        try {
            if ($place->kind === NamePlace::ATTRIBUTE) {
                $looked = self::attributes($rest, $place->text, $kind, $ends);
            } elseif ($place->kind === NamePlace::AFTER) {
                $looked = self::behindText($rest, $place->text, $ends);
            } else {
                $looked = self::inline($rest, $ends);
            }
        } catch (TextEnded $ended) {
            // Nothing is read past the longest opening.
            if (strlen($rest) === self::LONGEST) {
                return $pos + self::LONGEST;
            }
            throw $ended;
        }
        if (is_int($looked)) {
            return $pos + $looked;
        }
        $name = new Span($looked->name->start + $pos, $looked->name->end + $pos);
        $kind = $looked->kind === null
            ? null
            : new Span($looked->kind->start + $pos, $looked->kind->end + $pos);
        $read = new self($name, $kind, $looked->end + $pos, $looked->closes);
        [$read->hasOthers, $read->hasValue] = [$looked->hasOthers, $looked->hasValue];
        return $read;
    }

    /**
     * @param list<Marker> $ends
     * @return self|int
     */
    private static function inline(string $rest, array $ends)
    {
        if (($rest[0] ?? '') === '/') {
            return 0;
        }
        $stop = strcspn($rest, "<\n");
        foreach ($ends as $end) {
            $at = strpos($rest, $end->lead);
            // A marker may begin with a byte that otherwise ends the search.
            $length = $at !== false && $at <= $stop ? $end->at($rest, $at, '', false) : -1;
            if ($length >= 0) {
                $before = min($at, strspn($rest, Arguments::BLANK));
                $name = trim(substr($rest, 0, $at), Arguments::BLANK);
                $span = new Span($before, $before + strlen($name));
                return new self($span, null, $at + $length, false);
            }
        }
        // A text that ends inside the marker ends inside the call.
        $length = Marker::first($ends, $rest, $stop, '', false);
        if ($stop === strlen($rest) || $length === Marker::CUT) {
            throw new TextEnded();
        }
        return $stop;
    }

    /**
     * @param list<Marker> $ends
     * @return self|int
     */
    private static function behindText(string $rest, string $text, array $ends)
    {
        $line = strpos($rest, "\n");
        $header = $line === false ? $rest : substr($rest, 0, $line);
        $found = Marker::find($ends, $header);
        if ($found === null) {
            if ($line === false) {
                throw new TextEnded();
            }
            return $line;
        }
        $end = $found[0] + $found[1];
        $header = substr($rest, 0, $found[0]);
        $at = strpos($header, $text);
        if ($at === false) {
            return $end;
        }
        $start = $at + strlen($text);
        $length = strcspn($header, Arguments::BLANK . '<', $start);
        if (!Marker::mayBeFunction((string) substr($header, $start, $length))) {
            return $end;
        }
        return new self(new Span($start, $start + $length), null, $end, false);
    }

    /**
     * @param list<Marker> $ends
     * @return self|int
     */
    private static function attributes(string $rest, string $wanted, ?string $type, array $ends)
    {
        [$pos, $name, $kind, $others] = [0, new Span(0, 0), null, []];
        while (true) {
            $skipped = strspn($rest, Arguments::BLANK, $pos);
            $pos += $skipped;
            $length = Marker::first($ends, $rest, $pos);
            if ($length >= 0) {
                $read = new self($name, $kind, $pos + $length, false);
                $read->note($others);
                return $read;
            }
            $next = $rest[$pos] ?? '';
            if ($next === '') {
                throw new TextEnded();
            }
            if ($next === '/') {
                $length = Marker::first($ends, $rest, $pos + 1);
                if ($length < 0) {
                    return $pos;
                }
                $read = new self($name, $kind, $pos + 1 + $length, true);
                $read->note($others);
                return $read;
            }
            $attribute = $skipped === 0 ? null : self::attribute($rest, $pos);
            if ($attribute === null) {
                return $pos;
            }
            [$key, $value] = $attribute;
            if ($key === $wanted) {
                $name = $value;
            } elseif ($key === $type) {
                $kind = $value;
            } else {
                $others[] = $key;
            }
            $pos = $value->end + 1;
        }
    }

    /**
     * The key of the attribute at a place, and where its value stands; null for none.
     *
     * @return array{string, Span}|null
     */
    private static function attribute(string $rest, int $pos): ?array
    {
        $length = strspn($rest, self::OF_KEYS, $pos);
        $next = $rest[$pos + $length] ?? null;
        $quote = $rest[$pos + $length + 1] ?? null;
        if ($next !== null && ($length === 0 || $next !== '=')) {
            return null;
        }
        if ($next === null || $quote === null) {
            throw new TextEnded();
        }
        if ($quote !== '"' && $quote !== "'") {
            return null;
        }
        $start = $pos + $length + 2;
        $end = strpos($rest, $quote, $start);
        if ($end === false) {
            throw new TextEnded();
        }
        return [substr($rest, $pos, $length), new Span($start, $end)];
    }
}
