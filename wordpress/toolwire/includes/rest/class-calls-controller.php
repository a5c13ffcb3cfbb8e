<?php
/**
 * The routes that run a call and tell what became of it.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\ToolCall;
use Toolwire\WordPress\Access;
use Toolwire\WordPress\Bindings;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Own_Calls;
use Toolwire\WordPress\Runner;
use Toolwire\WordPress\Sent_Calls;
use Toolwire\WordPress\Settings;
use WP_Error;
use WP_REST_Request;
use WP_REST_Response;

/**
 * `POST /calls` runs a call once. The same call sent again, even at the same time, gets the outcome
 * of the first. `GET /calls/ID` tells the outcome to the user who sent the call, and to readers of
 * the log. `GET /calls` lists the user's own calls.
 */
final class Calls_Controller extends Controller {

	const STATUSES = array(
		'unbound_call'         => 403,
		'user_gone'            => 403,
		'tool_not_found'       => 404,
		'permission_denied'    => 403,
		'mode_not_allowed'     => 403,
		// What a version before had logged.
		'behavior_not_allowed' => 403,
		'invalid_input'        => 400,
		'schema_limit'         => 400,
		'raised'               => 500,
		'not_run'              => 500,
		'interrupted'          => 500,
	);

	/**
	 * Takes its parts.
	 *
	 * @param Access        $access        Who may do what.
	 * @param Engines       $engines       The engine of each site.
	 * @param Settings      $settings      The settings.
	 * @param Bindings      $bindings      Binds calls to replies.
	 * @param Call_Log      $call_log      The log.
	 * @param Own_Calls     $own_calls     The calls of the current user.
	 * @param Runner        $runner        Goes on with calls.
	 * @param Sent_Calls    $sent_calls    Reads and runs calls.
	 * @param Call_View     $call_view     Tells of calls.
	 * @param Argument_Text $argument_text Finds the arguments.
	 */
	public function __construct(
		Access $access,
		Engines $engines,
		private Settings $settings,
		private Bindings $bindings,
		private Call_Log $call_log,
		private Own_Calls $own_calls,
		private Runner $runner,
		private Sent_Calls $sent_calls,
		private Call_View $call_view,
		private Argument_Text $argument_text,
	) {
		parent::__construct( 'calls', $access, $engines );
	}

