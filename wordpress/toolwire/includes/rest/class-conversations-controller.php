<?php
/**
 * The routes of conversations with the assistant.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Assistant\Continuing;
use Toolwire\WordPress\Assistant\Conversation_Table;
use Toolwire\WordPress\Assistant\Conversation_Tag;
use Toolwire\WordPress\Assistant\Conversation_View;
use Toolwire\WordPress\Assistant\Conversations;
use Toolwire\WordPress\Assistant\Live_Answer;
use Toolwire\WordPress\Assistant\Model;
use Toolwire\WordPress\Assistant\Steps;
use Toolwire\WordPress\Engines;
use WP_Error;
use WP_REST_Request;
use WP_REST_Response;

/**
 * `POST /conversations` begins one, `POST /conversations/ID/messages` says something in it,
 * `POST /conversations/ID/step` has the assistant go on. Each user has own conversations alone.
 */
final class Conversations_Controller extends Controller {

	/**
	 * Takes its parts.
	 *
	 * @param Access             $access        Who may do what.
	 * @param Engines            $engines       The engine of each site.
	 * @param Conversations      $conversations The conversations.
	 * @param Conversation_Table $table         Their rows.
	 * @param Conversation_View  $view          Tells of them.
	 * @param Steps              $steps         Takes steps.
	 * @param Continuing         $continuing    Goes on without a page.
	 * @param Model              $model         What answers.
	 * @param Conversation_Tag   $tag           Names the states of conversations.
	 * @param Live_Answer        $live_answer   Sends what happens as it happens.
	 */
	public function __construct(
		Access $access,
		Engines $engines,
		private Conversations $conversations,
		private Conversation_Table $table,
		private Conversation_View $view,
		private Steps $steps,
		private Continuing $continuing,
		private Model $model,
		private Conversation_Tag $tag,
		private Live_Answer $live_answer,
	) {
		parent::__construct( 'conversations', $access, $engines );
	}

	/**
	 * Registers the routes.
	 */
	public function register_routes() {
		$said  = $this->said();
		$after = array(
			'after' => array(
				'description' => 'How many parts the client has already.',
				'type'        => 'integer',
				'minimum'     => 0,
				'default'     => 0,
			),
			'known' => array(
				'description' => 'The `known` of the last answer, if the client has its calls.',
				'type'        => 'string',
				'default'     => '',
			),
		);
		$this->route(
			'',
			array(
				$this->handler( 'GET', 'get_items', 'use', $this->window() ),
				$this->handler( 'POST', 'create_item', 'use', $said ),
			)
		);
		$this->route(
			self::ID,
			array(
				$this->handler( 'GET', 'get_item', 'use', $after + $this->named() ),
				$this->handler( 'DELETE', 'delete_item', 'use', $this->named() ),
			)
		);
		$posts = array(
			'messages' => $said,
			'step'     => $after,
			'retry'    => $after,
			'stop'     => $after,
		);
		foreach ( $posts as $path => $arguments ) {
			$handler = $this->handler( 'POST', $path, 'use', $arguments + $this->named() );
			$this->route( self::ID . "/$path", array( $handler ) );
		}
	}

	/**
	 * Lists the conversations of the current user, the newest first.
	 *
	 * @param WP_REST_Request $request With `page` and `per_page`.
	 * @return WP_REST_Response
	 */
	public function get_items( $request ) {
		$user = get_current_user_id();
		$most = (int) $request['per_page'];
		$rows = $this->table->of_user( $user, $most, ( $request['page'] - 1 ) * $most );
		return $this->page(
			array_map( array( $this->view, 'head' ), $rows ),
			$this->table->count( $user ),
			$request
		);
	}

	/**
	 * Begins a conversation.
	 *
	 * @param WP_REST_Request $request With `message` and `client_id`.
	 * @return WP_REST_Response|WP_Error
	 */
	public function create_item( $request ) {
		$refusal = $this->not_ready( (bool) $request['demo'] );
		return $refusal ?? $this->taken(
			$this->conversations->begin( $request['message'], $request['client_id'] ),
			0,
			201
		);
	}

