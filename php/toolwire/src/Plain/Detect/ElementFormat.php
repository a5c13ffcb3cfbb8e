<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Json\Bad;
use Toolwire\Plain\Json\Tolerance;
use Toolwire\Plain\Span;
use Toolwire\Plain\Utf8;

/** Calls that are HTML elements: name and arguments in attributes of a start tag. */
final class ElementFormat
{
    private const FORMAT = 'html';
    private const NAME = 'data-tool-name';
    private const ARGUMENTS = 'data-tool-parameters';

    /** @var string the class that marks an element */
    private $class;

    /** @var Tolerance */
    private $tolerance;

    public function __construct(string $class, Tolerance $tolerance)
    {
        $this->class = $class;
        $this->tolerance = $tolerance;
    }

    /**
     * Whether an element in a text may be marked. The class stands in a tag as it is, or with
     * a character reference for one of its characters. So most texts need no look at their tags.
     */
    public function mayMark(string $text): bool
    {
        if (preg_match('/^[A-Za-z0-9_-]+$/D', $this->class) !== 1) {
            return true;
        }
        foreach ([$this->class, '&#', '&lowbar', '&UnderBar', '&fjlig'] as $sign) {
            if (strpos($text, $sign) !== false) {
                return true;
            }
        }
        return false;
    }

    /**
     * Reads the start tag at `$span`; null for an element that is not marked.
     *
     * @return Candidate|Refusal|null
     */
    public function read(string $text, Span $span)
    {
        $tag = $span->of($text);
        // Most tags have no attribute that could be a class.
        if (strpos($tag, '=') === false) {
            return null;
        }
        $attributes = $this->marked($tag);
        return $attributes === null ? null : $this->evaluate($attributes, $tag, $span);
    }

    /** The refusal of a marked start tag that is cut off; `$closed` has its missing end. */
    public function cutOff(string $closed, Span $span): ?Refusal
    {
        return $this->marked($closed) === null ? null : Refusal::incomplete(self::FORMAT, $span);
    }

    /** @return array<array-key, string>|null */
    private function marked(string $tag): ?array
    {
        $attributes = Attributes::of($tag);
        $classes = preg_split('/[ \t\n\f\r]/', $attributes['class'] ?? '') ?: [];
        return in_array($this->class, $classes, true) ? $attributes : null;
    }

    /**
     * @param array<array-key, string> $attributes
     * @return Candidate|Refusal
     */
    private function evaluate(array $attributes, string $tag, Span $span)
    {
        if (!Utf8::isValid($tag)) {
            return new Refusal(self::FORMAT, 'invalid_utf8', $span, 'the markup is not UTF-8');
        }
        $codes = [self::NAME => 'missing_name', self::ARGUMENTS => 'missing_arguments'];
        foreach ($codes as $attribute => $code) {
            if (!isset($attributes[$attribute])) {
                $reason = "the element has no attribute $attribute";
                return new Refusal(self::FORMAT, $code, $span, $reason);
            }
        }
        $json = $attributes[self::ARGUMENTS];
        $read = Arguments::whole($json, $this->tolerance);
        if ($read instanceof Bad) {
            return new Refusal(self::FORMAT, $read->code, $span, $read->reason);
        }
        $call = new Candidate(
            self::FORMAT,
            $attributes[self::NAME],
            new Span(0, 0),
            $read->json($json),
            new Span($span->start, $span->end),
            $read->notesAt($span->start)
        );
        $call->id = $attributes['id'] ?? null;
        return $call;
    }
}
