<?php
/**
 * The REST routes.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Engine;
use Toolwire\WordPress\Found_Calls;
use WP_Error;
use WP_REST_Request;
use WP_REST_Response;

/**
 * Registers `toolwire/v1`. Who comes with a cookie needs a nonce, which WordPress checks; application passwords work too.
 */
final class Routes {

	const NAME = 'toolwire/v1';

	/**
	 * Answers the hook `rest_api_init`.
	 */
	public static function register(): void {
		$id    = '(?P<id>[0-9a-f-]{8,64})';
		$named = array( 'id' => array( 'type' => 'string' ) );
		add_filter( 'rest_pre_dispatch', array( self::class, 'refuse_scalar' ), 10, 3 );
		self::add( '/detect', 'POST', array( Detect_Route::class, 'detect' ), 'use', Detect_Route::arguments(), 'detect' );
		self::add( '/calls', 'POST', array( Calls_Route::class, 'run' ), 'use', Calls_Route::arguments(), 'calls' );
		self::add( "/calls/$id", 'GET', array( Calls_Route::class, 'show' ), 'use', $named );
		self::add( '/assistant', 'POST', array( Assistant_Route::class, 'reply' ), 'use', Assistant_Route::arguments(), 'assistant' );
		self::add( '/approvals', 'GET', array( Approvals_Route::class, 'list' ), 'approve', Approvals_Route::window() );
		self::add( "/approvals/$id", 'GET', array( Approvals_Route::class, 'show' ), 'approve', $named );
		self::add( "/approvals/$id", 'POST', array( Approvals_Route::class, 'decide' ), 'approve', Approvals_Route::arguments() + $named );
		self::add( '/log', 'GET', array( Log_Route::class, 'list' ), 'log', Log_Route::arguments() );
		self::add( "/log/$id/undo", 'POST', array( Log_Route::class, 'undo' ), 'use', $named );
	}

	/**
	 * Answers the hook `rest_pre_dispatch`: a body that is a number or a text has no parameters, and WordPress looks for
	 * them all the same.
	 *
	 * @param mixed           $answer  What others answer, null for nothing.
	 * @param mixed           $server  The server.
	 * @param WP_REST_Request $request The request.
	 * @return mixed
	 */
	public static function refuse_scalar( $answer, $server, WP_REST_Request $request ) {
		if ( null !== $answer || ! str_starts_with( $request->get_route(), '/' . self::NAME . '/' ) || ! is_scalar( $request->get_json_params() ) ) {
			return $answer;
		}
		return new WP_Error( 'rest_invalid_json', __( 'The body must be a JSON object.', 'toolwire' ), array( 'status' => 400 ) );
	}

	/**
	 * A refusal of a request that came too soon.
	 *
	 * @param int   $seconds How long to wait.
	 * @param array $data    What else is said.
	 */
	public static function too_soon( int $seconds, array $data = array() ): WP_REST_Response {
		/* translators: %d: seconds. */
		$message  = sprintf( _n( 'Too many calls. Try again in %d second.', 'Too many calls. Try again in %d seconds.', $seconds, 'toolwire' ), $seconds );
		$response = rest_convert_error_to_response( new WP_Error( 'toolwire_rate_limited', $message, $data + array( 'status' => 429 ) ) );
		$response->header( 'Retry-After', (string) $seconds );
		return $response;
	}

	/**
	 * The id that the address names. A parameter of the same name in the query or the body is another thing, and
	 * WordPress would prefer it.
	 *
	 * @param WP_REST_Request $request The request.
	 */
	public static function id( WP_REST_Request $request ): string {
		return (string) ( $request->get_url_params()['id'] ?? '' );
	}

	/**
	 * Adds a route.
	 *
	 * @param string      $path      Its path.
	 * @param string      $method    Its method.
	 * @param callable    $answer    Who answers.
	 * @param string      $access    What the user must be allowed to do.
	 * @param array       $arguments What is sent.
	 * @param string|null $counted   Under what name the requests of a user are limited; not when null.
	 */
	private static function add( string $path, string $method, callable $answer, string $access, array $arguments = array(), ?string $counted = null ): void {
		register_rest_route(
			self::NAME,
			$path,
			array(
				'methods'             => $method,
				'callback'            => static fn ( WP_REST_Request $request ) => self::admit( $request, $counted ) ?? $answer( $request ),
				'permission_callback' => static fn () => self::permit( $access ),
				'args'                => $arguments,
			)
		);
	}

	/**
	 * Whether the current user may use a route.
	 *
	 * @param string $access What the user must be allowed to do.
	 * @return true|WP_Error
	 */
	private static function permit( string $access ) {
		return Access::allows( $access ) ? true : new WP_Error(
			'toolwire_forbidden',
			__( 'You are not allowed to do that.', 'toolwire' ),
			array( 'status' => rest_authorization_required_code() )
		);
	}

	/**
	 * Refuses a request that is too large or comes too soon.
	 *
	 * @param WP_REST_Request $request The request.
	 * @param string|null     $counted Under what name it is limited.
	 * @return WP_REST_Response|WP_Error|null
	 */
	private static function admit( WP_REST_Request $request, ?string $counted ) {
		if ( strlen( (string) $request->get_body() ) > Found_Calls::MOST_BYTES ) {
			return new WP_Error( 'toolwire_too_large', __( 'The request is too large.', 'toolwire' ), array( 'status' => 413 ) );
		}
		$wait = null === $counted ? 0 : Engine::get()->wait( $counted );
		return 0 === $wait ? null : self::too_soon( $wait );
	}
}