	/**
	 * Shows a conversation, unless the client has it as it is.
	 *
	 * @param WP_REST_Request $request With `id`, `after` and `known`.
	 * @return WP_REST_Response|WP_Error
	 */
	public function get_item( $request ) {
		return $this->of_own(
			$request,
			function ( array $row ) use ( $request ) {
				// What changes while it is read makes the name too old, not the answer.
				$tag    = $this->tag->of( $row );
				$answer = $this->tag->is_known( $request, $tag )
					? new WP_REST_Response( null, 304 )
					: $this->answer( $row, $request['after'], $request['known'] );
				$answer->header( 'ETag', "\"$tag\"" );
				return $answer;
			}
		);
	}

	/**
	 * Removes a conversation.
	 *
	 * @param WP_REST_Request $request With `id`.
	 * @return WP_REST_Response|WP_Error
	 */
	public function delete_item( $request ) {
		return $this->of_own(
			$request,
			fn ( array $row ) => new WP_REST_Response(
				array( 'deleted' => $this->conversations->delete( $row ) )
			)
		);
	}

	/**
	 * Takes what the user says.
	 *
	 * @param WP_REST_Request $request With `id`, `message` and `client_id`.
	 * @return WP_REST_Response|WP_Error
	 */
	protected function messages( WP_REST_Request $request ) {
		return $this->of_own(
			$request,
			fn ( array $row ) => $this->not_ready( (bool) $request['demo'] ) ?? $this->taken(
				$this->conversations->say( $row, $request['message'], $request['client_id'] ),
				$request['after'] ?? 0,
				202
			)
		);
	}

	/**
	 * Has the assistant go on. A client that accepts `text/event-stream` is told what happens as it
	 * happens.
	 *
	 * @param WP_REST_Request $request With `id` and `after`.
	 * @return WP_REST_Response|WP_Error
	 */
	protected function step( WP_REST_Request $request ) {
		return $this->of_own(
			$request,
			function ( array $row ) use ( $request ) {
				$after   = (int) $request['after'];
				$refusal = $this->not_ready( true );
				if ( null !== $refusal ) {
					return $refusal;
				}
				if ( 'thinking' === $row['state'] ) {
					// This process may be killed before it has answered.
					$patience = $this->steps->claimed_seconds() + Continuing::SOON;
					$this->continuing->leave( (string) $row['uuid'], $patience );
				}
				$accepts = (string) $request->get_header( 'accept' );
				if ( str_contains( $accepts, 'text/event-stream' ) ) {
					return $this->live_answer->send(
						(string) $row['uuid'],
						fn ( $listener ) => $this->steps->take( $row, $listener ),
						fn ( array $row ) => $this->shown( $row, $after )
					);
				}
				$taken = $this->steps->take( $row );
				return is_wp_error( $taken )
					? $this->refusal( $taken )
					: $this->answer( $taken, $after );
			}
		);
	}

	/**
	 * Has a step be tried again that failed.
	 *
	 * @param WP_REST_Request $request With `id` and `after`.
	 * @return WP_REST_Response|WP_Error
	 */
	protected function retry( WP_REST_Request $request ) {
		return $this->of_own(
			$request,
			fn ( array $row ) => $this->not_ready( true ) ?? $this->taken(
				$this->conversations->retry( $row ),
				$request['after'],
				200
			)
		);
	}

	/**
	 * Stops a conversation.
	 *
	 * @param WP_REST_Request $request With `id` and `after`.
	 * @return WP_REST_Response|WP_Error
	 */
	protected function stop( WP_REST_Request $request ) {
		return $this->of_own(
			$request,
			fn ( array $row ) => $this->answer(
				$this->conversations->stop( $row ),
				$request['after']
			)
		);
	}

	/**
	 * What a list tells of a conversation.
	 *
	 * @param array<string, mixed> $item    What Conversation_View::head() says.
	 * @param WP_REST_Request      $request The request.
	 * @return WP_REST_Response
	 */
	public function prepare_item_for_response( $item, $request ) {
		return new WP_REST_Response( $item );
	}

