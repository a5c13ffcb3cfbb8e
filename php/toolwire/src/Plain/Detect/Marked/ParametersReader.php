<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Marked;

use Toolwire\Plain\Detect\Format\NamePlace;
use Toolwire\Plain\Detect\Rules;
use Toolwire\Plain\Detect\Typed\Schema;
use Toolwire\Plain\Detect\Typed\Typed;
use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Json\Bad;
use Toolwire\Plain\Json\Observer;
use Toolwire\Plain\Json\ReadArguments;
use Toolwire\Plain\Json\Tolerance;
use Toolwire\Plain\Span;
use Toolwire\Plain\TextEnded;
use Toolwire\Plain\Utf8;

/**
 * Arguments that are tagged parameters: `<parameter=city>Rome</parameter>`.
 *
 * The tag or the tool's schema gives the type of a value; without a type it is a string. A call in
 * which a tag is missing, or is one too many, is refused as malformed.
 */
final class ParametersReader
{
    /** The most diagnostics that are kept for one call. */
    private const MOST_NOTES = 32;

    /** @var string */
    private $text;

    /** @var int */
    private $start;

    /** @var int */
    private $pos;

    /** @var Tolerance */
    private $tolerance;

    /** @var OwnMarkup */
    private $own;

    /** @var bool whether a value is being read */
    private $inValue = false;

    /** @var array<array-key, true> the keys so far */
    private $keys = [];

    /** @var list<array{Span, ?Span, Span}> the key, the type and the value of each parameter */
    private $found = [];

    /** @var list<array{code: string, message: string, offset: int}> */
    private $notes = [];

    /** @var int|null where the end tag of a value is missing */
    private $missing = null;

    public function __construct(string $text, int $pos, Tolerance $tolerance, OwnMarkup $own)
    {
        [$this->text, $this->tolerance, $this->own] = [$text, $tolerance, $own];
        $this->start = $this->pos = $pos;
    }

    /** Whether a parameter has begun. */
    public function begun(): bool
    {
        return $this->keys !== [] || $this->inValue;
    }

    /**
     * @return ReadArguments|Bad
     * @throws TextEnded
     */
    public function read()
    {
        while (true) {
            $opening = $this->next();
            if ($opening instanceof Bad) {
                return $opening;
            }
            if ($opening === null) {
                return $this->arguments();
            }
            $this->inValue = true;
            $bad = $this->value($opening);
            if ($bad !== null) {
                return $bad;
            }
            $this->inValue = false;
        }
    }

    /**
     * Reads the opening of the next parameter; null where the parameters end instead.
     *
     * @return Opening|Bad|null
     */
    private function next()
    {
        $this->pos += strspn($this->text, Arguments::BLANK, $this->pos);
        $follows = $this->own->follows($this->pos);
        // The parameters of a call that another one follows at once were not read.
        if ($follows === OwnMarkup::CALL && $this->keys === []) {
            return self::malformed($this->pos, 'the end of the call is missing');
        }
        if ($follows === OwnMarkup::CALL || $follows === OwnMarkup::END) {
            return null;
        }
        if ($follows === null) {
            if ($this->pos >= strlen($this->text) || $this->own->isCut($this->pos)) {
                throw new TextEnded();
            }
            return $this->stray();
        }
        $length = $this->own->opensParameter($this->pos) ?? 0;
        $opening = $this->own->parameter($this->pos + $length);
        if (is_int($opening)) {
            return self::malformed($opening, 'the opening of a parameter has no end');
        }
        if ($opening->name->length() === 0) {
            return self::malformed($this->pos, 'a parameter has no name');
        }
        $opening->name = Opening::withoutQuotes($opening->name, $this->text);
        return $this->isDamagedKey($opening->name)
            ? self::malformed($this->pos, 'the name of a parameter is damaged')
            : $opening;
    }

    /** Whether the name of a parameter is none, and no property of the tool has it. */
    private function isDamagedKey(Span $name): bool
    {
        $key = $this->nameOf($name);
        // The quotes of an attribute say where it ends.
        $isAttribute = $this->own->parameter->key->kind === NamePlace::ATTRIBUTE;
        if ($isAttribute || !Opening::isMoreThanKey($key)) {
            return false;
        }
        $schema = $this->own->schema;
        return $schema === null || $schema->property(Utf8::lossy($key))->kinds()->unknown();
    }

    /** What to say of text that stands where a parameter or the end of the call should. */
    private function stray(): Bad
    {
        $what = 'a parameter or the end of the call is expected';
        // Without any markup of the call, the text need not be one.
        return $this->begun() || $this->own->isWithin($this->pos)
            ? self::malformed($this->pos, $what)
            : new Bad('bad_json', $this->pos, "the parameters cannot be read: $what");
    }

