<?php

declare(strict_types=1);

namespace Toolwire\Plain\Redact;

/** JSON Web Tokens in a text: three parts, of which the first begins with `eyJ`. */
final class WebTokens
{
    private const SIGNS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-';

    private const SHORTEST = 11;

    private const OTHER_PARTS = '/\G\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/';

    /** @var string */
    private $text;

    /** @var int where the signs end that were read last */
    private $end = 0;

    /** @var int where a token ends whose first part ends there; 0 if none does */
    private $behind = 0;

    public function __construct(string $text)
    {
        $this->text = $text;
    }

    /** @return array{int, int}|null where the next one begins and ends */
    public function from(int $from): ?array
    {
        while (preg_match('/\beyJ/', $this->text, $found, PREG_OFFSET_CAPTURE, $from) === 1) {
            $at = $found[0][1];
            if ($at >= $this->end) {
                $this->read($at);
            }
            if ($this->behind > 0 && $this->end - $at >= self::SHORTEST) {
                return [$at, $this->behind];
            }
            $from = $this->end;
        }
        return null;
    }

    /** Reads the signs at a place once, however many beginnings stand among them. */
    private function read(int $at): void
    {
        $this->end = $at + strspn($this->text, self::SIGNS, $at);
        $isToken = preg_match(self::OTHER_PARTS, $this->text, $found, 0, $this->end) === 1;
        $this->behind = $isToken ? $this->end + strlen($found[0]) : 0;
    }
}
