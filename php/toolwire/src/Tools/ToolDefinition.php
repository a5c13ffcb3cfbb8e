<?php

declare(strict_types=1);

namespace Toolwire\Tools;

use Toolwire\Plain\Misuse;
use Toolwire\Plain\ReadOnlyFields;
use Toolwire\Plain\Schema\InputSchema;
use Toolwire\Plain\Unsaved;

/**
 * A tool: its description, its rights, and the code that runs it.
 *
 * @property-read string $name
 * @property-read string $id what the registry knows the tool by
 * @property-read callable $handler
 * @property-read string $description
 * @property-read array<string, mixed> $inputSchema a JSON Schema; empty for none
 * @property-read list<string> $allowedModes
 * @property-read bool $requiresApproval
 * @property-read ?string $approvalMessage
 * @property-read bool $undoable
 * @property-read ?callable $undoHandler
 * @property-read ?string $artifactType
 * @property-read list<string> $aliases other names that find the tool
 * @property-read ?string $capability
 * @property-read ?array{int, float} $rateLimit so many runs in so many seconds
 * @property-read ?bool $readOnly whether the tool changes nothing
 * @property-read ?bool $destructive
 * @property-read ?float $timeoutSeconds
 */
final class ToolDefinition
{
    use ReadOnlyFields;
    use Unsaved {
        ReadOnlyFields::__clone insteadof Unsaved;
        ReadOnlyFields::__set insteadof Unsaved;
    }

    private const FIELDS = [
        'name', 'id', 'handler', 'description', 'inputSchema', 'allowedModes',
        'requiresApproval', 'approvalMessage', 'undoable', 'undoHandler', 'artifactType',
        'aliases', 'capability', 'rateLimit', 'readOnly', 'destructive', 'timeoutSeconds',
    ];

    /** @var array<string, mixed> */
    private $fields;

    /**
     * @param ?array<string, mixed> $inputSchema
     * @param ?list<string> $allowedModes
     * @param ?list<string> $aliases
     * @param ?array{int, float} $rateLimit
     */
    public function __construct(
        string $name,
        string $id,
        callable $handler,
        string $description = '',
        ?array $inputSchema = null,
        ?array $allowedModes = null,
        bool $requiresApproval = false,
        ?string $approvalMessage = null,
        bool $undoable = false,
        ?callable $undoHandler = null,
        ?string $artifactType = null,
        ?array $aliases = null,
        ?string $capability = null,
        ?array $rateLimit = null,
        ?bool $readOnly = null,
        ?bool $destructive = null,
        ?float $timeoutSeconds = null
    ) {
        if ($rateLimit !== null) {
            self::checkRate($rateLimit);
        }
        InputSchema::of($inputSchema ?? [], $name);
        $this->fields = [
            'name' => $name,
            'id' => $id,
            'handler' => $handler,
            'description' => $description,
            'inputSchema' => $inputSchema ?? [],
            'allowedModes' => $allowedModes ?? [],
            'requiresApproval' => $requiresApproval,
            'approvalMessage' => $approvalMessage,
            'undoable' => $undoable,
            'undoHandler' => $undoHandler,
            'artifactType' => $artifactType,
            'aliases' => $aliases ?? [],
            'capability' => $capability,
            'rateLimit' => $rateLimit,
            'readOnly' => $readOnly,
            'destructive' => $destructive,
            'timeoutSeconds' => $timeoutSeconds,
        ];
    }

    /** Whether the tool may run in a mode; without a list in any, and without one. */
    public function runsIn(?string $mode = null): bool
    {
        $allowed = $this->fields['allowedModes'];
        return $allowed === [] || in_array($mode, $allowed, true);
    }

    /** @return array<string, mixed> every field but the handlers, by its name in snake case */
    public function toArray(): array
    {
        $fields = [];
        foreach (array_diff(self::FIELDS, ['handler', 'undoHandler']) as $name) {
            $key = strtolower((string) preg_replace('/[A-Z]/', '_$0', $name));
            $fields[$key] = $this->fields[$name];
        }
        return $fields;
    }

    /** @param array<mixed> $limit */
    private static function checkRate(array $limit): void
    {
        [$count, $seconds] = array_values($limit) + [null, null];
        $isPair = count($limit) === 2 && is_int($count) && (is_int($seconds) || is_float($seconds));
        if (!$isPair) {
            $message = 'rateLimit must be a list of a number of runs and of seconds';
            throw Misuse::of('wrong_type', $message);
        }
        if ($count < 1 || !($seconds > 0) || !is_finite((float) $seconds)) {
            $message = "a rate limit needs a count and a period above 0, not $count and $seconds";
            throw Misuse::of('invalid_option', $message);
        }
    }

    /** @return mixed */
    private function field(string $name)
    {
        return $this->fields[$name];
    }
}
