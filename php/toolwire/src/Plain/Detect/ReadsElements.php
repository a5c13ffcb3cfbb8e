<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Span;

/** Start tags, and elements that are calls from their start tag to their end tag. */
trait ReadsElements
{
    /** @var ElementFormat|null null where elements are no calls */
    private $element = null;

    /** @var Hiding */
    private $hiding;

    /** @var array<int, MarkedElement>|null elements whose ends were searched for to the end */
    private $marked = null;

    /** What starts at a `<` that may be HTML. */
    private function tag(): bool
    {
        if ($this->element === null) {
            return false;
        }
        $pos = $this->pos;
        if ($this->marked !== null) {
            return isset($this->marked[$pos]) && $this->markedElement($this->marked[$pos]);
        }
        if ($this->hiding->hides($this->text, $pos)) {
            return false;
        }
        $next = $this->text[$pos + 1] ?? '';
        if (ElementReader::isLetter($next)) {
            return $this->startTag($pos);
        }
        if ($next === '!' || $next === '?') {
            $hidden = HiddenContent::openedBy($this->text, $pos) ?? HiddenContent::bogusComment();
            $this->hiding->hideFrom($hidden, $pos + HiddenContent::MARKUP);
        }
        return false;
    }

    private function startTag(int $start): bool
    {
        $tag = Tag::read($this->text, $start + 1);
        $span = new Span($start, $tag->end);
        if ($tag->closer !== null) {
            $closed = $span->of($this->text) . $tag->closer;
            $refusal = $this->element->cutOff($closed, $span);
            if ($refusal !== null) {
                $this->refuse($refusal);
            }
            // For HTML the rest of the text is inside the tag.
            $this->hiding->until(PHP_INT_MAX);
            return $this->searchFrom($start + 1);
        }
        $this->hiding->until($tag->end);
        $found = $this->element->read($this->text, $span);
        $checked = $found instanceof Candidate ? $this->rules->check($found) : $found;
        if ($found instanceof Candidate && is_string($checked)) {
            $this->call($found, Tag::lower($tag->name), $span);
            return true;
        }
        if ($checked instanceof Refusal) {
            $this->refuse($checked);
        }
        // The search goes on inside the tag.
        $hidden = HiddenContent::openedByTag($tag->name);
        if ($hidden !== null) {
            $this->hiding->hideFrom($hidden, $tag->end);
        }
        return $this->searchFrom($start + 1);
    }

    /** Reads a marked element up to its end. */
    private function call(Candidate $call, string $name, Span $tag): void
    {
        if (Tag::isVoid($name)) {
            $this->accept([$call], $tag->end, $tag->start + 1);
            return;
        }
        $reader = new ElementReader($this->text, $tag, $name, $this->options->maxCalls);
        $end = $reader->end(function (Span $tag): int {
            $found = $this->element->read($this->text, $tag);
            if ($found === null) {
                return ElementReader::PLAIN;
            }
            $good = $found instanceof Candidate && is_string($this->rules->check($found));
            return $good ? ElementReader::CALL : ElementReader::REFUSED;
        });
        if ($end === null) {
            $this->marked = [];
            foreach ($reader->marked() as $marked) {
                $this->marked[$marked->tag->start] = $marked;
            }
            $this->pos = $tag->start;
            return;
        }
        $call->span = new Span($tag->start, $end);
        // The content stays hidden even if the call is refused: a second search inside it would
        // take more than linear time.
        $this->hiding->until($end);
        $found = [$call];
        foreach (array_slice($reader->marked(), 1) as $inner) {
            $reason = 'a call stands inside a call';
            $found[] = new Refusal('html', 'malformed', $inner->tag, $reason);
        }
        $this->accept($found, $end, $tag->start + 1);
    }

    /** Decides on a marked element whose end, if any, is already known. */
    private function markedElement(MarkedElement $marked): bool
    {
        $this->pos = $marked->tag->start + 1;
        $found = $this->element->read($this->text, $marked->tag);
        if ($found instanceof Candidate && $this->isDoubled($marked)) {
            $reason = 'the tag is written twice';
            $this->refuse(new Refusal('html', 'malformed', $marked->tag, $reason));
            return true;
        }
        if ($found instanceof Candidate) {
            $end = $marked->end ?? $marked->tag->end;
            $found->span = new Span($marked->tag->start, $end);
            if ($marked->end === null) {
                $found->missesEnd($end);
            }
            $checked = $this->rules->check($found);
            if (is_string($checked)) {
                $this->accept([$found], $end, $marked->tag->start + 1);
                return true;
            }
            $found = $checked;
        }
        if ($found instanceof Refusal) {
            $this->refuse($found);
        }
        return true;
    }

    /** Whether the start tag of an element without an end stands behind itself again. */
    private function isDoubled(MarkedElement $marked): bool
    {
        $tag = $marked->tag->of($this->text);
        $behind = $marked->tag->end;
        $behind += strspn($this->text, Arguments::BLANK, $behind);
        return $marked->end === null && substr($this->text, $behind, strlen($tag)) === $tag;
    }
}
