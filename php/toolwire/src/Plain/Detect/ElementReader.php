<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Span;

/**
 * Finds the end of a marked element, in one pass with a stack.
 *
 * It looks once at every tag from the marked element on, and lists the marked elements on its way.
 */
final class ElementReader
{
    /** @var int what a start tag means: an element that is not marked as a call */
    public const PLAIN = 0;
    /** @var int marked as a call, but refused */
    public const REFUSED = 1;
    /** @var int marked as a call */
    public const CALL = 2;

    /** @var string */
    private $text;

    /** @var int */
    private $pos;

    /** @var HiddenContent|null the content that is being passed */
    private $hidden;

    /** @var list<MarkedElement> */
    private $marked;

    /** @var array<string, list<array{int, int}>> the open marked elements: index, open inside */
    private $open;

    /** @var int */
    private $openCount = 1;

    /** @var int */
    private $maxOpen;

    /** Starts behind a marked start tag, whose name is in lower case. */
    public function __construct(string $text, Span $tag, string $name, int $maxOpen)
    {
        $this->text = $text;
        $this->pos = $tag->end;
        $this->hidden = HiddenContent::openedByTag($name);
        $this->marked = [new MarkedElement($tag, null)];
        $this->open = [$name => [[0, 0]]];
        $this->maxOpen = $maxOpen;
    }

    /**
     * The byte behind the end tag of the outermost element; null when the text ends first.
     *
     * @param callable(Span): int $mark says what a start tag means
     */
    public function end(callable $mark): ?int
    {
        while ($this->marked[0]->end === null) {
            if ($this->hidden !== null) {
                $length = strlen($this->text);
                [$end, $found] = $this->hidden->end($this->text, $this->pos, $length);
                if (!$found) {
                    return null;
                }
                [$this->pos, $this->hidden] = [$end, null];
            }
            if (!$this->tag($mark)) {
                return null;
            }
        }
        return $this->marked[0]->end;
    }

    /** @return list<MarkedElement> the marked elements that were passed, in text order */
    public function marked(): array
    {
        return $this->marked;
    }

    /** Passes the next tag or comment; false when the text ends first. */
    private function tag(callable $mark): bool
    {
        $text = $this->text;
        $start = $this->pos + strcspn($text, '<', $this->pos);
        $next = $text[$start + 1] ?? '';
        if ($next === '') {
            return false;
        }
        if (self::isLetter($next)) {
            $tag = Tag::read($text, $start + 1);
            if ($tag->closer !== null) {
                return false;
            }
            $this->startTag(new Span($start, $tag->end), Tag::lower($tag->name), $mark);
            return true;
        }
        $this->pos = $start + 1;
        return strpos('/?!', $next) === false || $this->markup($start, $next);
    }

    /** Passes an end tag, or enters a comment. */
    private function markup(int $start, string $next): bool
    {
        if ($next === '/') {
            $behind = $this->text[$start + 2] ?? '';
            if ($behind === '') {
                return false;
            }
            if ($behind === '>') {
                $this->pos = $start + 3;
                return true;
            }
            if (self::isLetter($behind)) {
                $tag = Tag::read($this->text, $start + 2);
                if ($tag->closer !== null) {
                    return false;
                }
                $this->endTag($tag->end, Tag::lower($tag->name));
                return true;
            }
        }
        $this->hidden = $next === '!'
            ? HiddenContent::openedBy($this->text, $start)
            : HiddenContent::bogusComment();
        $this->pos = $start + HiddenContent::MARKUP;
        return $this->hidden !== null;
    }

    private function startTag(Span $tag, string $name, callable $mark): void
    {
        $this->pos = $tag->end;
        $this->hidden = HiddenContent::openedByTag($name);
        $void = Tag::isVoid($name);
        $use = $mark($tag);
        if ($use === self::CALL && !$void && $this->openCount < $this->maxOpen) {
            $this->open[$name][] = [count($this->marked), 0];
            $this->marked[] = new MarkedElement($tag, null);
            $this->openCount++;
            return;
        }
        if ($use !== self::PLAIN) {
            $this->marked[] = new MarkedElement($tag, $void ? $tag->end : null);
        }
        $last = count($this->open[$name] ?? []) - 1;
        if ($last >= 0 && !$void) {
            $this->open[$name][$last][1]++;
        }
    }

    private function endTag(int $end, string $name): void
    {
        $this->pos = $end;
        $last = count($this->open[$name] ?? []) - 1;
        if ($last < 0) {
            return;
        }
        if ($this->open[$name][$last][1] > 0) {
            $this->open[$name][$last][1]--;
            return;
        }
        [$index] = array_pop($this->open[$name]);
        $this->openCount--;
        $this->marked[$index]->end = $end;
    }

    public static function isLetter(string $byte): bool
    {
        return ($byte >= 'a' && $byte <= 'z') || ($byte >= 'A' && $byte <= 'Z');
    }
}
