<?php
/**
 * Plugin Name:       Toolwire
 * Description:       Watch, approve, record and undo what an AI assistant does on your site.
 * Version:           0.1.0
 * Requires at least: 6.1
 * Requires PHP:      8.2
 * Author:            Toolwire contributors
 * License:           GPL-2.0-or-later
 * License URI:       https://www.gnu.org/licenses/gpl-2.0.html
 * Text Domain:       toolwire
 * Domain Path:       /languages
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

defined( 'ABSPATH' ) || exit;

const VERSION = '0.1.0';
const FILE    = __FILE__;

spl_autoload_register(
	static function ( string $name ): void {
		if ( ! str_starts_with( $name, __NAMESPACE__ . '\\' ) ) {
			return;
		}
		$within  = substr( $name, strlen( __NAMESPACE__ ) + 1 );
		$parts   = explode( '\\', strtolower( str_replace( '_', '-', $within ) ) );
		$parts[] = 'class-' . array_pop( $parts ) . '.php';
		$file    = __DIR__ . '/includes/' . implode( '/', $parts );
		if ( is_readable( $file ) ) {
			require_once $file;
		}
	}
);

if ( Host::only_reads() && Host::works() ) {
	require_once Host::library();
}

/**
 * The plugin of this request, for code that was given none of its parts.
 */
function plugin(): Plugin {
	static $plugin;
	if ( null === $plugin ) {
		$plugin = new Plugin();
	}
	return $plugin;
}

( new Hooks( plugin() ) )->add();
