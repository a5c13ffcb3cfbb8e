<?php

/**
 * Installs WordPress into the folder that up.sh made, with a user of each role and the plugin
 * active.
 */

declare(strict_types=1);

define('WP_INSTALLING', true);
$_SERVER += ['REQUEST_URI' => '/', 'SERVER_PROTOCOL' => 'HTTP/1.1', 'REQUEST_METHOD' => 'GET'];
$site = getenv('TOOLWIRE_SITE');
require "$site/wp-load.php";
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';

/** WordPress would send a mail. */
function wp_new_blog_notification(): void
{
}

$installed = wp_install('A test site', 'admin', 'admin@example.test', true, '', 'admin');
$passwords = [];
foreach ([
    'admin' => '', 'editor' => 'editor', 'author' => 'author', 'subscriber' => 'subscriber',
] as $name => $role) {
    $id = $role === '' ? $installed['user_id'] : wp_insert_user([
        'user_login' => $name, 'user_pass' => $name, 'user_email' => "$name@example.test",
        'role' => $role,
    ]);
    [$passwords[$name]] = WP_Application_Passwords::create_new_application_password(
        $id,
        ['name' => 'tests']
    );
}
file_put_contents(dirname($site) . '/passwords.json', json_encode($passwords));

$GLOBALS['wp_rewrite']->set_permalink_structure('/%postname%/');
$GLOBALS['wp_rewrite']->flush_rules(false);
wp_insert_post([
    'post_type' => 'page', 'post_status' => 'publish', 'post_name' => 'chat',
    'post_title' => 'Assistant',
    'post_content' => '[toolwire_chat]',
]);
if (getenv('TOOLWIRE_MULTISITE')) {
    require_once ABSPATH . 'wp-admin/includes/schema.php';
    foreach ($GLOBALS['wpdb']->tables('ms_global') as $table => $name) {
        $GLOBALS['wpdb']->$table = $name;
    }
    install_network();
    $made = populate_network(1, "127.0.0.1:{$argv[1]}", 'admin@example.test', 'A test network');
    // WordPress warns that subdomains have no DNS, but the network has no subdomains.
    $failure = is_wp_error($made) && $made->get_error_code() !== 'no_wildcard_dns' ? $made : null;
    touch(dirname($site) . '/network');
} else {
    $failure = activate_plugin('toolwire/toolwire.php');
    if (!is_wp_error($failure) && is_dir(WP_PLUGIN_DIR . '/mcp-adapter')) {
        $failure = activate_plugin('mcp-adapter/mcp-adapter.php');
    }
}
if (is_wp_error($failure)) {
    fwrite(STDERR, $failure->get_error_message() . "\n");
    exit(1);
}
echo "WordPress {$GLOBALS['wp_version']} is installed\n";
