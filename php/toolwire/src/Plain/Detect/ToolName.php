<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

/** The names that a tool may have. */
final class ToolName
{
    public const LONGEST = 128;
    public const OF_NAMES = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/-';
    public const BAD_NAME = 'a tool\'s name has 1 to 128 characters of A-Z a-z 0-9 _ . : / -';
}
