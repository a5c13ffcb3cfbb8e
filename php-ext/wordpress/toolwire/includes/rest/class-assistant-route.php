<?php
/**
 * The route that the chat box talks to.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Throwable;
use Toolwire\WordPress\Found_Calls;
use Toolwire\WordPress\Scripted_Assistant;
use WP_Error;
use WP_REST_Request;
use WP_REST_Response;

/**
 * `POST /assistant`: what the assistant says to a message.
 */
final class Assistant_Route {

	/**
	 * What `POST /assistant` takes.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	public static function arguments(): array {
		return array(
			'message'      => array(
				'type'     => 'string',
				'required' => true,
			),
			'conversation' => array(
				'description' => 'In which conversation the calls of the reply may be run.',
				'type'        => 'string',
				'maxLength'   => 200,
				'default'     => '',
			),
		);
	}

	/**
	 * Answers with the reply and its calls, each bound to the user and the conversation.
	 *
	 * @param WP_REST_Request $request With what arguments() says.
	 * @return WP_REST_Response|WP_Error
	 */
	public static function reply( WP_REST_Request $request ) {
		try {
			$reply = self::ask( $request['message'] );
		} catch ( Throwable $thrown ) {
			return new WP_Error( 'toolwire_assistant_failed', __( 'The assistant did not answer.', 'toolwire' ), array( 'status' => 502 ) );
		}
		return new WP_REST_Response( Found_Calls::in_reply( $reply, $request['conversation'] ) );
	}

	/**
	 * What the assistant says.
	 *
	 * @param string $message What the user wrote.
	 */
	private static function ask( string $message ): string {
		/**
		 * Filters what the assistant says; connect a model here. Without one a script answers.
		 *
		 * @param string|null $reply   The reply, null for the script's.
		 * @param string      $message What the user wrote.
		 * @param int         $user    The user's id.
		 */
		$reply = apply_filters( 'toolwire_assistant_reply', null, $message, get_current_user_id() );
		return is_string( $reply ) ? $reply : Scripted_Assistant::reply( $message );
	}
}
