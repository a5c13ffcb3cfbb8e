<?php

declare(strict_types=1);

namespace Toolwire\Plain\Result;

/** Writes numbers as Python writes them, so that a summary is the same text in every language. */
final class Numbers
{
    /** So many digits tell every number from every other one. */
    private const MOST_DIGITS = 17;

    private const LEAST_NORMAL = 2.2250738585072014e-308;

    public static function float(float $value): string
    {
        if (is_nan($value) || is_infinite($value)) {
            return self::odd($value);
        }
        [$sign, $digits, $exponent] = self::shortest($value);
        if ($exponent < -4 || $exponent >= 16) {
            $rest = substr($digits, 1);
            $mantissa = $digits[0] . ($rest === '' ? '' : ".$rest");
            $down = $exponent < 0 ? '-' : '+';
            return sprintf('%s%se%s%02d', $sign, $mantissa, $down, abs($exponent));
        }
        if ($exponent < 0) {
            return $sign . '0.' . str_repeat('0', -$exponent - 1) . $digits;
        }
        $digits = str_pad($digits, $exponent + 2, '0');
        return $sign . substr($digits, 0, $exponent + 1) . '.' . substr($digits, $exponent + 1);
    }

    /** A share as a percentage with one decimal. */
    public static function percent(float $value): string
    {
        $value *= 100.0;
        if (is_nan($value) || is_infinite($value)) {
            return self::odd($value) . '%';
        }
        $sign = $value < 0 || (string) $value === '-0' ? '-' : '';
        return sprintf('%s%.1F%%', $sign, abs($value));
    }

    /**
     * The sign, the fewest digits that stand for the number alone, and the exponent of the first.
     *
     * @return array{string, string, int}
     */
    private static function shortest(float $value): array
    {
        $sign = var_export($value, true)[0] === '-' ? '-' : '';
        $value = abs($value);
        if ($value === 0.0) {
            return [$sign, '0', 0];
        }
        // Every decimal of up to 15 digits is the nearest one of its number; below the normal
        // numbers, there are fewer digits.
        for ($count = $value < self::LEAST_NORMAL ? 1 : 15; $count < self::MOST_DIGITS; $count++) {
            $nearest = self::decimal($value, $count);
            foreach ([$nearest, self::next(...$nearest)] as [$digits, $exponent]) {
                $written = "$digits[0]." . substr($digits, 1) . "e$exponent";
                if ((float) $written === $value) {
                    return [$sign, rtrim($digits, '0'), $exponent];
                }
            }
        }
        [$digits, $exponent] = self::decimal($value, self::MOST_DIGITS);
        return [$sign, rtrim($digits, '0'), $exponent];
    }

    /**
     * The nearest decimal of so many digits, and the exponent of the first.
     *
     * @return array{string, int}
     */
    private static function decimal(float $value, int $count): array
    {
        [$mantissa, $exponent] = explode('e', sprintf('%.' . ($count - 1) . 'e', $value));
        return [str_replace('.', '', $mantissa), (int) $exponent];
    }

    /**
     * The next decimal of as many digits: above a power of two, it may stand for the number where
     * the nearest one does not.
     *
     * @return array{string, int}
     */
    private static function next(string $digits, int $exponent): array
    {
        $kept = rtrim($digits, '9');
        if ($kept === '') {
            return [str_pad('1', strlen($digits), '0'), $exponent + 1];
        }
        $kept[-1] = (string) ((int) $kept[-1] + 1);
        return [str_pad($kept, strlen($digits), '0'), $exponent];
    }

    private static function odd(float $value): string
    {
        return is_nan($value) ? 'nan' : ($value > 0 ? 'inf' : '-inf');
    }
}
