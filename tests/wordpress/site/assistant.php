<?php

/**
 * An assistant for the tests: a message says what it replies, or how it fails. To any other message
 * it replies as the script does.
 */

declare(strict_types=1);

// A test that has a model's server of its own turns this assistant off.
get_option('test_no_assistant') || add_filter('toolwire_assistant_reply', static function ($reply, string $message) {
    return match (true) {
        str_starts_with($message, 'say: ') => substr($message, 5),
        // It fails once, as a model does that is busy.
        $message === 'fail once' => delete_option('test_fail') ? null : 'Here I am again.',
        default => Toolwire\WordPress\plugin()->scripted_assistant()->reply($message),
    };
}, 10, 2);

// A test may set for how long a call of the assistant can run.
add_filter(
    'toolwire_binding_seconds',
    static fn (int $seconds) => (int) get_option('test_binding_seconds', $seconds)
);

// Tests write faster and more than people.
add_filter(
    'toolwire_conversation_limits',
    static fn (array $limits): array =>
        ['characters' => 100000, 'texts_per_minute' => 10000, 'texts_per_day' => 10000] + $limits
);
