<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Marked;

use Toolwire\Plain\Detect\Format\Format;
use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Detect\Format\NamePlace;
use Toolwire\Plain\Detect\Format\Parameter;
use Toolwire\Plain\Detect\ToolName;
use Toolwire\Plain\Detect\Typed\Schema;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Span;
use Toolwire\Plain\TextEnded;

/** The markup of a tagged format, wherever it stands: in a value, or behind a damaged call. */
final class OwnMarkup
{
    use FindsTags;
    use ReadsToolTags;

    /** The most white space between two tags that are looked at together, in bytes. */
    private const MOST_SPACE = 1024;

    /** What may follow when a parameter is closed. */
    public const PARAMETER = 1;
    /** A tag that opens a parameter only if nothing else is open: the schema knows none like it. */
    public const UNKNOWN_PARAMETER = 2;
    /** The call's own end marker or that of its wrapper. */
    public const END = 3;
    /** The next call. */
    public const CALL = 4;

    /** @var Format */
    public $format;

    /** @var Parameter */
    public $parameter;

    /** @var Schema|null the schema of the call's tool */
    public $schema = null;

    /** @var string */
    private $text;

    /** @var string the bytes with which a tag may begin */
    private $beginnings = '';

    private function __construct(Format $format, Parameter $parameter, string $text)
    {
        [$this->format, $this->parameter, $this->text] = [$format, $parameter, $text];
        foreach ($this->groups() as $markers) {
            foreach ($markers as $marker) {
                $byte = $marker->lead[0] ?? ' ';
                // Every text is full of white space.
                if (strpos(Arguments::BLANK . $this->beginnings, $byte) === false) {
                    $this->beginnings .= $byte;
                }
            }
        }
    }

    /**
     * The markup of a format whose calls have markers of their own, which are told from its text.
     */
    public static function of(Format $format, string $text): ?self
    {
        if ($format->parameter !== null) {
            return new self($format, $format->parameter, $text);
        }
        return $format->body === 'named' && $format->call->isFenced()
            ? new self($format, new Parameter([]), $text)
            : null;
    }

    /** The length of the white space at a place, counted to just above the limit. */
    public function blank(int $pos): int
    {
        return $pos > strlen($this->text)
            ? 0
            : strspn($this->text, Arguments::BLANK, $pos, self::MOST_SPACE + 1);
    }

    /**
     * What continues the structure at a place.
     *
     * The parameters end at the end marker of the call. If that may be missing, they also end at
     * the next call and at the end of the wrapper.
     *
     * @throws TextEnded where the text goes on, if `$whole` is false
     */
    public function follows(int $pos, bool $whole = true): ?int
    {
        if ($this->hasToolTags()) {
            return $this->tagFollows($pos, $whole);
        }
        $call = $this->format->call;
        $lenient = $call->end !== 'required';
        $wrapper = $lenient ? $this->format->wrapper : null;
        $groups = [
            [$call->close, self::END],
            [$wrapper === null ? [] : $wrapper->close, self::END],
            [$lenient ? $call->open : [], self::CALL],
        ];
        $cut = false;
        foreach ($groups as [$markers, $follows]) {
            $length = Marker::first($markers, $this->text, $pos, '', $whole);
            if ($length >= 0) {
                return $follows;
            }
            $cut = $cut || $length === Marker::CUT;
        }
        if ($this->opensParameter($pos, $whole) !== null) {
            return self::PARAMETER;
        }
        if ($cut) {
            throw new TextEnded();
        }
        return null;
    }

    /** What continues the structure behind white space; null too at the end of the text. */
    public function continues(int $pos, bool $whole = true): ?int
    {
        $space = $this->blank($pos);
        if ($space > self::MOST_SPACE) {
            return null;
        }
        if ($pos + $space >= strlen($this->text)) {
            if (!$whole) {
                throw new TextEnded();
            }
            return null;
        }
        return $this->follows($pos + $space, $whole);
    }

    /** The key of the parameter that opens behind white space. */
    public function nextKey(int $from): ?Span
    {
        $from += $this->blank($from);
        $length = $this->opensParameter($from);
        $opening = $length === null ? 0 : $this->parameter($from + $length);
        return $opening instanceof Opening ? $opening->name : null;
    }

    /**
     * Whether a call that opens in front of a place goes on as a call does, or a wrapper with a
     * call. Otherwise the marker is only mentioned.
     */
    public function goesOn(int $tag, int $pos): bool
    {
        $shape = $this->format->call;
        if ($tag === StandingTag::OPENS_WRAPPER) {
            $pos += $this->blank($pos);
            $length = Marker::first($shape->open, $this->text, $pos);
            if ($length < 0) {
                return false;
            }
            $pos += $length;
        }
        if ($shape->place->kind === NamePlace::INLINE && $shape->nameEnd === []) {
            $pos += $this->blank($pos);
            $pos += strspn($this->text, ToolName::OF_NAMES, $pos, ToolName::LONGEST);
        } elseif ($shape->place->kind !== NamePlace::TAG) {
            $opening = Opening::read($this->text, $pos, $shape->place, null, $shape->nameEnd);
            if (is_int($opening)) {
                return false;
            }
            $pos = $opening->end;
        }
        return $this->continues($pos) !== null;
    }

    /** Whether the end tag of a value stands at a place, and the call goes on. */
    public function endsValue(int $pos): bool
    {
        $length = Marker::first($this->parameter->close, $this->text, $pos);
        return $length >= 0 && $this->continues($pos + $length) !== null;
    }

