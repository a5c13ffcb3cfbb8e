<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Span;

/** The markers at a place of the text. */
final class Here
{
    /** @var list<array{SoughtMarker, Span}> the markers that open calls */
    public $opened = [];

    /** @var Mark|null the longest marker of the message */
    public $mark = null;

    /** @var array{ClosingMarker, Span}|null a marker that closes a call or a part of it */
    public $closing = null;

    public function isEmpty(): bool
    {
        return $this->opened === [] && $this->mark === null && $this->closing === null;
    }

    /** Notes what a marker does, which stands at a place. */
    public function note(SoughtMarker $sought, Span $span): void
    {
        $does = $sought->does;
        if ($does === null) {
            $this->opened[] = [$sought, $span];
        } elseif ($does instanceof ClosingMarker) {
            $this->closing = $this->closing ?? [$does, $span];
        } elseif ($this->mark === null || $this->mark->yieldsTo($does, $span->length())) {
            $this->mark = $does->at($span);
        }
    }
}
