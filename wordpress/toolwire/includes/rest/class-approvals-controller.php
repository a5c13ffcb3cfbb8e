<?php
/**
 * The routes for those who decide.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Approvals;
use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Secrets;
use Toolwire\WordPress\Sent_Calls;
use WP_Error;
use WP_REST_Request;
use WP_REST_Response;

/**
 * `GET /approvals` lists the pending requests. `GET /approvals/ID` shows one with everything that
 * its call says and would change. `PUT /approvals/ID` shows what the call would be with other
 * arguments. `POST /approvals/ID` decides on what was shown and goes on with the call.
 */
final class Approvals_Controller extends Controller {

	/**
	 * Takes its parts.
	 *
	 * @param Access        $access        Who may do what.
	 * @param Engines       $engines       The engine of each site.
	 * @param Approvals     $approvals     What waits for a person.
	 * @param Sent_Calls    $sent_calls    Says what is no call.
	 * @param Secrets       $secrets       Masks secrets.
	 * @param Call_View     $call_view     Tells of calls.
	 * @param Argument_Text $argument_text Finds the arguments.
	 */
	public function __construct(
		Access $access,
		Engines $engines,
		private Approvals $approvals,
		private Sent_Calls $sent_calls,
		private Secrets $secrets,
		private Call_View $call_view,
		private Argument_Text $argument_text,
	) {
		parent::__construct( 'approvals', $access, $engines );
	}

	/**
	 * Registers the routes.
	 */
	public function register_routes() {
		$this->route(
			'',
			array( $this->handler( 'GET', 'get_items', 'approve', $this->get_collection_params() ) )
		);
		$this->route(
			self::ID,
			array(
				$this->handler( 'GET', 'get_item', 'approve', $this->named() ),
				$this->handler(
					'PUT',
					'change_item',
					'approve',
					$this->change_arguments() + $this->named()
				),
				$this->handler(
					'POST',
					'update_item',
					'approve',
					$this->arguments() + $this->named()
				),
			),
			array( $this, 'get_answer_schema' )
		);
	}

	/**
	 * Which part of the list is asked for.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	public function get_collection_params() {
		return $this->window();
	}

	/**
	 * Lists the pending requests.
	 *
	 * @param WP_REST_Request $request With what get_collection_params() says.
	 * @return WP_REST_Response
	 */
	public function get_items( $request ) {
		$found = $this->approvals->page( $request['page'], $request['per_page'] );
		return $this->page( $found['waiting'], $found['total'], $request );
	}

	/**
	 * Shows a pending request.
	 *
	 * @param WP_REST_Request $request With `id`.
	 * @return WP_REST_Response|WP_Error
	 */
	public function get_item( $request ) {
		$shown = $this->approvals->look( $this->id( $request ) );
		return is_wp_error( $shown ) ? $shown : $this->whole( $shown, $request );
	}

	/**
	 * Shows what the call would be with other arguments. Nothing is decided or kept.
	 *
	 * @param WP_REST_Request $request With `id` and what change_arguments() says.
	 * @return WP_REST_Response|WP_Error
	 */
	public function change_item( $request ) {
		$arguments = $this->argument_text->of( $request );
		if ( null === $arguments || '' === $arguments ) {
			return $this->sent_calls->refusal( 'bad_json' );
		}
		$shown = $this->approvals->change( $this->id( $request ), $arguments, $request['seen'] );
		return is_wp_error( $shown ) ? $shown : $this->whole( $shown, $request );
	}

	/**
	 * A request for approval with everything that its call says and would change.
	 *
	 * @param array<string, mixed> $shown   What Approvals::look() or change() returned.
	 * @param WP_REST_Request      $request The request of REST.
	 * @return WP_REST_Response
	 */
	private function whole( array $shown, $request ) {
		$changes = $shown['changes'];
		$item    = $shown['item'];
		return $this->prepare_item_for_response(
			array( 'bytes' => $shown['bytes'] ?? $item['bytes'] ) + $item + array(
				'arguments'        => $shown['arguments'],
				'arguments_before' => $shown['arguments_before'] ?? null,
				'changes'          => null === $changes
					? null
					: array_map( array( $this, 'change' ), $changes ),
				'fingerprint'      => $shown['fingerprint'],
				'hold'             => $shown['hold']?->get_error_message(),
			),
			$request
		);
	}

	/**
	 * Takes a decision.
	 *
	 * @param WP_REST_Request $request With `id` and what arguments() says.
	 * @return WP_REST_Response|WP_Error
	 */
	public function update_item( $request ) {
		$is_changed = null !== $request['arguments'];
		$arguments  = $is_changed ? $this->argument_text->of( $request ) : null;
		if ( $is_changed && ( null === $arguments || '' === $arguments ) ) {
			return $this->sent_calls->refusal( 'bad_json' );
		}
		$row = $this->approvals->decide(
			$this->id( $request ),
			$request['granted'],
			$request['reason'],
			$request['seen'],
			$arguments
		);
		return is_wp_error( $row ) ? $row : new WP_REST_Response( $this->call_view->of( $row ) );
	}

	/**
	 * A request for the client.
	 *
	 * @param array<string, mixed> $item    The request, with the row of its call.
	 * @param WP_REST_Request      $request The request of REST.
	 * @return WP_REST_Response
	 */
	public function prepare_item_for_response( $item, $request ) {
		return new WP_REST_Response(
			array_merge(
				$item,
				array(
					'call'        => $this->call_view->of( $item['call'] ),
					'can_approve' => ! $this->approvals->is_own( $item['call'] ),
				)
			)
		);
	}

