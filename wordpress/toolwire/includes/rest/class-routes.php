<?php
/**
 * The REST routes.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use WP_Error;
use WP_REST_Request;
use WP_REST_Server;

/**
 * Registers `toolwire/v1`: one controller for each resource.
 */
final class Routes {

	/**
	 * The controllers.
	 *
	 * @var list<Controller>
	 */
	private array $controllers;

	/**
	 * Takes the controllers.
	 *
	 * @param Controller ...$controllers One for each resource.
	 */
	public function __construct( Controller ...$controllers ) {
		$this->controllers = $controllers;
	}

	/**
	 * Answers the hook `rest_api_init`.
	 */
	public function register(): void {
		add_filter( 'rest_pre_dispatch', array( $this, 'refuse_scalar' ), 10, 3 );
		foreach ( $this->controllers as $controller ) {
			$controller->register_routes();
		}
	}

	/**
	 * Answers the hook `rest_pre_dispatch`: a body that is a number or a text has no parameters,
	 * but WordPress would look for some, and the MCP Adapter ends with a fatal error.
	 *
	 * @param mixed           $answer  What others answer, null for nothing.
	 * @param WP_REST_Server  $server  The server.
	 * @param WP_REST_Request $request The request.
	 * @return mixed
	 */
	public function refuse_scalar( $answer, $server, WP_REST_Request $request ) {
		if (
			null !== $answer
			|| ! is_scalar( $request->get_json_params() )
			|| ! $this->serves_tools( $server, $request->get_route() )
		) {
			return $answer;
		}
		return new WP_Error(
			'rest_invalid_json',
			__( 'The body must be a JSON object.', 'toolwire' ),
			array( 'status' => 400 )
		);
	}

	/**
	 * Whether tools of this site are behind a route: one of the plugin, of abilities, or of any
	 * server of the MCP Adapter.
	 *
	 * @param WP_REST_Server $server The server.
	 * @param string         $route  The route.
	 */
	private function serves_tools( $server, string $route ): bool {
		if ( 1 === preg_match( '~^/(?:toolwire|wp-abilities)/~', $route ) ) {
			return true;
		}
		foreach ( $server->get_routes()[ $route ] ?? array() as $handler ) {
			$callback = $handler['callback'] ?? null;
			$object   = is_array( $callback ) ? $callback[0] : null;
			if ( is_object( $object ) && str_starts_with( $object::class, 'WP\\MCP\\' ) ) {
				return true;
			}
		}
		return false;
	}
}