	/**
	 * The schema of a conversation. A list leaves out the parts and the calls.
	 *
	 * @return array<string, mixed>
	 */
	protected function schema(): array {
		return Conversation_Schema::schema();
	}

	/**
	 * What a message is.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	private function said(): array {
		return array(
			'message'   => array(
				'type'     => 'string',
				'required' => true,
			),
			'client_id' => array(
				'description' => 'The client\'s name for the message. One that comes again counts '
					. 'once.',
				'type'        => 'string',
				'maxLength'   => 64,
				// Text without control characters; what is no text fits no pattern.
				'pattern'     => '^\P{C}*$',
				'default'     => '',
			),
			'demo'      => array(
				'description' => 'Whether a script may answer where no model is connected.',
				'type'        => 'boolean',
				'default'     => false,
			),
			'after'     => array(
				'type'    => 'integer',
				'minimum' => 0,
				'default' => 0,
			),
		);
	}

	/**
	 * Why nothing can be answered: no model is connected. Who may change the settings may try the
	 * demo.
	 *
	 * @param bool $demo Whether the demo is wanted.
	 */
	private function not_ready( bool $demo ): ?WP_Error {
		if ( $this->model->is_connected() || ( $demo && $this->access->allows( 'settings' ) ) ) {
			return null;
		}
		return new WP_Error(
			'toolwire_no_model',
			__( 'The assistant is not ready yet: no model is connected.', 'toolwire' ),
			array( 'status' => 503 )
		);
	}

	/**
	 * The answer to a message: the conversation, in which a step is to be taken.
	 *
	 * @param array<string, string|null>|WP_Error $row    The conversation, or why not.
	 * @param int                                 $after  How many parts the client has.
	 * @param int                                 $status The status.
	 * @return WP_REST_Response|WP_Error
	 */
	private function taken( $row, int $after, int $status ) {
		if ( is_wp_error( $row ) ) {
			return $this->refusal( $row );
		}
		$this->continuing->leave( (string) $row['uuid'] );
		$response = $this->answer( $row, $after );
		$response->set_status( 'thinking' === $row['state'] ? $status : 200 );
		return $response;
	}

	/**
	 * A refusal as an answer, with the time after which to try again.
	 *
	 * @param WP_Error $error Why.
	 */
	private function refusal( WP_Error $error ): WP_REST_Response {
		$response = rest_convert_error_to_response( $error );
		$wait     = $error->get_error_data()['retry_after'] ?? null;
		if ( null !== $wait ) {
			$response->header( 'Retry-After', (string) $wait );
		}
		return $response;
	}

	/**
	 * Does something with a conversation of the current user.
	 *
	 * @param WP_REST_Request $request With `id`.
	 * @param callable        $act     Takes the conversation's row.
	 * @return WP_REST_Response|WP_Error
	 */
	private function of_own( WP_REST_Request $request, callable $act ) {
		$row = $this->conversations->find( $this->id( $request ) );
		return null !== $row ? $act( $row ) : new WP_Error(
			'toolwire_unknown_conversation',
			__( 'There is no such conversation.', 'toolwire' ),
			array( 'status' => 404 )
		);
	}

	/**
	 * A conversation as an answer.
	 *
	 * @param array<string, string|null> $row   Its row.
	 * @param int                        $after How many parts the client has.
	 * @param string                     $known The `known` of the client's last answer.
	 */
	private function answer( array $row, int $after, string $known = '' ): WP_REST_Response {
		return new WP_REST_Response( $this->shown( $row, $after, $known ) );
	}

	/**
	 * A conversation for the client.
	 *
	 * @param array<string, string|null> $row   Its row.
	 * @param int                        $after How many parts the client has.
	 * @param string                     $known The `known` of the client's last answer.
	 * @return array<string, mixed>
	 */
	private function shown( array $row, int $after, string $known = '' ): array {
		$tools  = $this->engines->get()->tools;
		$events = $this->conversations->events( $row );
		return $this->view->of( $row, $events, $after, $tools, $known );
	}
}
