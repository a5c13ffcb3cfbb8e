<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Utf8;

/**
 * The attributes of a start tag, as a browser reads them. A tag in which HTML knows a fault has
 * none: it is no call.
 */
final class Attributes
{
    private const SPACE = " \t\n\f";

    /** The entities that HTML also knows without a semicolon, with spaces round each. */
    private const WITHOUT_SEMICOLON = ' '
        . 'AElig AMP Aacute Acirc Agrave Aring Atilde Auml COPY Ccedil ETH Eacute Ecirc '
        . 'Egrave Euml GT Iacute Icirc Igrave Iuml LT Ntilde Oacute Ocirc Ograve Oslash '
        . 'Otilde Ouml QUOT REG THORN Uacute Ucirc Ugrave Uuml Yacute aacute acirc acute '
        . 'aelig agrave amp aring atilde auml brvbar ccedil cedil cent copy curren deg '
        . 'divide eacute ecirc egrave eth euml frac12 frac14 frac34 gt iacute icirc iexcl '
        . 'igrave iquest iuml laquo lt macr micro middot nbsp not ntilde oacute ocirc ograve '
        . 'ordf ordm oslash otilde ouml para plusmn pound quot raquo reg sect shy sup1 sup2 '
        . 'sup3 szlig thorn times uacute ucirc ugrave uml uuml yacute yen yuml ';

    private const ALPHANUMERIC
        = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

    /**
     * The attributes by their names in lower case; null for a tag with a fault.
     *
     * @return array<array-key, string>|null
     */
    public static function of(string $tag): ?array
    {
        if (strpos($tag, "\0") !== false) {
            return null;
        }
        $tag = str_replace(["\r\n", "\r"], "\n", $tag);
        $pos = strcspn($tag, self::SPACE . '/>');
        $found = [];
        while (true) {
            $pos += strspn($tag, self::SPACE, $pos);
            $byte = $tag[$pos] ?? '';
            if ($byte === '>' || $byte === '/') {
                return $byte === '>' || ($tag[$pos + 1] ?? '') === '>' ? $found : null;
            }
            $length = strcspn($tag, self::SPACE . '/>=', $pos);
            $name = Tag::lower(substr($tag, $pos, $length));
            if ($length === 0 || strpbrk($name, '"\'<') !== false || isset($found[$name])) {
                return null;
            }
            $pos += $length;
            $pos += strspn($tag, self::SPACE, $pos);
            $found[$name] = '';
            if (($tag[$pos] ?? '') === '=') {
                $value = self::value($tag, $pos);
                $value = $value === null ? null : self::decode($value);
                if ($value === null) {
                    return null;
                }
                $found[$name] = $value;
            }
        }
    }

    /** Passes an `=` and the value behind it; null for a fault. */
    private static function value(string $tag, int &$pos): ?string
    {
        $pos++;
        $pos += strspn($tag, self::SPACE, $pos);
        $quote = $tag[$pos] ?? '';
        if ($quote === '"' || $quote === "'") {
            $end = strpos($tag, $quote, $pos + 1);
            if ($end === false || strcspn($tag, self::SPACE . '/>', $end + 1, 1) > 0) {
                return null;
            }
            $value = substr($tag, $pos + 1, $end - $pos - 1);
            $pos = $end + 1;
            return $value;
        }
        $length = strcspn($tag, self::SPACE . '>', $pos);
        $value = substr($tag, $pos, $length);
        $pos += $length;
        return $length === 0 || strpbrk($value, '"\'<=`') !== false ? null : $value;
    }

    /** The value with its character references decoded; null for a fault. */
    private static function decode(string $value): ?string
    {
        $decoded = '';
        for ($at = 0; ($next = strpos($value, '&', $at)) !== false; $at = $next) {
            $decoded .= substr($value, $at, $next - $at);
            $read = ($value[$next + 1] ?? '') === '#'
                ? self::numeric($value, $next + 2)
                : self::named($value, $next + 1);
            if ($read === null) {
                return null;
            }
            $decoded .= $read[0];
            $next = $read[1];
        }
        return $decoded . substr($value, $at);
    }

    /**
     * What a named reference stands for, and the place behind it; null for a fault.
     *
     * @return array{string, int}|null
     */
    private static function named(string $value, int $at): ?array
    {
        $length = strspn($value, self::ALPHANUMERIC, $at);
        $name = substr($value, $at, $length);
        $behind = $value[$at + $length] ?? '';
        if ($behind === ';') {
            $decoded = html_entity_decode("&$name;", ENT_QUOTES | ENT_HTML5, 'UTF-8');
            if ($decoded !== "&$name;") {
                return [$decoded, $at + $length + 1];
            }
        }
        // A known name without a semicolon is text if a letter, a digit or `=` follows.
        for ($known = min($length, 6); $known > 1; $known--) {
            $word = ' ' . substr($name, 0, $known) . ' ';
            if (strpos(self::WITHOUT_SEMICOLON, $word) !== false) {
                return $known < $length || $behind === '=' ? ["&$name", $at + $length] : null;
            }
        }
        return $behind === ';' && $length > 0 ? null : ["&$name", $at + $length];
    }

    /**
     * What a numeric reference stands for, and the place behind it; null for a fault.
     *
     * @return array{string, int}|null
     */
    private static function numeric(string $value, int $at): ?array
    {
        $hex = strpos('xX', $value[$at] ?? '-') !== false;
        $at += $hex ? 1 : 0;
        $length = strspn($value, $hex ? '0123456789abcdefABCDEF' : '0123456789', $at);
        $digits = ltrim(substr($value, $at, $length), '0');
        if ($length === 0 || ($value[$at + $length] ?? '') !== ';' || strlen($digits) > 8) {
            return null;
        }
        $number = (int) ($hex ? hexdec($digits) : $digits);
        $control = $number < 0x20 && !in_array($number, [0x09, 0x0A, 0x0C], true);
        if ($control || ($number >= 0x7F && $number <= 0x9F) || $number > 0x10FFFF) {
            return null;
        }
        $none = ($number >= 0xFDD0 && $number <= 0xFDEF) || ($number & 0xFFFE) === 0xFFFE;
        if ($none || ($number >= 0xD800 && $number <= 0xDFFF)) {
            return null;
        }
        return [Utf8::encode($number), $at + $length + 1];
    }
}
