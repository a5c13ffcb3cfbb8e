<?php
/**
 * What the PHP of this host has.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use WP_Error;

/**
 * Tells whether the PHP extension is there. Without it the library in plain PHP answers to the same
 * names, as far as it goes: the assistant reads and changes nothing.
 */
final class Host {

	/**
	 * Whether the assistant only reads, because the extension is not loaded.
	 */
	public static function only_reads(): bool {
		return ! extension_loaded( 'toolwire' );
	}

	/**
	 * What somebody is told who wants to change something where nothing is changed.
	 */
	public static function refusal(): WP_Error {
		return new WP_Error( 'toolwire_only_reads', self::sentence(), array( 'status' => 409 ) );
	}

	/**
	 * Whether anything works here: the extension is loaded, or the plugin brings the library.
	 */
	public static function works(): bool {
		return ! self::only_reads() || is_readable( self::library() );
	}

	/**
	 * The file that loads the library in plain PHP.
	 */
	public static function library(): string {
		return dirname( __DIR__ ) . '/vendor/toolwire/autoload.php';
	}

	/**
	 * What people are told of such a host.
	 */
	public static function sentence(): string {
		return __(
			'On this host the assistant only reads. To change things, PHP needs the extension.',
			'toolwire'
		);
	}

	/**
	 * Tells it on a screen. Who may install plugins has a notice that says more.
	 */
	public static function tell(): void {
		if ( self::only_reads() && ! current_user_can( 'activate_plugins' ) ) {
			printf(
				'<div class="notice notice-info inline toolwire-only-reads"><p>%s</p></div>',
				esc_html( self::sentence() )
			);
		}
	}
}
