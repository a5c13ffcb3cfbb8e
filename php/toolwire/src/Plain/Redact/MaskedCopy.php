<?php

declare(strict_types=1);

namespace Toolwire\Plain\Redact;

use stdClass;
use Toolwire\Plain\Misuse;
use Toolwire\Plain\Utf8;
use Toolwire\Plain\Values;

/** Copies a value without its secrets. */
final class MaskedCopy
{
    /** The depth to which lists and maps are copied; the items of deeper ones are only counted. */
    private const DEEPEST = 512;

    /** @var SecretNames */
    private $names;

    public function __construct(SecretNames $names)
    {
        $this->names = $names;
    }

    /**
     * @param mixed $value
     * @return mixed a copy; `$depth` lists and maps contain it
     */
    public function of($value, int $depth)
    {
        if (is_string($value)) {
            return Strike::secrets($value, $this->names);
        }
        $isObject = $value instanceof stdClass;
        if (!$isObject && !is_array($value)) {
            return is_object($value) ? '<' . Misuse::typeName($value) . '>' : $value;
        }
        $entries = $isObject ? get_object_vars($value) : $value;
        $isList = !$isObject && Values::isList($value);
        if ($depth > self::DEEPEST) {
            return '<' . ($isList ? 'list' : 'dict') . ' with ' . count($entries) . ' items>';
        }
        if ($isList) {
            return array_map(function ($item) use ($depth) {
                return $this->of($item, $depth + 1);
            }, $entries);
        }
        $copied = $this->map($entries, $depth);
        return $isObject ? (object) $copied : $copied;
    }

    /**
     * @param array<array-key, mixed> $entries
     * @return array<array-key, mixed>
     */
    private function map(array $entries, int $depth): array
    {
        [$shown, $namesSecret, $beside, $counts] = [[], false, [], []];
        foreach ($entries as $name => $value) {
            $key = is_string($name) ? Utf8::lossy($name) : '';
            if (SecretNames::holdsName($key) && is_string($value)) {
                $namesSecret = $namesSecret || $this->names->nameSecret(Utf8::lossy($value));
            }
            $written = is_string($name) ? Strike::secrets($name, $this->names) : $name;
            $copy = $key !== '' && $this->names->hide($key)
                ? Strike::REDACTED
                : $this->of($value, $depth + 1);
            // Two keys that become equal stay separate.
            for ($base = $written; array_key_exists($written, $shown);) {
                $counts[$base] = ($counts[$base] ?? 1) + 1;
                $written = "$base $counts[$base]";
            }
            $shown[$written] = $copy;
            if (SecretNames::holdsValue($key)) {
                $beside[] = $written;
            }
        }
        foreach ($namesSecret ? $beside : [] as $written) {
            $shown[$written] = Strike::REDACTED;
        }
        return $shown;
    }
}
