<?php

declare(strict_types=1);

namespace Toolwire;

use JsonSerializable;
use ReturnTypeWillChange;
use stdClass;
use Toolwire\Plain\Detect\FoundCall;
use Toolwire\Plain\Fields;
use Toolwire\Plain\Json\Builder;
use Toolwire\Plain\Json\Pretty;
use Toolwire\Plain\ReadOnlyFields;
use Toolwire\Plain\Record;
use Toolwire\Plain\Utf8;

/**
 * A request by a model to run a tool. It can outlive its detection.
 *
 * @property-read string $id the id written in the text, else a new one
 * @property-read bool $idGiven whether the id was written in the text
 * @property-read int $index the position among the text's calls, from 0
 * @property-read string $name the tool's name
 * @property-read array<array-key, mixed> $arguments the arguments, built at the first access
 * @property-read string $argumentsRaw the JSON text of the arguments
 * @property-read string $format the slug of the format the call was written in
 * @property-read string $original the whole markup, verbatim
 * @property-read array{start: int, end: int} $span where the markup stands
 * @property-read string $status `complete`, or `repaired`
 * @property-read list<array{code: string, message: string, offset: int}> $diagnostics notes
 * @property-read ?string $providerData what a provider wrote beside the call, as JSON text
 */
final class ToolCall implements JsonSerializable
{
    use ReadOnlyFields;
    use Record {
        field as private fieldAsKept;
    }

    private const FIELDS = [
        'id', 'idGiven', 'index', 'name', 'arguments', 'argumentsRaw', 'format', 'original', 'span',
        'status', 'diagnostics', 'providerData',
    ];

    private const DIAGNOSTICS = [
        'missing_end', 'double_encoded', 'duplicate_key', 'empty_array', 'big_integer', 'renamed',
        'schema_mismatch', 'trailing_comma', 'single_quotes', 'control_character',
        'missing_bracket', 'unquoted', 'comment', 'python_literal', 'leading_zero', 'inner_quotes',
        'end_tag_in_value', 'not_of_type', 'coerced', 'fence_differs', 'no_arguments',
        'big_number', 'free_text', 'in_open_reasoning', 'missing_tag', 'unknown_escape',
        'nearest_version',
    ];

    /** The deepest nesting of arguments that are read back. */
    private const DEEPEST = 4096;

    private function __construct()
    {
    }

    /** @internal for a detection */
    public static function of(FoundCall $found, string $input): self
    {
        return self::filled([
            'id' => $found->id,
            'idGiven' => $found->idGiven,
            'index' => $found->index,
            'name' => $found->name,
            'argumentsRaw' => $found->made ?? $found->arguments->of($input),
            'format' => $found->format,
            'original' => $found->span->of($input),
            'span' => $found->span->toArray(),
            'status' => $found->status,
            'diagnostics' => array_map(static function (array $note): array {
                // The keys get one order.
                return array_merge(['code' => '', 'message' => ''], $note);
            }, $found->notes),
            'providerData' => null,
        ]);
    }

    /** @return mixed */
    private function field(string $name)
    {
        if ($name === 'arguments' && !isset($this->fields['arguments'])) {
            $this->fields['arguments'] = $this->readArguments(Builder::ARRAYS);
        }
        return $this->fieldAsKept($name);
    }

    /** @return mixed */
    private function readArguments(int $objects)
    {
        return Builder::read($this->fields['argumentsRaw'], $objects)[0] ?? [];
    }

    /** @return array<string, mixed> every field, by its name in snake case */
    public function toArray(): array
    {
        return $this->record($this->field('arguments'), $this->fields['original']);
    }

    /** The arguments, with JSON objects as objects. A new object each time. */
    public function argumentsObject(): stdClass
    {
        $arguments = $this->readArguments(Builder::OBJECTS);
        return $arguments instanceof stdClass ? $arguments : new stdClass();
    }

