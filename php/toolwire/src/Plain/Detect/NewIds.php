<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

/**
 * New ids for the calls of one text: `call_` and a UUID v7 without dashes.
 *
 * The first is made with a clock and random bytes; in each later one the last 32 bits count up.
 */
final class NewIds
{
    /** @var string|null the digits of the last id without those that count */
    private $prefix = null;

    /** @var int */
    private $last = 0;

    public function next(): string
    {
        if ($this->prefix === null) {
            $time = sprintf('%012x', (int) (microtime(true) * 1000));
            $random = random_bytes(10);
            $random[0] = chr(0x70 | ord($random[0]) & 0x0F);
            $random[2] = chr(0x80 | ord($random[2]) & 0x3F);
            $digits = $time . bin2hex($random);
            $this->prefix = substr($digits, 0, 24);
            $this->last = (int) hexdec(substr($digits, 24));
        } else {
            $this->last = ($this->last + 1) & 0xFFFFFFFF;
        }
        return 'call_' . $this->prefix . sprintf('%08x', $this->last);
    }
}
