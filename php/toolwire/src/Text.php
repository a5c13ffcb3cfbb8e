<?php

declare(strict_types=1);

namespace Toolwire;

use Toolwire\Plain\LeftOut;
use Toolwire\Plain\Visible;

/** Texts of others, made fit to be shown. */
final class Text
{
    private function __construct()
    {
    }

    /**
     * A text whose invisible and control characters are marks such as `⟨U+202E⟩`; escape it
     * afterwards.
     */
    public static function visible(string $text): string
    {
        return Visible::text($text);
    }

    /** @param list<mixed> $arguments */
    public static function __callStatic(string $name, array $arguments)
    {
        throw LeftOut::method(self::class, $name);
    }
}
