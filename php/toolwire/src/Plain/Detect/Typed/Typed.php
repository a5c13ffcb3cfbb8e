<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Typed;

use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Json\Lexeme;
use Toolwire\Plain\Json\Pretty;
use Toolwire\Plain\Json\Scanner;
use Toolwire\Plain\Json\Tolerance;
use Toolwire\Plain\Utf8;

/** A value of a tagged parameter as JSON, made of text that is not JSON. */
final class Typed
{
    /** @var string */
    public $json;

    /** @var bool whether the text is of its type; otherwise it is kept as a string */
    public $matches;

    public function __construct(string $json, bool $matches)
    {
        [$this->json, $this->matches] = [$json, $matches];
    }

    /** Text as a JSON string. */
    public static function text(string $text): string
    {
        return Pretty::text(Utf8::lossy($text));
    }

    public static function ofText(string $text): self
    {
        return new self(self::text($text), true);
    }

    /** Text that is not of its type. */
    private static function asWritten(string $text): self
    {
        return new self(self::text($text), false);
    }

    /** Reads text that must be JSON. */
    public static function ofJson(string $text, Tolerance $tolerance): self
    {
        $json = self::json($text, $tolerance->depth);
        return $json === null ? self::asWritten($text) : new self($json, true);
    }

    /** The text as JSON, if it is one JSON value. */
    private static function json(string $text, int $depth): ?string
    {
        if (!Utf8::isValid($text)) {
            return null;
        }
        $text = trim($text, Arguments::BLANK . "\x0B");
        if (preg_match('/^[\x80-\xFF]|[\x80-\xFF]$/D', $text) === 1) {
            $white = Utf8::WHITE;
            $text = (string) preg_replace("/^[$white]++|[$white]++\$/Du", '', $text);
        }
        if (strspn($text, '-0123456789', 0, 1) === 1) {
            return Lexeme::isNumber($text) ? $text : null;
        }
        $scanner = new Scanner($text, 0, $depth);
        do {
            $kind = $scanner->next();
            if ($kind === Scanner::FAULT || $kind === Scanner::END) {
                return null;
            }
        } while (!$scanner->done());
        return $scanner->pos === strlen($text) ? $text : null;
    }

    /**
     * Reads text that must be of one of the kinds, or is a string when nothing is known of it.
     *
     * Null is tried first, then the kinds that differ from text, then text.
     */
    public static function ofKinds(string $text, ?ValueKinds $kinds, Tolerance $tolerance): self
    {
        if ($kinds === null || $kinds->unknown()) {
            return self::ofText($text);
        }
        $trimmed = trim($text, Arguments::BLANK);
        if ($kinds->has('null') && self::isNull($trimmed)) {
            return new self('null', true);
        }
        $word = $kinds->word($trimmed);
        if ($word !== null) {
            return new self($word, true);
        }
        $flags = ['true' => 'true', 'True' => 'true', 'false' => 'false', 'False' => 'false'];
        if ($kinds->has('boolean') && isset($flags[$trimmed])) {
            return new self($flags[$trimmed], true);
        }
        $json = self::json($trimmed, $tolerance->depth);
        if ($json !== null && self::isAllowed($json, $kinds)) {
            return new self($json, true);
        }
        return new self(self::text($text), $kinds->has('string'));
    }

    private static function isAllowed(string $json, ValueKinds $kinds): bool
    {
        if ($json[0] === '{' || $json[0] === '[') {
            return $kinds->has($json[0] === '{' ? 'object' : 'array');
        }
        $isInteger = strpbrk($json, 'eE') === false && preg_match('/^[^.]*(\.0*)?$/D', $json) === 1;
        return strspn($json, '-0123456789', 0, 1) === 1
            && ($kinds->has('number') || ($kinds->has('integer') && $isInteger));
    }

    private static function isNull(string $text): bool
    {
        return in_array(trim($text, Arguments::BLANK), ['null', 'None'], true);
    }

    /** Whether the markup says with this word that a value is text. */
    public static function isTextKind(string $kind): bool
    {
        return in_array($kind, ['true', 'string', 'raw'], true);
    }

    /** Reads the elements of a value as an object or an array; other text is a string. */
    public static function ofElements(
        string $text,
        string $marker,
        ?Schema $schema,
        Tolerance $tolerance
    ): self {
        return self::elements($text, $marker, $schema, $tolerance->depth, $tolerance)
            ?? self::asWritten($text);
    }

    /** Whether text is elements and nothing else, and so is each of them that holds one. */
    public static function isElements(string $text, string $marker, Tolerance $tolerance): bool
    {
        return self::elements($text, $marker, null, $tolerance->depth, $tolerance) !== null;
    }

    private static function elements(
        string $text,
        string $marker,
        ?Schema $schema,
        int $depth,
        Tolerance $tolerance
    ): ?self {
        if ($depth === 0) {
            return null;
        }
        $kinds = $schema === null ? null : $schema->kinds();
        $limits = new Tolerance($depth - 1, $tolerance->bytes, $tolerance->repairs);
        if (strpos($text, $marker) === false) {
            // What may be a string is one.
            $isText = $kinds !== null && $kinds->has('string');
            return self::ofKinds($text, $isText && !self::isNull($text) ? null : $kinds, $limits);
        }
        $found = Elements::split($text, $marker);
        if ($found === null) {
            return null;
        }
        $names = array_unique(array_column($found, 0));
        $object = $kinds !== null && $kinds->has('object');
        $array = $kinds !== null && $kinds->has('array');
        $first = $found[0][0] ?? null;
        $isArray = count($names) <= 1 && ($object === $array ? $first === 'item' : $array);
        $parts = [];
        $matches = true;
        foreach ($isArray ? $found : Elements::lastOfEach($found) as [$name, $inner]) {
            $name = Utf8::lossy($name);
            $part = null;
            if ($schema !== null) {
                $part = $isArray ? $schema->items() : $schema->property($name);
            }
            $value = self::elements($inner, $marker, $part, $depth - 1, $tolerance);
            if ($value === null) {
                return null;
            }
            $parts[] = ($isArray ? '' : self::text($name) . ':') . $value->json;
            $matches = $matches && $value->matches;
        }
        $json = implode(',', $parts);
        return new self($isArray ? "[$json]" : '{' . $json . '}', $matches);
    }
}
