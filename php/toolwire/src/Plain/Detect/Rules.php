<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

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
        'comment', 'python_literal', 'unknown_escape',
    ];

    /** The most tools whose names are compared with one that is not known. */
    private const MOST_COMPARED = 48;

    /** The longest name that is compared, in bytes. */
    private const LONGEST_COMPARED = 48;

    /** How many of the nearest are named. */
    private const NAMED = 3;

    /** @var array<array-key, true>|null the tools that may be called; null for any */
    private $tools;

    /** @var array<array-key, string> */
    private $aliases;

    /** @var array<array-key, string> */
    private $legacy;

    /** @var Seen|null */
    private $seen;

    public function __construct(Options $options)
    {
        $this->tools = $options->tools;
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
        if (strspn($name, TagCall::OF_NAMES, 0, TagCall::LONGEST_NAME) < strlen($name)) {
            return $refuse('bad_name', TagCall::BAD_NAME);
        }
        if (isset($this->legacy[$name])) {
            $successor = $this->legacy[$name];
            return $refuse('legacy_tool', "\"$name\" was retired; use \"$successor\"");
        }
        $name = $this->aliases[$name] ?? $name;
        if ($this->tools === []) {
            return $refuse('no_tools', 'no tools were offered, so no call counts');
        }
        if ($this->tools !== null && !isset($this->tools[$name])) {
            return $refuse('unknown_tool', "there is no tool \"$name\"" . $this->nearest($name));
        }
        return $name;
    }

    /** The tools whose names are nearest, where few short names are compared. */
    private function nearest(string $name): string
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
        if (isset($this->aliases[$written])) {
            $message = '"' . self::ascii($call->name) . "\" is now called \"$name\"";
            $call->notes[] = [
                'code' => 'renamed', 'message' => $message, 'offset' => $call->span->start,
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
    private static function ascii(string $name): string
    {
        $escape = static function (array $found): string {
            $short = ["\t" => '\\t', "\r" => '\\r', "\n" => '\\n'];
            $short += ['\\' => '\\\\', "'" => "\\'", '"' => '\\"'];
            return $short[$found[0]] ?? sprintf('\\x%02x', ord($found[0]));
        };
        return (string) preg_replace_callback('/[^ -!#-&(-\[\]-~]/', $escape, $name);
    }
}
