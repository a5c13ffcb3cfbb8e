<?php

declare(strict_types=1);

namespace Toolwire\Plain\Json;

use Toolwire\Plain\Span;

/** One JSON value that must be a call's arguments: an object, or `[]` for the empty object. */
final class Arguments
{
    public const BLANK = " \t\n\r\f";

    /** @return array{code: string, message: string, offset: int} the note on `[]` */
    public static function emptyArray(int $offset): array
    {
        $message = '[] counts as the empty object';
        return ['code' => 'empty_array', 'message' => $message, 'offset' => $offset];
    }

    /**
     * Reads the arguments behind a name; null where the text ends in them.
     *
     * @return ReadArguments|Bad|null
     */
    public static function at(string $text, int $pos, Tolerance $tolerance)
    {
        $scanner = new Scanner($text, $pos, $tolerance->depth);
        $observer = new Observer();
        $kind = $scanner->next();
        if ($kind !== Scanner::OPEN) {
            return self::other($kind, $scanner);
        }
        $start = $scanner->start;
        $observer->observe($kind, $scanner, $text);
        $scanner->limit = min(strlen($text), $start + $tolerance->bytes);
        $array = !$scanner->isObject;
        do {
            $kind = $scanner->next();
            if ($kind === Scanner::FAULT) {
                return Bad::fault($scanner);
            }
            if ($kind === Scanner::END) {
                $large = strlen($text) > $scanner->limit;
                return $large ? Bad::tooLarge($scanner->limit) : null;
            }
            if ($array && ($kind !== Scanner::CLOSE || $scanner->isObject)) {
                return Bad::notAnObject($start);
            }
            $observer->observe($kind, $scanner, $text);
        } while (!$scanner->done());
        $notes = $observer->between($start, $scanner->end);
        if ($array) {
            $notes[] = self::emptyArray($start);
        }
        return new ReadArguments(new Span($start, $scanner->end), $notes);
    }

    /**
     * Reads a text that is nothing but arguments.
     *
     * @return ReadArguments|Bad
     */
    public static function whole(string $text, Tolerance $tolerance)
    {
        $strict = self::json($text, $tolerance);
        if (!$strict instanceof Bad || !$tolerance->repairs || $strict->code !== 'bad_json') {
            return $strict;
        }
        $read = (new Repairer($text, 0, $tolerance, ''))->read();
        $blank = $read instanceof ReadArguments
            && $read->span->end + strspn($text, self::BLANK, $read->span->end) === strlen($text);
        return $blank ? $read : $strict;
    }

    /**
     * What is wrong with a value that begins with no bracket.
     *
     * @return Bad|null
     */
    private static function other(int $kind, Scanner $scanner)
    {
        if ($kind === Scanner::FAULT) {
            return Bad::fault($scanner);
        }
        return $kind === Scanner::END ? null : Bad::notAnObject($scanner->start);
    }

    /** @return ReadArguments|Bad */
    private static function json(string $text, Tolerance $tolerance)
    {
        if (strlen($text) > $tolerance->bytes) {
            return Bad::tooLarge($tolerance->bytes);
        }
        $read = self::at($text, 0, $tolerance) ?? self::cutOff($text);
        if ($read instanceof Bad) {
            return $read;
        }
        $at = $read->span->end + strspn($text, self::BLANK, $read->span->end);
        return $at === strlen($text)
            ? $read
            : new Bad('bad_json', $at, 'the arguments are not JSON: text follows the object');
    }

    private static function cutOff(string $text): Bad
    {
        $at = strspn($text, self::BLANK);
        $first = $text[$at] ?? '';
        if ($first === '') {
            return new Bad('missing_arguments', strlen($text), 'there are no arguments');
        }
        if (strpbrk($first, '{["') !== false) {
            $reason = 'the arguments are not JSON: they are cut off';
            return new Bad('bad_json', strlen($text), $reason);
        }
        return strpbrk($first, '-0123456789') !== false
            ? Bad::notAnObject(0)
            : new Bad('bad_json', 0, 'the arguments are not JSON');
    }
}
