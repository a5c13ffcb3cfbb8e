<?php

declare(strict_types=1);

namespace Toolwire\Tools;

use Toolwire\Plain\ReadOnlyFields;
use Toolwire\Plain\Unsaved;

/**
 * What a handler gives.
 *
 * @property-read bool $success
 * @property-read mixed $data what the tool gave
 * @property-read ?string $error
 * @property-read ?array<mixed> $artifacts
 * @property-read ?array<mixed> $undoMetadata what the undo handler will be given
 */
final class ToolOutput
{
    use ReadOnlyFields;
    use Unsaved {
        ReadOnlyFields::__clone insteadof Unsaved;
        ReadOnlyFields::__set insteadof Unsaved;
    }

    private const FIELDS = ['success', 'data', 'error', 'artifacts', 'undoMetadata'];

    /** @var array<string, mixed> */
    private $fields;

    /** @param array<string, mixed> $fields */
    private function __construct(array $fields)
    {
        $this->fields = $fields;
    }

    /**
     * @param mixed $data what `json_encode()` writes
     * @param ?array<mixed> $artifacts
     * @param ?array<mixed> $undoMetadata
     */
    public static function ok(
        $data = null,
        ?array $artifacts = null,
        ?array $undoMetadata = null
    ): self {
        return new self([
            'success' => true,
            'data' => $data,
            'artifacts' => $artifacts,
            'undoMetadata' => $undoMetadata,
        ]);
    }

    /** @param mixed $data */
    public static function fail(string $error, $data = null): self
    {
        return new self(['success' => false, 'data' => $data, 'error' => $error]);
    }

    /** @return array<string, mixed> every field that is set, by its name in snake case */
    public function toArray(): array
    {
        $fields = ['success' => $this->fields['success']];
        foreach (['data', 'error', 'artifacts', 'undoMetadata'] as $name) {
            if (isset($this->fields[$name])) {
                $key = $name === 'undoMetadata' ? 'undo_metadata' : $name;
                $fields[$key] = $this->fields[$name];
            }
        }
        return $fields;
    }

    /** @return mixed */
    private function field(string $name)
    {
        return $this->fields[$name] ?? null;
    }
}
