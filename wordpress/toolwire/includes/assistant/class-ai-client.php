<?php
/**
 * WordPress' own AI client.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\Tools\ModelResponse;
use Toolwire\WordPress\Settings;
use WordPress\AiClient\AiClient;
use WordPress\AiClient\Providers\Http\DTO\RequestOptions;
use WordPress\AiClient\Tools\DTO\FunctionDeclaration;
use WP_AI_Client_Prompt_Builder;
use WP_Error;

/**
 * Asks the provider that is connected to WordPress itself (WordPress 7.0 and later). WordPress
 * keeps its key and sends the request. It cannot stream.
 */
final class Ai_Client {

	/**
	 * Where it is remembered that no provider writes texts.
	 */
	const WITHOUT_TEXT = 'toolwire_ai_without_text';

	/**
	 * For how many seconds that is remembered.
	 */
	const REMEMBERED = 10 * MINUTE_IN_SECONDS;

	/**
	 * Takes its parts.
	 *
	 * @param Settings    $settings The settings.
	 * @param Ai_Messages $shapes   Turns messages into those of the AI client.
	 */
	public function __construct(
		private Settings $settings,
		private Ai_Messages $shapes,
	) {
	}

	/**
	 * Whether a provider is connected. It sends no request: pages ask this.
	 */
	public function is_connected(): bool {
		return array() !== $this->providers() && ! get_transient( self::WITHOUT_TEXT );
	}

	/**
	 * The names of the connected providers.
	 *
	 * @return array<string, string> By id.
	 */
	public function providers(): array {
		if ( ! function_exists( 'wp_ai_client_prompt' ) || ! wp_supports_ai() ) {
			return array();
		}
		$registry = AiClient::defaultRegistry();
		$names    = array();
		foreach ( $registry->getRegisteredProviderIds() as $id ) {
			$provider = $registry->getProviderClassName( $id )::metadata();
			if (
				null === $provider->getAuthenticationMethod()
				|| null !== $registry->getProviderRequestAuthentication( $id )
			) {
				$names[ $id ] = $provider->getName();
			}
		}
		return $names;
	}

	/**
	 * Forgets that no provider writes texts: there may be another one by now.
	 */
	public function forget(): void {
		delete_transient( self::WITHOUT_TEXT );
	}

	/**
	 * Asks for the next answer. A model that takes no tools is told of them in the text.
	 *
	 * @param Conversation $conversation What was said.
	 * @param Tool_List    $tools        The tools.
	 * @throws Model_Failure When it gave none, and no server has told why.
	 */
	public function ask( Conversation $conversation, Tool_List $tools ): ModelResponse {
		add_filter( 'http_request_args', array( $this, 'limited' ) );
		try {
			$messages  = $conversation->messages();
			$functions = $this->may_call( $conversation->request )
				? $this->shapes->functions( $tools )
				: array();
			$prompt    = $this->prompt( $conversation->model, $messages );
			if ( $functions ) {
				$prompt->using_function_declarations( ...$functions );
			}
			if ( $functions && ! $prompt->is_supported_for_text_generation() ) {
				$messages = $conversation->text_messages( $tools->prompt() );
				$prompt   = $this->prompt( $conversation->model, $messages );
			}
			return $this->read( $prompt->generate_text_result(), $functions );
		} finally {
			remove_filter( 'http_request_args', array( $this, 'limited' ) );
		}
	}

	/**
	 * Whether the model may call tools: at a limit it is asked for an answer alone.
	 *
	 * @param array<string, mixed> $request The request of chat completions.
	 */
	private function may_call( array $request ): bool {
		return ! empty( $request['tools'] ) && 'none' !== ( $request['tool_choice'] ?? 'auto' );
	}

	/**
	 * The arguments of a request with the most bytes that its answer may have.
	 *
	 * @param array<string, mixed> $arguments The arguments of an HTTP request.
	 * @return array<string, mixed>
	 */
	public function limited( $arguments ): array {
		return array( 'limit_response_size' => Model_Client::MOST_BYTES ) + (array) $arguments;
	}

	/**
	 * What is asked.
	 *
	 * @param string                     $model    The model's name; empty for any.
	 * @param list<array<string, mixed>> $messages What was said.
	 */
	private function prompt( string $model, array $messages ): WP_AI_Client_Prompt_Builder {
		$prompt = wp_ai_client_prompt( $this->shapes->history( $messages ) );
		$system = $this->shapes->system( $messages );
		if ( '' !== $system ) {
			$prompt->using_system_instruction( $system );
		}
		if ( '' !== trim( $model ) ) {
			$prompt->using_model_preference( $model );
		}
		$options = new RequestOptions();
		$options->setTimeout( (float) $this->settings->get( 'model_timeout' ) );
		$options->setMaxRedirects( 0 );
		return $prompt->using_request_options( $options );
	}

	/**
	 * An answer, as the agent reads it.
	 *
	 * @param mixed                     $result    What generate_text_result() gave.
	 * @param list<FunctionDeclaration> $functions What the model could call.
	 * @throws Model_Failure When there is none, and no server has told why.
	 */
	private function read( $result, array $functions ): ModelResponse {
		if ( ! is_wp_error( $result ) ) {
			$json = wp_json_encode( $this->shapes->answer( $result, $functions ) );
			return false === $json
				? $this->failed( new WP_Error( 'unreadable', 'The answer is no UTF-8.' ) )
				: new ModelResponse( 200, $json );
		}
		return $this->failed( $result );
	}

	/**
	 * Why there is no answer. What a server has told goes to the agent with its status: it knows
	 * what to try again.
	 *
	 * @param WP_Error $error Why.
	 * @throws Model_Failure When no server has told it.
	 */
	private function failed( WP_Error $error ): ModelResponse {
		$message = $error->get_error_message();
		switch ( $error->get_error_code() ) {
			case 'prompt_network_error':
				return new ModelResponse( 0, $message );
			case 'prompt_client_error':
			case 'prompt_upstream_server_error':
				$body = array( 'error' => array( 'message' => $message ) );
				return new ModelResponse(
					(int) ( $error->get_error_data()['status'] ?? 500 ),
					(string) wp_json_encode( $body )
				);
			case 'prompt_invalid_argument':
				$this->remember_that_none_writes();
		}
		// phpcs:ignore WordPress.Security.EscapeOutput -- not shown to visitors.
		throw new Model_Failure( new WP_Error( 'toolwire_ai_client', $message, $error ) );
	}

	/**
	 * Remembers that no provider writes texts, if all of them tell of their models and none does.
	 * A provider that does not tell of them has failed, which is something else.
	 */
	private function remember_that_none_writes(): void {
		$is_text = wp_ai_client_prompt( 'a' )->is_supported_for_text_generation();
		if ( ! wp_supports_ai() || $is_text ) {
			return;
		}
		foreach ( array_keys( $this->providers() ) as $id ) {
			if ( ! AiClient::defaultRegistry()->isProviderConfigured( $id ) ) {
				return;
			}
		}
		set_transient( self::WITHOUT_TEXT, 1, self::REMEMBERED );
	}
}
