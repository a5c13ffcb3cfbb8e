<?php
/**
 * What all REST controllers have in common.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Found_Calls;
use WP_Error;
use WP_REST_Controller;
use WP_REST_Request;
use WP_REST_Response;

/**
 * Registers routes of `toolwire/v1`: who may use them, how often, and what they answer. A client
 * with a cookie needs a nonce, which WordPress checks; application passwords work too.
 */
abstract class Controller extends WP_REST_Controller {

	const NAME = 'toolwire/v1';

	/**
	 * The id in the address of one item.
	 */
	const ID = '/(?P<id>[0-9a-f-]{8,64})';

	/**
	 * Who may do what.
	 *
	 * @var Access
	 */
	protected Access $access;

	/**
	 * The engine of each site.
	 *
	 * @var Engines
	 */
	protected Engines $engines;

	/**
	 * Takes what all controllers need.
	 *
	 * @param string  $base    The name of the resource in addresses.
	 * @param Access  $access  Who may do what.
	 * @param Engines $engines The engine of each site.
	 */
	public function __construct( string $base, Access $access, Engines $engines ) {
		$this->namespace = self::NAME;
		$this->rest_base = $base;
		$this->access    = $access;
		$this->engines   = $engines;
	}

	/**
	 * The schema that `OPTIONS` shows for a route.
	 *
	 * @return array<string, mixed>
	 */
	public function get_item_schema() {
		return $this->add_additional_fields_schema(
			array( '$schema' => 'http://json-schema.org/draft-04/schema#' ) + $this->schema()
		);
	}

	/**
	 * The schema of an item.
	 *
	 * @return array<string, mixed>
	 */
	abstract protected function schema(): array;

	/**
	 * Registers a route.
	 *
	 * @param string                     $path     Its path behind the resource's name.
	 * @param list<array<string, mixed>> $handlers What handler() made.
	 * @param callable|null              $schema   Gives the schema of its answers; null for that of
	 *                                             an item.
	 */
	protected function route( string $path, array $handlers, ?callable $schema = null ): void {
		$handlers['schema'] = $schema ?? array( $this, 'get_public_item_schema' );
		register_rest_route( $this->namespace, "/{$this->rest_base}$path", $handlers );
	}

	/**
	 * The handler of a method of a route.
	 *
	 * @param string      $method    The method.
	 * @param string      $answer    The name of the controller's method that answers.
	 * @param string      $access    What the user must be allowed to do.
	 * @param array       $arguments What is sent.
	 * @param string|null $counted   Under what name the requests of a user are limited; not when
	 *                               null.
	 * @return array<string, mixed>
	 */
	protected function handler(
		string $method,
		string $answer,
		string $access,
		array $arguments,
		?string $counted = null,
	): array {
		$callback = function ( WP_REST_Request $request ) use ( $answer, $counted ) {
			return $this->admit( $request, $counted ) ?? $this->$answer( $request );
		};
		return array(
			'methods'             => $method,
			'callback'            => $callback,
			'permission_callback' => fn () => $this->permit( $access ),
			'args'                => $arguments,
		);
	}

	/**
	 * The parameter of a route of one item.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	protected function named(): array {
		return array( 'id' => array( 'type' => 'string' ) );
	}

	/**
	 * The id in the address. WordPress would prefer a parameter of the same name in the query or
	 * the body, which is something else.
	 *
	 * @param WP_REST_Request $request The request.
	 */
	protected function id( WP_REST_Request $request ): string {
		return (string) ( $request->get_url_params()['id'] ?? '' );
	}

	/**
	 * The parameters that say which page of a list is asked for.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	protected function window(): array {
		return array(
			'page'     => array(
				'type'    => 'integer',
				'minimum' => 1,
				'maximum' => 100000,
				'default' => 1,
			),
			'per_page' => array(
				'type'    => 'integer',
				'minimum' => 1,
				'maximum' => 100,
				'default' => 20,
			),
		);
	}

	/**
	 * A page of a list, with the headers that tell the total.
	 *
	 * @param list<mixed>     $items   What the page lists.
	 * @param int             $total   How many items there are.
	 * @param WP_REST_Request $request With `per_page`.
	 */
	protected function page(
		array $items,
		int $total,
		WP_REST_Request $request,
	): WP_REST_Response {
		$prepare = fn ( $item ) => $this->prepare_response_for_collection(
			$this->prepare_item_for_response( $item, $request )
		);
		$answer  = new WP_REST_Response( array_map( $prepare, $items ) );
		$answer->header( 'X-WP-Total', (string) $total );
		$answer->header( 'X-WP-TotalPages', (string) ceil( $total / $request['per_page'] ) );
		return $answer;
	}

	/**
	 * A refusal of a request that came too soon.
	 *
	 * @param int   $seconds How long to wait.
	 * @param array $data    What else is said.
	 */
	protected function too_soon( int $seconds, array $data = array() ): WP_REST_Response {
		$message = sprintf(
			/* translators: %d: seconds. */
			_n( 'Too many calls. Try again in %d second.', 'Too many calls. Try again in %d seconds.', $seconds, 'toolwire' ), // phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
			$seconds
		);
		$response = rest_convert_error_to_response(
			new WP_Error( 'toolwire_rate_limited', $message, $data + array( 'status' => 429 ) )
		);
		$response->header( 'Retry-After', (string) $seconds );
		return $response;
	}

	/**
	 * The refusal of a call that does not exist or belongs to another user.
	 */
	protected function unknown_call(): WP_Error {
		return new WP_Error(
			'toolwire_unknown_call',
			__( 'There is no such call.', 'toolwire' ),
			array( 'status' => 404 )
		);
	}

	/**
	 * Whether the current user may use a route.
	 *
	 * @param string $access What the user must be allowed to do.
	 * @return true|WP_Error
	 */
	private function permit( string $access ) {
		return $this->access->allows( $access ) ? true : new WP_Error(
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
	private function admit( WP_REST_Request $request, ?string $counted ) {
		if ( strlen( (string) $request->get_body() ) > Found_Calls::MOST_BYTES ) {
			return new WP_Error(
				'toolwire_too_large',
				__( 'The request is too large.', 'toolwire' ),
				array( 'status' => 413 )
			);
		}
		$wait = null === $counted ? 0 : $this->engines->get()->wait( $counted );
		return 0 === $wait ? null : $this->too_soon( $wait );
	}
}
