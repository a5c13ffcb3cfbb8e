<?php
/**
 * What answers in conversations.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Host;
use Toolwire\WordPress\Scripted_Assistant;
use Toolwire\WordPress\Secrets;
use Toolwire\WordPress\Settings;
use WP_Error;

/**
 * Asks the site's own function (the filters `toolwire_reply` and `toolwire_assistant_reply`), the
 * server of the settings, or WordPress' AI client. What is connected first answers: its failure is
 * never hidden by the next one. The script of the demo answers only where nothing is connected.
 */
final class Model {

	/**
	 * Where the last failure is.
	 */
	const FAILURE = 'toolwire_model_failure';

	/**
	 * Takes its parts.
	 *
	 * @param Settings           $settings           The settings.
	 * @param Model_Client       $client             Asks the server.
	 * @param Ai_Client          $ai_client          Asks WordPress' AI client.
	 * @param Scripted_Assistant $scripted_assistant Answers in the demo.
	 * @param Access             $access             Who may have the demo.
	 * @param Secrets            $secrets            Masks secrets.
	 */
	public function __construct(
		private Settings $settings,
		private Model_Client $client,
		private Ai_Client $ai_client,
		private Scripted_Assistant $scripted_assistant,
		private Access $access,
		private Secrets $secrets,
	) {
	}

	/**
	 * The model's name; may be empty.
	 */
	public function name(): string {
		/** This filter is documented in includes/class-found-calls.php */
		return (string) apply_filters(
			'toolwire_model',
			(string) $this->settings->get( 'model' ),
			'assistant'
		);
	}

	/**
	 * The API whose requests are sent, and whose answers are read.
	 */
	public function api(): string {
		/**
		 * Filters the API in whose form a function of the site asks its model.
		 *
		 * @param string $api `openai`, `openai_responses`, `anthropic`, `gemini`, `bedrock`,
		 *                    `ollama`, `mistral` or `cohere`.
		 */
		$api = (string) apply_filters( 'toolwire_model_api', 'openai' );
		return $this->is_own() && ! Host::only_reads() ? $api : 'openai';
	}

	/**
	 * Whether anything is connected but the script.
	 */
	public function is_connected(): bool {
		return in_array( $this->source(), array( 'own', 'address', 'wordpress' ), true );
	}

	/**
	 * What answers: `own`, a function of the site; `address`, the server of the settings;
	 * `wordpress`, WordPress' AI client; `none`.
	 */
	public function source(): string {
		return match ( true ) {
			$this->is_own()                    => 'own',
			null !== $this->client->address()  => 'address',
			$this->ai_client->is_connected()   => 'wordpress',
			default                            => 'none',
		};
	}

	/**
	 * Whether answers come in pieces.
	 */
	public function streams(): bool {
		return ! Host::only_reads() && 'address' === $this->source();
	}

	/**
	 * For how many seconds an answer may be waited for.
	 */
	public function seconds(): int {
		return $this->client->seconds();
	}

	/**
	 * Asks for the next answer.
	 *
	 * @param Conversation $conversation What was said so far.
	 * @param Tool_List    $tools        The tools of the site.
	 * @return mixed What the client of an agent returns.
	 * @throws Model_Failure When a function of the site fails.
	 */
	public function ask( Conversation $conversation, Tool_List $tools ) {
		if ( ! has_filter( 'toolwire_reply' ) ) {
			return $this->ask_others( $conversation, $tools );
		}
		$ask = function () use ( $conversation, $tools ) {
			/**
			 * Filters the next answer in a conversation; connect a model here. It is asked again
			 * with the results of the calls that it writes, until it writes none.
			 *
			 * @param mixed        $answer       What the model wrote, as a text; or the answer of
			 *                                   its server, decoded, or with its status in a
			 *                                   Toolwire\Tools\ModelResponse. A WP_Error is a
			 *                                   failure, after which the user may try again. Null:
			 *                                   not I.
			 * @param Conversation $conversation What was said so far; shows pieces of the answer.
			 * @param Tool_List    $tools        The tools of the conversation.
			 */
			$answer = apply_filters( 'toolwire_reply', null, $conversation, $tools );
			return null === $answer
				? $this->ask_others( $conversation, $tools )
				: $this->answer( $answer );
		};
		return $conversation->reply->of( $ask );
	}