	/**
	 * Registers the routes.
	 */
	public function register_routes() {
		$this->route(
			'',
			array(
				$this->handler( 'GET', 'get_items', 'use', $this->get_collection_params() ),
				$this->handler( 'POST', 'create_item', 'use', $this->arguments(), 'calls' ),
			)
		);
		$this->route(
			self::ID,
			array( $this->handler( 'GET', 'get_item', 'use', $this->named() ) )
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
	 * Lists the user's own calls, newest first.
	 *
	 * @param WP_REST_Request $request With what get_collection_params() says.
	 * @return WP_REST_Response
	 */
	public function get_items( $request ) {
		$found = $this->own_calls->page( $request['page'], $request['per_page'] );
		return $this->page( $found['rows'], $found['total'], $request );
	}

	/**
	 * Runs a call.
	 *
	 * @param WP_REST_Request $request With what `POST /calls` takes.
	 * @return WP_REST_Response|WP_Error
	 */
	public function create_item( $request ) {
		$call = $this->call( $request );
		if ( is_wp_error( $call ) ) {
			return $call;
		}
		$origin = $this->origin( $request, $call );
		if ( is_wp_error( $origin ) ) {
			return $origin;
		}
		if (
			'text' === $origin
			&& $this->settings->get( 'bound_calls' )
			&& $this->refuse( $request, $call )
		) {
			return $this->response( (array) $this->call_log->find( $call->id ) );
		}
		$row = $this->sent_calls->run(
			$call,
			$request['id'],
			$request['reason'],
			$origin,
			$request['again']
		);
		if ( is_wp_error( $row ) ) {
			return $row;
		}
		return $this->response( $row );
	}

	/**
	 * Tells what became of a call, and goes on with it when a person has decided.
	 *
	 * @param WP_REST_Request $request With the call's `id`.
	 * @return WP_REST_Response|WP_Error
	 */
	public function get_item( $request ) {
		$this->runner->look();
		$id  = $this->id( $request );
		$row = $this->call_log->find( $id );
		if (
			null === $row
			|| ( get_current_user_id() !== (int) $row['user_id']
				&& ! $this->access->allows( 'log' ) )
		) {
			return $this->unknown_call();
		}
		return $this->prepare_item_for_response( $this->runner->resume( $id ) ?? $row, $request );
	}

	/**
	 * A call for the client.
	 *
	 * @param array<string, string|null> $item    The call's row in the log.
	 * @param WP_REST_Request            $request The request.
	 * @return WP_REST_Response
	 */
	public function prepare_item_for_response( $item, $request ) {
		return new WP_REST_Response( $this->call_view->of( $item ) );
	}

	/**
	 * The schema of a call.
	 *
	 * @return array<string, mixed>
	 */
	protected function schema(): array {
		return $this->call_view->schema();
	}

	/**
	 * What `POST /calls` takes.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	private function arguments(): array {
		return array(
			'id'           => array(
				'description' => 'The id that the model gave. '
					. 'A call without one is always a new one.',
				'type'        => 'string',
				'maxLength'   => Call_Log::ID_LENGTH,
				'default'     => '',
			),
			'conversation' => array(
				'description' => 'In which conversation the id counts.',
				'type'        => 'string',
				'maxLength'   => 256,
				'default'     => '',
			),
			'message'      => array(
				'description' => 'The id of the message that has the call. '
					. 'Servers of models number the calls of each message from 0.',
				'type'        => 'string',
				'maxLength'   => 256,
				'default'     => '',
			),
			'name'         => array(
				'type'     => 'string',
				'required' => true,
			),
			'arguments'    => array(
				'description' => 'An object, or the JSON text of one.',
				'type'        => array( 'object', 'string' ),
				'default'     => '{}',
			),
			'binding'      => array(
				'description' => 'What `POST /assistant` gave with the call. '
					. 'The call runs as it was found or not at all.',
				'type'        => 'string',
				'maxLength'   => 200,
				'default'     => '',
			),
			'origin'       => array(
				'description' => 'Where a call without a binding came from: '
					. 'it was found in a text, or a script named the tool.',
				'type'        => 'string',
				'enum'        => array( 'text', 'script', 'rest' ),
				'default'     => 'rest',
			),
			'again'        => array(
				'description' => 'Whether the call begins once more if it was denied or has '
					. 'expired. A person is asked anew.',
				'type'        => 'boolean',
				'default'     => false,
			),
			'reason'       => array(
				'description' => 'Why, in the words of the model; shown to the person who decides.',
				'type'        => 'string',
				'default'     => '',
			),
		);
	}

	/**
	 * Where a call came from. A call that this site found in a text counts as found there, whatever
	 * the client says.
	 *
	 * @param WP_REST_Request $request The request.
	 * @param ToolCall        $call    Its call.
	 * @return string|WP_Error
	 */
	private function origin( WP_REST_Request $request, ToolCall $call ) {
		if ( '' !== $request['binding'] ) {
			$refusal = $this->bindings->refusal(
				$request['binding'],
				$request['conversation'],
				$request['id'],
				$call->name,
				$call->argumentsRaw
			);
			return $refusal ?? 'assistant';
		}
		$seen = $this->call_log->find( $call->id );
		return in_array( $seen['origin'] ?? '', array( 'text', 'assistant' ), true )
			? 'text'
			: $request['origin'];
	}

	/**
	 * Records that a call was not run because nothing binds it; false when it has run before.
	 *
	 * @param WP_REST_Request $request The request.
	 * @param ToolCall        $call    Its call.
	 */
	private function refuse( WP_REST_Request $request, ToolCall $call ): bool {
		$this->call_log->see( $call->id, $request['id'], $call->name, 'text' );
		$columns = array(
			'state'       => 'denied',
			'error_code'  => 'unbound_call',
			'error'       => __(
				// phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
				'The call was found in a text that is no reply of this site\'s assistant. It has not run.',
				'toolwire'
			),
			'finished_at' => gmdate( 'Y-m-d H:i:s' ),
		);
		$this->call_log->change( $call->id, $columns, array( 'seen' ) );
		return 'unbound_call' === ( $this->call_log->find( $call->id )['error_code'] ?? '' );
	}

	/**
	 * The call that was sent, as the extension reads it.
	 *
	 * @param WP_REST_Request $request The request.
	 * @return ToolCall|WP_Error
	 */
	private function call( WP_REST_Request $request ) {
		$arguments = $this->argument_text->of( $request );
		if ( null === $arguments ) {
			return $this->sent_calls->refusal( 'bad_json' );
		}
		$ids = $this->engines->get()->ids;
		// What the assistant asked for runs once, whoever sends it and however: its binding has the
		// conversation and the id, which no other message has.
		$bound = '' !== $request['binding'];
		return $this->sent_calls->read(
			$request['name'],
			$arguments,
			$ids->run_id(
				get_current_user_id(),
				$request['conversation'],
				$request['id'],
				$bound ? '' : $request['message'],
				$bound ? '' : $ids->client()
			)
		);
	}

	/**
	 * The response for a call.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 * @return WP_REST_Response
	 */
	private function response( array $row ): WP_REST_Response {
		$view = $this->call_view->of( $row );
		$code = (string) $row['error_code'];
		if ( 'rate_limited' === $code ) {
			return $this->too_soon(
				max( 1, (int) ceil( $view['error']['retry_after'] ?? 1 ) ),
				array( 'call' => $view )
			);
		}
		$status = $this->call_view->status( $view ) ?? self::STATUSES[ $code ] ?? null;
		if ( null !== $status ) {
			$data = array(
				'status' => $status,
				'call'   => $view,
			);
			return rest_convert_error_to_response(
				new WP_Error( "toolwire_$code", $view['error']['message'], $data )
			);
		}
		return new WP_REST_Response(
			$view,
			in_array( $row['state'], Call_View::OPEN, true ) ? 202 : 200
		);
	}
}
