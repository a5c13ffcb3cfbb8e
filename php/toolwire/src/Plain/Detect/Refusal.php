<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Json\Bad;
use Toolwire\Plain\Span;

/** Why a candidate was refused. */
final class Refusal
{
    /** @var string|null */
    public $format;

    /** @var string */
    public $code;

    /** @var Span from the candidate's first byte to the byte that decided */
    public $span;

    /** @var string */
    public $reason;

    /** @var string|null the name in bare JSON; if no known tool has it, the object is prose */
    public $claimed = null;

    /** @var string|null the name of a tool that is not known */
    public $unknown = null;

    public function __construct(?string $format, string $code, Span $span, string $reason)
    {
        $this->format = $format;
        $this->code = $code;
        $this->span = $span;
        $this->reason = $reason;
    }

    public static function ofArguments(string $format, int $start, Bad $bad): self
    {
        return new self($format, $bad->code, new Span($start, $bad->at), $bad->reason);
    }

    public static function incomplete(string $format, Span $span): self
    {
        return new self($format, 'incomplete', $span, 'the text ends inside the call');
    }

    /**
     * Moves what was refused in JSON that was made to the span of the text of which it was made.
     */
    public function place(string $json, Span $span, array $repairs): void
    {
        $this->span = $span;
    }
}
