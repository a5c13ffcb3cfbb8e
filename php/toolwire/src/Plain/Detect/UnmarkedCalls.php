<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Span;

/**
 * Calls that have lost all markers around them, as where a server drops special tokens.
 *
 * Nothing but the name of a known tool tells them from prose, so they do not run.
 */
final class UnmarkedCalls
{
    private const PREFIXES = ['to=functions.', 'functions.', 'call:'];
    private const OF_NAMES = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.';
    /** The format of elements whose tags are names of tools. */
    private const ELEMENTS = 'cline';
    /** The most elements with the name of a tool whose end is searched for. */
    private const MOST_ELEMENTS = 8;
    /** The longest tag in front of a name that is passed. */
    private const LONGEST_TAG = 32;

    /** @var string */
    private $text;

    /** @var array<array-key, mixed> by the names of the tools */
    private $tools;

    /** @var int how many elements with the name of a tool were met */
    private $elements = 0;

    /** @param array<array-key, mixed> $tools */
    public function __construct(string $text, array $tools)
    {
        [$this->text, $this->tools] = [$text, $tools];
    }

    /** The refusal of the first such call from a place on. */
    public function first(int $pos): ?Refusal
    {
        $inCode = false;
        while ($pos < strlen($this->text)) {
            $break = strpos($this->text, "\n", $pos);
            $end = $break === false ? strlen($this->text) : $break + 1;
            $line = ltrim(substr($this->text, $pos, $end - $pos), Arguments::BLANK);
            $at = $end - strlen($line);
            $fence = strncmp($line, '```', 3) === 0 || strncmp($line, '~~~', 3) === 0;
            $inCode = $inCode !== $fence;
            if (!$inCode && !$fence && $line !== '') {
                $span = new Span($at, $at + strlen(rtrim($line, Arguments::BLANK)));
                $name = $this->named($at);
                if ($name !== null) {
                    return self::unmarked($name, false, $span);
                }
                $name = $this->element($at);
                if ($name !== null) {
                    $inside = $at + strlen($name) + 2;
                    $inside += strspn($this->text, Arguments::BLANK, $inside);
                    return self::unmarked($name, ($this->text[$inside] ?? '') === '<', $span);
                }
            }
            $pos = $end;
        }
        return null;
    }

    private static function unmarked(string $name, bool $hasElements, Span $span): Refusal
    {
        if ($hasElements) {
            $reason = "a call of \"$name\" is written here as an element, which naming the format "
                . '"cline" in formats would read';
            return new Refusal(self::ELEMENTS, 'other_format', $span, $reason);
        }
        $reason = "a call of \"$name\" is written here without the markers of a call";
        return new Refusal(null, 'malformed', $span, $reason);
    }

    /** The name of a known tool with arguments behind it; a tag may stand in front of it. */
    private function named(int $at): ?string
    {
        $ends = ['<' => '>', '[' => ']'][$this->text[$at]] ?? null;
        $length = $ends === null ? 0 : strcspn($this->text, $ends, $at, self::LONGEST_TAG);
        $isTag = $ends !== null && $length < self::LONGEST_TAG && isset($this->text[$at + $length]);
        $at += $isTag ? $length + 1 : 0;
        $at += $this->blank($at);
        foreach (self::PREFIXES as $prefix) {
            if (substr($this->text, $at, strlen($prefix)) === $prefix) {
                $at += strlen($prefix);
                break;
            }
        }
        $name = $this->name($at);
        if ($name === '' || !isset($this->tools[$name])) {
            return null;
        }
        $at += strlen($name);
        if (($this->text[$at] ?? '') === ':') {
            $digits = strspn($this->text, '0123456789', $at + 1);
            if ($digits === 0) {
                return null;
            }
            $at += 1 + $digits;
        }
        return $this->beginsArguments($at + $this->blank($at)) ? $name : null;
    }

    /** Whether arguments begin at a place: an object, or keywords in round brackets. */
    private function beginsArguments(int $at): bool
    {
        $bracket = $this->text[$at] ?? '';
        if ($bracket !== '{' && $bracket !== '(') {
            return false;
        }
        $inside = $at + 1 + $this->blank($at + 1);
        $first = $this->text[$inside] ?? '';
        $behind = $inside + strlen($this->name($inside));
        $behind = $this->text[$behind + $this->blank($behind)] ?? '';
        if ($bracket === '{') {
            return ($first !== '' && strpos('"\'}', $first) !== false)
                || ($behind === ':' && $first !== ':');
        }
        return $first === '{' || ($behind === '=' && $first !== '=');
    }

    /** The name of a known tool in the start tag at a place, if its end tag follows. */
    private function element(int $at): ?string
    {
        $name = $this->text[$at] === '<' ? $this->name($at + 1) : '';
        $behind = $at + 1 + strlen($name);
        if (($this->text[$behind] ?? '') !== '>' || !isset($this->tools[$name])) {
            return null;
        }
        $isFew = ++$this->elements <= self::MOST_ELEMENTS;
        return $isFew && strpos($this->text, "</$name>", $behind + 1) !== false ? $name : null;
    }

    private function name(int $at): string
    {
        return $at >= strlen($this->text)
            ? ''
            : substr($this->text, $at, strspn($this->text, self::OF_NAMES, $at, 128));
    }

    private function blank(int $at): int
    {
        return $at >= strlen($this->text) ? 0 : strspn($this->text, Arguments::BLANK, $at);
    }
}
