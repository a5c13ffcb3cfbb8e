<?php

declare(strict_types=1);

namespace Toolwire;

use JsonSerializable;
use Toolwire\Plain\Fields;
use Toolwire\Plain\ReadOnlyFields;
use Toolwire\Plain\Record;
use Toolwire\Plain\Result\Packet;

/**
 * The result of running one tool.
 *
 * @property-read string $tool the tool's name
 * @property-read bool $success whether it ran without an error
 * @property-read mixed $data its data
 * @property-read string|null $errorMessage what went wrong
 * @property-read float $confidence how sure the tool is, from 0 to 1
 */
final class ToolResult implements JsonSerializable
{
    use ReadOnlyFields;
    use Record;

    private const FIELDS = ['tool', 'success', 'data', 'errorMessage', 'confidence'];

    /** @param mixed $data */
    public function __construct(
        ?string $tool,
        ?bool $success,
        $data,
        ?string $errorMessage = null,
        float $confidence = 0.0
    ) {
        $this->fill([
            'tool' => (string) $tool,
            'success' => (bool) $success,
            'data' => $data,
            'errorMessage' => $errorMessage,
            'confidence' => $confidence,
        ]);
    }

    /**
     * Makes a result from what a tool returned; a failure if the value is false or reports one.
     *
     * @param mixed $returned
     */
    public static function fromReturned(?string $tool, $returned): ToolResult
    {
        [$failed, $reason] = Packet::failure($returned);
        return new self($tool, !$failed, $returned, $reason);
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'tool' => $this->fields['tool'],
            'success' => $this->fields['success'],
            'data' => $this->fields['data'],
            'confidence' => $this->fields['confidence'],
            'error_message' => $this->fields['errorMessage'],
        ];
    }

    /** @return array<string, mixed> */
    private static function read(Fields $fields): array
    {
        return [
            'tool' => $fields->bytes('tool'),
            'success' => $fields->flag('success'),
            'data' => $fields->value('data'),
            'errorMessage' => $fields->bytesOrNull('error_message'),
            'confidence' => $fields->real('confidence'),
        ];
    }
}
