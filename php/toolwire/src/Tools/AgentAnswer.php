<?php

declare(strict_types=1);

namespace Toolwire\Tools;

use Toolwire\Plain\ReadOnlyFields;
use Toolwire\Plain\Unsaved;

/**
 * What an agent gives for a text.
 *
 * @property-read string $state `done`, or `stopped` at a limit
 * @property-read string $text the model's last text
 * @property-read string $reasoning the reasoning of the same message
 * @property-read bool $cutOff whether that message was cut off at the model's limit of tokens
 * @property-read list<mixed> $waiting empty: calls do not wait here
 * @property-read ?string $reason the limit that was reached
 * @property-read int $inputTokens the tokens of all requests of the conversation
 * @property-read int $outputTokens the tokens of all its answers
 */
final class AgentAnswer
{
    use ReadOnlyFields;
    use Unsaved {
        ReadOnlyFields::__clone insteadof Unsaved;
        ReadOnlyFields::__set insteadof Unsaved;
    }

    private const FIELDS = [
        'state', 'text', 'reasoning', 'cutOff', 'waiting', 'reason', 'inputTokens',
        'outputTokens',
    ];

    /** @var array<string, mixed> */
    private $fields;

    /** @param array<string, mixed> $fields */
    private function __construct(array $fields)
    {
        $this->fields = $fields;
    }

    /**
     * @internal for an agent
     * @param array<string, mixed> $fields
     */
    public static function of(array $fields): self
    {
        return new self($fields);
    }

    /** @return mixed */
    private function field(string $name)
    {
        return $this->fields[$name];
    }
}
