<?php
/**
 * The routes that run a call and tell what became of it.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Throwable;
use Toolwire\Native;
use Toolwire\ToolCall;
use Toolwire\WordPress\Access;
use Toolwire\WordPress\Bindings;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Claims;
use Toolwire\WordPress\Crash_Guard;
use Toolwire\WordPress\Runner;
use Toolwire\WordPress\Settings;
use WP_Error;
use WP_REST_Request;
use WP_REST_Response;

/**
 * `POST /calls` runs a call once; the same one sent again, even at the same time, gets what became of the first.
 * `GET /calls/ID` tells that to the user who sent it, and to those who may read the log.
 */
final class Calls_Route {

	const STATUSES = array(
		'unbound_call'         => 403,
		'user_gone'            => 403,
		'tool_not_found'       => 404,
		'permission_denied'    => 403,
		'behavior_not_allowed' => 403,
		'invalid_input'        => 400,
		'raised'               => 500,
		'not_run'              => 500,
		'died'                 => 500,
	);

	/**
	 * What `POST /calls` takes.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	public static function arguments(): array {
		return array(
			'id'           => array(
				'description' => 'The id that the model gave. A call without one is always a new one.',
				'type'        => 'string',
				'maxLength'   => 256,
				'default'     => '',
			),
			'conversation' => array(
				'description' => 'In which conversation the id counts.',
				'type'        => 'string',
				'maxLength'   => 256,
				'default'     => '',
			),
			'name'         => array(
				'type'     => 'string',
				'required' => true,
			),
			'arguments'    => array(
				'description' => 'An object, or the JSON text of one.',
				'type'        => array( 'object', 'string' ),
				'default'     => '{}',
			),
			'binding'      => array(
				'description' => 'What `POST /assistant` gave with the call. The call runs as it was found or not at all.',
				'type'        => 'string',
				'maxLength'   => 200,
				'default'     => '',
			),
			'origin'       => array(
				'description' => 'Where a call without a binding came from: it was found in a text, or a script named the tool.',
				'type'        => 'string',
				'enum'        => array( 'text', 'script', 'rest' ),
				'default'     => 'rest',
			),
			'reason'       => array(
				'description' => 'Why, in the words of the model; shown to the person who decides.',
				'type'        => 'string',
				'default'     => '',
			),
		);
	}

	/**
	 * Runs a call.
	 *
	 * @param WP_REST_Request $request With what arguments() says.
	 * @return WP_REST_Response|WP_Error
	 */
	public static function run( WP_REST_Request $request ) {
		Crash_Guard::reap();
		$call = self::call( $request );
		if ( is_wp_error( $call ) ) {
			return $call;
		}
		$origin = self::origin( $request, $call );
		if ( is_wp_error( $origin ) ) {
			return $origin;
		}
		if ( 'text' === $origin && Settings::get( 'bound_calls' ) && self::refuse( $request, $call ) ) {
			return self::response( (array) Call_Log::find( $call->id ) );
		}
		try {
			$row = Runner::run( $call, $request['id'], $request['reason'], $origin );
		} catch ( Throwable $thrown ) {
			return new WP_Error( 'toolwire_not_run', __( 'The call could not be run.', 'toolwire' ), array( 'status' => 500 ) );
		}
		if ( is_wp_error( $row ) ) {
			return $row;
		}
		if ( null === $row ) {
			return new WP_Error( 'toolwire_conflict', __( 'This id belongs to another call.', 'toolwire' ), array( 'status' => 409 ) );
		}
		return self::response( $row );
	}

	/**
	 * Tells what became of a call, and goes on with it when a person has decided.
	 *
	 * @param WP_REST_Request $request With the call's `id`.
	 * @return WP_REST_Response|WP_Error
	 */
	public static function show( WP_REST_Request $request ) {
		Crash_Guard::reap();
		$id  = Routes::id( $request );
		$row = Call_Log::find( $id );
		if ( null === $row || ( get_current_user_id() !== (int) $row['user_id'] && ! Access::allows( 'log' ) ) ) {
			return new WP_Error( 'toolwire_unknown_call', __( 'There is no such call.', 'toolwire' ), array( 'status' => 404 ) );
		}
		return new WP_REST_Response( Call_View::of( Runner::resume( $id ) ?? $row ) );
	}

