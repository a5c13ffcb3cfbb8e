<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Profile;

use Toolwire\Plain\Detect\Format\Format;
use Toolwire\Plain\Detect\Format\Formats;
use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Misuse;
use Toolwire\Plain\Utf8;

/** How the models of a family write a message. */
final class ModelProfile
{
    /** The bytes at the end of a prompt that are looked at. */
    private const PROMPT_END = 64 << 10;
    /** The most characters of a name that a message shows. */
    private const SHOWN = 64;

    /** @var string */
    public $slug;

    /** @var bool whether the version of the model is known */
    public $exact = true;

    /** @var string the models that it is for, as text for people */
    private $models = 'any model';

    /** @var list<string> the names that inference servers give the parsers of these models */
    private $aliases = [];

    /** @var list<Format> the formats of the calls */
    private $formats;

    /** @var list<Format> the formats that the models write besides */
    private $siblings = [];

    /** @var MessageShape */
    public $message;

    /** @var list<string>|null the variables that switch thinking, if they are known */
    private $switches = null;

    /** @var list<string> the tokens with which the models end their turn */
    private $stop = [];

    /** @var bool whether a prompt decided how the message begins */
    private $isOfPrompt = false;

    /** @param list<Format> $formats */
    private function __construct(string $slug, array $formats, MessageShape $message)
    {
        [$this->slug, $this->formats, $this->message] = [$slug, $formats, $message];
    }

    /** A prompt changes the message of a copy alone. */
    public function __clone()
    {
        $this->message = clone $this->message;
    }

    /** The profile for a model that nobody named: every marker that identifies itself counts. */
    public static function automatic(): self
    {
        return new self('auto', Formats::automatic(), MessageShape::automatic());
    }

    /** The profile for a model's name, if there is one. */
    public static function find(string $name): ?self
    {
        if ($name === 'auto') {
            return self::automatic();
        }
        $found = ModelName::profile($name);
        if ($found === null) {
            return null;
        }
        $rows = array_column(Table::ALL['profiles'], null, 'slug');
        $profile = self::ofRow($rows[$found[0]]);
        $profile->exact = $found[1];
        return $profile;
    }

    /** @return list<self> the built-in profiles, in order */
    public static function all(): array
    {
        return array_map([self::class, 'ofRow'], Table::ALL['profiles']);
    }

    /** The profile for a model's name. */
    public static function named(string $name): self
    {
        $profile = self::find($name);
        if ($profile === null) {
            $shown = Utf8::prefix(Utf8::lossy($name), self::SHOWN);
            $near = implode(', ', ModelName::nearest($shown));
            $message = 'no profile for the model "' . Utf8::shown($shown) . "\"; nearest: $near; "
                . 'formats, template or prompt can say how it writes';
            throw Misuse::of('unknown_model', $message);
        }
        return $profile;
    }

    /** @param array<string, mixed> $row */
    private static function ofRow(array $row): self
    {
        // A format that the family writes in a layout of its own has an entry with its example.
        $formats = array_map(static function ($format): Format {
            return Formats::named(is_array($format) ? $format['format'] : $format);
        }, (array) ($row['formats'] ?? []));
        $message = new MessageShape();
        $calls = ($row['calls_end_reasoning'] ?? false) ? self::openings($formats) : [];
        // A style whose written form differs is named by an entry of its own.
        $names = array_map(static function ($style): string {
            return is_array($style) ? $style['name'] : $style;
        }, (array) ($row['reasoning'] ?? []));
        foreach ($names as $name) {
            $style = Table::ALL['reasoning'][$name];
            $message->reasoning[] = new ReasoningStyle($name, $style, $calls);
        }
        foreach ((array) ($row['frames'] ?? []) as $name) {
            $message->addFrames(Table::ALL['frames'][$name]);
        }
        $message->callsInReasoning = $row['calls_in_reasoning'] ?? false;
        $begun = array_search($row['begun'] ?? null, $names, true);
        $message->begun = $begun === false ? null : (int) $begun;
        $profile = new self($row['slug'], $formats, $message);
        $profile->stop = self::stop((array) ($row['frames'] ?? []));
        $profile->models = $row['models'] ?? '';
        $profile->aliases = array_values((array) ($row['aliases'] ?? []));
        $siblings = array_map([Formats::class, 'named'], (array) ($row['siblings'] ?? []));
        $profile->siblings = $siblings;
        $profile->switches = isset($row['thinking']) ? $row['thinking']['names'] ?? [] : null;
        return $profile;
    }

