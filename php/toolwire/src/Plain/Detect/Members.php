<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Format\Keys;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Json\Bad;
use Toolwire\Plain\Json\Lexeme;
use Toolwire\Plain\Json\Scanner;
use Toolwire\Plain\Json\Tolerance;
use Toolwire\Plain\Span;

/** The members of one JSON object that may be a call, collected from its tokens. */
final class Members
{
    private const OBJECT = 1;
    private const EMPTY_ARRAY = 2;
    private const FILLED_ARRAY = 3;
    private const TEXT = 4;
    private const NUMBER = 5;
    private const LITERAL = 6;

    /** @var Keys */
    private $keys;

    /** @var array<int, array{int, int, int, bool}> the kind of each value, its start and end */
    private $names = [];

    /** @var array<int, array{int, int, int, bool}> */
    private $arguments = [];

    /** @var array<int, array{int, int, int, bool}> */
    private $ids = [];

    /** @var array{int, int, int, bool}|null */
    private $type = null;

    /** @var string the part of the call whose value comes: names, arguments, ids, type, or none */
    private $part = '';

    /** @var int the place of the key among those of its part */
    private $place = 0;

    /** @var int|null the start of the value being read */
    private $open = null;

    /** @var bool */
    private $openObject = false;

    /** @var bool whether the value being read is empty so far */
    private $empty = true;

    /** @var int|null where a key's second value stands */
    private $repeated = null;

    /** @var int|null where a second name or second arguments stand */
    private $contradiction = null;

    /** @var array{int, int, int, bool}|null the first key, which is the name in some formats */
    private $firstKey = null;

    public function __construct(Keys $keys)
    {
        $this->keys = $keys;
    }

    /** Takes the scanner's token; `$level` is its depth, 0 for the object's own members. */
    public function observe(int $kind, Scanner $token, int $level, string $text): void
    {
        if ($level > 0) {
            $this->empty = false;
            return;
        }
        switch ($kind) {
            case Scanner::KEY:
                $key = [self::TEXT, $token->start, $token->end, $token->escaped];
                $this->firstKey = $this->firstKey ?? $key;
                $this->key(Lexeme::decode($text, $token->start, $token->end, $token->escaped));
                break;
            case Scanner::OPEN:
                $this->open = $token->start;
                $this->openObject = $token->isObject;
                $this->empty = true;
                break;
            case Scanner::CLOSE:
                $this->closed($token->end);
                break;
            case Scanner::TEXT:
                $this->value([self::TEXT, $token->start, $token->end, $token->escaped]);
                break;
            default:
                $is = $kind === Scanner::NUMBER ? self::NUMBER : self::LITERAL;
                $this->value([$is, $token->start, $token->end, false]);
        }
    }

    /** Notes that the value being read is not empty. */
    public function holdsSomething(): void
    {
        $this->empty = false;
    }

    /** The start of the arguments, while they are being read. */
    public function openArguments(): ?int
    {
        return $this->part === 'arguments' ? $this->open : null;
    }

    /** Whether the value of the wrapper's key is being read. */
    public function readsWrapper(): bool
    {
        return $this->open !== null && $this->part === 'names'
            && $this->place === $this->keys->wrapperPlace();
    }

    /** Whether there is a name, and arguments have at least begun. */
    public function looksLikeACall(): bool
    {
        $name = $this->nameKey();
        if ($name === null) {
            return false;
        }
        if ($this->part === 'arguments') {
            $begun = ($this->open !== null && $this->openObject) || $this->isSure($this->place);
            if ($begun && $this->keys->format('', $name, $this->place) !== null) {
                return true;
            }
        }
        foreach ($this->arguments as $place => $value) {
            $counts = $value[0] === self::OBJECT || $this->isSure($place);
            if ($counts && $this->keys->format('', $name, $place) !== null) {
                return true;
            }
        }
        return false;
    }

    /** Whether a key of arguments is no common word. */
    private function isSure(int $place): bool
    {
        return !in_array($this->keys->arguments[$place], $this->keys->weak, true);
    }

    /** The place of the key of the name that counts. */
    private function nameKey(): ?int
    {
        if ($this->keys->nameIsKey) {
            return $this->firstKey === null ? null : 0;
        }
        foreach ($this->keys->name as $place => $_) {
            if (($this->names[$place][0] ?? 0) === self::TEXT) {
                return $place;
            }
        }
        return null;
    }

    /**
     * The format of the call, as far as the keys of its name and its arguments tell; `$slug` where
     * the keys are those of one format.
     */
    public function format(string $slug): ?string
    {
        $name = $this->nameKey();
        $arguments = $this->arguments === [] ? null : min(array_keys($this->arguments));
        $arguments = $arguments ?? ($this->part === 'arguments' ? $this->place : null);
        return $name === null || $arguments === null
            ? null
            : $this->keys->format($slug, $name, $arguments);
    }