	/**
	 * Where a call came from. What this site saw in a text counts as found there, whatever the client says.
	 *
	 * @param WP_REST_Request $request The request.
	 * @param ToolCall        $call    Its call.
	 * @return string|WP_Error
	 */
	private static function origin( WP_REST_Request $request, ToolCall $call ) {
		if ( '' !== $request['binding'] ) {
			$refusal = Bindings::refusal( $request['binding'], $request['conversation'], $request['id'], $call->name, $call->argumentsRaw ); // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
			return $refusal ?? 'assistant';
		}
		$seen = Call_Log::find( $call->id );
		return in_array( $seen['origin'] ?? '', array( 'text', 'assistant' ), true ) ? 'text' : $request['origin'];
	}

	/**
	 * Records that a call was not run because nothing binds it; false when it has run before.
	 *
	 * @param WP_REST_Request $request The request.
	 * @param ToolCall        $call    Its call.
	 */
	private static function refuse( WP_REST_Request $request, ToolCall $call ): bool {
		Call_Log::see( $call->id, $request['id'], $call->name, 'text' );
		$columns = array(
			'state'       => 'denied',
			'error_code'  => 'unbound_call',
			'error'       => __( 'The call was found in a text that is no reply of this site\'s assistant. It has not run.', 'toolwire' ),
			'finished_at' => gmdate( 'Y-m-d H:i:s' ),
		);
		Call_Log::change( $call->id, $columns, array( 'seen' ) );
		return 'unbound_call' === ( Call_Log::find( $call->id )['error_code'] ?? '' );
	}

	/**
	 * The call that was sent, as the extension reads it.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return ToolCall|WP_Error
	 */
	private static function call( WP_REST_Request $request ) {
		$arguments = $request['arguments'];
		if ( ! is_string( $arguments ) ) {
			// WordPress has made arrays of objects; empty ones must stay objects.
			$body      = json_decode( (string) $request->get_body() );
			$given     = is_object( $body ) && isset( $body->arguments ) ? $body->arguments : (object) $arguments;
			$arguments = wp_json_encode( $given, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION );
		}
		$sent  = array(
			'id'       => Claims::action_id( get_current_user_id(), $request['conversation'], $request['id'] ),
			'type'     => 'function',
			'function' => array(
				'name'      => $request['name'],
				'arguments' => $arguments,
			),
		);
		$found = Native::parse( $sent, 'openai' );
		if ( isset( $found->calls[0] ) ) {
			return $found->calls[0];
		}
		$code = isset( $found->rejections[0] ) ? $found->rejections[0]->code : 'bad_shape';
		/* translators: %s: code of a rejection. */
		return new WP_Error( "toolwire_$code", sprintf( __( 'This is not a tool call: %s.', 'toolwire' ), $code ), array( 'status' => 400 ) );
	}

	/**
	 * The response for a call.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 * @return WP_REST_Response
	 */
	private static function response( array $row ): WP_REST_Response {
		$view = Call_View::of( $row );
		$code = (string) $row['error_code'];
		if ( 'rate_limited' === $code ) {
			return Routes::too_soon( max( 1, (int) ceil( $view['error']['retry_after'] ?? 1 ) ), array( 'call' => $view ) );
		}
		if ( isset( self::STATUSES[ $code ] ) ) {
			$data = array(
				'status' => self::STATUSES[ $code ],
				'call'   => $view,
			);
			return rest_convert_error_to_response( new WP_Error( "toolwire_$code", $view['error']['message'], $data ) );
		}
		return new WP_REST_Response( $view, in_array( $row['state'], array( 'seen', 'running', 'pending' ), true ) ? 202 : 200 );
	}
}
