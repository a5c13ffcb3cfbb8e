<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Format\Format;
use Toolwire\Plain\Detect\Format\Formats;
use Toolwire\Plain\Detect\Profile\MessageShape;
use Toolwire\Plain\Detect\Profile\ModelProfile;
use Toolwire\Plain\Detect\Profile\Thinking;
use Toolwire\Plain\Detect\Typed\Schema;
use Toolwire\Plain\Json\Tolerance;
use Toolwire\Plain\LeftOut;
use Toolwire\Plain\Misuse;
use Toolwire\Plain\Nearest;
use Toolwire\Plain\Utf8;
use Toolwire\Seen;

/** The options of a detector, checked. */
final class Options
{
    /** The deepest nesting that may be asked for. */
    private const DEEPEST = 4096;

    private const WORDS = [
        'fences' => ['json', 'all', 'none'],
        'calls' => ['read', 'refuse'],
        'reasoning' => ['separate', 'keep', 'calls'],
        'repair' => ['off', 'safe'],
        'validate' => ['off', 'report', 'reject'],
    ];

    /** @var list<Format> the formats that are named; empty for the default */
    public $formats = [];

    /** @var array<array-key, true>|null */
    public $tools = null;

    /** @var array<array-key, Schema> the schemas of the tools' arguments */
    public $schemas = [];

    /** @var bool whether each call is refused, as if no tools were offered */
    public $refusesCalls = false;

    /** @var array<array-key, string> */
    public $aliases = [];

    /** @var array<array-key, string> */
    public $legacy = [];

    /** @var string */
    public $fences = 'json';

    /** @var string */
    public $reasoning = 'separate';

    /** @var Seen|null */
    public $seen = null;

    /** @var string */
    public $htmlClass = 'mpai-tool-call';

    /** @var int */
    public $maxInput = 16 << 20;

    /** @var int */
    public $maxCalls = 256;

    /** @var int */
    public $maxRejections = 1000;

    /** @var Tolerance */
    public $tolerance;

    /** @var ModelProfile|null how the model writes a whole message, if that is known */
    private $profile = null;

    /** @var Thinking|null whether the model was asked to think */
    private $thinking = null;

    /** @var bool */
    private $repairs = false;

    /** @var int */
    private $maxDepth = 128;

    /** @var int */
    private $maxArguments = 4 << 20;

    /** @param array<string, mixed> $given the options by name, the preset first */
    public function __construct(array $given)
    {
        foreach ($given as $name => $value) {
            if ($value !== null) {
                if ($name !== 'seen') {
                    OptionValues::checkNumbers($name, $value);
                }
                $this->set($name, $value);
            }
        }
        $this->tolerance = new Tolerance($this->maxDepth, $this->maxArguments, $this->repairs);
        if ($this->profile !== null && $this->thinking !== null) {
            $this->profile->askToThink($this->thinking);
        }
    }

    /** @param mixed $value */
    private function set(string $name, $value): void
    {
        switch ($name) {
            case 'formats':
                $this->formats = OptionValues::formats($value);
                break;
            case 'tools':
                [$this->tools, $this->schemas] = OptionValues::tools($value);
                break;
            case 'aliases':
                $this->aliases = OptionValues::names($name, $value);
                break;
            case 'legacy':
                $this->legacy = OptionValues::names($name, $value);
                break;
            case 'preset':
                $this->preset($value);
                break;
            case 'seen':
                $this->seen = self::seen($value);
                break;
            case 'html_class':
                $this->htmlClass = OptionValues::className($name, $value);
                break;
            case 'coerce':
                if (!is_bool($value)) {
                    throw Misuse::of('wrong_type', 'coerce must be a boolean');
                }
                LeftOut::refuse($value, 'the option coerce');
                break;
            case 'model':
                $this->profile = OptionValues::profile($value);
                break;
            case 'prompt':
                $prompt = OptionValues::text($name, $value);
                $this->profile = $this->profile ?? ModelProfile::automatic();
                $this->profile->beginBehind($prompt);
                break;
            case 'thinking':
                $this->thinking = new Thinking($value);
                break;
            case 'template':
                throw LeftOut::error("the option $name");
            default:
                $this->setWordOrNumber($name, $value);
        }
    }

