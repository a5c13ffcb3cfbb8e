<?php

declare(strict_types=1);

namespace Toolwire\Tools;

use Toolwire\Plain\ReadOnlyFields;
use Toolwire\Plain\Unsaved;

/**
 * What a handler is given.
 *
 * @property-read string $runId
 * @property-read string $toolName
 * @property-read array<mixed> $payload
 * @property-read ?string $mode
 * @property-read ?string $parentId
 * @property-read ?string $requestId
 * @property-read string $idempotencyKey
 */
final class ToolInput
{
    use ReadOnlyFields;
    use Unsaved {
        ReadOnlyFields::__clone insteadof Unsaved;
        ReadOnlyFields::__set insteadof Unsaved;
    }

    private const FIELDS = [
        'runId', 'toolName', 'payload', 'mode', 'parentId', 'requestId',
        'idempotencyKey',
    ];

    /** @var array<string, mixed> */
    private $fields;

    /** @var string */
    private $json;

    /** @param array<string, mixed> $fields */
    private function __construct(array $fields, string $json)
    {
        $this->fields = $fields;
        $this->json = $json;
    }

    /**
     * @internal for what runs a tool
     * @param array<mixed> $payload
     */
    public static function of(
        string $runId,
        string $toolName,
        array $payload,
        string $json,
        string $key
    ): self {
        $fields = ['runId' => $runId, 'toolName' => $toolName, 'payload' => $payload];
        return new self($fields + ['idempotencyKey' => $key], $json);
    }

    /** The whole payload as JSON text, secrets included. */
    public function json(): string
    {
        return $this->json;
    }

    /**
     * Says whether the handler still has its run. No other process takes it over here, so it has,
     * and nobody listens.
     */
    public function progress(
        float $progress,
        ?float $total = null,
        ?string $message = null
    ): bool {
        return true;
    }

    /** @return array<string, mixed> every field, by its name in snake case */
    public function toArray(): array
    {
        $fields = [];
        foreach ($this->fieldsByName() as $name => $value) {
            $fields[strtolower((string) preg_replace('/[A-Z]/', '_$0', $name))] = $value;
        }
        return $fields;
    }

    /** @return mixed */
    private function field(string $name)
    {
        return $this->fields[$name] ?? null;
    }
}
