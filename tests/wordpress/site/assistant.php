<?php

/**
 * An assistant for the tests: it says what it is told to.
 */

declare(strict_types=1);

add_filter('toolwire_assistant_reply', static function ($reply, string $message) {
    return str_starts_with($message, 'say: ') ? substr($message, 5) : $reply;
}, 10, 2);
