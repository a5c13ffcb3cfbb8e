<?php

/**
 * Adds to the end of a page its number of queries and its processor time. With `?without` the page
 * is made as if the plugin was not active.
 */

declare(strict_types=1);

if (isset($_GET['without'])) {
    add_filter(
        'option_active_plugins',
        static fn ($plugins) =>
            array_values(array_diff((array) $plugins, ['toolwire/toolwire.php']))
    );
}
$spent = static function (): float {
    $usage = getrusage();
    return 1000 * ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) + (
        $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']
    ) / 1000;
};
$before = $spent();
foreach (['wp_footer', 'admin_footer'] as $hook) {
    add_action($hook, static function () use ($spent, $before): void {
        printf(
            '<!-- cost %d %.3f %d -->',
            get_num_queries(),
            $spent() - $before,
            (int) class_exists('Toolwire\WordPress\Plugin', false)
        );
    }, PHP_INT_MAX);
}
