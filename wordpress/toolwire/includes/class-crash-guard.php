<?php
/**
 * Calls that were cut off by the end of their request.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Holds a lock of the database while a call runs. A fatal error is recorded when the request ends.
 * When PHP itself is killed, the database releases the lock, and the next request that looks finds
 * a running call without a lock.
 */
final class Crash_Guard {

	/**
	 * The errors that end a request.
	 */
	const FATAL = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_RECOVERABLE_ERROR
		| E_USER_ERROR;

	/**
	 * The calls that run in this request.
	 *
	 * @var array<string, true>
	 */
	private array $running = array();

	/**
	 * Whether the end of the request is watched.
	 *
	 * @var bool
	 */
	private bool $watching = false;

	/**
	 * Takes its parts.
	 *
	 * @param Events   $events   Tells of events.
	 * @param Locks    $locks    The locks of the database.
	 * @param Call_Log $call_log The log.
	 * @param Remains  $remains  What the store keeps of calls.
	 */
	public function __construct(
		private Events $events,
		private Locks $locks,
		private Call_Log $call_log,
		private Remains $remains,
	) {
	}

	/**
	 * Marks a call as running in this request. False when it runs already, in this request or in
	 * another.
	 *
	 * @param string $action_id The action's id.
	 */
	public function hold( string $action_id ): bool {
		if ( isset( $this->running[ $action_id ] ) || ! $this->locks->take( $action_id ) ) {
			return false;
		}
		if ( ! $this->watching ) {
			$this->watching = true;
			register_shutdown_function( array( $this, 'record_fatal' ) );
		}
		$this->running[ $action_id ] = true;
		return true;
	}

	/**
	 * Marks a call as done.
	 *
	 * @param string $action_id The action's id.
	 */
	public function release( string $action_id ): void {
		unset( $this->running[ $action_id ] );
		$this->locks->release( $action_id );
	}

	/**
	 * Records the calls that a fatal error, or a tool that ended the request, left running.
	 */
	public function record_fatal(): void {
		$last = error_get_last();
		// PHP also keeps the last notice, which ended nothing.
		$fatal   = null !== $last && 0 !== ( $last['type'] & self::FATAL );
		$message = ! $fatal ? __( 'The tool ended the request.', 'toolwire' ) : $last['message'];
		foreach ( array_keys( $this->running ) as $action_id ) {
			$this->record( $action_id, $message );
		}
		$this->running = array();
	}

	/**
	 * Records the calls that run without a lock: their process is gone.
	 */
	public function reap(): void {
		foreach ( $this->call_log->in_state( 'running' ) as $action_id ) {
			if ( $this->locks->is_free( $action_id ) ) {
				$this->record(
					$action_id,
					__( 'The process ended while the tool ran.', 'toolwire' )
				);
			}
		}
	}

	/**
	 * Records a call as failed.
	 *
	 * @param string $action_id The action's id.
	 * @param string $message   Why.
	 */
	private function record( string $action_id, string $message ): void {
		$columns = array(
			'state'       => 'failed',
			'error_code'  => 'died',
			'error'       => $this->call_log->text( $message, 1000 ),
			'finished_at' => gmdate( 'Y-m-d H:i:s' ),
		);
		if ( $this->call_log->change( $action_id, $columns, array( 'running' ) ) ) {
			$row = $this->call_log->find( $action_id );
			$this->remains->forget_arguments( $action_id, (string) ( $row['approval_id'] ?? '' ) );
			$this->events->tell(
				'tool.failed',
				array(
					'action_id'  => $action_id,
					'tool_name'  => (string) ( $row['tool'] ?? '' ),
					'error_code' => 'died',
				)
			);
		}
	}
}
