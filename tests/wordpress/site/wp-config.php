<?php

define('DB_NAME', 'wp');
define('DB_USER', 'wp');
define('DB_PASSWORD', 'wp');
define('DB_HOST', 'localhost:@SOCKET@');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
// Where the plugin SQLite Database Integration has its file, if it is there.
define('DB_DIR', '@ROOT@/database/');
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {
    define("{$name}_KEY", "test key $name");
    define("{$name}_SALT", "test salt $name");
}
// A network finds its site by the host, on the command line too.
$_SERVER += ['HTTP_HOST' => '127.0.0.1:@PORT@', 'REMOTE_ADDR' => '127.0.0.1'];
// A second port serves the same site without the extension.
$host = preg_match('/^127\.0\.0\.1:\d+$/', $_SERVER['HTTP_HOST'])
    ? $_SERVER['HTTP_HOST']
    : '127.0.0.1:@PORT@';
if (is_file('@ROOT@/network')) {
    // site/network.php has made a network of this site: each site has its own address.
    define('MULTISITE', true);
    define('SUBDOMAIN_INSTALL', false);
    define('DOMAIN_CURRENT_SITE', '127.0.0.1:@PORT@');
    define('PATH_CURRENT_SITE', '/');
    define('SITE_ID_CURRENT_SITE', 1);
    define('BLOG_ID_CURRENT_SITE', 1);
} else {
    define('WP_HOME', "http://$host");
    define('WP_SITEURL', "http://$host");
}
define('WP_DEFAULT_THEME', 'plain');
define('WP_DEBUG', true);
define('WP_DEBUG_DISPLAY', false);
define('WP_DEBUG_LOG', '@ROOT@/debug.log');
define('DISABLE_WP_CRON', true);
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
// Application passwords need https, or this.
define('WP_ENVIRONMENT_TYPE', 'local');
define('SAVEQUERIES', true);
$table_prefix = 'wp_';
if (!defined('ABSPATH')) {
    define('ABSPATH', __DIR__ . '/');
}
require ABSPATH . 'wp-settings.php';