    /**
     * The name: the first of its keys that holds a string counts.
     *
     * @return array{int, int, int, bool}|null
     */
    public function name(): ?array
    {
        if ($this->keys->nameIsKey) {
            return $this->firstKey;
        }
        $place = $this->nameKey();
        return $place === null ? null : $this->names[$place];
    }

    /** Where a second name or second arguments stand. */
    public function contradiction(): ?int
    {
        return $this->contradiction;
    }

    /** The id, if it is a string or a number. */
    public function id(string $text): ?string
    {
        foreach ($this->keys->id as $place => $_) {
            [$kind, $start, $end, $escaped] = $this->ids[$place] ?? [0, 0, 0, false];
            if ($kind === self::TEXT) {
                return Lexeme::decode($text, $start, $end, $escaped);
            }
            if ($kind === self::NUMBER) {
                return substr($text, $start, $end - $start);
            }
        }
        return null;
    }

    /** Whether the object says that it is something other than a function call. */
    public function isOfOtherType(string $text): bool
    {
        if ($this->type === null) {
            return false;
        }
        [$kind, $start, $end, $escaped] = $this->type;
        return $kind !== self::TEXT || Lexeme::decode($text, $start, $end, $escaped) !== 'function';
    }

    /** @return list<array{code: string, message: string, offset: int}> */
    public function repetition(): array
    {
        if ($this->repeated === null) {
            return [];
        }
        $message = 'a key is repeated; the last value counts';
        return [['code' => 'duplicate_key', 'message' => $message, 'offset' => $this->repeated]];
    }

    /**
     * The arguments: where they stand, what was made of them, notes. Null when there are none, so
     * that the object is prose.
     *
     * @return array{Span, ?string, list<array<string, mixed>>}|Bad|null
     */
    public function arguments(Tolerance $tolerance, string $text)
    {
        foreach ($this->keys->arguments as $place => $_) {
            if (!isset($this->arguments[$place])) {
                continue;
            }
            [$kind, $start, $end, $escaped] = $this->arguments[$place];
            $sure = $this->isSure($place);
            switch ($kind) {
                case self::OBJECT:
                    return [new Span($start, $end), null, []];
                case self::EMPTY_ARRAY:
                    return [new Span($start, $end), null, [Arguments::emptyArray($start)]];
                case self::TEXT:
                    $inner = Lexeme::decode($text, $start, $end, $escaped);
                    return self::encoded($inner, $start, $tolerance, $sure);
                case self::LITERAL:
                    if ($sure && $text[$start] === 'n') {
                        return new Bad('missing_arguments', $start, 'the arguments are null');
                    }
            }
            return $sure ? Bad::notAnObject($start) : null;
        }
        return null;
    }

    private function key(string $key): void
    {
        [$this->part, $this->place] = ['', 0];
        if ($this->keys->nameIsKey) {
            $this->part = 'arguments';
            return;
        }
        foreach (['names' => 'name', 'arguments' => 'arguments', 'ids' => 'id'] as $part => $of) {
            $place = array_search($key, $this->keys->$of, true);
            if ($place !== false) {
                [$this->part, $this->place] = [$part, (int) $place];
                return;
            }
        }
        if ($key === 'type') {
            $this->part = 'type';
        }
    }

    private function closed(int $end): void
    {
        if ($this->open === null) {
            return;
        }
        $array = $this->empty ? self::EMPTY_ARRAY : self::FILLED_ARRAY;
        $kind = $this->openObject ? self::OBJECT : $array;
        $start = $this->open;
        $this->open = null;
        $this->value([$kind, $start, $end, false]);
    }

    /** @param array{int, int, int, bool} $value */
    private function value(array $value): void
    {
        [$part, $this->part] = [$this->part, ''];
        if ($part === '') {
            return;
        }
        if (($part === 'names' || $part === 'arguments') && $this->$part !== []) {
            $this->contradiction = $this->contradiction ?? $value[1];
        }
        if ($part === 'type') {
            $known = $this->type !== null;
            $this->type = $value;
        } else {
            $known = isset($this->{$part}[$this->place]);
            $this->{$part}[$this->place] = $value;
        }
        if ($known) {
            $this->repeated = $this->repeated ?? $value[1];
        }
    }

    /**
     * Unwraps arguments that are JSON in a string, once.
     *
     * @return array{Span, string, list<array{code: string, message: string, offset: int}>}|Bad|null
     */
    private static function encoded(string $inner, int $start, Tolerance $tolerance, bool $sure)
    {
        $read = Arguments::whole($inner, $tolerance);
        if ($read instanceof Bad) {
            $object = ($inner[strspn($inner, Arguments::BLANK)] ?? '') === '{';
            return $sure || $object ? new Bad($read->code, $start, $read->reason) : null;
        }
        $message = 'the arguments were a string that holds JSON';
        $note = ['code' => 'double_encoded', 'message' => $message, 'offset' => $start];
        $notes = array_merge([$note], $read->notesAt($start));
        return [new Span(0, 0), $read->json($inner), $notes];
    }
}
