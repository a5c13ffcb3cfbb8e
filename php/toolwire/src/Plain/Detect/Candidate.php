<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Span;

/** A call as it was found, before the rules apply. */
final class Candidate
{
    /** @var string */
    public $format;

    /** @var string as written */
    public $name;

    /** @var string|null */
    public $id = null;

    /** @var Span where the arguments stand in the text */
    public $arguments;

    /** @var string|null the arguments, where they were made and do not stand in the text */
    public $made = null;

    /** @var Span */
    public $span;

    /** @var list<array{code: string, message: string, offset: int}> */
    public $notes;

    /** @var bool whether it is prose, and no refusal, when its name is not known */
    public $proseIfUnknown = false;

    /** @param list<array{code: string, message: string, offset: int}> $notes */
    public function __construct(
        string $format,
        string $name,
        Span $arguments,
        ?string $made,
        Span $span,
        array $notes
    ) {
        $this->format = $format;
        $this->name = $name;
        $this->arguments = $arguments;
        $this->made = $made;
        $this->span = $span;
        $this->notes = $notes;
    }

    /** Adds the note that the end of the markup is missing. */
    public function missesEnd(int $offset): void
    {
        $message = 'the end of the markup is missing';
        $this->notes[] = ['code' => 'missing_end', 'message' => $message, 'offset' => $offset];
    }

    /**
     * Moves what was found in JSON that was made to the span of the text of which it was made.
     *
     * @param list<array{code: string, message: string, offset: int}> $repairs
     */
    public function place(string $json, Span $span, array $repairs): void
    {
        $this->made = $this->made ?? $this->arguments->of($json);
        foreach ($this->notes as $at => $_) {
            $this->notes[$at]['offset'] = $span->start;
        }
        $this->notes = array_merge($this->notes, $repairs);
        $this->span = $span;
    }
}
