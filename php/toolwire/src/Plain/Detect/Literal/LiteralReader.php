<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Literal;

use Toolwire\Plain\Detect\Format\Format;
use Toolwire\Plain\Json\Bad;
use Toolwire\Plain\Json\Pretty;
use Toolwire\Plain\Json\ReadArguments;
use Toolwire\Plain\Json\Tolerance;
use Toolwire\Plain\Span;
use Toolwire\Plain\TextEnded;
use Toolwire\Plain\Utf8;

/**
 * Arguments that are literals of a programming language: `(city='Rome', days=[1, 2])`.
 *
 * Nothing is evaluated: an expression that is no literal is refused. There are two dialects: the
 * arguments of a Python call, and braces whose strings stand between markers. The result is JSON.
 */
final class LiteralReader
{
    use ReadsEntries;
    use ReadsQuoted;
    use ReadsStructure;
    use ReadsTexts;

    /** What may stand next. */
    private const VALUE = 1;
    private const VALUE_OR_END = 2;
    private const KEY_OR_END = 3;
    private const SEPARATOR = 4;
    private const COMMA_OR_END = 5;

    /** The brackets that are open: the round one of the call, and those of values. */
    private const CALL = 1;
    private const DICT = 2;
    /** Braces that hold values without keys. */
    private const SET = 3;
    private const LIST = 4;
    private const TUPLE = 5;

    /** The most diagnostics that are kept for one call. */
    private const MOST_NOTES = 32;

    /** @var list<int> where the elements of the outermost list end */
    public $elementEnds = [];

    /** @var string */
    private $text;

    /** @var int */
    private $start;

    /** @var int */
    private $pos;

    /** @var Tolerance */
    private $tolerance;

    /** @var string|null the marker round strings; null for Python */
    private $quote;

    /** @var string the brackets with which the arguments or the value may start */
    private $opening;

    /** @var list<string> the markers beyond which a call between markers cannot reach */
    private $bounds = [];

    /** @var int the byte that must not be read */
    private $limit;

    /** @var list<int> the open brackets */
    private $stack = [];

    /** @var list<int> the number of commas in each of them */
    private $commas = [];

    /** @var int */
    private $expected = self::VALUE;

    /** @var string the JSON so far */
    private $json = '';

    /** @var list<array{int, string}> the keys of the open brackets, each with its level */
    private $keys = [];

    /** @var int where the text of the key being read starts in the JSON */
    private $key = 0;

    /** @var bool whether that key stands without quotes */
    private $keyIsWord = false;

    /** @var list<array{code: string, message: string, offset: int}> */
    private $notes = [];

    private function __construct(string $text, int $pos, Tolerance $tolerance, ?string $quote)
    {
        [$this->text, $this->tolerance, $this->quote] = [$text, $tolerance, $quote];
        $this->startsAt($pos);
        $this->pos = $pos;
        $this->opening = $quote === null ? '(' : '{';
    }

    /** Starts before a list or a dictionary of Python. */
    public static function ofValue(string $text, int $pos, Tolerance $tolerance): self
    {
        $reader = new self($text, $pos, $tolerance, null);
        $reader->opening = '[{';
        return $reader;
    }

    /** Starts at the bracket that opens the arguments of a call. */
    public static function ofCall(
        Format $format,
        string $text,
        int $pos,
        Tolerance $tolerance
    ): self {
        $reader = new self($text, $pos, $tolerance, $format->quote);
        if ($format->wrapper !== null && !$format->plain) {
            // The opening markers come first: of many calls, none looks beyond the next one.
            foreach ($format->wrapper->open as $marker) {
                $reader->bounds[] = $marker->lead;
            }
            foreach ($format->wrapper->close as $marker) {
                $texts = $marker->texts();
                $reader->bounds[] = end($texts);
            }
        }
        return $reader;
    }

    /** Whether an argument has begun. */
    public function begun(): bool
    {
        return strlen($this->json) > 1;
    }

    /**
     * @return ReadArguments|Bad
     * @throws TextEnded
     */
    public function read()
    {
        try {
            do {
                $this->structure();
            } while ($this->stack !== [] || $this->expected !== self::COMMA_OR_END);
        } catch (NoLiteral $no) {
            return $no->bad;
        } catch (TextEnded $ended) {
            if (strlen($this->text) > $this->limit) {
                return Bad::tooLarge($this->limit);
            }
            throw $ended;
        }
        $span = new Span($this->start, $this->pos);
        return new ReadArguments($span, $this->notes, Utf8::lossy($this->json));
    }

    private function startsAt(int $start): void
    {
        $this->start = $start;
        $this->limit = $start + min($this->tolerance->bytes, PHP_INT_MAX - $start);
    }

    /** A byte that may be read; the empty text behind the last one. */
    private function byte(int $at): string
    {
        return $at < $this->limit ? $this->text[$at] ?? '' : '';
    }

    /** A byte that must be there. */
    private function needed(int $at): string
    {
        $byte = $this->byte($at);
        if ($byte === '') {
            throw new TextEnded();
        }
        return $byte;
    }

    /** The end of what may be read. */
    private function textEnd(): int
    {
        return min(strlen($this->text), $this->limit);
    }

    private function bad(string $what): NoLiteral
    {
        $reason = "the arguments cannot be read: $what";
        return new NoLiteral(new Bad('bad_json', $this->pos, $reason));
    }

    private function note(string $code, int $offset, string $message): void
    {
        if (count($this->notes) < self::MOST_NOTES) {
            $this->notes[] = ['code' => $code, 'message' => $message, 'offset' => $offset];
        }
    }

    private function innermost(): int
    {
        return $this->stack === [] ? 0 : $this->stack[count($this->stack) - 1];
    }

    private function isKey(): bool
    {
        return $this->expected === self::KEY_OR_END;
    }

    /** Whether this is a call of Python between markers, so that only a call can be meant. */
    private function isForgiving(): bool
    {
        return $this->bounds !== [] && $this->quote === null;
    }

    /** Text as the inside of a JSON string. Bytes that are not UTF-8 stay as they are. */
    private static function escaped(string $text): string
    {
        return substr(Pretty::text($text), 1, -1);
    }
}
