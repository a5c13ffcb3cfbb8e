<?php

declare(strict_types=1);

namespace Toolwire;

use JsonSerializable;
use ReturnTypeWillChange;
use Toolwire\Plain\Detect\Profile\ModelProfile;
use Toolwire\Plain\ReadOnlyFields;
use Toolwire\Plain\Unsaved;

/**
 * How the models of a family write a message.
 *
 * @property-read string $slug the name of the profile
 * @property-read bool $exact whether it is that of the model, and not of the nearest version
 * @property-read string $models the models that it is for, as text for people
 * @property-read list<string> $aliases the names that inference servers give their parsers
 * @property-read list<string> $formats the formats of the calls
 * @property-read list<string> $siblings the formats that the models write besides
 * @property-read list<string> $reasoning the styles of reasoning
 * @property-read string|null $reasoningBegun the style that the prompt has already begun
 * @property-read bool $callsInReasoning whether a call inside the reasoning counts
 * @property-read list<string>|null $thinking the variables that switch thinking
 * @property-read list<string> $stop the tokens with which the models end their turn
 */
final class Profile implements JsonSerializable
{
    use ReadOnlyFields;
    use Unsaved {
        ReadOnlyFields::__clone insteadof Unsaved;
        ReadOnlyFields::__set insteadof Unsaved;
    }

    private const FIELDS = [
        'slug', 'exact', 'models', 'aliases', 'formats', 'siblings', 'reasoning', 'reasoningBegun',
        'callsInReasoning', 'thinking', 'stop',
    ];

    /** @var array<string, mixed> */
    private $fields;

    /** @var ModelProfile */
    private $profile;

    private function __construct(ModelProfile $profile)
    {
        [$this->fields, $this->profile] = [$profile->fields(), clone $profile];
    }

    /** @internal for a detector */
    public static function of(ModelProfile $profile): self
    {
        return new self($profile);
    }

    /** @internal for a detector */
    public function ofModel(): ModelProfile
    {
        return clone $this->profile;
    }

    /** @return array<string, mixed> every field, by its name in snake case */
    public function toArray(): array
    {
        $fields = [];
        foreach ($this->fields as $name => $value) {
            $fields[strtolower((string) preg_replace('/[A-Z]/', '_$0', $name))] = $value;
        }
        return $fields;
    }

    /** @return array<string, mixed> */
    #[ReturnTypeWillChange]
    public function jsonSerialize()
    {
        return $this->fields;
    }

    /** @return mixed */
    private function field(string $name)
    {
        return $this->fields[$name];
    }
}
