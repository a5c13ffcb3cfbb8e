<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Literal;

use Toolwire\Plain\TextEnded;

/**
 * Strings that hold their own quotes: `[bash(command='sed -n '1,2p' f')]`.
 *
 * Such a string is read only when a single quote of it can end it, seen from what follows the
 * quotes up to the marker that ends the call. With two such quotes, the call could be read in two
 * ways, and it is refused.
 */
trait ReadsQuoted
{
    /** @var int the most bytes after a quote that decide whether it ends a string */
    private static $mostAfter = 1024;

    /** The one quote that can end the string; a quote stands here that does not. */
    private function quotedEnd(string $quote): int
    {
        $first = $this->pos;
        $pos = $first + 1;
        $bound = $this->bound($pos);
        $end = $bound ?? $this->textEnd();
        $found = null;
        while ($pos < $end) {
            $pos += strcspn($this->text, "$quote\\", $pos, $end - $pos);
            if ($pos >= $end) {
                break;
            }
            if ($this->text[$pos] === '\\') {
                $pos += 2;
                continue;
            }
            if ($this->endsArgument($pos + 1, $end, $bound === null)) {
                if ($found !== null) {
                    $what = 'a string that holds its own quotes can end at two of them';
                    throw $this->bad($what);
                }
                $found = $pos;
            }
            $pos++;
        }
        if ($bound === null) {
            throw new TextEnded();
        }
        if ($found === null) {
            throw $this->bad('a string does not end');
        }
        $message = 'a string holds its own quotes; only one of them can end it';
        $this->note('inner_quotes', $first, $message);
        return $found;
    }

    /** Reads a string up to a quote that is known to end it. */
    private function quotedUpTo(int $end): void
    {
        while (true) {
            $this->pushPlain(strcspn($this->text, '\\', $this->pos, max(0, $end - $this->pos)));
            if ($this->pos >= $end) {
                $this->textEnds(1);
                return;
            }
            try {
                $this->escape($end);
            } catch (TextEnded $ended) {
                throw $this->bad('an escape is not complete');
            }
        }
    }

    /**
     * Where the first marker begins beyond which the call cannot reach. Each marker is searched for
     * only up to the one that is known.
     */
    private function bound(int $from): ?int
    {
        $first = null;
        foreach ($this->bounds as $bound) {
            // The marker may begin in the text that was looked at before.
            $start = max(0, $from - strlen($bound));
            $last = min($this->textEnd(), ($first ?? strlen($this->text)) + strlen($bound));
            $part = (string) substr($this->text, $start, max(0, $last - $start));
            $at = strpos($part, $bound);
            $first = $at === false ? $first : min($first ?? PHP_INT_MAX, $start + $at);
        }
        return $first;
    }

    /**
     * Whether a string can end in front of a place: another argument follows, or the call's end.
     */
    private function endsArgument(int $pos, int $end, bool $mayGoOn): bool
    {
        $near = (string) substr($this->text, $pos, min(self::$mostAfter, $end - $pos));
        $next = '[A-Za-z0-9_.]+[ \t\n\r\f]*';
        $blank = '[ \t\n\r\f]*';
        $ends = "/^$blank(?:,$blank{$next}=|\\)$blank(?:\\]|,$blank{$next}\\())/";
        if (preg_match($ends, $near) === 1) {
            return true;
        }
        // The text may end before it is clear what follows.
        $begins = "/^$blank(?:(?:\\)$blank)?(?:,$blank(?:$next)?)?)?\$/D";
        if ($mayGoOn && strlen($near) < self::$mostAfter && preg_match($begins, $near) === 1) {
            throw new TextEnded();
        }
        return false;
    }
}
