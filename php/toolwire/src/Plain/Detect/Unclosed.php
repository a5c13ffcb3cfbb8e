<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Span;

/** What was opened since the last end marker, and is no call that was read. */
final class Unclosed
{
    /** @var bool */
    private $wrapper = false;

    /** @var bool */
    private $call = false;

    /** @var bool whether a call was refused there, so that its end markers are of no interest */
    private $refused = false;

    /**
     * @var array{int, bool} the end of the last end marker, and whether nothing but such markers
     * and white space stands between it and a call
     */
    public $last = [0, false];

    /** @var Span|null the last marker that began its line and opened no call */
    public $opening = null;

    /** A marker opens a wrapper or a call. */
    public function opened(bool $wraps): void
    {
        $this->wrapper = $this->wrapper || $wraps;
        $this->call = $this->call || !$wraps;
        $this->refused = false;
    }

    /** What is open behind a call. */
    public static function behindCall(bool $wrapper): self
    {
        $unclosed = new self();
        $unclosed->wrapper = $wrapper;
        return $unclosed;
    }

    /** What may be open where a call was refused. */
    public static function behindRefusal(): self
    {
        $unclosed = new self();
        $unclosed->wrapper = $unclosed->call = $unclosed->refused = true;
        return $unclosed;
    }

    /** Takes an end marker; returns whether it closes nothing. */
    public function close(ClosingMarker $closing): bool
    {
        $known = [
            ClosingMarker::WRAPPER => $this->wrapper,
            ClosingMarker::CALL => $this->call,
            ClosingMarker::PARAMETER => $this->refused,
            ClosingMarker::NAME => $this->call || $this->refused,
        ][$closing->closes];
        if ($closing->closes !== ClosingMarker::NAME && $closing->isLast) {
            [$this->wrapper, $this->call, $this->refused] = [false, false, false];
            $this->last = [0, false];
            $this->opening = null;
        } elseif ($closing->closes === ClosingMarker::CALL) {
            $this->call = false;
        }
        return !$known;
    }
}
