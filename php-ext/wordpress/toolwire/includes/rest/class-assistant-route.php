<?php
/**
 * The route that the chat box talks to.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\WordPress\Scripted_Assistant;
use WP_REST_Request;
use WP_REST_Response;

/**
 * `POST /assistant`: what the assistant says to a message.
 */
final class Assistant_Route {

	/**
	 * Answers.
	 *
	 * @param WP_REST_Request $request With `message`.
	 */
	public static function reply( WP_REST_Request $request ): WP_REST_Response {
		/**
		 * Filters what the assistant says; connect a model here. Without one a script answers.
		 *
		 * @param string|null $reply   The reply, null for the script's.
		 * @param string      $message What the user wrote.
		 * @param int         $user    The user's id.
		 */
		$reply = apply_filters( 'toolwire_assistant_reply', null, $request['message'], get_current_user_id() );
		return new WP_REST_Response( array( 'reply' => is_string( $reply ) ? $reply : Scripted_Assistant::reply( $request['message'] ) ) );
	}
}
