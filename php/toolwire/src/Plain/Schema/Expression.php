<?php

declare(strict_types=1);

namespace Toolwire\Plain\Schema;

/**
 * Writes a pattern of a schema as an expression of PHP.
 *
 * In a schema, `\d` and `\w` have the characters of ASCII, and `\s` the white space of JavaScript;
 * in PHP's expressions for UTF-8 they have those of Unicode. What only PHP knows is no pattern.
 */
final class Expression
{
    private const DELIMITER = "\x01";

    private const SPACES = '\x{9}-\x{D}\x{20}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}'
        . '\x{202F}\x{205F}\x{3000}\x{FEFF}';

    /** What escapes stand for within a class. */
    private const SETS = [
        'd' => '0-9',
        'D' => '\x{0}-\x{2F}\x{3A}-\x{10FFFF}',
        'w' => 'A-Za-z0-9_',
        'W' => '\x{0}-\x{2F}\x{3A}-\x{40}\x{5B}-\x{5E}\x{60}\x{7B}-\x{10FFFF}',
        's' => self::SPACES,
        'S' => '\x{0}-\x{8}\x{E}-\x{1F}\x{21}-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF}'
            . '\x{200B}-\x{2027}\x{202A}-\x{202E}\x{2030}-\x{205E}\x{2060}-\x{2FFF}'
            . '\x{3001}-\x{FEFE}\x{FF00}-\x{10FFFF}',
    ];

    private const GROUP = '/\G\((?!\?|\*)|\G\(\?'
        . '(?:[:=!]|<[=!]|P?<[A-Za-z_]\w*>|[imsx]*-?[imsx]+[:)])/';

    private const REPETITION = '/\G\{[0-9]+(?:,[0-9]*)?\}/';

    /** One character, or one escape of more than a character. */
    private const ONE = '/\G(?:\\\\(?:x[0-9A-Fa-f]{2}|[xu]\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}'
        . '|c[A-Za-z]|[pP](?:\{\^?[A-Za-z0-9_=& -]+\}|[A-Z])|[1-9][0-9]*|.)|.)/su';

    /** @var string */
    private $pattern;

    /** @var int */
    private $at = 0;

    private function __construct(string $pattern)
    {
        $this->pattern = $pattern;
    }

    /** The expression; null for what is no pattern of a schema. */
    public static function of(string $pattern): ?string
    {
        $written = preg_match('//u', $pattern) === 1 ? (new self($pattern))->written() : null;
        return $written === null ? null : self::DELIMITER . $written . self::DELIMITER . 'uD';
    }

    private function written(): ?string
    {
        $written = '';
        while ($this->at < strlen($this->pattern)) {
            $first = $this->pattern[$this->at];
            if ($first === '[') {
                $part = $this->set();
            } elseif ($first === '(' || $first === '{') {
                $part = $this->found($first === '(' ? self::GROUP : self::REPETITION);
            } else {
                $part = $this->one(false);
            }
            if ($part === null) {
                return null;
            }
            $written .= $part;
        }
        return $written;
    }

    /** What an expression finds here; the place is then behind it. */
    private function found(string $expression): ?string
    {
        if (preg_match($expression, $this->pattern, $found, 0, $this->at) !== 1) {
            return null;
        }
        $this->at += strlen($found[0]);
        return $found[0];
    }

    /** A character or an escape, within a class or not. */
    private function one(bool $isInSet): ?string
    {
        $one = $this->found(self::ONE);
        if ($one === null || $one === '\\') {
            return null;
        }
        if ($one[0] !== '\\') {
            // The delimiter; and PHP 7.4 knows no NUL in an expression.
            return $one === self::DELIMITER || $one === "\0" ? sprintf('\x{%X}', ord($one)) : $one;
        }
        $kind = $one[1];
        if (isset(self::SETS[$kind])) {
            $isNegated = $kind < 'a';
            $set = self::SETS[strtolower($kind)];
            return $isInSet ? self::SETS[$kind] : ($isNegated ? "[^$set]" : "[$set]");
        }
        if ($kind === 'u' && strlen($one) > 2) {
            return '\x{' . trim(substr($one, 2), '{}') . '}';
        }
        if ($kind === 'v') {
            return '\x{B}';
        }
        if (strspn($kind, '0123456789') === 1) {
            $groups = substr_count($this->pattern, '(');
            return !$isInSet && $kind !== '0' && substr($one, 1) <= $groups ? $one : null;
        }
        $isKnown = strpos($isInSet ? 'tnrf' : 'tnrfbBAz', $kind) !== false
            || (strpos('xcpP', $kind) !== false && strlen($one) > 2);
        return $isKnown || preg_match('/^[A-Za-z]/', $kind) !== 1 ? $one : null;
    }

    /** A class of characters. */
    private function set(): ?string
    {
        $set = $this->found('/\G\[\^?\]?/');
        $isAfterSet = false;
        while ($this->at < strlen($this->pattern)) {
            $first = $this->pattern[$this->at];
            if ($first === ']') {
                $this->at++;
                return "$set]";
            }
            $isLast = substr($this->pattern, $this->at + 1, 1) === ']';
            if ($first === '-' && $isAfterSet && !$isLast) {
                return null;
            }
            $isSet = preg_match('/\G-?\\\\[dDwWsS]/', $this->pattern, $found, 0, $this->at) === 1;
            if ($isSet && $first === '-' && strlen((string) $set) > 1) {
                return null;
            }
            // Neither classes of POSIX nor classes within classes are known.
            $part = $this->one(true);
            if ($part === null) {
                return null;
            }
            $set .= $part === '[' ? '\[' : $part;
            $isAfterSet = $isSet && $first === '\\';
        }
        return null;
    }
}
