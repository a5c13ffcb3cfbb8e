<?php
/**
 * Removes what the plugin has written, on every site of a network. It needs no extension.
 *
 * @package Toolwire
 */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

require_once __DIR__ . '/includes/class-settings.php';
require_once __DIR__ . '/includes/class-schema.php';

if ( is_multisite() ) {
	$toolwire_sites = get_sites(
		array(
			'fields' => 'ids',
			'number' => 0,
		)
	);
	foreach ( $toolwire_sites as $toolwire_site ) {
		switch_to_blog( $toolwire_site );
		Toolwire\WordPress\Schema::uninstall();
		restore_current_blog();
	}
} else {
	Toolwire\WordPress\Schema::uninstall();
}
