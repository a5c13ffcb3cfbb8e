<?php

declare(strict_types=1);

namespace Toolwire\Plain;

use Toolwire\Tools\ToolOutput;

/**
 * What became of a call of a tool that only reads.
 *
 * @property-read string $state `completed`, `failed`, `denied`, or `refused` for what is no call
 * @property-read string $code why there is no output; empty where there is one
 * @property-read string $message the same in words
 * @property-read array<string, mixed> $details `problems`, `retry_after`, `reason`
 * @property-read ?ToolOutput $output what the tool gave, also where it failed itself
 * @property-read ?float $milliseconds how long the tool took
 */
final class ReadOnlyCall
{
    use ReadOnlyFields;
    use Unsaved {
        ReadOnlyFields::__clone insteadof Unsaved;
        ReadOnlyFields::__set insteadof Unsaved;
    }

    private const FIELDS = ['state', 'code', 'message', 'details', 'output', 'milliseconds'];

    /** @var array<string, mixed> */
    private $fields;

    /** @param array<string, mixed> $fields */
    private function __construct(array $fields)
    {
        $this->fields = $fields;
    }

    public static function refused(string $code, string $message): self
    {
        return new self(['state' => 'refused', 'code' => $code, 'message' => $message]);
    }

    /** @param array<string, mixed> $details */
    public static function denied(string $code, string $message, array $details = []): self
    {
        $fields = ['state' => 'denied', 'code' => $code, 'message' => $message];
        return new self($fields + ['details' => $details]);
    }

    public static function raised(string $message, float $seconds): self
    {
        $fields = ['state' => 'failed', 'code' => 'raised', 'message' => $message];
        return new self($fields + ['milliseconds' => $seconds * 1000]);
    }

    public static function ran(ToolOutput $output, float $seconds): self
    {
        return new self([
            'state' => $output->success ? 'completed' : 'failed',
            'code' => $output->success ? '' : 'tool_error',
            'message' => (string) $output->error,
            'output' => $output,
            'milliseconds' => $seconds * 1000,
        ]);
    }

    /** @return mixed */
    private function field(string $name)
    {
        return $this->fields[$name] ?? ($name === 'details' ? [] : null);
    }
}