    /** The call as a block of HTML, every value escaped. */
    public function toHtml(string $status = 'processing'): string
    {
        $fields = $this->fields;
        return Html::call($fields['name'], $fields['argumentsRaw'], $status, $fields['id']);
    }

    /**
     * The fields of `toArray()` for `json_encode()`, with `{}` and `[]` as the model wrote them.
     *
     * @return array<string, mixed>
     */
    #[ReturnTypeWillChange]
    public function jsonSerialize()
    {
        $original = Utf8::lossy($this->fields['original']);
        return $this->record($this->readArguments(Builder::ENCODABLE), $original);
    }

    /** The fields of `toArray()` as JSON text, with the arguments byte for byte. */
    public function toJson(): string
    {
        $parts = [];
        $fields = $this->record(null, Utf8::lossy($this->fields['original']));
        foreach ($fields as $name => $value) {
            $json = $name === 'arguments' ? $this->fields['argumentsRaw'] : self::json($value);
            $parts[] = "\"$name\":$json";
        }
        return '{' . implode(',', $parts) . '}';
    }

    /** @param mixed $value a scalar, or an array of scalars and arrays */
    private static function json($value): string
    {
        if (is_string($value)) {
            return Pretty::text($value);
        }
        if (!is_array($value)) {
            return is_bool($value) ? ($value ? 'true' : 'false') : (string) $value;
        }
        $list = $value === [] || isset($value[0]);
        $parts = [];
        foreach ($value as $key => $part) {
            $parts[] = ($list ? '' : "\"$key\":") . self::json($part);
        }
        return ($list ? '[' : '{') . implode(',', $parts) . ($list ? ']' : '}');
    }

    /**
     * @param mixed $arguments
     * @return array<string, mixed>
     */
    private function record($arguments, string $original): array
    {
        $fields = $this->fields;
        $data = $fields['providerData'] ?? null;
        return [
            'id' => $fields['id'],
            'id_given' => $fields['idGiven'],
            'index' => $fields['index'],
            'name' => $fields['name'],
            'arguments' => $arguments,
            'arguments_raw' => $fields['argumentsRaw'],
            'format' => $fields['format'],
            'original' => $original,
            'span' => $fields['span'],
            'status' => $fields['status'],
            'diagnostics' => $fields['diagnostics'],
        ] + ($data === null ? [] : ['provider_data' => $data]);
    }

    /** @return array<string, mixed> */
    private static function read(Fields $fields): array
    {
        $span = $fields->span('span');
        $original = $fields->bytes('original');
        // Calls of a provider's object are not part of a text.
        if (strlen($original) !== $span->length() && $original !== '') {
            throw $fields->error('original', 'as long as the span says');
        }
        $raw = $fields->text('arguments_raw');
        $arguments = Builder::read($raw, Builder::OBJECTS, self::DEEPEST)[0] ?? null;
        if (!$arguments instanceof stdClass && $arguments !== []) {
            throw $fields->error('arguments_raw', 'a JSON object');
        }
        $data = $fields->laterText('provider_data');
        $object = $data === null ? null : Builder::read($data, Builder::OBJECTS, 128)[0] ?? null;
        if ($data !== null && !$object instanceof stdClass) {
            throw $fields->error('provider_data', 'a JSON object');
        }
        $notes = [];
        foreach ($fields->items('diagnostics') as $note) {
            $note = $fields->within('diagnostics', $note);
            $notes[] = [
                'code' => $note->word('code', self::DIAGNOSTICS),
                'message' => $note->text('message'),
                'offset' => $note->whole('offset'),
            ];
        }
        return [
            'id' => $fields->text('id'),
            'idGiven' => $fields->flag('id_given'),
            'index' => $fields->whole('index'),
            'name' => $fields->text('name'),
            'argumentsRaw' => $raw,
            'format' => $fields->slug('format'),
            'original' => $original,
            'span' => $span->toArray(),
            'status' => $fields->word('status', ['complete', 'repaired']),
            'diagnostics' => $notes,
            'providerData' => $data,
        ];
    }
}
