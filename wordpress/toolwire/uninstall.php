<?php
/**
 * Removes what the plugin has written, on every site of a network. It needs no extension.
 *
 * @package Toolwire
 */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

require_once __DIR__ . '/includes/class-settings.php';
require_once __DIR__ . '/includes/class-schema.php';
require_once __DIR__ . '/includes/class-network.php';

( new Toolwire\WordPress\Network( new Toolwire\WordPress\Schema() ) )->uninstall();
