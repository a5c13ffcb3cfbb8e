<?php

declare(strict_types=1);

namespace Toolwire\Plain\Json;

use JsonSerializable;
use ReturnTypeWillChange;
use Toolwire\Plain\Result\Numbers;

/**
 * A number of JSON that PHP's own numbers would change: an integer beyond 64 bits, a fraction with
 * more digits than a float has, `1.50`, `1e3`.
 */
final class Digits implements JsonSerializable
{
    /** The most digits that an integer is written with: as many as a float can have. */
    private const MOST_DIGITS = 309;

    /** @var int how many were written by `json_encode()`, which writes them as texts */
    public static $written = 0;

    /** @var string as JSON has it */
    public $text;

    private function __construct(string $text)
    {
        $this->text = $text;
    }

    /**
     * The number of a text of JSON.
     *
     * @return int|float|self
     */
    public static function of(string $text)
    {
        $whole = (int) $text;
        if ((string) $whole === $text) {
            return $whole;
        }
        $text = (string) preg_replace('/[eE]([0-9])/', 'e+$1', $text);
        $text = str_replace('E', 'e', $text);
        $float = (float) $text;
        $isFloat = strpbrk($text, '.e') !== false && is_finite($float)
            && json_encode($float, JSON_PRESERVE_ZERO_FRACTION) === $text;
        return $isFloat ? $float : new self($text);
    }

    /** Whether it has a fraction or an exponent and is beyond a float. */
    public function isInfinite(): bool
    {
        return strpbrk($this->text, '.e') !== false && is_infinite((float) $this->text);
    }

    /**
     * The nearest of PHP's numbers; of an integer beyond 64 bits its digits.
     *
     * @return int|float|string
     */
    public function plain()
    {
        $float = (float) $this->text;
        if (strpbrk($this->text, '.e') === false) {
            return $this->text === '-0' ? 0 : $this->text;
        }
        return is_finite($float) ? $float : $this->text;
    }

    /**
     * An integral number that is not written as an integer, as one; null for any other.
     *
     * @param int|float|self $number
     * @return int|self|null
     */
    public static function whole($number)
    {
        if (is_float($number) && abs($number) < 2 ** 53) {
            return floor($number) === $number ? (int) $number : null;
        }
        $text = $number instanceof self
            ? $number->text
            : (is_float($number) ? Numbers::float($number) : (string) $number);
        if (preg_match('/^(-?)([0-9]+)(?:\.([0-9]+))?(?:e([-+][0-9]+))?$/D', $text, $part) !== 1) {
            return null;
        }
        if (strpbrk($text, '.e') === false) {
            return null;
        }
        $fraction = rtrim($part[3] ?? '', '0');
        $joined = $part[2] . $fraction;
        $digits = ltrim($joined, '0');
        if ($digits === '') {
            return 0;
        }
        $places = strlen($part[2]) - (strlen($joined) - strlen($digits));
        $before = $places + (float) ($part[4] ?? 0);
        $digits = rtrim($digits, '0');
        if ($before < strlen($digits) || $before > self::MOST_DIGITS) {
            return null;
        }
        $whole = self::of($part[1] . str_pad($digits, (int) $before, '0'));
        return is_float($whole) ? null : $whole;
    }

    #[ReturnTypeWillChange]
    public function jsonSerialize()
    {
        self::$written++;
        return $this->text;
    }
}
