<?php

declare(strict_types=1);

namespace Toolwire\Plain\Redact;

use Toolwire\Plain\Utf8;
use Toolwire\Plain\Visible;

/**
 * A text in the form in which secrets are searched for: without invisible characters, and decoded;
 * with the place of each byte in the source.
 */
final class DerivedText
{
    /** The most levels of escapes that are decoded: JSON in JSON in a URL. */
    private const LEVELS = 3;

    private const ESCAPE = '/(?:%|\\\\x)[0-9A-Fa-f]{2}'
        . '|\\\\u[Dd][89ABab][0-9A-Fa-f]{2}\\\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}'
        . '|\\\\u(?![Dd][89A-Fa-f])[0-9A-Fa-f]{4}'
        . '|\\\\[bfrnt!-\\/:-@\\[-`{-~]'
        . '|&#[xX][0-9A-Fa-f]{1,8};|&#[0-9]{1,8};|&[A-Za-z0-9]{1,31};/';

    private const CONTROLS = ['b' => "\x08", 'f' => "\f", 'r' => "\r", 'n' => "\n", 't' => "\t"];

    /** The bytes of a run. */
    private const RUN = 8;

    /** The bit of a run that stands at one place. */
    private const POINT = 1 << 31;

    /** @var string */
    public $text;

    /** @var self|null what it was made of; null for the source */
    private $from;

    /**
     * Where each run begins here, and where it begins there; the highest bit of the second says
     * that all of it stands there at one place. Eight bytes each: a list takes fifty times as much.
     *
     * @var string
     */
    private $runs;

    private function __construct(string $text, ?self $from, string $runs)
    {
        $this->text = $text;
        $this->from = $from;
        $this->runs = $runs;
    }

    /** @return list<self> the views of a text: as it is, decoded once, twice, and so on */
    public static function all(string $text): array
    {
        $views = [(new self($text, null, ''))->visible()];
        while (count($views) <= self::LEVELS) {
            $next = $views[count($views) - 1]->decoded();
            if ($next === null) {
                break;
            }
            $views[] = $next;
        }
        return $views;
    }

    /** @return array{int, int} the span in the source of a part of the view, not an empty one */
    public function span(int $start, int $end): array
    {
        // An escape may stand for several bytes; all of it belongs to the span.
        $last = $this->place($end - 1);
        for ($at = $end; $at <= strlen($this->text); $at++) {
            $place = $this->place($at);
            if ($place > $last) {
                return [$this->place($start), $place];
            }
        }
        return [$this->place($start), $last];
    }

    private function place(int $at): int
    {
        if ($this->from === null) {
            return $at;
        }
        [$low, $high] = [0, intdiv(strlen($this->runs), self::RUN) - 1];
        while ($low < $high) {
            $middle = intdiv($low + $high + 1, 2);
            if (unpack('V', $this->runs, self::RUN * $middle)[1] <= $at) {
                $low = $middle;
            } else {
                $high = $middle - 1;
            }
        }
        [1 => $here, 2 => $there] = unpack('V2', $this->runs, self::RUN * $low);
        return $this->from->place(
            $there >= self::POINT ? $there - self::POINT : $there + $at - $here
        );
    }

    /** The view without invisible characters. */
    private function visible(): self
    {
        if (preg_match('/[^\x20-\x7E\n\t]/', $this->text) !== 1) {
            return $this;
        }
        $expression = Utf8::isValid($this->text)
            ? '/[' . Visible::hidden() . ']+/u'
            : '/[\x00-\x08\x0B-\x1F\x7F]+/';
        return $this->replaced($expression, static function (): string {
            return '';
        }) ?? $this;
    }

    /** The view with its escapes decoded; null if it has no escape. */
    private function decoded(): ?self
    {
        $decoded = $this->replaced(self::ESCAPE, static function (string $escape): ?string {
            return self::character($escape);
        });
        return $decoded === null ? null : $decoded->visible();
    }

    /**
     * A view with something in place of what an expression finds; null if it finds nothing.
     *
     * @param callable(string): ?string $instead null to leave it
     */
    private function replaced(string $expression, callable $instead): ?self
    {
        [$runs, $done, $shift] = ['', 0, 0];
        $replace = static function (array $found) use ($instead, &$runs, &$done, &$shift): string {
            [$part, $at] = $found[0];
            $new = $instead($part);
            if ($new === null) {
                return $part;
            }
            if ($at > $done) {
                $runs .= pack('VV', $done + $shift, $done);
            }
            if ($new !== '') {
                $runs .= pack('VV', $at + $shift, $at | self::POINT);
            }
            $done = $at + strlen($part);
            $shift += strlen($new) - strlen($part);
            return $new;
        };
        $flags = PREG_OFFSET_CAPTURE;
        $count = 0;
        $text = preg_replace_callback($expression, $replace, $this->text, -1, $count, $flags);
        if ($done === 0 || $text === null) {
            return null;
        }
        return new self($text, $this, $runs . pack('VV', $done + $shift, $done));
    }

    /** What an escape stands for; null for what is none. */
    private static function character(string $escape): ?string
    {
        if ($escape[0] === '%') {
            return chr((int) hexdec(substr($escape, 1)));
        }
        if ($escape[0] === '\\') {
            if ($escape[1] === 'x') {
                return chr((int) hexdec(substr($escape, 2)));
            }
            return $escape[1] === 'u'
                ? self::unit($escape)
                : self::CONTROLS[$escape[1]] ?? $escape[1];
        }
        if ($escape[1] === '#') {
            $isHex = ($escape[2] | ' ') === 'x';
            $digits = substr($escape, $isHex ? 3 : 2, -1);
            $point = $isHex ? (int) hexdec($digits) : (int) $digits;
            $isOne = $point < 0xD800 || ($point > 0xDFFF && $point <= 0x10FFFF);
            return $isOne ? Utf8::encode($point) : null;
        }
        $decoded = html_entity_decode($escape, ENT_QUOTES | ENT_HTML5, 'UTF-8');
        return $decoded === $escape ? null : $decoded;
    }

    private static function unit(string $escape): string
    {
        $high = (int) hexdec(substr($escape, 2, 4));
        if (strlen($escape) === 6) {
            return Utf8::encode($high);
        }
        $low = (int) hexdec(substr($escape, 8, 4));
        return Utf8::encode(0x10000 + (($high - 0xD800) << 10) + ($low - 0xDC00));
    }
}
