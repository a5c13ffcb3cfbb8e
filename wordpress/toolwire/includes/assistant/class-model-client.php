<?php
/**
 * The client of a model's server.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Fiber;
use Iterator;
use Toolwire\Tools\ModelResponse;
use Toolwire\WordPress\Settings;

/**
 * Asks the server at the address of the settings, in the form of OpenAI's chat completions. It
 * follows no redirects: the key goes to that address and nowhere else.
 */
final class Model_Client {

	/**
	 * The most bytes of an answer.
	 */
	const MOST_BYTES = 2097152;

	/**
	 * For how many seconds is it remembered that a server takes no tools.
	 */
	const REMEMBERED = DAY_IN_SECONDS;

	/**
	 * The members of a request that a server without tools refuses.
	 */
	const OF_TOOLS = array(
		'tools'       => true,
		'tool_choice' => true,
	);

	/**
	 * Whether the last stream had an answer.
	 *
	 * @var bool
	 */
	private bool $has_answered = false;

	/**
	 * Takes its parts.
	 *
	 * @param Settings      $settings The settings.
	 * @param Model_Key     $key      The key.
	 * @param Model_Grammar $grammar  The grammar of the settings.
	 */
	public function __construct(
		private Settings $settings,
		private Model_Key $key,
		private Model_Grammar $grammar,
	) {
	}

	/**
	 * The address; null where the settings have none.
	 */
	public function address(): ?Model_Address {
		$address = Model_Address::read( (string) $this->settings->get( 'model_address' ) );
		return is_wp_error( $address ) ? null : $address;
	}

	/**
	 * For how many seconds an answer is waited for.
	 */
	public function seconds(): int {
		return (int) $this->settings->get( 'model_timeout' );
	}

	/**
	 * A text of the server without the key, which some servers repeat.
	 *
	 * @param string $text The text.
	 */
	public function without_key( string $text ): string {
		$key = $this->key->get();
		return '' === $key ? $text : str_replace( $key, '••••', $text );
	}

	/**
	 * Asks for the next answer. A server that takes no tools is asked once more, with the tools in
	 * the text.
	 *
	 * @param Conversation $conversation What was said.
	 * @param Tool_List    $tools        The tools.
	 * @return ModelResponse|Iterator<int, string|ModelResponse> An iterator where the request asks
	 *     for a stream.
	 * @throws Model_Failure When the settings ask for a grammar that there is not.
	 */
	public function ask( Conversation $conversation, Tool_List $tools ): ModelResponse|Iterator {
		$request = array( 'model' => $conversation->model ) + $conversation->request;
		$textual = static fn ( ?string $format = null ): array => array(
			'messages' => $conversation->text_messages( $tools->prompt( $format ) ),
		) + array_diff_key( $request, self::OF_TOOLS );
		if ( $this->grammar->is_set() ) {
			$may_call = 'none' !== ( $request['tool_choice'] ?? 'auto' );
			$request  = $this->grammar->holding( $textual, $tools, $may_call );
		} elseif ( isset( $request['tools'] ) && get_transient( $this->memory() ) ) {
			$request = $textual();
		}
		if ( true === ( $request['stream'] ?? false ) ) {
			return $this->events( $request, $textual );
		}
		$response = $this->post( $request );
		if ( $this->refuses_tools( $request, $response ) ) {
			$response = $this->post( $textual() );
			if ( 200 === (int) wp_remote_retrieve_response_code( $response ) ) {
				// It was the tools, and nothing else that the server minded.
				set_transient( $this->memory(), 1, self::REMEMBERED );
			}
		}
		return $this->read( $response );
	}

	/**
	 * Sends a request.
	 *
	 * @param array<string, mixed> $body The body.
	 * @return array<string, mixed>|\WP_Error What wp_remote_post() gives.
	 */
	private function post( array $body ) {
		$key     = $this->key->get();
		$headers = array( 'Content-Type' => 'application/json' );
		if ( '' !== $key ) {
			$headers['Authorization'] = "Bearer $key";
		}
		return wp_remote_post(
			(string) $this->address()?->route(),
			array(
				'timeout'             => $this->seconds(),
				'redirection'         => 0,
				'limit_response_size' => self::MOST_BYTES + 1,
				'headers'             => $headers,
				'body'                => (string) wp_json_encode( $body ),
			)
		);
	}

	/**
	 * An answer, as the agent reads it.
	 *
	 * @param array<string, mixed>|\WP_Error $response What wp_remote_post() gave.
	 */
	private function read( $response ): ModelResponse {
		if ( is_wp_error( $response ) ) {
			return new ModelResponse( 0, $response->get_error_message() );
		}
		$body  = wp_remote_retrieve_body( $response );
		$after = wp_remote_retrieve_header( $response, 'retry-after' );
		if ( strlen( $body ) > self::MOST_BYTES ) {
			return new ModelResponse( 413, 'The answer has more than 2 MiB.' );
		}
		return new ModelResponse(
			(int) wp_remote_retrieve_response_code( $response ),
			$body,
			is_numeric( $after ) ? (int) $after : null
		);
	}

	/**
	 * The events of a streamed answer, each as the server sends it. WordPress tells of the bytes
	 * while the request goes on, so the request is made in a fiber, which pauses at each piece.
	 *
	 * @param array<string, mixed> $request The body.
	 * @param callable             $textual Gives the body for a server that takes no tools.
	 * @return Iterator<int, string|ModelResponse>
	 */
	private function events( array $request, callable $textual ): Iterator {
		$this->has_answered = false;

		$pieces   = new Event_Pieces();
		$take     = static function ( $data ) {
			Fiber::suspend( (string) $data );
		};
		$fiber    = new Fiber(
			function () use ( $request, $take ) {
				add_action( 'requests-request.progress', $take );
				try {
					return $this->post( $request );
				} finally {
					remove_action( 'requests-request.progress', $take );
				}
			}
		);
		$came     = $fiber->start();
		$received = 0;
		while ( ! $fiber->isTerminated() ) {
			$received += strlen( (string) $came );
			foreach ( $received > self::MOST_BYTES ? array() : $pieces->take( $came ) as $event ) {
				yield $event;
			}
			$came = $fiber->resume();
		}
		$response = $fiber->getReturn();
		if ( $this->refuses_tools( $request, $response ) ) {
			yield from $this->events( $textual(), $textual );
			// It was the tools, and nothing else that the server minded.
			set_transient( $this->memory(), $this->has_answered, self::REMEMBERED );
		} elseif ( 200 !== (int) wp_remote_retrieve_response_code( $response ) ) {
			yield $this->read( $response );
		} elseif ( $received > self::MOST_BYTES || ! $pieces->has_events() ) {
			// The server does not stream, or writes too much.
			$this->has_answered = true;
			yield $this->read( $response );
		} else {
			$this->has_answered = true;
			yield from $pieces->rest();
		}
	}

	/**
	 * Whether a server has refused a request for its tools.
	 *
	 * @param array<string, mixed>           $request  The request.
	 * @param array<string, mixed>|\WP_Error $response The answer.
	 */
	private function refuses_tools( array $request, $response ): bool {
		return isset( $request['tools'] )
			&& 400 === (int) wp_remote_retrieve_response_code( $response )
			&& false !== stripos( wp_remote_retrieve_body( $response ), 'tool' );
	}

	/**
	 * Where it is remembered that a model of a server takes no tools.
	 */
	private function memory(): string {
		$model = $this->settings->get( 'model' );
		return 'toolwire_text_' . md5( (string) $this->address()?->url . "\n$model" );
	}
}
