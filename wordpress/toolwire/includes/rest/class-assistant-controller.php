<?php
/**
 * The route that the chat box talks to.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Throwable;
use Toolwire\WordPress\Access;
use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Found_Calls;
use Toolwire\WordPress\Scripted_Assistant;
use WP_Error;
use WP_REST_Request;
use WP_REST_Response;

/**
 * `POST /assistant`: what the assistant says to a message.
 */
final class Assistant_Controller extends Controller {

	/**
	 * How often the model is told that its calls were refused.
	 */
	const MOST_REPAIRS = 3;

	/**
	 * Takes its parts.
	 *
	 * @param Access             $access             Who may do what.
	 * @param Engines            $engines            The engine of each site.
	 * @param Found_Calls        $found_calls        Finds calls in texts.
	 * @param Found_Calls_Schema $found              The schema of what was found.
	 * @param Scripted_Assistant $scripted_assistant Answers without a model.
	 */
	public function __construct(
		Access $access,
		Engines $engines,
		private Found_Calls $found_calls,
		private Found_Calls_Schema $found,
		private Scripted_Assistant $scripted_assistant,
	) {
		parent::__construct( 'assistant', $access, $engines );
	}

	/**
	 * Registers the route.
	 */
	public function register_routes() {
		$arguments = array(
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
		$this->route(
			'',
			array( $this->handler( 'POST', 'create_item', 'use', $arguments, 'assistant' ) )
		);
	}

	/**
	 * Answers with the reply and its calls, each bound to the user and the conversation.
	 *
	 * @param WP_REST_Request $request With `message` and perhaps `conversation`.
	 * @return WP_REST_Response|WP_Error
	 */
	public function create_item( $request ) {
		// The script answers only where the site has connected nothing.
		$connected = has_filter( 'toolwire_assistant_reply' );
		$reply     = $connected
			? $this->ask( $request['message'] )
			: $this->scripted_assistant->reply( $request['message'] );
		if ( null === $reply ) {
			return new WP_Error(
				'toolwire_assistant_failed',
				__( 'The assistant did not answer. Nothing was lost. Try again.', 'toolwire' ),
				array( 'status' => 502 )
			);
		}
		if ( $connected ) {
			$reply = $this->repaired( $reply, $request['message'] );
		}
		$found = $this->found_calls->in_reply( $reply, $request['conversation'], $connected );
		return $this->prepare_item_for_response( $found, $request );
	}

	/**
	 * The reply and its calls, as they are sent.
	 *
	 * @param array<string, mixed> $item    The reply and its calls.
	 * @param WP_REST_Request      $request The request.
	 * @return WP_REST_Response
	 */
	public function prepare_item_for_response( $item, $request ) {
		return new WP_REST_Response( $item );
	}

	/**
	 * The schema of a reply with its calls.
	 *
	 * @return array<string, mixed>
	 */
	protected function schema(): array {
		$bound = array(
			'binding' => $this->found->text(
				'What `POST /calls` takes: the assistant asked this user for this call.'
			),
		);
		return array(
			'title'                => 'toolwire-reply',
			'type'                 => 'object',
			'properties'           => array(
				'reply' => $this->found->text(
					'What the assistant says: the parts that are text.'
				),
			) + $this->found->properties( $bound ),
			'additionalProperties' => false,
		);
	}

	/**
	 * The reply, or the one that the model wrote after it was told why its calls were refused.
	 *
	 * @param string $reply   What the assistant said.
	 * @param string $message What the user wrote.
	 */
	private function repaired( string $reply, string $message ): string {
		for ( $tries = 0; $tries < self::MOST_REPAIRS; $tries++ ) {
			if ( ! has_filter( 'toolwire_assistant_repair' ) ) {
				break;
			}
			$refusals = $this->found_calls->refusals( $reply );
			if ( ! $refusals ) {
				break;
			}
			try {
				/**
				 * Filters what the assistant says after a reply whose calls were all refused. Tell
				 * the model its own reply and then the refusals, as a message of the user. Anything
				 * but a text leaves the reply as it was; after three times it stays so.
				 *
				 * @param string|null  $repaired The reply that counts instead.
				 * @param list<string> $refusals What the model is told.
				 * @param string       $reply    The reply with the calls.
				 * @param string       $message  What the user wrote.
				 * @param int          $user     The user's id.
				 */
				$repaired = apply_filters(
					'toolwire_assistant_repair',
					null,
					$refusals,
					$reply,
					$message,
					get_current_user_id()
				);
			} catch ( Throwable $thrown ) {
				$repaired = new WP_Error( 'toolwire_thrown', $thrown->getMessage() );
			}
			if ( ! is_string( $repaired ) || '' === trim( $repaired ) ) {
				if ( null !== $repaired ) {
					$this->report( $repaired, $message );
				}
				break;
			}
			$reply = $repaired;
		}
		return $reply;
	}

	/**
	 * What the site's own assistant says; null when it says nothing.
	 *
	 * @param string $message What the user wrote.
	 */
	private function ask( string $message ): ?string {
		try {
			/**
			 * Filters what the assistant says; connect a model here. Without a filter a script
			 * answers. A WP_Error, null, an exception and anything else but a text are a failure,
			 * after which the user may try again.
			 *
			 * @param string|null|WP_Error $reply   The reply.
			 * @param string               $message What the user wrote.
			 * @param int                  $user    The user's id.
			 */
			$reply = apply_filters(
				'toolwire_assistant_reply',
				null,
				$message,
				get_current_user_id()
			);
		} catch ( Throwable $thrown ) {
			$reply = new WP_Error( 'toolwire_thrown', $thrown->getMessage() );
		}
		if ( is_string( $reply ) && '' !== trim( $reply ) ) {
			return $reply;
		}
		$this->report( $reply, $message );
		return null;
	}

	/**
	 * Tells the site that its assistant gave no text.
	 *
	 * @param mixed  $given   What the filter gave.
	 * @param string $message What the user wrote.
	 */
	private function report( $given, string $message ): void {
		/**
		 * Fires when the site's own assistant does not answer.
		 *
		 * @param WP_Error $error   Why, as far as the filter says.
		 * @param string   $message What the user wrote.
		 */
		do_action(
			'toolwire_assistant_failed',
			is_wp_error( $given ) ? $given : new WP_Error( 'toolwire_no_reply', 'no text' ),
			$message
		);
	}
}
