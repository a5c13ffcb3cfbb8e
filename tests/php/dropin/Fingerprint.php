<?php

declare(strict_types=1);

namespace Toolwire\Tests\Dropin;

use ReflectionReference;

/**
 * Values as text: types, bits of floats, order of keys, and the identity of objects and references.
 */
final class Fingerprint
{
    /** @var array<string, int> */
    private array $known = [];

    public static function of(mixed ...$values): string
    {
        return (new self())->show($values);
    }

    private function show(mixed $value): string
    {
        return match (true) {
            is_array($value) => $this->showArray($value),
            is_object($value) => $value::class . '#'
                . $this->ordinal('object ' . spl_object_id($value)),
            is_float($value) => 'float ' . bin2hex(pack('E', $value)),
            default => gettype($value) . ' ' . var_export($value, true),
        };
    }

    private function showArray(array $array): string
    {
        $shown = [];
        foreach (array_keys($array) as $key) {
            $reference = ReflectionReference::fromArrayElement($array, $key);
            $mark = $reference === null
                ? ''
                : '&' . $this->ordinal('reference ' . $reference->getId()) . ' ';
            $shown[] = var_export($key, true) . " => $mark" . $this->show($array[$key]);
        }
        return '[' . implode(', ', $shown) . ']';
    }

    private function ordinal(string $what): int
    {
        return $this->known[$what] ??= count($this->known);
    }
}
