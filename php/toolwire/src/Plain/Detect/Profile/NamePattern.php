<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Profile;

/**
 * A pattern of model names, in lower case.
 *
 * `-` is a divider or nothing, a dot is a dot, a divider, `p` or nothing, and `*` is any run. A
 * divider before `*` must be there. A pattern stands in a name as whole words.
 */
final class NamePattern
{
    private const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

    /** @var string */
    public $written;

    /** @var string the slug of its profile */
    public $profile;

    /** @var int how much it says: the number of bytes that must stand in the name */
    public $weight = 0;

    /** @var list<string> the bytes that each part takes; `*` for any */
    private $parts = [];

    /** @var list<bool> whether each part matches without taking a byte */
    private $optional = [];

    public function __construct(string $written, string $profile)
    {
        [$this->written, $this->profile] = [$written, $profile];
        foreach (str_split($written) as $at => $byte) {
            $next = $written[$at + 1] ?? '';
            $isByte = strpos('-_ :.*', $byte) === false || ($byte === '-' && $next === '*');
            $divider = $byte === '.' ? '-.p' : ($byte === '*' ? '*' : '-');
            $this->parts[] = $isByte ? $byte : $divider;
            $this->optional[] = !$isByte;
            $this->weight += $isByte ? 1 : 0;
        }
    }

    /** Where the pattern ends that stands in a normalised name, beginning at a place. */
    public function endIn(string $name, int $start): ?int
    {
        $all = count($this->parts);
        $states = $this->skipped([0 => true]);
        for ($at = $start; $at < strlen($name); $at++) {
            if (isset($states[$all]) && $at > $start && self::endsAt($name, $at)) {
                return $at;
            }
            $next = [];
            foreach ($states as $state => $_) {
                $part = $this->parts[$state] ?? '';
                if ($part === '*') {
                    $next[$state] = true;
                } elseif ($part !== '' && strpos($part, $name[$at]) !== false) {
                    $next[$state + 1] = true;
                }
            }
            if ($next === []) {
                return null;
            }
            $states = $this->skipped($next);
        }
        return isset($states[$all]) ? strlen($name) : null;
    }

    /**
     * Adds the states that are reached without a byte.
     *
     * @param array<int, true> $states
     * @return array<int, true>
     */
    private function skipped(array $states): array
    {
        foreach (array_keys($states) as $state) {
            while ($this->optional[$state] ?? false) {
                $states[++$state] = true;
            }
        }
        return $states;
    }

    /** Whether a word may begin at a place. */
    public static function beginsAt(string $name, int $at): bool
    {
        return $at === 0 || strpos(self::LETTERS, $name[$at - 1]) === false;
    }

    /** Whether a word may end at a place; `3` does not end within `3.5`. */
    private static function endsAt(string $name, int $at): bool
    {
        if ($name[$at] === '.') {
            return preg_match('/^[0-9].[0-9]/', substr($name, max(0, $at - 1), 3)) !== 1;
        }
        return strpos(self::LETTERS, $name[$at]) === false;
    }
}