    /**
     * Whether a call may end in front of a place, though a value in it was not closed: no tag of
     * the call is left over behind it.
     */
    public function mayEndCall(int $pos): bool
    {
        $space = $this->blank($pos);
        $behind = $pos + $space;
        if ($behind >= strlen($this->text)) {
            return true;
        }
        $follows = $this->hasToolTags() ? $this->tagFollows($behind, true) : null;
        if ($follows !== null) {
            return $follows === self::CALL;
        }
        [$opensWrapper, $closesWrapper, $opens, $closes] = $this->groups();
        if (
            Marker::first($this->parameter->close, $this->text, $behind) >= 0
            || Marker::first($closes, $this->text, $behind) >= 0
            || $this->opensParameter($behind) !== null
        ) {
            return false;
        }
        foreach ([$opensWrapper, $closesWrapper, $opens] as $markers) {
            if (Marker::first($markers, $this->text, $behind) >= 0) {
                return true;
            }
        }
        return strpos(substr($this->text, $pos, $space), "\n") !== false;
    }

    /** Whether parameters stand behind a call that has none. */
    public function goesBeyond(int $end): bool
    {
        $at = $end + $this->blank($end);
        // Behind a call that is an element, any tag is one of the text.
        if ($this->hasToolTags() || $at >= strlen($this->text)) {
            return false;
        }
        $follows = $this->follows($at);
        return $follows === null ? $this->isWithin($at) : $follows === self::PARAMETER;
    }

    /**
     * Whether the inside of a call stands at a place, or its name in front of that, where only a
     * call can open: the marker that opens it is missing.
     */
    public function lacksOpening(int $at): bool
    {
        $at = min($at, strlen($this->text));
        $inside = $at + strspn($this->text, ToolName::OF_NAMES, $at, ToolName::LONGEST);
        $inside += $this->blank($inside);
        $next = $this->text[$inside] ?? '';
        if ($next === '') {
            return false;
        }
        $call = $this->format->call;
        $tags = $leads = $ends = [];
        foreach ($call->nameEnd as $marker) {
            if (strlen($marker->lead) > 1) {
                $ends[] = $marker;
            }
        }
        foreach ($call->open as $marker) {
            $tags = array_merge($tags, $marker->tags());
            $leads[] = $marker->lead;
        }
        foreach (array_diff($tags, $leads) as $tag) {
            if (substr($this->text, $inside, strlen($tag)) === $tag) {
                return true;
            }
        }
        return ($call->isFenced() && $next === '`')
            || Marker::first($call->close, $this->text, $inside) >= 0
            || Marker::first($ends, $this->text, $inside) >= 0
            || $this->opensParameter($inside) !== null
            || $this->isWithin($inside);
    }

    /** Whether markup of a call's inside stands at a place. */
    public function isWithin(int $at): bool
    {
        return Marker::first($this->parameter->close, $this->text, $at) >= 0
            || $this->piece($at) !== null;
    }

    /**
     * The end of a damaged call, searched for from a place behind the damage: its end marker, else
     * the next tag, else an empty line or the end of the text.
     */
    public function damageEnd(int $from, int $damage): int
    {
        while (($standing = $this->find($from, '')) !== null) {
            $tag = $standing->tag;
            if ($tag === StandingTag::CLOSES_CALL && $this->endsDamage($standing->span->end)) {
                return $standing->span->end;
            }
            $opens = [StandingTag::OPENS_CALL, StandingTag::OPENS_WRAPPER];
            if (in_array($tag, $opens, true) || $tag === StandingTag::CLOSES_WRAPPER) {
                return $standing->span->start;
            }
            $from = $standing->span->end;
        }
        $length = strlen($this->text);
        $line = $damage > $length ? false : strpos($this->text, "\n\n", $damage);
        return $line === false ? $length : $line;
    }

    /**
     * Whether a damaged call ends with the end marker in front of a place. If the rest of the call
     * stands behind it, the fence in it would be a code block that hides the next call.
     */
    private function endsDamage(int $at): bool
    {
        $next = $this->text[$at] ?? ' ';
        if (!$this->format->call->isFenced() || strpos(Arguments::BLANK, $next) !== false) {
            return true;
        }
        foreach (array_slice($this->groups(), 0, 3) as $markers) {
            if (Marker::first($markers, $this->text, $at) >= 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether the text ends within a marker that could continue the structure. */
    public function isCut(int $pos): bool
    {
        try {
            $this->continues($pos, false);
            return false;
        } catch (TextEnded $ended) {
            return true;
        }
    }

    /** The length of the marker that opens a parameter. */
    public function opensParameter(int $pos, bool $whole = true): ?int
    {
        $length = Marker::firstOrEnd($this->parameter->open, $this->text, $pos, $whole);
        if ($length === null) {
            return null;
        }
        $next = $this->text[$pos + $length] ?? '';
        if ($next === '' && !$whole) {
            throw new TextEnded();
        }
        return $next === '/' ? null : $length;
    }

    /**
     * Reads the opening of a parameter whose marker ends at a place; or the place where it fails.
     *
     * @return Opening|int
     */
    public function parameter(int $pos)
    {
        $parameter = $this->parameter;
        $opening = Opening::read(
            $this->text,
            $pos,
            $parameter->key,
            $parameter->typeAttribute,
            $parameter->keyEnd
        );
        // It is not clear what the value of a parameter without an end tag is.
        return $opening instanceof Opening && $opening->closes ? $opening->end : $opening;
    }
}
