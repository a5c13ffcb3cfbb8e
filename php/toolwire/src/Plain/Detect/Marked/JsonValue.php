<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Marked;

use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Json\Scanner;
use Toolwire\Plain\Span;

/**
 * A value of a tagged parameter that is JSON, and whose strings hold tags of the format.
 *
 * Behind `{"x": "` an end tag may end a text or be text of a string. It is text of a string where
 * the JSON is complete behind it and the structure goes on there.
 */
final class JsonValue
{
    /** The most brackets that are open inside each other. */
    private const DEEPEST = 512;

    /** @var bool whether the parameter is known to be no text */
    public $isNoText;

    /** @var string */
    private $text;

    /** @var int */
    private $start;

    /** @var OwnMarkup */
    private $own;

    /** @var bool */
    private $wasRead = false;

    /** @var Span|null the end tag behind the JSON */
    private $endTag = null;

    public function __construct(string $text, int $start, OwnMarkup $own, bool $isNoText)
    {
        [$this->text, $this->start, $this->own] = [$text, $start, $own];
        $this->isNoText = $isNoText;
    }

    /** The end tag behind the JSON; null where the value is not JSON that an end tag follows. */
    public function endTag(int $limit, string $key): ?Span
    {
        if (!$this->wasRead) {
            $this->wasRead = true;
            $end = $this->end($limit);
            $this->endTag = $end === null ? null : $this->closing($end, $key);
        }
        return $this->endTag;
    }

    /** Where the JSON ends. What stands beyond the limit decides nothing. */
    private function end(int $limit): ?int
    {
        $start = $this->start + strspn($this->text, Arguments::BLANK, $this->start);
        $first = $this->text[$start] ?? '';
        if ($first !== '{' && $first !== '[') {
            return null;
        }
        $scanner = new Scanner($this->text, $start, self::DEEPEST);
        $scanner->limit = min(strlen($this->text), $limit + 1);
        do {
            $kind = $scanner->next();
            if ($kind === Scanner::FAULT || $kind === Scanner::END) {
                return null;
            }
        } while (!$scanner->done());
        return $scanner->pos;
    }

    /** The end tag that follows JSON, where the structure goes on behind it. */
    private function closing(int $end, string $key): ?Span
    {
        $begin = $end + strspn($this->text, Arguments::BLANK, $end);
        $standing = $this->own->find($begin, $key);
        $closes = $standing !== null && $standing->tag === StandingTag::CLOSES_PARAMETER
            && $standing->span->start === $begin;
        return $closes && $this->own->continues($standing->span->end) !== null
            ? $standing->span
            : null;
    }

    /** Whether a call may begin in a part of the text. */
    public function mayBeginCall(Span $part, string $key): bool
    {
        $pos = $part->start;
        while (($standing = $this->own->find($pos, $key)) !== null) {
            $opens = $standing->tag === StandingTag::OPENS_CALL
                || $standing->tag === StandingTag::OPENS_WRAPPER;
            if ($standing->span->end > $part->end || $opens) {
                return $opens && $standing->span->end <= $part->end;
            }
            $pos = $standing->span->end;
        }
        return false;
    }
}
