<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Json\Bad;
use Toolwire\Plain\Json\Lexeme;
use Toolwire\Plain\Json\Scanner;
use Toolwire\Plain\Json\Tolerance;
use Toolwire\Plain\Span;

/** The members of one JSON object that may be a call, collected from its tokens. */
final class Members
{
    /** The keys of arguments, each with its place; the lowest place counts. */
    public const ARGUMENTS = ['parameters' => 0, 'arguments' => 1, 'input' => 2, 'args' => 3];

    /** What a key of arguments begins with where one of its characters is an escape. */
    private const ESCAPES = ['\\u006', '\\u007'];

    private const NAMES = ['name' => 0, 'tool' => 1, 'function' => 2];
    private const IDS = ['id' => 0, 'call_id' => 1, 'tool_call_id' => 2];

    /** The place of the key `function`, which also wraps the members of a call. */
    private const WRAPPER = 2;

    /** The first place of the keys that other JSON has too: these count only with an object. */
    private const WEAK = 2;

    private const OBJECT = 1;
    private const EMPTY_ARRAY = 2;
    private const FILLED_ARRAY = 3;
    private const TEXT = 4;
    private const NUMBER = 5;
    private const LITERAL = 6;

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

    /** Whether a key of arguments, or an escape with which one may be written, stands in a text. */
    public static function mayStandIn(string $json): bool
    {
        foreach (self::ARGUMENTS as $key => $_) {
            if (strpos($json, "\"$key\"") !== false) {
                return true;
            }
        }
        foreach (self::ESCAPES as $escape) {
            if (strpos($json, $escape) !== false) {
                return true;
            }
        }
        return false;
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
        return $this->open !== null && $this->part === 'names' && $this->place === self::WRAPPER;
    }

    /** Whether there is a name, and arguments have at least begun. */
    public function looksLikeACall(): bool
    {
        if ($this->name() === null) {
            return false;
        }
        if ($this->part === 'arguments') {
            if ($this->place < self::WEAK || ($this->open !== null && $this->openObject)) {
                return true;
            }
        }
        foreach ($this->arguments as $place => $value) {
            if ($place < self::WEAK || $value[0] === self::OBJECT) {
                return true;
            }
        }
        return false;
    }

    /**
     * The name: the first of its keys that holds a string counts.
     *
     * @return array{int, int, int, bool}|null
     */
    public function name(): ?array
    {
        foreach (self::NAMES as $place) {
            if (($this->names[$place][0] ?? 0) === self::TEXT) {
                return $this->names[$place];
            }
        }
        return null;
    }

    /** The id, if it is a string or a number. */
    public function id(string $text): ?string
    {
        foreach (self::IDS as $place) {
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
        foreach (self::ARGUMENTS as $place) {
            if (!isset($this->arguments[$place])) {
                continue;
            }
            [$kind, $start, $end, $escaped] = $this->arguments[$place];
            $sure = $place < self::WEAK;
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
        $this->part = '';
        if (isset(self::NAMES[$key])) {
            [$this->part, $this->place] = ['names', self::NAMES[$key]];
        } elseif (isset(self::ARGUMENTS[$key])) {
            [$this->part, $this->place] = ['arguments', self::ARGUMENTS[$key]];
        } elseif (isset(self::IDS[$key])) {
            [$this->part, $this->place] = ['ids', self::IDS[$key]];
        } elseif ($key === 'type') {
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
