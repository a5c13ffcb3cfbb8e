<?php

/**
 * Says at the end of a page what it cost; with `?without` the page is made as if the plugin was not active.
 */

declare(strict_types=1);

if (isset($_GET['without'])) {
    add_filter('option_active_plugins', static fn ($plugins) => array_values(array_diff((array) $plugins, ['toolwire/toolwire.php'])));
}
foreach (['wp_footer', 'admin_footer'] as $hook) {
    add_action($hook, static function (): void {
        $milliseconds = 1000 * (microtime(true) - $_SERVER['REQUEST_TIME_FLOAT']);
        printf('<!-- cost %d %.3f %d -->', get_num_queries(), $milliseconds, (int) class_exists('Toolwire\WordPress\Plugin', false));
    }, PHP_INT_MAX);
}
