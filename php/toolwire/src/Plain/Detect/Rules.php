<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Typed\Schema;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Nearest;
use Toolwire\Plain\Utf8;
use Toolwire\Seen;

/** Whether a call that was found may be handed out: its name, its tool, and whether it is new. */
final class Rules
{
    /** The diagnostics of repairs. */
    private const REPAIRS = [
        'trailing_comma', 'single_quotes', 'control_character', 'missing_bracket', 'unquoted',
        'comment', 'python_literal', 'unknown_escape', 'missing_tag', 'leading_zero',
        'inner_quotes',
    ];

    /** The most tools whose names are compared with one that is not known. */
    private const MOST_COMPARED = 48;

    /** The longest name that is compared, in bytes. */
    private const LONGEST_COMPARED = 48;

    /** How many of the nearest are named. */
    private const NAMED = 3;

    /** @var array<array-key, mixed>|null the tools that may be called; null for any */
    private $tools;

    /** @var array<array-key, Schema> the schemas of their arguments */
    private $schemas;

    /** @var bool whether no call is handed out, since no tools were offered */
    private $refusesAll;

    /**
     * @var string|null the profile by which calls are read though the model's version is unknown
     */
    private $nearest;

    /** @var array<array-key, string> */
    private $aliases;

    /** @var array<array-key, string> */
    private $legacy;

    /** @var Seen|null */
    private $seen;

    public function __construct(Options $options)
    {
        $this->tools = $options->tools;
        $this->schemas = $options->schemas;
        $this->refusesAll = $options->refusesCalls || $options->tools === [];
        $this->nearest = $options->nearestProfile();
        $this->aliases = $options->aliases;
        $this->legacy = $options->legacy;
        $this->seen = $options->seen;
    }

    /** Whether a call of this name could be handed out, or would at least be refused by name. */
    public function knows(string $name): bool
    {
        if ($this->tools === null) {
            return true;
        }
        $name = trim($name, Arguments::BLANK);
        $known = isset($this->tools[$name]) || isset($this->aliases[$name])
            || isset($this->legacy[$name]);
        return $known && Utf8::isValid($name);
    }

    /** Whether the names of the tools are known. */
    public function hasTools(): bool
    {
        return $this->tools !== null;
    }

    /** Whether no call is handed out, since no tools were offered. */
    public function refusesAll(): bool
    {
        return $this->refusesAll;
    }

    /** The schema of the arguments of the tool that a call of this name would run. */
    public function schema(string $name): ?Schema
    {
        return $this->schemas[$this->aliases[$name] ?? $name] ?? null;
    }

    /**
     * Checks everything that can be checked before the call's end is known: the name of the tool,
     * the refusal, or false for prose.
     *
     * @return string|Refusal|false
     */
    public function check(Candidate $call)
    {
        $name = trim($call->name, Arguments::BLANK);
        if ($call->proseIfUnknown && !$this->knows($name)) {
            return false;
        }
        $refuse = static function (string $code, string $reason) use ($call): Refusal {
            return new Refusal($call->format, $code, clone $call->span, $reason);
        };
        if ($name === '') {
            return $refuse('missing_name', 'the name is empty');
        }
        if (strspn($name, ToolName::OF_NAMES, 0, ToolName::LONGEST) < strlen($name)) {
            return $refuse('bad_name', ToolName::BAD_NAME);
        }
        if (isset($this->legacy[$name])) {
            $successor = $this->legacy[$name];
            return $refuse('legacy_tool', "\"$name\" was retired; use \"$successor\"");
        }
        $name = $this->aliases[$name] ?? $name;
        if ($this->tools === null) {
            return self::isNewId($name)
                ? $refuse('bad_name', "\"$name\" is an id, and no tool's name")
                : $name;
        }
        // Where no tools were offered, each call is refused when it ends, with its markup.
        if ($this->refusesAll || isset($this->tools[$name])) {
            return $name;
        }
        $held = self::nameInId($name);
        if ($held !== null && isset($this->tools[$held])) {
            return $held;
        }
        $refusal = $refuse('unknown_tool', "there is no tool \"$name\"");
        $refusal->unknown = $name;
        return $refusal;
    }

