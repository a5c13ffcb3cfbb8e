<?php
/**
 * The site's server for the Model Context Protocol.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Served;

use Toolwire\WordPress\Access;

use const Toolwire\WordPress\VERSION;

/**
 * Tells the plugin MCP Adapter, where it is active, to serve the abilities at
 * `/wp-json/toolwire/mcp`.
 */
final class Mcp_Server {

	/**
	 * Takes its parts.
	 *
	 * @param Access    $access    Who may do what.
	 * @param Abilities $abilities The abilities.
	 */
	public function __construct(
		private Access $access,
		private Abilities $abilities,
	) {
	}

	/**
	 * Answers the hook `mcp_adapter_init`.
	 *
	 * @param object $adapter The adapter.
	 */
	public function create( object $adapter ): void {
		$names = array_values( $this->abilities->names() );
		if ( ! $names ) {
			return;
		}
		wp_get_abilities(); // Registers them.
		$made = $adapter->create_server(
			'toolwire',
			'toolwire',
			'mcp',
			get_bloginfo( 'name' ),
			__( 'Tools of this site. Some calls wait until a person approves them.', 'toolwire' ),
			VERSION,
			array( 'WP\MCP\Transport\HttpTransport' ),
			// The plugin's own log has every call, without secrets.
			'WP\MCP\Infrastructure\ErrorHandling\NullMcpErrorHandler',
			'WP\MCP\Infrastructure\Observability\NullMcpObservabilityHandler',
			array( ...$names, Names::STATUS ),
			array(),
			array(),
			fn (): bool => $this->access->allows( 'use' ),
		);
		if ( is_wp_error( $made ) ) {
			_doing_it_wrong( __METHOD__, esc_html( $made->get_error_message() ), '0.1.0' );
		}
	}
}
