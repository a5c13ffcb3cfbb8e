<?php

/**
 * The functions of WordPress and of the plugin that the drop-in calls: hooks, rights, escaping,
 * a log.
 */

declare(strict_types=1);

define('WPINC', 'wp-includes');

/** @var array<string, list<callable>> */
$GLOBALS['hooked'] = [];
/** @var list<string> what the plugin's log was told */
$GLOBALS['logged'] = [];

function add_action(string $hook, callable $callback): void
{
    $GLOBALS['hooked'][$hook][] = $callback;
}

function current_user_can(string $capability): bool
{
    return $capability === ($GLOBALS['capability'] ?? 'activate_plugins');
}

function esc_html(string $text): string
{
    return htmlspecialchars($text, ENT_QUOTES);
}

function mpai_log_error(string $message, string $component, array $context = []): void
{
    $GLOBALS['logged'][] = "error: $message";
}

function mpai_log_warning(string $message, string $component, array $context = []): void
{
    $GLOBALS['logged'][] = "warning $context[code]: $message";
}

final class WP_Error
{
    public function __construct(private string $message)
    {
    }

    public function get_error_message(): string
    {
        return $this->message;
    }
}

function is_wp_error(mixed $thing): bool
{
    return $thing instanceof WP_Error;
}
