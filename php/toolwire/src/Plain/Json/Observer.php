<?php

declare(strict_types=1);

namespace Toolwire\Plain\Json;

/**
 * Diagnostics of a call's arguments: repeated keys, integers beyond 64 bits, and numbers beyond a
 * float.
 */
final class Observer
{
    /** The most diagnostics that are kept for one call. */
    private const MOST = 32;

    /** The length of the shortest number that PHP may not be able to hold: `9e308`. */
    private const LONG_NUMBER = 5;

    /**
     * The keys of the open objects, each as one number, since a text may hold millions: the start,
     * the length, and a bit that says whether there is an escape.
     *
     * @var list<int>
     */
    private $keys = [];

    /** @var list<int> where the keys of each open object begin */
    private $frames = [];

    /** @var list<array{code: string, message: string, offset: int}> */
    private $found = [];

    /** Takes the scanner's token of this kind. */
    public function observe(int $kind, Scanner $token, string $text): void
    {
        if ($kind === Scanner::KEY) {
            $length = $token->end - $token->start;
            $this->keys[] = $token->start << 32 | $length << 1 | (int) $token->escaped;
        } elseif ($kind === Scanner::OPEN) {
            if ($token->isObject) {
                $this->frames[] = count($this->keys);
            }
        } elseif ($kind === Scanner::CLOSE) {
            if ($token->isObject) {
                $this->objectEnds($text);
            }
        } elseif ($kind === Scanner::NUMBER) {
            $length = $token->end - $token->start;
            if ($length >= self::LONG_NUMBER) {
                $this->number(substr($text, $token->start, $length), $token->start);
            }
        }
    }

    /**
     * The diagnostics about a part of the text, by offset.
     *
     * @return list<array{code: string, message: string, offset: int}>
     */
    public function between(int $start, int $end): array
    {
        $found = array_filter($this->found, static function (array $note) use ($start, $end): bool {
            return $note['offset'] >= $start && $note['offset'] < $end;
        });
        return self::sorted(array_values($found));
    }

    /**
     * Notes by offset; those at one offset keep their order.
     *
     * @param list<array{code: string, message: string, offset: int}> $notes
     * @return list<array{code: string, message: string, offset: int}>
     */
    public static function sorted(array $notes): array
    {
        // The sort of PHP 7.4 does not keep the order of what is equal.
        $places = array_keys($notes);
        $offsets = array_column($notes, 'offset');
        array_multisort($offsets, $places, $notes);
        return $notes;
    }

    private function objectEnds(string $text): void
    {
        $first = (int) array_pop($this->frames);
        [$own, $seen, $repeated] = [[], [], null];
        // To cut the list would take time for all of the keys in front.
        while (count($this->keys) > $first) {
            $own[] = array_pop($this->keys);
        }
        foreach (array_reverse($own) as $key) {
            [$start, $length] = [$key >> 32, ($key & 0xFFFFFFFF) >> 1];
            $key = Lexeme::decode($text, $start, $start + $length, ($key & 1) === 1);
            if (isset($seen[$key])) {
                $repeated = $start;
                break;
            }
            $seen[$key] = true;
        }
        if ($repeated !== null) {
            $this->add('duplicate_key', $repeated, 'a key is repeated; the last value counts');
        }
    }

    private function number(string $number, int $start): void
    {
        if (strpbrk($number, '.eE') !== false) {
            if (is_infinite((float) $number)) {
                $this->add('big_number', $start, 'the number exceeds a float');
            }
        } elseif (strlen($number) >= 19 && (string) (int) $number !== $number) {
            $this->add('big_integer', $start, 'the integer exceeds 64 bits');
        }
    }

    private function add(string $code, int $offset, string $message): void
    {
        if (count($this->found) < self::MOST) {
            $this->found[] = ['code' => $code, 'message' => $message, 'offset' => $offset];
        }
    }
}
