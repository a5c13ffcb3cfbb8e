<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Json\Arguments;

/**
 * JSON that calls a known tool in a form that no format reads: with other keys, in another object,
 * in single quotes, or where the model's format wants markers.
 */
final class UnmarkedJson
{
    /** The keys that name a tool. */
    private const NAMES = [
        'name', 'tool', 'tool_name', 'toolName', 'function', 'function_name', 'functionName',
        'recipient_name', 'action', 'method',
    ];
    /** The keys of arguments. */
    private const ARGUMENTS = [
        'arguments', 'args', 'parameters', 'params', 'input', 'kwargs', 'tool_input', 'toolInput',
        'tool_args', 'tool_arguments', 'tool_parameters', 'action_input', 'actionInput',
        'function_args', 'function_arguments', 'function_parameters',
    ];
    /** The key that stands in the definition of a tool, and in no call. */
    private const DEFINITION = 'description';
    /** What the values of these keys begin with. */
    private const BEGINNINGS = '{["\'\\';
    /** The longest key that is looked at, in bytes. */
    private const LONGEST = 24;
    private const OF_KEYS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_';
    private const OF_NAMES = self::OF_KEYS . '-.';

    /** @var string */
    private $text;

    /** @var int */
    private $start;

    /** @var array<array-key, mixed> by the names of the tools */
    private $tools;

    /** @param array<array-key, mixed> $tools */
    public function __construct(string $text, int $start, array $tools)
    {
        [$this->text, $this->start, $this->tools] = [$text, $start, $tools];
    }

    /**
     * The first call of a known tool: its name, and where the key of its name ends.
     *
     * JSON with a description defines the tool.
     *
     * @return array{string, int}|null
     */
    public function first(): ?array
    {
        [$call, $hasArguments, $at] = [null, false, $this->start - 1];
        while ($at + 1 < strlen($this->text)) {
            $at = strpos($this->text, ':', $at + 1);
            if ($at === false) {
                break;
            }
            $value = $at + 1;
            $value += $value < strlen($this->text)
                ? strspn($this->text, Arguments::BLANK, $value)
                : 0;
            $first = $this->text[$value] ?? '';
            if ($first === '' || strpos(self::BEGINNINGS, $first) === false) {
                continue;
            }
            $key = $this->keyBefore($at);
            if ($key === self::DEFINITION) {
                return null;
            }
            if (in_array($key, self::ARGUMENTS, true)) {
                $hasArguments = $hasArguments || $first !== '\\';
            }
            if ($call === null && in_array($key, self::NAMES, true)) {
                $name = $this->nameAt($value);
                $call = $name !== null && isset($this->tools[$name]) ? [$name, $at] : null;
            }
        }
        return $hasArguments ? $call : null;
    }

    /** Whether what stands at a place is the value of a key of arguments. */
    public function isArgument(int $at): bool
    {
        do {
            $at--;
        } while ($at >= 0 && strpos(Arguments::BLANK, $this->text[$at]) !== false);
        return $at >= 0 && $this->text[$at] === ':'
            && in_array($this->keyBefore($at), self::ARGUMENTS, true);
    }

    /** The key of an object in front of a place, in quotes of any kind or in none. */
    private function keyBefore(int $at): ?string
    {
        $from = max($this->start, $at - 2 * self::LONGEST);
        $near = rtrim(substr($this->text, $from, $at - $from), Arguments::BLANK);
        $quote = substr($near, -1);
        $isQuoted = $quote === '"' || $quote === "'";
        $near = $isQuoted ? self::withoutSlash((string) substr($near, 0, -1)) : $near;
        $length = strspn(strrev($near), self::OF_KEYS);
        $key = $length === 0 ? '' : substr($near, -$length);
        $before = (string) substr($near, 0, strlen($near) - $length);
        if ($isQuoted) {
            if (substr($before, -1) !== $quote) {
                return null;
            }
            $before = self::withoutSlash((string) substr($before, 0, -1));
        }
        $last = substr(rtrim($before, Arguments::BLANK), -1);
        $begins = $last !== '' && $last !== false && strpos('{,[', $last) !== false;
        return $begins && $key !== '' && $length <= self::LONGEST ? $key : null;
    }

    /** The name that stands in quotes at a place. */
    private function nameAt(int $at): ?string
    {
        $at += ($this->text[$at] ?? '') === '\\' ? 1 : 0;
        $quote = $this->text[$at] ?? '';
        if ($quote !== '"' && $quote !== "'") {
            return null;
        }
        $at += substr($this->text, $at + 1, 10) === 'functions.' ? 11 : 1;
        $length = $at < strlen($this->text) ? strspn($this->text, self::OF_NAMES, $at, 128) : 0;
        $behind = $at + $length;
        $behind += ($this->text[$behind] ?? '') === '\\' ? 1 : 0;
        return ($this->text[$behind] ?? '') === $quote
            ? (string) substr($this->text, $at, $length)
            : null;
    }

    /** A text without the backslash at its end, as quotes have it in JSON within a string. */
    private static function withoutSlash(string $text): string
    {
        return substr($text, -1) === '\\' ? (string) substr($text, 0, -1) : $text;
    }

    /** Whether what follows a text stands in a code block or in code within its line. */
    public static function isInCode(string $before): bool
    {
        $lines = explode("\n", $before);
        $line = (string) array_pop($lines);
        $fences = 0;
        foreach ($lines as $one) {
            $fences += self::isFence(ltrim($one, Arguments::BLANK)) ? 1 : 0;
        }
        $isFence = self::isFence(ltrim($line, Arguments::BLANK));
        return $fences % 2 === 1 || (!$isFence && substr_count($line, '`') % 2 === 1);
    }

    /** Whether a line opens or closes a code block. */
    public static function isFence(string $line): bool
    {
        return strncmp($line, '```', 3) === 0 || strncmp($line, '~~~', 3) === 0;
    }
}
