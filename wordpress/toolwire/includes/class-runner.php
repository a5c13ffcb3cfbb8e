<?php
/**
 * Calls from their beginning to their end.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use RuntimeException;
use Throwable;
use Toolwire\Tools\Exception\ToolUndoFailed;
use Toolwire\Tools\Execution;
use Toolwire\ToolCall;
use WP_Error;

/**
 * Runs a call once, goes on with it when a person has decided, undoes it, and records each step.
 */
final class Runner {

	/**
	 * Takes its parts.
	 *
	 * @param Engines        $engines        The engine of each site.
	 * @param Call_Log       $call_log       The log.
	 * @param Crash_Guard    $crash_guard    Watches calls that run.
	 * @param Waiting_Limits $waiting_limits How much may wait.
	 * @param Acting_User    $acting_user    Who acts.
	 * @param Remains        $remains        What the store keeps of calls.
	 * @param Outcome        $outcome        What the log keeps of a step.
	 * @param Silence        $silence        Keeps what tools print apart.
	 */
	public function __construct(
		private Engines $engines,
		private Call_Log $call_log,
		private Crash_Guard $crash_guard,
		private Waiting_Limits $waiting_limits,
		private Acting_User $acting_user,
		private Remains $remains,
		private Outcome $outcome,
		private Silence $silence,
	) {
	}

	/**
	 * Runs a call of the current user. Returns its row in the log, null when its id belongs to
	 * another call, or an error when too many calls wait for approval. After this error the call is
	 * not taken and may be sent again.
	 *
	 * @param ToolCall $call     The call; its id is that of Claims::action_id().
	 * @param string   $given_id The id that the model or the client gave.
	 * @param string   $reason   Why, in the model's words.
	 * @param string   $origin   Where it came from, one of Call_Log::ORIGINS.
	 * @return array<string, string|null>|WP_Error|null
	 */
	public function run(
		ToolCall $call,
		string $given_id,
		string $reason,
		string $origin = 'rest',
	) {
		return $this->waiting_limits->within(
			$call,
			fn () => $this->start( $call, $given_id, $reason, $origin )
		);
	}

	/**
	 * Runs a call, unless another request has taken it. Returns what run() returns.
	 *
	 * @param ToolCall $call     As in run().
	 * @param string   $given_id As in run().
	 * @param string   $reason   As in run().
	 * @param string   $origin   As in run().
	 * @return array<string, string|null>|null
	 */
	private function start(
		ToolCall $call,
		string $given_id,
		string $reason,
		string $origin,
	): ?array {
		$engine = $this->engines->get();
		$taken  = $engine->claims->take( $call );
		if ( null === $taken ) {
			return null;
		}
		$row = $taken ? null : $this->row_of_another( $call->id );
		if ( $this->call_log->has_begun( $row ) ) {
			return $row;
		}
		// The request that took the call has died if its lock is free and no row says that the call
		// has begun.
		if ( ! $this->crash_guard->hold( $call->id ) ) {
			return $this->begun(
				$this->row_of_another( $call->id ),
				'Another request is about to run the call.'
			);
		}
		if ( ! $this->call_log->start( $call->id, $given_id, $call->name, $reason, $origin ) ) {
			$this->crash_guard->release( $call->id );
			return $this->begun(
				$this->call_log->find( $call->id ),
				'The call could not be recorded.'
			);
		}
		$context = array(
			'caller' => 'user:' . get_current_user_id(),
			'run_id' => $call->id,
		);
		$this->record(
			$call->id,
			static fn (): Execution => $engine->executor->execute( $call, $context ),
			array(),
			$call
		);
		return $this->call_log->find( $call->id );
	}

	/**
	 * Goes on with a call that waits, as the user who made it, once somebody has decided or the
	 * time is over.
	 *
	 * @param string $action_id The action's id.
	 * @return array<string, string|null>|null Its row as it then is.
	 */
	public function resume( string $action_id ): ?array {
		$row = $this->call_log->find( $action_id );
		if ( null === $row || 'pending' !== $row['state'] ) {
			return $row;
		}
		$engine = $this->engines->get();
		$gone   = $this->acting_user->has_gone( (int) $row['user_id'] );
		if ( $gone ) {
			$engine->approvals->cancel( $row['approval_id'] );
		}
		if ( 'pending' === $engine->approvals->status( $row['approval_id'] ) ) {
			return $row;
		}
		if ( ! $this->crash_guard->hold( $action_id ) ) {
			return $this->row_of_another( $action_id, 'pending' );
		}
		$decision = $this->outcome->decision( (string) $row['approval_id'] );
		$running  = array( 'state' => 'running' ) + $decision;
		if ( ! $this->call_log->change( $action_id, $running, array( 'pending' ) ) ) {
			$this->crash_guard->release( $action_id );
			return $this->call_log->find( $action_id );
		}
		$step = static fn (): ?Execution => $engine->executor->resume( $action_id );
		$this->record(
			$action_id,
			fn (): ?Execution => $this->acting_user->during( (int) $row['user_id'], $step ),
			$gone ? $this->outcome->of_gone_user() : array()
		);
		$this->remains->forget_arguments( $action_id, (string) $row['approval_id'] );
		return $this->call_log->find( $action_id );
	}

