<?php

declare(strict_types=1);

namespace Toolwire\Plain\Redact;

/** A word of a text, whose end is sought once for all the places in it. */
final class Word
{
    /** @var string */
    private $text;

    /** @var int */
    private $start = 0;

    /** @var int */
    private $end = -1;

    public function __construct(string $text)
    {
        $this->text = $text;
    }

    /** How many bytes of the word stand behind a place. */
    public function length(int $at): int
    {
        if ($at > strlen($this->text)) {
            return 0;
        }
        if ($at < $this->start || $at > $this->end) {
            $this->start = $at;
            $this->end = $at + strcspn($this->text, Assignments::NO_WORD, $at);
        }
        return $this->end - $at;
    }
}