	/**
	 * Asks what comes after the filter `toolwire_reply`.
	 *
	 * @param Conversation $conversation What was said so far.
	 * @param Tool_List    $tools        The tools of the site.
	 * @return mixed
	 * @throws Model_Failure When it fails.
	 */
	private function ask_others( Conversation $conversation, Tool_List $tools ) {
		if ( has_filter( 'toolwire_assistant_reply' ) ) {
			// It knows of no results, so it is asked once a message.
			return $conversation->is_new_text()
				? $this->answer( $this->reply( $conversation ) )
				: $this->text( '' );
		}
		if ( null !== $this->client->address() ) {
			return $this->client->ask( $conversation, $tools );
		}
		if ( $this->ai_client->is_connected() ) {
			return $this->ai_client->ask( $conversation, $tools );
		}
		if ( has_filter( 'toolwire_reply' ) ) {
			$this->fail( 'toolwire_no_reply', 'No filter gave an answer.' );
		}
		if ( ! $this->access->allows( 'settings' ) ) {
			$this->fail( 'toolwire_no_model', 'No model is connected.' );
		}
		return $conversation->is_new_text()
			? $this->text( $this->scripted_assistant->reply( $conversation->newest_text() ) )
			: $this->text( '' );
	}

	/**
	 * Keeps why the model failed, for who may change the settings, and forgets it when it answers.
	 *
	 * @param ?WP_Error $failure Why; null when it has answered.
	 */
	public function remember_failure( ?WP_Error $failure ): void {
		if ( null !== $failure ) {
			$words = $this->told( $failure->get_error_message() );
			set_transient( self::FAILURE, $words, WEEK_IN_SECONDS );
		} elseif ( false !== get_transient( self::FAILURE ) ) {
			delete_transient( self::FAILURE );
		}
	}

	/**
	 * What a server has told of a failure, for who may change the settings: without secrets, cut.
	 *
	 * @param string $words What it has told.
	 */
	public function told( string $words ): string {
		return mb_substr( $this->secrets->text( $this->client->without_key( $words ) ), 0, 500 );
	}

	/**
	 * Whether a function of the site answers.
	 */
	private function is_own(): bool {
		return has_filter( 'toolwire_reply' ) || has_filter( 'toolwire_assistant_reply' );
	}

	/**
	 * What the filter for single messages says.
	 *
	 * @param Conversation $conversation What was said so far.
	 * @return mixed
	 */
	private function reply( Conversation $conversation ) {
		/** This filter is documented in includes/rest/class-assistant-controller.php */
		return apply_filters(
			'toolwire_assistant_reply',
			null,
			$conversation->newest_text(),
			$conversation->user_id
		);
	}

	/**
	 * The answer of a function of the site, as an agent reads it.
	 *
	 * @param mixed $answer What the function gave.
	 * @return mixed
	 * @throws Model_Failure When it gave none.
	 */
	private function answer( $answer ) {
		if ( is_wp_error( $answer ) ) {
			// phpcs:ignore WordPress.Security.EscapeOutput -- not shown to visitors.
			throw new Model_Failure( $answer );
		}
		if ( is_string( $answer ) && '' !== trim( $answer ) ) {
			return $this->text( $answer );
		}
		if ( is_array( $answer ) || is_object( $answer ) ) {
			return $answer;
		}
		$this->fail( 'toolwire_no_reply', 'The function of the site gave no answer.' );
	}

	/**
	 * A text as an answer of the API.
	 *
	 * @param string $text The text.
	 * @return array<string, mixed>
	 */
	private function text( string $text ): array {
		$message = array(
			'role'    => 'assistant',
			'content' => $text,
		);
		switch ( $this->api() ) {
			case 'anthropic':
				$part = array(
					'type' => 'text',
					'text' => $text,
				);
				return array(
					'type'    => 'message',
					'content' => array( $part ),
				) + $message;
			case 'gemini':
				$content = array(
					'role'  => 'model',
					'parts' => array( array( 'text' => $text ) ),
				);
				return array( 'candidates' => array( array( 'content' => $content ) ) );
			default:
				return array( 'choices' => array( array( 'message' => $message ) ) );
		}
	}

	/**
	 * Fails.
	 *
	 * @param string $code    The code.
	 * @param string $message Why.
	 * @throws Model_Failure Always.
	 */
	private function fail( string $code, string $message ): never {
		// phpcs:ignore WordPress.Security.EscapeOutput -- not shown to visitors.
		throw new Model_Failure( new WP_Error( $code, $message ) );
	}
}