    private function value(Opening $opening): ?Bad
    {
        $start = $opening->end;
        $limit = $this->start + $this->tolerance->bytes;
        $isNoText = $this->isNoText($opening);
        $search = new ValueSearch($this->text, $start, $this->own, $isNoText);
        try {
            $key = $opening->name->of($this->text);
            $found = $search->end($limit, $key, function (string $key): bool {
                return isset($this->keys[$this->own->parameter->key->read($key)]);
            });
        } catch (TextEnded $ended) {
            if ($search->pos <= $limit) {
                throw $ended;
            }
            $found = null;
        }
        // What stands beyond the limit decides nothing, however much of it is there.
        if ($found === null && $search->damage() !== null) {
            $found = ValueEnd::damaged($search->damage());
        }
        $damage = $found === null ? null : $found->damage;
        if ($damage !== null && $damage->span->start <= $limit) {
            return $this->mend($opening, $damage);
        }
        if ($found !== null && $found->ambiguous !== null && $found->ambiguous <= $limit) {
            return self::malformed(
                $found->ambiguous,
                'the value ends here or within its JSON'
            );
        }
        if ($found === null || $found->tag === null || $found->tag->start > $limit) {
            return Bad::tooLarge($limit);
        }
        $value = new Span($start, $found->tag->start);
        $isNested = $this->own->parameter->nested && $opening->kind === null;
        if ($isNested && $this->mixes($value, $opening->name)) {
            return self::malformed($start, 'text and elements stand side by side in a value');
        }
        // A tag too many or too few among elements shows in the value.
        $kind = $opening->kind === null ? '' : $opening->kind->of($this->text);
        $parameter = $this->own->parameter;
        if (
            $opening->kind !== null && $parameter->hasTypedElements()
            && !TypedElements::isOfType(
                $value->of($this->text),
                $kind,
                $parameter,
                $this->tolerance
            )
        ) {
            return self::malformed($start, 'a value is not of its type');
        }
        $text = $value->of($this->text);
        if ($opening->hasValue && strspn($text, Arguments::BLANK) === strlen($text)) {
            $reason = 'an attribute stands where the value of a parameter should';
            return self::malformed($start, $reason);
        }
        if ($found->tag->length() === 0) {
            $this->missing = $found->tag->start;
        }
        $this->take($opening, $value);
        $this->pos = $found->tag->end;
        return null;
    }

    /** Whether a parameter is known to be no text. */
    private function isNoText(Opening $opening): bool
    {
        if ($opening->kind !== null) {
            return !Typed::isTextKind($opening->kind->of($this->text));
        }
        $schema = $this->own->schema;
        if ($schema === null) {
            return false;
        }
        $kinds = $schema->property(Utf8::lossy($this->nameOf($opening->name)))->kinds();
        return !$kinds->has('string') && !$kinds->unknown();
    }

    /** Takes a value whose end tag is missing, if that is clear and wanted; else it is refused. */
    private function mend(Opening $opening, StandingTag $damage): ?Bad
    {
        $value = (new Span($opening->end, $damage->span->start))->of($this->text);
        $solid = strlen(rtrim($value, Arguments::BLANK));
        if (!$this->tolerance->repairs || $solid === 0 || !$this->isNew($damage, $opening->name)) {
            return $this->damaged($damage);
        }
        $at = $damage->span->start;
        $this->note('missing_tag', $at, 'the end tag of the value was missing');
        $this->take($opening, new Span($opening->end, $opening->end + $solid));
        $this->pos = $at;
        return null;
    }

    /**
     * Whether a tag opens a parameter that the call has not, and that the schema knows, if there is
     * one.
     */
    private function isNew(StandingTag $tag, Span $key): bool
    {
        if ($tag->tag !== StandingTag::OPENS_PARAMETER || $tag->key === null) {
            return false;
        }
        $next = $this->nameOf($tag->key);
        $schema = $this->own->schema;
        return $next !== $this->nameOf($key) && !isset($this->keys[$next])
            && ($schema === null || !$schema->property(Utf8::lossy($next))->kinds()->unknown());
    }

    private function nameOf(Span $key): string
    {
        return $this->own->parameter->key->read($key->of($this->text));
    }

    /**
     * Whether a value that is no text holds elements and text side by side: a tag of it stands in
     * the wrong place.
     */
    private function mixes(Span $value, Span $key): bool
    {
        $open = $this->own->parameter->open[0]->lead;
        $text = self::withoutCdata($value->of($this->text));
        $schema = $this->own->schema;
        $kinds = $schema === null
            ? null
            : $schema->property(Utf8::lossy($this->nameOf($key)))->kinds();
        return strpos($text, $open) !== false
            && !($kinds !== null && $kinds->has('string'))
            && !Typed::isElements($text, $open, $this->tolerance);
    }

    /** Takes a parameter whose value was read. */
    private function take(Opening $opening, Span $value): void
    {
        if ($this->own->parameter->trimLines) {
            $value = $this->withoutLines($value);
        }
        $name = $this->nameOf($opening->name);
        if (isset($this->keys[$name])) {
            $message = 'a parameter is repeated; the last one counts';
            $this->note('duplicate_key', $opening->name->start, $message);
        }
        $this->keys[$name] = true;
        $this->found[] = [$opening->name, $opening->kind, $value];
    }

