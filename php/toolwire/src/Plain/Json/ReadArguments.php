<?php

declare(strict_types=1);

namespace Toolwire\Plain\Json;

use Toolwire\Plain\Span;
use Toolwire\Plain\Utf8;

/** Arguments that were read: where they stand, what there is to say of them, what was made. */
final class ReadArguments
{
    /** @var Span */
    public $span;

    /** @var list<array{code: string, message: string, offset: int}> */
    public $notes;

    /** @var string|null the JSON that a repair made */
    public $made;

    /** @param list<array{code: string, message: string, offset: int}> $notes */
    public function __construct(Span $span, array $notes, ?string $made = null)
    {
        $this->span = $span;
        $this->notes = $notes;
        $this->made = $made;
    }

    public function json(string $text): string
    {
        return $this->made ?? Utf8::lossy($this->span->of($text));
    }

    /** The notes, all at one offset. */
    public function notesAt(int $offset): array
    {
        return array_map(static function (array $note) use ($offset): array {
            return ['offset' => $offset] + $note;
        }, $this->notes);
    }
}