    /** Whether a name is an id as servers make them: `call_` and hexadecimal digits. */
    private static function isNewId(string $name): bool
    {
        return preg_match('/^call_(?=.*[0-9])[0-9A-Fa-f]{8,}$/D', $name) === 1;
    }

    /** The tool's name in an id that is made of it: `functions.f:1` holds `f`. */
    private static function nameInId(string $id): ?string
    {
        if (preg_match('/^functions[._:](.*)$/Ds', $id, $found) !== 1) {
            return null;
        }
        $name = rtrim($found[1], '0123456789');
        $isNumbered = strlen($name) < strlen($found[1]) && $name !== ''
            && strpos('._:', substr($name, -1)) !== false;
        return $isNumbered ? substr($name, 0, -1) : $found[1];
    }

    /**
     * The end of a refusal of an unknown tool: the tools whose names are nearest, where few short
     * names are compared.
     */
    public function nearestTo(string $name): string
    {
        $tools = array_map('strval', array_keys($this->tools ?? []));
        if (count($tools) > self::MOST_COMPARED || strlen($name) > self::LONGEST_COMPARED) {
            return '';
        }
        $short = array_filter($tools, static function (string $tool): bool {
            return strlen($tool) <= self::LONGEST_COMPARED;
        });
        $near = implode(', ', array_slice(Nearest::of($name, $short), 0, self::NAMED));
        return $near === '' ? '' : "; nearest: $near";
    }

    /**
     * Checks the call and hands it out.
     *
     * @return FoundCall|Refusal|false
     */
    public function accept(Candidate $call, string $text, int $index, NewIds $ids)
    {
        $name = $this->check($call);
        if (!is_string($name)) {
            return $name;
        }
        $markup = $call->span->of($text);
        if (!Utf8::isValid($markup)) {
            $reason = 'the markup is not UTF-8';
            return new Refusal($call->format, 'invalid_utf8', $call->span, $reason);
        }
        $written = trim($call->name, Arguments::BLANK);
        if (isset($this->aliases[$written]) || $name !== $written) {
            $message = '"' . self::ascii($call->name) . "\" is now called \"$name\"";
            $call->notes[] = [
                'code' => 'renamed', 'message' => $message, 'offset' => $call->span->start,
            ];
        }
        if ($this->nearest !== null) {
            $message = 'the model\'s version is not known; its call is read as one of "'
                . "$this->nearest\"";
            $call->notes[] = [
                'code' => 'nearest_version', 'message' => $message,
                'offset' => $call->span->start,
            ];
        }
        $given = Utf8::lossy(trim($call->id ?? '', Arguments::BLANK));
        $given = $given === '' ? null : $given;
        if ($this->seen !== null && !$this->seen->insert($given, $markup)) {
            $reason = 'the same call was seen before';
            return new Refusal($call->format, 'duplicate', $call->span, $reason);
        }
        $repaired = array_intersect(array_column($call->notes, 'code'), self::REPAIRS) !== [];
        $found = new FoundCall();
        [$found->id, $found->idGiven] = [$given ?? $ids->next(), $given !== null];
        [$found->index, $found->name, $found->format] = [$index, $name, $call->format];
        [$found->arguments, $found->made] = [$call->arguments, $call->made];
        [$found->span, $found->notes] = [$call->span, $call->notes];
        $found->status = $repaired ? 'repaired' : 'complete';
        return $found;
    }

    /** The name as it stands in a message. */
    public static function ascii(string $name): string
    {
        $escape = static function (array $found): string {
            $short = ["\t" => '\\t', "\r" => '\\r', "\n" => '\\n'];
            $short += ['\\' => '\\\\', "'" => "\\'", '"' => '\\"'];
            return $short[$found[0]] ?? sprintf('\\x%02x', ord($found[0]));
        };
        return (string) preg_replace_callback('/[^ -!#-&(-\[\]-~]/', $escape, $name);
    }
}
