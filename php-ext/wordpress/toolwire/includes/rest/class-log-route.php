<?php
/**
 * The routes of the log.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Crash_Guard;
use Toolwire\WordPress\Runner;
use WP_Error;
use WP_REST_Request;
use WP_REST_Response;

/**
 * `GET /log` lists calls, `POST /log/ID/undo` undoes one.
 */
final class Log_Route {

	/**
	 * What narrows the list.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	public static function arguments(): array {
		$date = array(
			'description'       => 'A day of the site.',
			'type'              => 'string',
			'validate_callback' => array( self::class, 'is_day' ),
		);
		return array(
			'tool'     => array( 'type' => 'string' ),
			'state'    => array(
				'type' => 'string',
				'enum' => Call_Log::STATES,
			),
			'origin'   => array(
				'type' => 'string',
				'enum' => Call_Log::ORIGINS,
			),
			'user'     => array(
				'type'    => 'integer',
				'minimum' => 1,
			),
			'from'     => $date,
			'to'       => $date,
			'search'   => array(
				'type'      => 'string',
				'maxLength' => 200,
			),
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
	 * Whether what was sent is a day.
	 *
	 * @param mixed $given What was sent.
	 */
	public static function is_day( $given ): bool {
		return is_string( $given ) && null !== Call_Log::day( $given );
	}

	/**
	 * Lists calls, newest first.
	 *
	 * @param WP_REST_Request $request With what arguments() says.
	 */
	public static function list( WP_REST_Request $request ): WP_REST_Response {
		Crash_Guard::reap();
		$filters = array_filter( array_intersect_key( $request->get_params(), array_flip( array( 'tool', 'state', 'origin', 'user', 'from', 'to', 'search' ) ) ), 'is_scalar' );
		$found   = Call_Log::query( $filters, $request['page'], $request['per_page'] );
		$answer  = new WP_REST_Response( array_map( array( Call_View::class, 'of' ), $found['rows'] ) );
		$answer->header( 'X-WP-Total', (string) $found['total'] );
		$answer->header( 'X-WP-TotalPages', (string) ceil( $found['total'] / $request['per_page'] ) );
		return $answer;
	}

	/**
	 * Undoes a call: one's own, or anybody's for those who decide.
	 *
	 * @param WP_REST_Request $request With the call's `id`.
	 * @return WP_REST_Response|WP_Error
	 */
	public static function undo( WP_REST_Request $request ) {
		$row = Call_Log::find( Routes::id( $request ) );
		if ( null === $row || ( get_current_user_id() !== (int) $row['user_id'] && ! Access::allows( 'approve' ) ) ) {
			return new WP_Error( 'toolwire_unknown_call', __( 'There is no such call.', 'toolwire' ), array( 'status' => 404 ) );
		}
		$undone = Runner::undo( $row['action_id'] );
		return is_wp_error( $undone ) ? $undone : new WP_REST_Response( Call_View::of( (array) Call_Log::find( $row['action_id'] ) ) );
	}
}
