<?php

declare(strict_types=1);

namespace Toolwire\Tests;

/** What entries of a store may be turned into by a fault or by hand; see `tampering.py`. */
final class Tampering
{
    private const PAST = '1999-01-01T00:00:00+00:00';

    /**
     * Gives what may stand in the place of a value, with names; null for a deleted entry.
     *
     * @return iterable<string, ?string>
     */
    public static function changes(string $value, string $other): iterable
    {
        $middle = intdiv(strlen($value), 2);
        yield 'deleted' => null;
        yield 'the other entry' => $other;
        foreach ([0, 1, $middle, strlen($value) - 1] as $size) {
            yield "cut after $size" => substr($value, 0, $size);
        }
        foreach (self::wrong() as $name => $wrong) {
            yield "a whole $name" => (string) json_encode($wrong);
        }
        yield 'bytes before it' => "\xff\xfe$value";
        yield 'a byte that is no UTF-8' => substr_replace($value, "\xff", $middle, 1);
        yield 'NUL behind it' => "$value\0";
        yield 'NUL in it' => substr_replace($value, "\0", $middle, 0);
        yield 'twice' => "$value$value";
        yield 'padded' => $value . str_repeat(' ', 2_000_000);
        yield 'deep' => str_repeat('[', 100_000);
        yield from self::fields($value, $other);
    }

    /** @return array<string, mixed> */
    private static function wrong(): array
    {
        return [
            'null' => null, 'flag' => true, 'negative number' => -1, 'large number' => 1e30,
            'text' => 'text', 'empty text' => '', 'list' => [], 'object' => new \stdClass(),
            'NUL' => "a\0b", 'huge' => str_repeat('x', 2_000_000), 'past' => self::PAST,
            'far future' => '9998-01-01T00:00:00+00:00',
        ];
    }

    /** @return iterable<string, string> the value with each field changed, two levels deep */
    private static function fields(string $value, string $other): iterable
    {
        [$record, $source] = [json_decode($value), json_decode($other)];
        if (!$record instanceof \stdClass) {
            return;
        }
        foreach (get_object_vars($record) as $name => $part) {
            yield from self::field($record, $record, $source, $name);
            foreach ($part instanceof \stdClass ? array_keys(get_object_vars($part)) : [] as $inner) {
                yield from self::field($record, $part, $source->$name ?? null, (string) $inner);
            }
        }
    }

    /** @return iterable<string, string> */
    private static function field(\stdClass $all, \stdClass $in, mixed $source, string $name): iterable
    {
        $kept = $in->$name;
        foreach (self::wrong() as $kind => $wrong) {
            $in->$name = $wrong;
            yield "$name is $kind" => (string) json_encode($all);
        }
        if ($source instanceof \stdClass && property_exists($source, $name)) {
            $in->$name = $source->$name;
            yield "$name of the other entry" => (string) json_encode($all);
        }
        unset($in->$name);
        yield "no $name" => (string) json_encode($all);
        $in->$name = $kept;
    }
}