	/**
	 * The schema that `OPTIONS` shows for the route of one request. The answer to a decision is the
	 * call.
	 *
	 * @return array<string, mixed>
	 */
	public function get_answer_schema(): array {
		$request = $this->get_public_item_schema();
		return array(
			'$schema' => $request['$schema'],
			'title'   => $request['title'],
			'type'    => 'object',
			'anyOf'   => array( $request, $this->call_view->schema() ),
		);
	}

	/**
	 * The schema of a request for approval. A list leaves out what may be large.
	 *
	 * @return array<string, mixed>
	 */
	protected function schema(): array {
		$text    = array( $this, 'typed' );
		$or_null = array( 'string', 'null' );
		return array(
			'title'                => 'toolwire-approval',
			'type'                 => 'object',
			'properties'           => array(
				'id'               => $text( 'The id of the request.' ),
				'message'          => $text( 'What is asked of the person.' ),
				'created_at'       => $text( 'When the request was made.', $or_null ),
				'expires_at'       => $text( 'Until when it can be decided.', $or_null ),
				'bytes'            => $text(
					'How many bytes the arguments have.',
					array( 'integer', 'null' )
				),
				'call'             => $this->call_view->schema(),
				'arguments'        => $text(
					'The whole arguments as JSON, without secrets. Not in a list.'
				),
				'arguments_before' => $text(
					'After a change, the whole arguments of the call itself as JSON, without '
						. 'secrets; null where nothing was changed. Not in a list.',
					$or_null
				),
				'changes'          => $this->changes_schema(),
				'fingerprint'      => $text(
					'What a decision sends back as `seen`. Not in a list.'
				),
				'hold'             => $text(
					'Why it must not be approved now, such as that somebody edits the post; '
						. 'null when nothing holds it up. Not in a list.',
					$or_null
				),
				'can_approve'      => $text(
					'Whether the current user may approve it.',
					'boolean'
				),
			),
			'required'             => array( 'id', 'message', 'call', 'can_approve' ),
			'additionalProperties' => false,
		);
	}

	/**
	 * The schema of what a call would change.
	 *
	 * @return array<string, mixed>
	 */
	private function changes_schema(): array {
		$text = array( $this, 'typed' );
		return array(
			'description' => 'What the call would change; '
				. 'null when the tool could not say. Not in a list.',
			'type'        => array( 'array', 'null' ),
			'items'       => array(
				'type'                 => 'object',
				'properties'           => array(
					'label'       => $text( 'What is compared.' ),
					'diff_type'   => $text( 'The form of the diff.' ),
					'diff_output' => $text( 'The diff, without secrets.' ),
					'additions'   => $text( 'How many lines are added.', 'integer' ),
					'deletions'   => $text( 'How many lines are removed.', 'integer' ),
					'unchanged'   => $text( 'How many lines stay.', 'integer' ),
					'similarity'  => $text(
						'How alike both are, from 0 to 1.',
						array( 'number', 'null' )
					),
				),
				'additionalProperties' => false,
			),
		);
	}

	/**
	 * The schema of a value.
	 *
	 * @param string              $description What it says.
	 * @param string|list<string> $type        Its type.
	 * @return array<string, mixed>
	 */
	private function typed( string $description, $type = 'string' ): array {
		return array(
			'description' => $description,
			'type'        => $type,
		);
	}

	/**
	 * What a change is.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	private function change_arguments(): array {
		return array(
			'arguments' => array(
				'description' => 'The arguments that the call shall have: an object, or the JSON '
					. 'text of one. Where it has the mask of a secret as it was shown, the secret '
					. 'stays what it is.',
				'type'        => array( 'object', 'string' ),
				'required'    => true,
			),
			'seen'      => array(
				'description' => 'The fingerprint of the request as the person was shown it.',
				'type'        => 'string',
				'default'     => '',
			),
		);
	}

	/**
	 * What a decision is.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	private function arguments(): array {
		return array(
			'arguments' => array(
				'description' => 'The arguments with which the call shall run, as they were sent '
					. 'to `PUT`; without them it runs with its own.',
				'type'        => array( 'object', 'string' ),
			),
			'granted' => array(
				'type'     => 'boolean',
				'required' => true,
			),
			'reason'  => array(
				'type'      => 'string',
				'maxLength' => 2000,
				'default'   => '',
			),
			'seen'    => array(
				'description' => 'The fingerprint of the request as the person was shown it. '
					. 'A decision without it is refused.',
				'type'        => 'string',
				'default'     => '',
			),
		);
	}

	/**
	 * A change, as text without secrets: lists of lines would need far more memory.
	 *
	 * @param array{label: string, diff: \Toolwire\DiffResult} $change What would change.
	 * @return array<string, mixed>
	 */
	private function change( array $change ): array {
		$diff = $change['diff'];
		return array(
			'label'       => $change['label'],
			'diff_type'   => $diff->diffType,
			'diff_output' => $this->secrets->text( $diff->diffOutput ),
			'additions'   => $diff->additions,
			'deletions'   => $diff->deletions,
			'unchanged'   => $diff->unchanged,
			'similarity'  => $diff->similarity,
		);
	}
}
