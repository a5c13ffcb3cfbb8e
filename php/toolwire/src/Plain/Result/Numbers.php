<?php

declare(strict_types=1);

namespace Toolwire\Plain\Result;

/** Writes numbers as Python writes them, so that a summary is the same text in every language. */
final class Numbers
{
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
        $before = ini_set('serialize_precision', '-1');
        $shown = var_export($value, true);
        if ($before !== false) {
            ini_set('serialize_precision', $before);
        }
        $sign = $shown[0] === '-' ? '-' : '';
        [$mantissa, $exponent] = explode('E', substr($shown, strlen($sign))) + [1 => '0'];
        [$whole, $fraction] = explode('.', $mantissa) + [1 => ''];
        $digits = ltrim($whole . $fraction, '0');
        $zeros = strlen($whole . $fraction) - strlen($digits);
        $digits = rtrim($digits, '0');
        if ($digits === '') {
            return [$sign, '0', 0];
        }
        return [$sign, $digits, (int) $exponent + strlen($whole) - 1 - $zeros];
    }

    private static function odd(float $value): string
    {
        return is_nan($value) ? 'nan' : ($value > 0 ? 'inf' : '-inf');
    }
}
