<?php

declare(strict_types=1);

namespace Toolwire\Plain\Schema;

use Toolwire\Plain\Json\Digits;
use Toolwire\Plain\Result\Numbers;

/** A number with all of its digits, since floats take different numbers for equal. */
final class Decimal
{
    /** No exponent is larger: whatever has one is beyond every number of a schema. */
    private const LARGEST = 10 ** 12;

    /** Up to here ten times a number and a digit are no float. */
    private const LONG = 10 ** 17;

    /** @var int -1, 0 or 1 */
    private $sign;

    /** @var string without zeros at its ends; empty for 0 */
    private $digits;

    /** @var int the power of ten that the digits are multiplied with */
    private $exponent;

    /** @param int|float|Digits $number */
    public function __construct($number)
    {
        $text = $number instanceof Digits
            ? $number->text
            : (is_float($number) ? Numbers::float($number) : (string) $number);
        [$mantissa, $exponent] = explode('e', "{$text}e0");
        [$whole, $fraction] = explode('.', "$mantissa.");
        $digits = ltrim($whole . $fraction, '-0');
        $this->digits = rtrim($digits, '0');
        $power = (float) $exponent;
        $power = (int) max(-self::LARGEST, min(self::LARGEST, $power));
        $this->exponent = $power - strlen($fraction) + strlen($digits) - strlen($this->digits);
        $this->sign = $this->digits === '' ? 0 : ($text[0] === '-' ? -1 : 1);
    }

    /**
     * Whether a value of JSON is a number.
     *
     * @param mixed $value
     */
    public static function isNumber($value): bool
    {
        return is_int($value) || is_float($value) || $value instanceof Digits;
    }

    public function isInteger(): bool
    {
        return $this->sign === 0 || $this->exponent >= 0;
    }

    /** Below 0 if it is smaller than another one, 0 if they are equal, above 0 if it is larger. */
    public function compare(self $other): int
    {
        if ($this->sign !== $other->sign || $this->sign === 0) {
            return $this->sign - $other->sign;
        }
        $size = strlen($this->digits) + $this->exponent;
        $compared = $size <=> strlen($other->digits) + $other->exponent;
        return $this->sign * ($compared !== 0 ? $compared : strcmp($this->digits, $other->digits));
    }

    /** Whether it is another one, which is not 0, times an integer. */
    public function isMultipleOf(self $other): bool
    {
        if ($this->sign === 0) {
            return true;
        }
        // Neither ends with a zero, so a smaller power of ten leaves a fraction.
        $power = $this->exponent - $other->exponent;
        if ($power < 0) {
            return false;
        }
        $by = (int) $other->digits;
        $rest = 0;
        // More zeros than the divisor has bits change nothing.
        $zeros = str_repeat('0', min($power, 64));
        foreach ([$this->digits, $zeros] as $digits) {
            for ($at = 0; $at < strlen($digits); $at++) {
                $rest = self::next($rest, (int) $digits[$at], $by);
            }
        }
        return $rest === 0;
    }

    /** Equal for equal numbers. */
    public function key(): string
    {
        return $this->sign . $this->digits . ($this->sign === 0 ? '' : "e$this->exponent");
    }

    /** The rest of ten times a rest and a digit. */
    private static function next(int $rest, int $digit, int $by): int
    {
        if ($by < self::LONG) {
            return (10 * $rest + $digit) % $by;
        }
        $sum = $digit % $by;
        for ($count = 0; $count < 10; $count++) {
            $sum = $sum >= $by - $rest ? $sum - ($by - $rest) : $sum + $rest;
        }
        return $sum;
    }
}
