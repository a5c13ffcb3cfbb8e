<?php
/**
 * The arguments in a request, as text.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\WordPress\Json_Text;
use WP_REST_Request;

/**
 * Finds the text of the parameter `arguments`: an object, or the JSON text of one.
 */
final class Argument_Text {

	/**
	 * Takes its parts.
	 *
	 * @param Json_Text $json_text Cuts texts out of JSON.
	 */
	public function __construct(
		private Json_Text $json_text,
	) {
	}

	/**
	 * The text that the client sent, unless other code has changed the arguments. Null when JSON
	 * cannot hold the whole of them.
	 *
	 * @param WP_REST_Request $request The request.
	 */
	public function of( WP_REST_Request $request ): ?string {
		$given = $request['arguments'];
		if ( is_string( $given ) ) {
			return $given;
		}
		$sent = is_array( $request->get_json_params() )
			? $this->json_text->member( (string) $request->get_body(), 'arguments' )
			: null;
		if ( null !== $sent && json_decode( $sent, true ) === $given ) {
			return $sent;
		}
		return array() === $given ? '{}' : $this->json_text->of( $given );
	}
}