    private function note(string $code, int $offset, string $message): void
    {
        if (count($this->notes) < self::MOST_NOTES) {
            $this->notes[] = ['code' => $code, 'message' => $message, 'offset' => $offset];
        }
    }

    /** The arguments that were read to their end. */
    private function arguments(): ReadArguments
    {
        $parts = [];
        foreach ($this->found as [$key, $kind, $value]) {
            $parts[] = $this->json($key, $kind, $value);
        }
        $notes = Observer::sorted($this->notes);
        if ($this->missing !== null) {
            $notes[] = [
                'code' => 'missing_end',
                'message' => 'the end of the markup is missing',
                'offset' => $this->missing,
            ];
        }
        $span = new Span($this->start, $this->pos);
        return new ReadArguments($span, $notes, '{' . implode(',', $parts) . '}');
    }

    private function json(Span $key, ?Span $kind, Span $span): string
    {
        $value = $span->of($this->text);
        $told = $kind === null ? null : $kind->of($this->text);
        $hasElements = TypedElements::holdsElements($this->own->parameter, $told);
        if (!$hasElements && $this->hidesEnd($value, $key->of($this->text))) {
            $this->note('end_tag_in_value', $span->start, 'the value holds its own end tag');
        }
        $name = $this->nameOf($key);
        $typed = $this->typed(
            self::withoutCdata($value),
            $told,
            $this->own->schema === null ? null : $this->own->schema->property(Utf8::lossy($name))
        );
        if (!$typed->matches) {
            $shown = Rules::ascii($name);
            $message = "the value of \"$shown\" is not of its type";
            $this->note('not_of_type', $span->start, $message);
        }
        return Typed::text($name) . ':' . $typed->json;
    }

    private function typed(string $text, ?string $kind, ?Schema $schema): Typed
    {
        if ($kind !== null && Typed::isTextKind($kind)) {
            return Typed::ofText($text);
        }
        if ($kind !== null && TypedElements::holdsElements($this->own->parameter, $kind)) {
            $parameter = $this->own->parameter;
            return TypedElements::read($text, $kind, $parameter, $this->tolerance);
        }
        if ($kind !== null) {
            return Typed::ofJson($text, $this->tolerance);
        }
        $open = $this->own->parameter->open[0]->lead;
        if ($this->own->parameter->nested && strpos($text, $open) !== false) {
            return Typed::ofElements($text, $open, $schema, $this->tolerance);
        }
        $kinds = $schema === null ? null : $schema->kinds();
        return Typed::ofKinds($text, $kinds, $this->tolerance);
    }

    /** Whether an end tag in the value was taken for text. */
    private function hidesEnd(string $value, string $key): bool
    {
        foreach ($this->own->parameter->close as $close) {
            $at = strpos($value, $close->lead);
            for (; $at !== false; $at = strpos($value, $close->lead, $at + strlen($close->lead))) {
                if ($close->at($value, $at, $key) >= 0) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * The value without the line breaks that belong to the markup, one on each side.
     *
     * A line break in front of the end belongs to the markup only where one follows the opening.
     */
    private function withoutLines(Span $value): Span
    {
        $text = $value->of($this->text);
        $front = strncmp($text, "\r\n", 2) === 0 ? 2 : (int) (($text[0] ?? '') === "\n");
        $rest = (string) substr($text, $front);
        $back = substr($rest, -2) === "\r\n" ? 2 : (int) (substr($rest, -1) === "\n");
        return new Span($value->start + $front, $value->end - ($front === 0 ? 0 : $back));
    }

    private static function withoutCdata(string $text): string
    {
        $trimmed = trim($text, Arguments::BLANK);
        $wrapped = strncmp($trimmed, '<![CDATA[', 9) === 0 && substr($trimmed, 9) !== ''
            && substr($trimmed, -3) === ']]>' && strlen($trimmed) >= 12;
        return $wrapped ? (string) substr($trimmed, 9, -3) : $text;
    }

    /** The refusal of a call in which a tag is missing, or is one too many. */
    private static function malformed(int $at, string $what): Bad
    {
        return new Bad('malformed', $at, "the call is damaged at byte $at: $what");
    }

    /** The refusal for damage that a value shows. */
    private function damaged(StandingTag $damage): Bad
    {
        $at = $damage->span->start;
        $close = $this->own->parameter->close[0];
        $close = $close->echoes() ? 'the end tag of a value' : $close->written;
        switch ($damage->tag) {
            case StandingTag::CLOSES_PARAMETER:
            case StandingTag::CLOSES_OTHER:
                return self::malformed($at, 'an end tag closes nothing');
            case StandingTag::PIECE:
                return self::malformed($at, 'a tag stands where none can');
        }
        return new Bad('malformed', $at, "the call is damaged: $close is missing before byte $at");
    }
}