    /** @param mixed $value */
    private function setWordOrNumber(string $name, $value): void
    {
        if (isset(self::WORDS[$name])) {
            $word = OptionValues::word($name, $value, self::WORDS[$name]);
            if ($name === 'repair') {
                $this->repairs = $word === 'safe';
            } elseif ($name === 'validate') {
                LeftOut::refuse($word !== 'off', 'the option validate');
            } elseif ($name === 'calls') {
                $this->refusesCalls = $word === 'refuse';
                $this->tools = $word === 'refuse' ? $this->tools ?? [] : $this->tools;
            } else {
                $this->$name = $word;
            }
            return;
        }
        $most = $name === 'max_depth' ? self::DEEPEST : PHP_INT_MAX;
        $property = lcfirst(str_replace('_', '', ucwords($name, '_')));
        $this->$property = OptionValues::count($name, $value, $most);
    }

    /** @param mixed $value */
    private function preset($value): void
    {
        if (!is_string($value)) {
            throw Misuse::of('wrong_type', 'preset must be a name');
        }
        if ($value !== 'memberpress') {
            $message = 'unknown preset "' . Utf8::shown($value) . '"'
                . Nearest::suggestion($value, ['memberpress']);
            throw Misuse::of('unknown_preset', $message);
        }
        $this->formats = array_map([Formats::class, 'named'], ['tag', 'json', 'html']);
        $this->tools = array_fill_keys(['wpcli', 'wp_api', 'plugin_logs'], true);
        $this->legacy = ['wpcli_new' => 'wpcli', 'wp_cli' => 'wpcli'];
    }

    /**
     * The formats that count: those that are named, those of the model, or the default.
     *
     * @return list<Format>
     */
    public function chosenFormats(): array
    {
        $known = $this->profile === null ? [] : $this->profile->readFormats();
        $given = $this->formats === [] ? $known : $this->formats;
        return $given === [] ? Formats::automatic() : $given;
    }

    /**
     * Whether the formats were not named one by one, or every form that tells itself apart is among
     * them. Then markup that is not read is told; formats that are named one by one are exact.
     */
    public function readsAutomatic(): bool
    {
        foreach ($this->formats === [] ? [] : Formats::automatic() as $format) {
            if (!in_array($format, $this->formats, true)) {
                return false;
            }
        }
        return true;
    }

    /** How the message around the calls is read. */
    public function message(): MessageShape
    {
        if ($this->profile !== null) {
            return $this->profile->message->withCommonReasoning();
        }
        $shape = $this->readsAutomatic() ? MessageShape::automatic() : MessageShape::plain();
        if ($this->thinking !== null && $this->thinking->begun(null) === true) {
            // `think` stands first among the styles.
            $shape->begun = 0;
        }
        return $shape;
    }

    /** How the model writes a whole message, if that is known. */
    public function profile(): ?ModelProfile
    {
        return $this->profile;
    }

    /** Whether it is known how the model writes a whole message. */
    public function hasProfile(): bool
    {
        return $this->profile !== null;
    }

    /** The profile by which calls are read though the version of the model is not known. */
    public function nearestProfile(): ?string
    {
        return $this->profile === null || $this->profile->exact ? null : $this->profile->slug;
    }

    /** @return list<string> the names that a call of a tool may have, old ones among them */
    public function toolNames(): array
    {
        $names = array_merge(
            array_keys($this->tools ?? []),
            array_keys($this->aliases),
            array_keys($this->legacy)
        );
        return array_map('strval', $names);
    }

    /** @param mixed $value */
    private static function seen($value): Seen
    {
        if (!$value instanceof Seen) {
            $message = 'seen must be a Toolwire\\Seen, not ' . Misuse::typeName($value);
            throw Misuse::of('wrong_type', $message);
        }
        return $value;
    }
}
