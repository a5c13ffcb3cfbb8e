<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Span;

/**
 * Calls that have lost all markers around them, as where a server drops special tokens.
 *
 * Nothing but the name of a known tool tells them from prose, so they do not run. So it is with
 * JSON that calls a known tool by keys that no format has.
 */
final class UnmarkedCalls
{
    /** What may stand in front of a name. */
    private const PREFIXES = [
        'assistant', 'await ', 'print(', 'commentary ', 'to=', 'functions.', 'call:',
        'default_api.', 'default_api:', 'tool:',
    ];
    /** What may stand between a name and its arguments. */
    private const BETWEEN = [
        '[ARGS]', 'code', 'json', ':', ']', '=', ',', 'with', 'args', 'arguments', 'parameters',
        'input', '"args"', '"arguments"', '"parameters"', '"input"',
    ];
    /** Words one of which stands in front of a colon and a name, as in `Tool call:`. */
    private const LEADS = ['tool', 'call', 'function', 'action', 'invok', 'execut'];
    /** The bytes of such words, and what stands between them. */
    private const OF_LEADS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ _-';
    /** What Gemini's models call their tools by, also within a line. */
    private const MODULE = 'default_api';
    /** The most of these that are passed. */
    private const MOST_BETWEEN = 4;
    /** The languages of code blocks that call tools, as Gemini and Gemma write them. */
    private const TOOL_CODE = ['tool_code', 'tool_call', 'tool'];
    /** How far behind a name the arguments of ReAct's form are looked for, in bytes. */
    private const FURTHEST_INPUT = 1024;
    private const OF_NAMES = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.';
    /** The forms that a format reads when it is named, and what they are. */
    private const FORMS = ['cline' => 'as an element', 'react' => 'in lines'];
    /** The most elements with the name of a tool whose end is searched for. */
    private const MOST_ELEMENTS = 8;
    /** How far behind the start of a line the bracket of arguments is looked for, in bytes. */
    private const FURTHEST_BRACKET = 512;
    /** The longest tag in front of a name that is passed. */
    private const LONGEST_TAG = 32;
    /** How far in front of bare JSON a call is looked for in which it may stand, in bytes. */
    private const FURTHEST_CALL = 1024;

    /** @var string */
    private $text;

    /** @var array<array-key, mixed> by the names of the tools */
    private $tools;

    /** @var int how many elements with the name of a tool were met */
    private $elements = 0;

    /** @param array<array-key, mixed> $tools */
    public function __construct(string $text, array $tools)
    {
        [$this->text, $this->tools] = [$text, $tools];
    }

    /** The refusal of the first such call from a place on. */
    public function first(int $start): ?Refusal
    {
        return $this->atLineStart($start) ?? $this->inJson($start) ?? $this->inModule($start);
    }

    /** The refusal of the first call that begins a line outside of other code. */
    private function atLineStart(int $pos): ?Refusal
    {
        // Whether a code block is open, and whether it holds code of a tool.
        [$inBlock, $isOfTool] = [false, false];
        while ($pos < strlen($this->text)) {
            $break = strpos($this->text, "\n", $pos);
            $end = $break === false ? strlen($this->text) : $break + 1;
            $line = ltrim(substr($this->text, $pos, $end - $pos), Arguments::BLANK);
            $at = $end - strlen($line);
            $fence = UnmarkedJson::isFence($line);
            if ($fence) {
                $inBlock = !$inBlock;
                $info = trim(substr($line, 3), Arguments::BLANK);
                $isOfTool = $inBlock && in_array($info, self::TOOL_CODE, true);
            }
            $span = new Span($at, $at + strlen(rtrim($line, Arguments::BLANK)));
            if ($inBlock && !$isOfTool) {
                $name = $this->key($at);
                if ($name !== null) {
                    return self::unmarked($name, $span, 'in_code');
                }
            } elseif (!$fence && $line !== '') {
                $found = $this->here($at, $span);
                if ($found !== null) {
                    return $found;
                }
            }
            $pos = $end;
        }
        return null;
    }

