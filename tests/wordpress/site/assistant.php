<?php

/**
 * An assistant for the tests: a message says what it replies.
 */

declare(strict_types=1);

add_filter('toolwire_assistant_reply', static function ($reply, string $message) {
    return str_starts_with($message, 'say: ') ? substr($message, 5) : $reply;
}, 10, 2);

// A test may set for how long a call of the assistant can run.
add_filter(
    'toolwire_binding_seconds',
    static fn (int $seconds) => (int) get_option('test_binding_seconds', $seconds)
);
