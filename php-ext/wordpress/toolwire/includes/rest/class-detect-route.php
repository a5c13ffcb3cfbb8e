<?php
/**
 * The route that finds calls in a text.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\WordPress\Found_Calls;
use WP_REST_Request;

/**
 * `POST /detect`: the calls in a text, and the text between them. Each call is recorded as seen. Nothing says who wrote
 * the text, so the calls are bound to nothing.
 */
final class Detect_Route {

	/**
	 * What `POST /detect` takes.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	public static function arguments(): array {
		$id = array(
			'type'      => 'string',
			'maxLength' => 200,
			'default'   => '',
		);
		return array(
			'text'         => array(
				'type'     => 'string',
				'required' => true,
			),
			'conversation' => $id,
			'message'      => $id,
		);
	}

	/**
	 * Answers.
	 *
	 * @param WP_REST_Request $request With `text` and perhaps `conversation` and `message`, the message's id.
	 * @return array<string, mixed>
	 */
	public static function detect( WP_REST_Request $request ): array {
		return Found_Calls::in_text( $request['text'], $request['conversation'], $request['message'] );
	}
}
