<?php
/**
 * The REST routes.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use WP_Error;
use WP_REST_Request;

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
	 * but WordPress would look for some.
	 *
	 * @param mixed           $answer  What others answer, null for nothing.
	 * @param mixed           $server  The server.
	 * @param WP_REST_Request $request The request.
	 * @return mixed
	 */
	public function refuse_scalar( $answer, $server, WP_REST_Request $request ) {
		$ours = str_starts_with( $request->get_route(), '/' . Controller::NAME . '/' );
		if ( null !== $answer || ! $ours || ! is_scalar( $request->get_json_params() ) ) {
			return $answer;
		}
		return new WP_Error(
			'rest_invalid_json',
			__( 'The body must be a JSON object.', 'toolwire' ),
			array( 'status' => 400 )
		);
	}
}
