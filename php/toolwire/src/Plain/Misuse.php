<?php

declare(strict_types=1);

namespace Toolwire\Plain;

use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\InvalidState;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Exception\WrongType;

/** Makes the exceptions for misuse by the programmer: a kind, its number, its class. */
final class Misuse
{
    /** Every kind of the extension, in the order of the numbers, which begin with 1. */
    private const KINDS = [
        'unknown_option' => InvalidArgument::class,
        'unknown_format' => InvalidArgument::class,
        'unknown_preset' => InvalidArgument::class,
        'invalid_option' => InvalidArgument::class,
        'invalid_tool' => InvalidArgument::class,
        'invalid_schema' => InvalidArgument::class,
        'wrong_type' => WrongType::class,
        'stream_finished' => InvalidState::class,
        'stream_open' => InvalidState::class,
        'unknown_packet_type' => InvalidArgument::class,
        'unknown_provider' => InvalidArgument::class,
        'invalid_arguments' => InvalidArgument::class,
        'invalid_format' => InvalidArgument::class,
        'unexpected_answer' => InvalidState::class,
        'invalid_execution' => InvalidArgument::class,
        'invalid_record' => InvalidArgument::class,
        'cannot_render' => InvalidArgument::class,
        'unknown_model' => InvalidArgument::class,
        'invalid_profile' => InvalidArgument::class,
        'nested_too_deep' => InvalidState::class,
        'path_not_allowed' => InvalidArgument::class,
        'schema_limit' => InvalidArgument::class,
    ];

    /** The exception of a kind. */
    public static function of(string $kind, string $message): ToolwireThrowable
    {
        $class = self::KINDS[$kind];
        return new $class($message, self::number($kind));
    }

    /** The slug of the kind with this number; empty for any other number. */
    public static function slug(int $number): string
    {
        return array_keys(self::KINDS)[$number - 1] ?? '';
    }

    /** @return array<string, array{number: int, exception: class-string<ToolwireThrowable>}> */
    public static function kinds(): array
    {
        $kinds = [];
        foreach (self::KINDS as $kind => $class) {
            $kinds[$kind] = ['number' => self::number($kind), 'exception' => $class];
        }
        return $kinds;
    }

    /**
     * The name of a value's type, as messages have it.
     *
     * @param mixed $value
     */
    public static function typeName($value): string
    {
        if (is_object($value)) {
            // The name of a class without a name goes on with its file, behind a NUL.
            return explode("\0", get_class($value))[0];
        }
        $names = ['boolean' => 'bool', 'integer' => 'int', 'double' => 'float', 'NULL' => 'null'];
        $name = gettype($value);
        return $names[$name] ?? (strncmp($name, 'resource', 8) === 0 ? 'resource' : $name);
    }

    private static function number(string $kind): int
    {
        return (int) array_search($kind, array_keys(self::KINDS), true) + 1;
    }
}