	/**
	 * Goes on with the calls that were decided or expired but did not continue.
	 *
	 * @param int $most How many calls that wait are looked at, from the oldest.
	 */
	public function resume_decided( int $most = PHP_INT_MAX ): void {
		$after = 0;
		do {
			$some  = $this->call_log->in_state( 'pending', min( 100, $most ), $after );
			$most -= count( $some );
			foreach ( $some as $number => $action_id ) {
				$this->resume( $action_id );
				$after = $number;
			}
		} while ( $some && $most > 0 );
	}

	/**
	 * Undoes a call, as the current user.
	 *
	 * @param string $action_id The action's id.
	 * @return true|WP_Error
	 */
	public function undo( string $action_id ) {
		$nothing = new WP_Error(
			'toolwire_nothing_to_undo',
			__(
				'There is nothing to undo: the call was undone, cannot be, or is too old.',
				'toolwire'
			),
			array( 'status' => 409 )
		);
		$row     = $this->call_log->find( $action_id );
		if ( null === $row || 'completed' !== $row['state'] ) {
			return $nothing;
		}
		$engine = $this->engines->get();
		// The user may have lost the right since the call ran.
		if ( false === $engine->tools->get( (string) $row['tool'] )?->is_for_user() ) {
			return new WP_Error(
				'toolwire_permission_denied',
				__( 'You are not allowed to use this tool.', 'toolwire' ),
				array( 'status' => 403 )
			);
		}
		try {
			$undone = $this->silence->during(
				$action_id,
				static fn (): bool => $engine->executor->undo( $action_id )
			);
		} catch ( ToolUndoFailed $failed ) {
			$why     = $failed->getPrevious();
			$message = $why instanceof Refused
				? $why->getMessage()
				: __( 'The tool could not undo it.', 'toolwire' );
			$told    = $why instanceof Refused ? array( 'wp_error' => $why->told ) : array();
			return new WP_Error(
				'toolwire_undo_failed',
				$message,
				array( 'status' => 409 ) + $told
			);
		}
		if ( ! $undone ) {
			return $nothing;
		}
		$columns = array(
			'state'     => 'undone',
			'undone_by' => get_current_user_id(),
		);
		$this->call_log->change( $action_id, $columns, array( 'completed' ) );
		return true;
	}

	/**
	 * The row of a call that this request does not run because it has begun.
	 *
	 * @param array<string, string|null>|null $row The row.
	 * @param string                          $why Why the call does not run if it has not begun.
	 * @return array<string, string|null>
	 * @throws RuntimeException When the call has not begun.
	 */
	private function begun( ?array $row, string $why ): array {
		if ( ! $this->call_log->has_begun( $row ) ) {
			// phpcs:ignore WordPress.Security.EscapeOutput -- escaped where it is shown.
			throw new RuntimeException( $why );
		}
		return $row;
	}

	/**
	 * The row of a call that another request has taken. The other request may not have written the
	 * row yet.
	 *
	 * @param string $action_id The action's id.
	 * @param string $before    The state in which the other request found the call.
	 * @return array<string, string|null>|null
	 */
	private function row_of_another( string $action_id, string $before = 'seen' ): ?array {
		for ( $try = 1; $try < 20; $try++ ) {
			$row = $this->call_log->find( $action_id );
			if ( $this->call_log->has_begun( $row ) && $row['state'] !== $before ) {
				return $row;
			}
			usleep( 25000 );
		}
		return $this->call_log->find( $action_id );
	}

	/**
	 * Runs a step and records its outcome.
	 *
	 * @param string                     $action_id The action's id.
	 * @param callable(): ?Execution     $step      The step; null when the store has nothing to go
	 *                                              on with.
	 * @param array<string, string|null> $instead   Columns that replace those of the step.
	 * @param ToolCall|null              $call      The call, in its first step.
	 */
	private function record(
		string $action_id,
		callable $step,
		array $instead = array(),
		?ToolCall $call = null,
	): void {
		try {
			$execution = $this->silence->during( $action_id, $step );
			$outcome   = null === $execution
				? $this->outcome->of_lost( $action_id )
				: $this->outcome->of( $execution, $call );
			$columns   = $instead + $outcome;
		} catch ( Throwable $thrown ) {
			$columns = $this->outcome->of_thrown( $thrown );
		}
		if ( $columns ) {
			$this->call_log->change( $action_id, $columns );
		}
		$this->crash_guard->release( $action_id );
	}
}