    /** The refusal of the call with which a line begins. */
    private function here(int $at, Span $line): ?Refusal
    {
        // Most lines of prose have no bracket near by, which takes less time to see.
        $bracket = strcspn($this->text, '{(', $at, self::FURTHEST_BRACKET);
        $isNear = $bracket < self::FURTHEST_BRACKET && isset($this->text[$at + $bracket]);
        $name = $isNear ? $this->named($at) : null;
        if ($name !== null) {
            return self::unmarked($name, $line);
        }
        $found = $this->inReact($at, $line);
        if ($found !== null) {
            return $found;
        }
        $name = $this->key($at) ?? $this->attributes($line);
        if ($name !== null) {
            return self::unmarked($name, $line);
        }
        $name = $this->element($at);
        if ($name === null) {
            return null;
        }
        $inside = $at + strlen($name) + 2;
        $inside += strspn($this->text, Arguments::BLANK, $inside);
        return ($this->text[$inside] ?? '') === '<'
            ? self::ofFormat('cline', $name, $line)
            : self::unmarked($name, $line);
    }

    /** The refusal of the first call in JSON. */
    private function inJson(int $start): ?Refusal
    {
        $call = (new UnmarkedJson($this->text, $start, $this->tools))->first();
        if ($call === null) {
            return null;
        }
        return $this->withinLine($start, $call[0], $call[1]);
    }

    /** The refusal of the first call of a tool by Gemini's module, within a line. */
    private function inModule(int $start): ?Refusal
    {
        $at = strpos($this->text, self::MODULE, $start);
        while ($at !== false) {
            $name = $this->named($at);
            if ($name !== null) {
                return $this->withinLine($start, $name, $at);
            }
            $at = strpos($this->text, self::MODULE, $at + strlen(self::MODULE));
        }
        return null;
    }

    /** The refusal of the call that stands at a place of the text behind another one. */
    private function withinLine(int $start, string $name, int $at): Refusal
    {
        $break = strrpos(substr($this->text, $start, $at - $start), "\n");
        $before = $break === false ? $start : $start + $break + 1;
        $line = substr($this->text, $before, strcspn($this->text, "\n", $before));
        $from = $before + strspn($line, Arguments::BLANK);
        $span = new Span($from, $before + strlen(rtrim($line, Arguments::BLANK)));
        return UnmarkedJson::isInCode(substr($this->text, $start, $at - $start))
            ? self::unmarked($name, $span, 'in_code')
            : self::unmarked($name, $span);
    }

    private static function unmarked(string $name, Span $span, string $code = 'malformed'): Refusal
    {
        $reason = "a call of \"$name\" is written here without the markers of a call";
        return new Refusal(null, $code, $span, $reason);
    }

    /** The refusal of a call in the form of a format that would read it. */
    private static function ofFormat(string $format, string $name, Span $span): Refusal
    {
        $reason = "a call of \"$name\" is written here " . self::FORMS[$format]
            . ", which naming the format \"$format\" in formats would read";
        return new Refusal($format, 'other_format', $span, $reason);
    }

    /** The name of a known tool with arguments behind it; a tag may stand in front of it. */
    private function named(int $at): ?string
    {
        $ends = ['<' => '>', '[' => ']'][$this->text[$at]] ?? null;
        $length = $ends === null ? 0 : strcspn($this->text, $ends, $at, self::LONGEST_TAG);
        $isTag = $ends !== null && $length < self::LONGEST_TAG && isset($this->text[$at + $length]);
        $bare = $at + ($this->text[$at] === '[' ? 1 : 0);
        foreach ($isTag ? [$at, $at + $length + 1, $bare] : [$at, $bare] as $from) {
            $from += $this->blank($from);
            // A tool may have the name of a prefix.
            $places = [$from, $this->behindPrefixes($from), $this->behindLead($from)];
            foreach ($places as $place) {
                $name = $this->name($place);
                $rest = $this->behindName($place + strlen($name));
                if (isset($this->tools[$name]) && $this->beginsArguments($rest)) {
                    return $name;
                }
            }
        }
        return null;
    }

