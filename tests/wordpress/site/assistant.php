<?php

/**
 * An assistant for the tests: it says what it is told to.
 */

declare(strict_types=1);

add_filter('toolwire_assistant_reply', static function ($reply, string $message) {
    return str_starts_with($message, 'say: ') ? substr($message, 5) : $reply;
}, 10, 2);

// For how long a call of the assistant may be run, where a test says so.
add_filter(
    'toolwire_binding_seconds',
    static fn (int $seconds) => (int) get_option('test_binding_seconds', $seconds)
);
