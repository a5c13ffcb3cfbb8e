<?php

declare(strict_types=1);

namespace Toolwire\Tools;

use Toolwire\Plain\Misuse;
use Toolwire\Plain\ReadOnlyFields;
use Toolwire\Plain\Unsaved;

/**
 * How much an agent may do for one text of its user, counted from what the store keeps.
 *
 * @property-read int $turns how often the model is asked: 20
 * @property-read int $calls how many calls it may make: 50
 * @property-read ?int $tokens how many tokens the requests and answers may have together
 * @property-read int $seconds for how many seconds the model and the tools may work: 600
 * @property-read int $repairs how often in a row a call could not be read: 3
 * @property-read int $sameCall how often one call may give the same result: 3
 */
final class AgentLimits
{
    use ReadOnlyFields;
    use Unsaved {
        ReadOnlyFields::__clone insteadof Unsaved;
        ReadOnlyFields::__set insteadof Unsaved;
    }

    private const FIELDS = ['turns', 'calls', 'tokens', 'seconds', 'repairs', 'sameCall'];

    /** @var array<string, int|null> */
    private $fields;

    public function __construct(
        ?int $turns = null,
        ?int $calls = null,
        ?int $tokens = null,
        ?int $seconds = null,
        ?int $repairs = null,
        ?int $sameCall = null
    ) {
        $given = compact('turns', 'calls', 'tokens', 'seconds', 'repairs', 'sameCall');
        foreach ($given as $name => $value) {
            if ($value !== null && $value < 0) {
                throw Misuse::of('invalid_option', "$name must not be negative, got $value");
            }
        }
        $given['turns'] = $turns ?? 20;
        $given['calls'] = $calls ?? 50;
        $given['seconds'] = $seconds ?? 600;
        $given['repairs'] = $repairs ?? 3;
        $given['sameCall'] = $sameCall ?? 3;
        $this->fields = $given;
    }

    private function field(string $name): ?int
    {
        return $this->fields[$name];
    }
}