    private function behindPrefixes(int $at): int
    {
        foreach (self::PREFIXES as $prefix) {
            if ((string) substr($this->text, $at, strlen($prefix)) === $prefix) {
                $at += strlen($prefix);
            }
        }
        return $at;
    }

    /** The place behind words such as `Tool call:` at the start of a line, or else the same. */
    private function behindLead(int $at): int
    {
        $from = $this->behindMarks($at);
        $near = (string) substr($this->text, $from, self::LONGEST_TAG);
        $length = strspn($near, self::OF_LEADS);
        if (($near[$length] ?? '') === ':') {
            $lead = Tag::lower((string) substr($near, 0, $length));
            foreach (self::LEADS as $word) {
                if (strpos($lead, $word) !== false) {
                    $behind = $this->behindMarks($from + $length + 1);
                    return $behind + $this->blank($behind);
                }
            }
        }
        return $at;
    }

    /** The place behind the marks of Markdown that stand here. */
    private function behindMarks(int $at): int
    {
        return $at >= strlen($this->text) ? $at : $at + strspn($this->text, "*` \t", $at);
    }

    /** The place behind a name's number and the tokens in front of its arguments. */
    private function behindName(int $at): int
    {
        if (($this->text[$at] ?? '') === ':') {
            $at += 1 + strspn($this->text, '0123456789', $at + 1);
        }
        for ($passed = 0; $passed < self::MOST_BETWEEN; $passed++) {
            $at += $this->blank($at);
            $behind = $this->behindToken($at);
            if ($behind === null) {
                break;
            }
            $at = $behind;
        }
        return $at;
    }

    /** The place behind what may stand between a name and its arguments, if it stands here. */
    private function behindToken(int $at): ?int
    {
        $near = (string) substr($this->text, $at, self::LONGEST_TAG);
        $end = strncmp($near, '<|', 2) === 0 ? strpos($near, '>') : false;
        if ($end !== false) {
            return $at + $end + 1;
        }
        foreach (self::BETWEEN as $word) {
            if (strncmp($near, $word, strlen($word)) === 0) {
                return $at + strlen($word);
            }
        }
        // A model that fails writes a word of another language there.
        $isForeign = preg_match('/^[\x80-\xff]+/', $near, $foreign) === 1;
        return $isForeign ? $at + strlen($foreign[0]) : null;
    }

    /** The refusal of a call of a known tool behind `Action:`. */
    private function inReact(int $at, Span $line): ?Refusal
    {
        $at = $this->behindMarks($at);
        if (substr($this->text, $at, 7) !== 'Action:') {
            return null;
        }
        $at = $this->behindMarks($at + 7);
        $name = $this->name($at);
        if (!isset($this->tools[$name])) {
            return null;
        }
        $near = (string) substr($this->text, $at + strlen($name), self::FURTHEST_INPUT);
        if (strpos($near, 'Action Input:') !== false) {
            return self::ofFormat('react', $name, $line);
        }
        // In the first papers on this form, brackets hold the input.
        return strncmp($near, '[', 1) === 0 ? self::unmarked($name, $line) : null;
    }

    /** The name of a known tool that is the first key of an object, with an object behind it. */
    private function key(int $at): ?string
    {
        $pattern = '/\G\{[ \t\n\f\r]*+"([A-Za-z0-9_.-]++)"[ \t\n\f\r]*+:[ \t\n\f\r]*+\{/';
        $isKey = preg_match($pattern, $this->text, $found, 0, $at) === 1;
        return $isKey && isset($this->tools[$found[1]]) ? $found[1] : null;
    }

