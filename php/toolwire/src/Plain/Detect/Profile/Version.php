<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Profile;

/** A version in a model's name or in a pattern: its number, and the number behind the dot. */
final class Version
{
    /** The most digits of a number of a version: longer numbers are dates. */
    private const MOST_DIGITS = 2;

    /** @var array{int, int} */
    public $numbers;

    /** @var int where its digits begin */
    public $start;

    /** @var int */
    public $end;

    /** @param array{int, int} $numbers */
    private function __construct(array $numbers, int $start, int $end)
    {
        [$this->numbers, $this->start, $this->end] = [$numbers, $start, $end];
    }

    /**
     * The version whose digits begin at a place. A number in front of a letter is a size or part of
     * a word, and a long one is a date.
     */
    public static function at(string $text, int $start): ?self
    {
        $major = self::number($text, $start);
        if ($major === null) {
            return null;
        }
        [$number, $end] = $major;
        $divider = $text[$end] ?? '';
        $isDot = $divider !== '' && strpos('.p-', $divider) !== false;
        $minor = $isDot ? self::number($text, $end + 1) : null;
        // `qwen-3-8b` has a size behind its version, and `glm-4-9.4` no third number.
        if ($minor !== null && !($divider === '-' && ($text[$minor[1]] ?? '') === '.')) {
            return new self([$number, $minor[0]], $start, $minor[1]);
        }
        return preg_match('/^[A-Za-z0-9]/', $divider) === 1
            ? null
            : new self([$number, 0], $start, $end);
    }

    /** The first version in a pattern. */
    public static function firstIn(string $written): ?self
    {
        $digits = strcspn($written, '0123456789');
        return $digits === strlen($written) ? null : self::at($written, $digits);
    }

    /**
     * A number of few digits that no letter follows, and the place behind it.
     *
     * @return array{int, int}|null
     */
    private static function number(string $text, int $start): ?array
    {
        $digits = $start < strlen($text) ? strspn($text, '0123456789', $start) : 0;
        $end = $start + $digits;
        if ($digits === 0 || $digits > self::MOST_DIGITS) {
            return null;
        }
        // `v3p1` is 3.1.
        $behind = (string) substr($text, $end, 2);
        if (preg_match('/^p[0-9]/', $behind) !== 1 && preg_match('/^[A-Za-z]/', $behind) === 1) {
            return null;
        }
        return [(int) substr($text, $start, $digits), $end];
    }

    public function written(): string
    {
        [$major, $minor] = $this->numbers;
        return $minor === 0 ? (string) $major : "$major.$minor";
    }

    /**
     * Of versions the nearest: the last one before it, or else the first one behind.
     *
     * @param list<self> $known
     */
    public function nearest(array $known): self
    {
        usort($known, static function (self $one, self $other): int {
            return $one->numbers <=> $other->numbers;
        });
        $older = $same = null;
        foreach ($known as $one) {
            $older = $one->numbers < $this->numbers ? $one : $older;
            $isSame = $one->numbers[0] === $this->numbers[0];
            $same = $same ?? ($isSame ? $one : null);
        }
        $isOlder = $older !== null && $older->numbers[0] === $this->numbers[0];
        return ($isOlder ? $older : null) ?? $same ?? $older ?? $known[0];
    }
}
