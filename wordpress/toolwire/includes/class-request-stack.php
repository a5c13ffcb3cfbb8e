<?php
/**
 * The requests of REST that are being answered.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use WP_REST_Request;

/**
 * Remembers the requests whose callbacks run, so that an ability finds the text that the client
 * sent: WordPress and the MCP Adapter hand on values of PHP only.
 */
final class Request_Stack {

	/**
	 * The requests, the innermost last. A text that has been taken is not taken again.
	 *
	 * @var list<array{request: WP_REST_Request, taken: array<int, true>}>
	 */
	private array $requests = array();

	/**
	 * Takes its parts.
	 *
	 * @param Json_Text $json_text Cuts texts out of JSON.
	 */
	public function __construct( private Json_Text $json_text ) {
	}

	/**
	 * Answers the hook `rest_request_before_callbacks`.
	 *
	 * @param mixed           $answer  What others answer.
	 * @param mixed           $handler The handler.
	 * @param WP_REST_Request $request The request.
	 * @return mixed
	 */
	public function begin( $answer, $handler, $request ) {
		$this->requests[] = array(
			'request' => $request,
			'taken'   => array(),
		);
		return $answer;
	}

	/**
	 * Answers the hook `rest_request_after_callbacks`. A request whose callback threw is forgotten
	 * with the one around it.
	 *
	 * @param mixed           $answer  The answer.
	 * @param mixed           $handler The handler.
	 * @param WP_REST_Request $request The request.
	 * @return mixed
	 */
	public function end( $answer, $handler, $request ) {
		$at = array_search( $request, array_column( $this->requests, 'request' ), true );
		if ( false !== $at ) {
			$this->requests = array_slice( $this->requests, 0, $at );
		}
		return $answer;
	}

	/**
	 * Takes the text of an ability's input out of the innermost request. Null when the request has
	 * none: other code has made the call, or changed its input.
	 *
	 * @param string                    $ability The ability's name.
	 * @param array<string, mixed>|null $schema  The schema of its input.
	 * @param mixed                     $input   What the ability was given.
	 */
	public function take( string $ability, ?array $schema, $input ): ?string {
		$top = array_key_last( $this->requests );
		if ( null === $top ) {
			return null;
		}
		$texts = $this->texts( $this->requests[ $top ]['request'], $ability );
		foreach ( array_diff_key( $texts, $this->requests[ $top ]['taken'] ) as $number => $text ) {
			if ( $this->gives( $text, $schema, $input ) ) {
				$this->requests[ $top ]['taken'][ $number ] = true;
				return $text;
			}
		}
		return null;
	}

	/**
	 * Whether the innermost request asks to run an ability.
	 *
	 * @param string $ability The ability's name.
	 */
	public function asks_for( string $ability ): bool {
		$top = array_key_last( $this->requests );
		if ( null === $top ) {
			return false;
		}
		$request = $this->requests[ $top ]['request'];
		return str_ends_with( $request->get_route(), "/abilities/$ability/run" )
			|| array() !== $this->texts( $request, $ability );
	}

	/**
	 * Whether WordPress makes an input of a text. WordPress 7.1 turns what it takes for a number or
	 * a truth value into one.
	 *
	 * @param string                    $text   The text.
	 * @param array<string, mixed>|null $schema The schema of the input.
	 * @param mixed                     $input  The input.
	 */
	private function gives( string $text, ?array $schema, $input ): bool {
		$value = json_decode( $text, true );
		if ( $value === $input || ( array() === $value && null === $input ) ) {
			return true;
		}
		return $schema && rest_sanitize_value_from_schema( $value, $schema, 'input' ) === $input;
	}

	/**
	 * The texts of the inputs that a request has for an ability: in the route that runs it, and in
	 * the messages of the Model Context Protocol, one or a list of them.
	 *
	 * @param WP_REST_Request $request The request.
	 * @param string          $ability The ability's name.
	 * @return list<string>
	 */
	private function texts( WP_REST_Request $request, string $ability ): array {
		$body = (string) $request->get_body();
		if ( ! is_array( $request->get_json_params() ) ) {
			return array();
		}
		if ( str_ends_with( $request->get_route(), "/abilities/$ability/run" ) ) {
			return array_filter( array( $this->json_text->member( $body, 'input' ) ), 'is_string' );
		}
		$messages = array_is_list( $request->get_json_params() )
			? $this->json_text->items( $body )
			: array( $body );
		$texts    = array();
		foreach ( $messages as $message ) {
			$texts[] = $this->text_of_message( $message, $ability );
		}
		return array_values( array_filter( $texts, 'is_string' ) );
	}

	/**
	 * The text of the input in a message, for an ability that it names itself or through the
	 * adapter's ability that runs others.
	 *
	 * @param string $message A message.
	 * @param string $ability The ability's name.
	 */
	private function text_of_message( string $message, string $ability ): ?string {
		$parameters = (string) $this->json_text->member( $message, 'params' );
		$arguments  = $this->json_text->member( $parameters, 'arguments' );
		$named      = $this->json_text->member( $parameters, 'name' );
		if ( null === $arguments || null === $named ) {
			return null;
		}
		if ( json_decode( $named ) === str_replace( '/', '-', $ability ) ) {
			return $arguments;
		}
		$inner = $this->json_text->member( $arguments, 'ability_name' );
		return null !== $inner && json_decode( $inner ) === $ability
			? $this->json_text->member( $arguments, 'parameters' )
			: null;
	}
}
