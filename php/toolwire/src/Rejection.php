<?php

declare(strict_types=1);

namespace Toolwire;

use JsonSerializable;
use Toolwire\Plain\Fields;
use Toolwire\Plain\ReadOnlyFields;
use Toolwire\Plain\Record;

/**
 * Something that looked like a call and was refused; its text stays text.
 *
 * @property-read string $code why: `bad_json`, `bad_name`, `unknown_tool`, `incomplete`, …
 * @property-read string $message why, for a person
 * @property-read array{start: int, end: int} $span from the first byte to the one that decided
 * @property-read int $line the line of the first byte, from 1
 * @property-read int $column the code point of the first byte in its line, from 1
 * @property-read string $excerpt the candidate's first 120 characters at most
 * @property-read string|null $format the format that it seemed to have
 */
final class Rejection implements JsonSerializable
{
    use ReadOnlyFields;
    use Record;

    private const FIELDS = ['code', 'message', 'span', 'line', 'column', 'excerpt', 'format'];

    private const CODES = [
        'bad_json', 'not_an_object', 'missing_name', 'bad_name', 'missing_arguments',
        'unknown_tool', 'legacy_tool', 'incomplete', 'too_deep', 'too_large', 'too_many_calls',
        'invalid_utf8', 'schema_mismatch', 'duplicate', 'in_reasoning', 'in_code', 'bad_shape',
        'schema_limit', 'unknown_kind', 'bad_number', 'malformed',
        'other_format', 'after_end', 'no_tools',
    ];

    private function __construct()
    {
    }

    /**
     * @internal for a detection
     * @param array<string, mixed> $found
     */
    public static function of(array $found): self
    {
        return self::filled(['span' => $found['span']->toArray()] + $found);
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return $this->fieldsByName();
    }

    /** @return array<string, mixed> */
    private static function read(Fields $fields): array
    {
        return [
            'format' => $fields->slug('format', true),
            'code' => $fields->word('code', self::CODES),
            'message' => $fields->text('message'),
            'span' => $fields->span('span')->toArray(),
            'line' => $fields->whole('line'),
            'column' => $fields->whole('column'),
            'excerpt' => $fields->text('excerpt'),
        ];
    }
}
