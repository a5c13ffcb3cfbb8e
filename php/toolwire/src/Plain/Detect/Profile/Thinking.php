<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Profile;

use stdClass;
use Toolwire\Plain\Misuse;
use Toolwire\Plain\Values;

/** Whether a model was asked to think, as a request to an inference server says it. */
final class Thinking
{
    /** The names that switch thinking where nothing is known of the model. */
    private const NAMES = ['enable_thinking', 'thinking', 'thinking_mode', 'reasoning_effort'];
    /** The words that switch it off. */
    private const OFF = ['none', 'no_think', 'disabled', 'off', 'false'];
    /** The words that leave it to the model. */
    private const OPEN = ['adaptive', 'auto'];

    /** @var bool|array<array-key, mixed> that it begins so, or the request's variables */
    private $asked;

    /** @param mixed $value */
    public function __construct($value)
    {
        $list = is_array($value) && $value !== [] && Values::isList($value);
        $entries = $list ? null : Values::entries($value);
        if (!is_bool($value) && $entries === null) {
            $message = 'thinking must be a boolean or the variables of a chat template';
            throw Misuse::of('wrong_type', $message);
        }
        $this->asked = $entries ?? (bool) $value;
    }

    /**
     * Whether the message begins in reasoning; null where nothing says so.
     *
     * @param list<string>|null $names the variables that switch it, if they are known
     */
    public function begun(?array $names): ?bool
    {
        if (is_bool($this->asked)) {
            return $this->asked;
        }
        foreach ($names ?? self::NAMES as $name) {
            $said = self::said($this->asked[$name] ?? null);
            if ($said !== null) {
                return $said;
            }
        }
        return null;
    }

    /**
     * What the value of a variable asks for.
     *
     * @param mixed $value
     */
    private static function said($value): ?bool
    {
        if (is_bool($value)) {
            return $value;
        }
        if (is_string($value)) {
            return in_array($value, self::OPEN, true) ? null : !in_array($value, self::OFF, true);
        }
        // An object as Anthropic's interface has it.
        $members = $value instanceof stdClass || is_array($value) ? (array) $value : [];
        $type = $members['type'] ?? null;
        return is_string($type) ? self::said($type) : null;
    }
}
