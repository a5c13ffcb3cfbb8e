<?php

/**
 * Completes the network that install.php made: adds a second site with users of its own, and
 * activates the plugin everywhere.
 */

declare(strict_types=1);

$_SERVER += ['REQUEST_URI' => '/', 'SERVER_PROTOCOL' => 'HTTP/1.1', 'REQUEST_METHOD' => 'GET'];
require getenv('TOOLWIRE_SITE') . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';

$second = wp_insert_site([
    'domain' => DOMAIN_CURRENT_SITE, 'path' => '/second/', 'title' => 'The second site',
    'user_id' => get_user_by('login', 'admin')->ID,
]);
if (is_wp_error($second)) {
    fwrite(STDERR, $second->get_error_message() . "\n");
    exit(1);
}
// One user is an administrator of the second site only, one is an editor of both.
$owner = wp_insert_user([
    'user_login' => 'owner',
    'user_pass' => 'owner',
    'user_email' => 'owner@example.test',
]);
remove_user_from_blog($owner, get_main_site_id());
add_user_to_blog($second, $owner, 'administrator');
add_user_to_blog($second, get_user_by('login', 'editor')->ID, 'editor');
foreach ([get_main_site_id(), $second] as $site) {
    switch_to_blog($site);
    $GLOBALS['wp_rewrite']->init();
    $GLOBALS['wp_rewrite']->set_permalink_structure('/%postname%/');
    $GLOBALS['wp_rewrite']->flush_rules(false);
    restore_current_blog();
}
$failure = activate_plugin('toolwire/toolwire.php', '', true);
if (is_wp_error($failure)) {
    fwrite(STDERR, $failure->get_error_message() . "\n");
    exit(1);
}
echo "It is a network\n";