    /**
     * The tokens of the first list that says how a message ends, or what stops it.
     *
     * @param list<string> $frames the names of lists of framing tokens
     * @return list<string>
     */
    private static function stop(array $frames): array
    {
        foreach ($frames as $name) {
            $written = Table::ALL['frames'][$name]['written'] ?? [];
            if (isset($written['end']) || isset($written['stop'])) {
                return $written['stop'] ?? [];
            }
        }
        return [];
    }

    /** @return list<Format> the formats that are looked for */
    public function readFormats(): array
    {
        $formats = $this->formats;
        foreach ($this->siblings as $sibling) {
            if (!in_array($sibling, $formats, true)) {
                $formats[] = $sibling;
            }
        }
        return $formats;
    }

    /** @return array<string, mixed> what a program sees of it */
    public function fields(): array
    {
        $begun = $this->message->begun;
        return [
            'slug' => $this->slug,
            'exact' => $this->exact,
            'models' => $this->models,
            'aliases' => $this->aliases,
            'formats' => array_column($this->formats, 'slug'),
            'siblings' => array_column($this->siblings, 'slug'),
            'reasoning' => array_column($this->message->reasoning, 'name'),
            'reasoningBegun' => $begun === null ? null : $this->message->reasoning[$begun]->name,
            'callsInReasoning' => $this->message->callsInReasoning,
            'thinking' => $this->switches,
            'stop' => $this->stop,
        ];
    }

    /**
     * The markers with which calls of these formats begin.
     *
     * @param list<Format> $formats
     * @return list<Marker>
     */
    private static function openings(array $formats): array
    {
        $markers = [];
        foreach ($formats as $format) {
            if ($format->isMarked) {
                $wrapper = $format->wrapper === null ? [] : $format->wrapper->open;
                $calls = $format->bare ? $format->call->opensAnywhere() : [];
                $markers = array_merge($markers, $wrapper, $calls);
            }
        }
        return $markers;
    }

    /**
     * The message that follows a prompt begins in reasoning when the end of the prompt opens it,
     * and neither ends it nor frames another part behind that.
     */
    public function beginBehind(string $prompt): void
    {
        $end = strlen($prompt) > self::PROMPT_END ? substr($prompt, -self::PROMPT_END) : $prompt;
        [$this->message->begun, $last] = [null, -1];
        foreach ($this->message->reasoning as $index => $style) {
            $opened = self::last($style->open, $end);
            $behind = $opened === null ? '' : (string) substr($end, $opened[0] + $opened[1]);
            $ending = array_merge($style->ending(), $this->message->frames);
            if ($opened !== null && $opened[0] > $last && self::last($ending, $behind) === null) {
                [$this->message->begun, $last] = [$index, $opened[0]];
            }
        }
        $this->isOfPrompt = true;
    }

    /**
     * Where the last of the markers stands, and its length.
     *
     * @param list<Marker> $markers
     * @return array{int, int}|null
     */
    private static function last(array $markers, string $text): ?array
    {
        $last = null;
        foreach ($markers as $marker) {
            $at = strrpos($text, $marker->lead);
            while ($at !== false) {
                $length = $marker->at($text, $at);
                if ($length >= 0) {
                    $last = max($last ?? [-1, 0], [$at, $length]);
                    break;
                }
                $at = $at === 0 ? false : strrpos(substr($text, 0, $at), $marker->lead);
            }
        }
        return $last;
    }

    /** The request asked the model to think, or not to. A prompt says more. */
    public function askToThink(Thinking $thinking): void
    {
        $begun = $thinking->begun($this->switches);
        if ($begun !== null && !$this->isOfPrompt) {
            $first = $this->message->reasoning === [] ? null : 0;
            $this->message->begun = $begun ? $this->message->begun ?? $first : null;
        }
    }
}
