<?php
/**
 * The routes of the log.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Log_Search;
use Toolwire\WordPress\Runs;
use Toolwire\WordPress\Undoing;
use WP_Error;
use WP_REST_Request;
use WP_REST_Response;

/**
 * `GET /log` lists calls, `POST /log/ID/undo` undoes one, and `POST /log/ID/retry` runs an
 * interrupted one once more.
 */
final class Log_Controller extends Controller {

	const FILTERS = array( 'tool', 'state', 'origin', 'user', 'from', 'to', 'search' );

	/**
	 * Takes its parts.
	 *
	 * @param Access      $access      Who may do what.
	 * @param Engines     $engines     The engine of each site.
	 * @param Call_Log    $call_log    The log.
	 * @param Log_Search  $log_search  Searches the log.
	 * @param Runs        $runs        Runs calls.
	 * @param Undoing     $undoing     Undoes calls.
	 * @param Call_View   $call_view   Tells of calls.
	 */
	public function __construct(
		Access $access,
		Engines $engines,
		private Call_Log $call_log,
		private Log_Search $log_search,
		private Runs $runs,
		private Undoing $undoing,
		private Call_View $call_view,
	) {
		parent::__construct( 'log', $access, $engines );
	}

	/**
	 * Registers the routes.
	 */
	public function register_routes() {
		$this->route(
			'',
			array( $this->handler( 'GET', 'get_items', 'log', $this->get_collection_params() ) )
		);
		$this->route(
			self::ID . '/undo',
			array( $this->handler( 'POST', 'undo_item', 'use', $this->named() ) )
		);
		$this->route(
			self::ID . '/retry',
			array( $this->handler( 'POST', 'retry_item', 'approve', $this->named() ) )
		);
	}

	/**
	 * The filters of the list.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	public function get_collection_params() {
		$date = array(
			'description'       => 'A day of the site.',
			'type'              => 'string',
			'validate_callback' => array( $this, 'is_day' ),
		);
		return array(
			'tool'     => array( 'type' => 'string' ),
			'state'    => array(
				'type' => 'string',
				'enum' => Call_Log::STATES,
			),
			'origin'   => array(
				'type' => 'string',
				'enum' => Call_Log::ORIGINS,
			),
			'user'     => array(
				'type'    => 'integer',
				'minimum' => 1,
			),
			'from'     => $date,
			'to'       => $date,
			'search'   => array(
				'type'      => 'string',
				'maxLength' => 200,
			),
		) + $this->window();
	}

	/**
	 * Whether what was sent is a day.
	 *
	 * @param mixed $given What was sent.
	 */
	public function is_day( $given ): bool {
		return is_string( $given ) && null !== $this->log_search->day( $given );
	}

	/**
	 * Lists calls, newest first.
	 *
	 * @param WP_REST_Request $request With what get_collection_params() says.
	 * @return WP_REST_Response
	 */
	public function get_items( $request ) {
		$this->runs->look();
		$filters = array_filter(
			array_intersect_key( $request->get_params(), array_flip( self::FILTERS ) ),
			'is_scalar'
		);
		$found   = $this->log_search->query( $filters, $request['page'], $request['per_page'] );
		return $this->page( $found['rows'], $found['total'], $request );
	}

	/**
	 * Undoes a call: one's own, or anybody's for those who decide.
	 *
	 * @param WP_REST_Request $request With the call's `id`.
	 * @return WP_REST_Response|WP_Error
	 */
	public function undo_item( WP_REST_Request $request ) {
		$row = $this->call_log->find( $this->id( $request ) );
		if (
			null === $row
			|| ( get_current_user_id() !== (int) $row['user_id']
				&& ! $this->access->allows( 'approve' ) )
		) {
			return $this->unknown_call();
		}
		$undone = $this->undoing->undo( $row['action_id'] );
		return is_wp_error( $undone )
			? $undone
			: $this->prepare_item_for_response(
				(array) $this->call_log->find( $row['action_id'] ),
				$request
			);
	}

	/**
	 * Runs an interrupted call once more, for those who decide.
	 *
	 * @param WP_REST_Request $request With the call's `id`.
	 * @return WP_REST_Response|WP_Error
	 */
	public function retry_item( WP_REST_Request $request ) {
		$row = $this->call_log->find( $this->id( $request ) );
		if ( null === $row ) {
			return $this->unknown_call();
		}
		$again = $this->runs->retry( (string) $row['action_id'] );
		return is_wp_error( $again )
			? $again
			: $this->prepare_item_for_response( $again, $request );
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
}
