<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Json\Arguments;
use Toolwire\Plain\Json\Scanner;
use Toolwire\Plain\Span;

/** End tags behind an object: the call has lost its start tag. */
trait ReadsLoneEnds
{
    /** @var int the most white space between an object and an end tag */
    private static $mostSpace = 16;

    /** @var bool whether the end tag of a call that was refused may follow */
    private $endIsKnown = false;

    /** Passes an object where objects are no calls. */
    private function object(): bool
    {
        $start = $this->pos;
        $next = $start + 1 + strspn($this->text, Arguments::BLANK, $start + 1);
        if (($this->text[$next] ?? '') !== '"') {
            return false;
        }
        $scanner = new Scanner($this->text, $start, PHP_INT_MAX);
        do {
            $kind = $scanner->next();
            if ($kind === Scanner::FAULT || $kind === Scanner::END) {
                $this->ruleOut($scanner->open);
                return false;
            }
        } while (!$scanner->done());
        $this->pos = $scanner->end;
        $this->behindObject($start, $scanner->end);
        return true;
    }

    /** Passes an empty object that an end tag may touch; code is full of others. */
    private function emptyObject(): bool
    {
        $start = $this->pos;
        if (($this->text[$start + 2] ?? '') !== '<') {
            return false;
        }
        $this->pos = $start + 2;
        $this->behindObject($start, $this->pos);
        return true;
    }

    /** Refuses an end tag behind an object, if that is JSON. */
    private function behindObject(int $start, int $end): void
    {
        if (!$this->hasTag || $this->fence !== null || $this->text[$end - 1] !== '}') {
            return;
        }
        $place = $end + strspn($this->text, Arguments::BLANK, $end, self::$mostSpace);
        $length = strlen(TagCall::CLOSE);
        if (
            substr($this->text, $place, $length) !== TagCall::CLOSE
            || !self::isJson(substr($this->text, $start, $end - $start))
        ) {
            return;
        }
        $this->pos = $place + $length;
        if (!$this->endIsKnown) {
            $reason = 'the end of a call stands where none has begun';
            $this->refuse(new Refusal('tag', 'malformed', new Span($place, $this->pos), $reason));
        }
        $this->endIsKnown = false;
    }

    /** Whether an object is JSON. One that was repaired is not. */
    private static function isJson(string $object): bool
    {
        $scanner = new Scanner($object, 0, PHP_INT_MAX);
        do {
            $kind = $scanner->next();
            if ($kind === Scanner::FAULT || $kind === Scanner::END) {
                return false;
            }
        } while (!$scanner->done());
        return $scanner->end === strlen($object);
    }
}
