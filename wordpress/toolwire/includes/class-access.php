<?php
/**
 * Who may do what.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * The capabilities that the plugin asks for: `use` to have tools called, `approve` to decide, `log`
 * to read what everybody's assistant did, `settings` to change them. Each tool asks for its own
 * besides.
 */
final class Access {

	const DEFAULTS = array(
		'use'      => 'edit_posts',
		'approve'  => 'manage_options',
		'log'      => 'manage_options',
		'settings' => 'manage_options',
	);

	/**
	 * The capability of WordPress that something needs.
	 *
	 * @param string $what One of the keys of DEFAULTS.
	 */
	public function capability( string $what ): string {
		/**
		 * Filters the capability that something needs.
		 *
		 * @param string $capability A capability of WordPress.
		 * @param string $what       `use`, `approve`, `log` or `settings`.
		 */
		return (string) apply_filters( 'toolwire_capability', self::DEFAULTS[ $what ], $what );
	}

	/**
	 * Whether the current user may do something.
	 *
	 * @param string $what One of the keys of DEFAULTS.
	 */
	public function allows( string $what ): bool {
		return current_user_can( $this->capability( $what ) );
	}
}