    /**
     * Whether a place stands in a call of a known tool that no format reads and that began a line
     * near by, or in another object of its line.
     */
    public function holds(int $place, int $floor): bool
    {
        // What stands in front of a call that counts is over.
        $start = max(0, $place - self::FURTHEST_CALL, min($floor, $place));
        $line = '';
        foreach (explode("\n", substr($this->text, $start, $place - $start)) as $line) {
            if ($start < $place && $this->isOpenCall($start, $place)) {
                return true;
            }
            $start += strlen($line) + 1;
        }
        $at = $place - strlen($line) + strcspn($line, '{');
        while ($at < $place) {
            if (($this->text[$at + 1 + $this->blank($at + 1)] ?? '') === '"') {
                return $this->isOpen($at, $place);
            }
            $at += 1 + strcspn($this->text, '{', $at + 1);
        }
        return false;
    }

    /** Whether a call of a known tool begins at the first place and is open at the other one. */
    private function isOpenCall(int $start, int $place): bool
    {
        $at = $start + $this->blank($start);
        if (!isset($this->text[$at])) {
            return false;
        }
        if ($this->named($at) !== null) {
            return $this->isOpen($start, $place);
        }
        $name = $this->text[$at] === '<' ? $this->name($at + 1) : '';
        $isElement = ($this->text[$at + 1 + strlen($name)] ?? '') === '>'
            && isset($this->tools[$name]);
        $inside = (string) substr($this->text, $start, $place - $start);
        return $isElement && strpos($inside, "</$name>") === false;
    }

    private function isOpen(int $start, int $place): bool
    {
        $outer = new BrokenCall(new Span($start, $start), null, false);
        return $outer->holds($place, $this->text) === true;
    }

    /** Whether arguments begin at a place: an object, or keywords in round brackets. */
    private function beginsArguments(int $at): bool
    {
        $bracket = $this->text[$at] ?? '';
        if ($bracket !== '{' && $bracket !== '(') {
            return false;
        }
        $inside = $at + 1 + $this->blank($at + 1);
        $first = $this->text[$inside] ?? '';
        $behind = $inside + strlen($this->name($inside));
        $behind = $this->text[$behind + $this->blank($behind)] ?? '';
        if ($bracket === '{') {
            return ($first !== '' && strpos('"\'}', $first) !== false)
                || ($behind === ':' && $first !== ':');
        }
        return $first === '{' || ($behind === '=' && $first !== '=');
    }

    /**
     * The name of a known tool in a tag that stands alone in a line, with arguments in its
     * attributes. A tag that may be one of HTML must be empty.
     */
    private function attributes(Span $line): ?string
    {
        $name = $this->text[$line->start] === '<' ? $this->name($line->start + 1) : '';
        if (!isset($this->tools[$name])) {
            return null;
        }
        $at = $line->start + 1 + strlen($name);
        $blank = $this->blank($at);
        $key = $at + $blank + strlen($this->name($at + $blank));
        $holds = $blank > 0
            && in_array((string) substr($this->text, $key, 2), ['="', "='"], true);
        $isHtml = preg_match('/^[a-z]+$/D', $name) === 1;
        $end = (string) substr($this->text, $line->end - 2, 2);
        return $holds && ($end === '/>' || (!$isHtml && $end[1] === '>')) ? $name : null;
    }

    /** The name of a known tool in the start tag at a place, if its end tag follows. */
    private function element(int $at): ?string
    {
        $name = $this->text[$at] === '<' ? $this->name($at + 1) : '';
        $behind = $at + 1 + strlen($name);
        if (($this->text[$behind] ?? '') !== '>' || !isset($this->tools[$name])) {
            return null;
        }
        $isFew = ++$this->elements <= self::MOST_ELEMENTS;
        return $isFew && strpos($this->text, "</$name>", $behind + 1) !== false ? $name : null;
    }

    private function name(int $at): string
    {
        return $at >= strlen($this->text)
            ? ''
            : substr($this->text, $at, strspn($this->text, self::OF_NAMES, $at, 128));
    }

    private function blank(int $at): int
    {
        return $at >= strlen($this->text) ? 0 : strspn($this->text, Arguments::BLANK, $at);
    }
}
