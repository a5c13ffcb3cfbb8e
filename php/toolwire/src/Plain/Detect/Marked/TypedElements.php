<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Marked;

use Toolwire\Plain\Detect\Format\Marker;
use Toolwire\Plain\Detect\Format\Parameter;
use Toolwire\Plain\Detect\Typed\Typed;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Json\Tolerance;
use Toolwire\Plain\TextEnded;

/**
 * Objects and lists that are written as elements with a name and a type each:
 * `<value name="days" type="list"><value type="json">1</value></value>`.
 */
final class TypedElements
{
    /** @var string */
    private $text;

    /** @var int */
    private $pos = 0;

    /** @var Parameter */
    private $parameter;

    /** @var Tolerance */
    private $tolerance;

    private function __construct(string $text, Parameter $parameter, Tolerance $tolerance)
    {
        [$this->text, $this->parameter, $this->tolerance] = [$text, $parameter, $tolerance];
    }

    /** Whether a type says that elements stand in the value. */
    public static function holdsElements(Parameter $parameter, ?string $kind): bool
    {
        return $parameter->hasTypedElements() && ($kind === 'dict' || $kind === 'list');
    }

    /**
     * Whether a value is of the type that its tag says. A text that opens an element is none: a tag
     * may stand in the wrong place.
     */
    public static function isOfType(
        string $text,
        string $kind,
        Parameter $parameter,
        Tolerance $tolerance
    ): bool {
        if (self::holdsElements($parameter, $kind)) {
            return self::read($text, $kind, $parameter, $tolerance)->matches;
        }
        return Typed::isTextKind($kind)
            ? !self::opensElement($text, $parameter)
            : Typed::ofJson($text, $tolerance)->matches;
    }

    /** Whether the opening of an element stands in a text. */
    private static function opensElement(string $text, Parameter $parameter): bool
    {
        foreach ($parameter->open as $open) {
            if (strpos($text, $open->lead) !== false) {
                return true;
            }
        }
        return false;
    }

    /** Reads the elements of a value of this type; a value that is damaged is a string. */
    public static function read(
        string $text,
        string $kind,
        Parameter $parameter,
        Tolerance $tolerance
    ): Typed {
        $reader = new self($text, $parameter, $tolerance);
        $json = $reader->elements($kind === 'list', $tolerance->depth);
        return $json !== null && $reader->pos === strlen($text)
            ? new Typed($json, true)
            : new Typed(Typed::text($text), false);
    }

    private function elements(bool $isList, int $depth): ?string
    {
        if ($depth === 0) {
            return null;
        }
        $values = [];
        while (true) {
            $this->pos += strspn($this->text, Arguments::BLANK, $this->pos);
            if ($this->pos >= strlen($this->text) || $this->close() >= 0) {
                break;
            }
            $element = $this->element($depth - 1);
            if ($element === null || (!$isList && $element[0] === null)) {
                return null;
            }
            if ($isList) {
                $values[] = $element[1];
            } else {
                // Of several with one name, the last counts. A name in quotes is no number.
                $values[$element[0]] = "$element[0]:$element[1]";
            }
        }
        $joined = implode(',', $values);
        return $isList ? "[$joined]" : '{' . $joined . '}';
    }

    /**
     * An element: its name as JSON, if it has one, and its value as JSON.
     *
     * @return array{?string, string}|null
     */
    private function element(int $depth): ?array
    {
        $length = Marker::first($this->parameter->open, $this->text, $this->pos);
        if ($length < 0) {
            return null;
        }
        $place = $this->parameter->key;
        [$attribute, $ends] = [$this->parameter->typeAttribute, $this->parameter->keyEnd];
        try {
            $opening = Opening::read($this->text, $this->pos + $length, $place, $attribute, $ends);
        } catch (TextEnded $ended) {
            return null;
        }
        if (is_int($opening) || $opening->kind === null || $opening->closes) {
            return null;
        }
        $this->pos = $opening->end;
        $kind = $opening->kind->of($this->text);
        $value = $kind === 'dict' || $kind === 'list'
            ? $this->elements($kind === 'list', $depth)
            : $this->leaf($kind);
        $close = $value === null ? -1 : $this->close();
        if ($value === null || $close < 0) {
            return null;
        }
        $this->pos += $close;
        $name = $this->parameter->key->read($opening->name->of($this->text));
        return [$name === '' ? null : Typed::text($name), $value];
    }

    private function leaf(string $kind): ?string
    {
        $end = $this->leafEnd();
        if ($end === null) {
            return null;
        }
        $text = substr($this->text, $this->pos, $end - $this->pos);
        $this->pos = $end;
        if (Typed::isTextKind($kind)) {
            return self::opensElement($text, $this->parameter) ? null : Typed::text($text);
        }
        $read = Typed::ofJson($text, $this->tolerance);
        return $read->matches ? $read->json : null;
    }

    /** Where the end tag stands that closes the element; elements in its text are closed again. */
    private function leafEnd(): ?int
    {
        $depth = 0;
        $first = $this->parameter->close[0]->lead[0];
        $at = strpos($this->text, $first, $this->pos);
        for (; $at !== false; $at = strpos($this->text, $first, $at + 1)) {
            if (Marker::first($this->parameter->close, $this->text, $at) >= 0) {
                if ($depth-- === 0) {
                    return $at;
                }
            } elseif (Marker::first($this->parameter->open, $this->text, $at) >= 0) {
                $depth++;
            }
        }
        return null;
    }

    private function close(): int
    {
        return Marker::first($this->parameter->close, $this->text, $this->pos);
    }
}
