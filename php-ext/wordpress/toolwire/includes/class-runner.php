<?php
/**
 * Calls from their beginning to their end.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Throwable;
use Toolwire\Tools\Exception\ToolException;
use Toolwire\Tools\Exception\ToolUndoFailed;
use Toolwire\Tools\Execution;
use Toolwire\ToolCall;
use WP_Error;

/**
 * Runs a call once, goes on with it when a person has decided, undoes it, and records each step.
 */
final class Runner {

	/**
	 * Whether the user is gone whose call this request goes on with. Nothing may run then.
	 *
	 * @var bool
	 */
	private static bool $user_is_gone = false;

	/**
	 * Whether the user is gone whose call this request goes on with.
	 */
	public static function user_is_gone(): bool {
		return self::$user_is_gone;
	}

	/**
	 * Runs a call of the current user; its row in the log, or null when its id belongs to another call, or an error
	 * when no more can wait for approval. A call that was refused so has not been taken and may be sent again.
	 *
	 * @param ToolCall $call     The call; its id is Claims::action_id().
	 * @param string   $given_id The id that the model or the client gave.
	 * @param string   $reason   Why, in the model's words.
	 * @param string   $origin   Where it came from, one of Call_Log::ORIGINS.
	 * @return array<string, string|null>|WP_Error|null
	 */
	public static function run( ToolCall $call, string $given_id, string $reason, string $origin = 'rest' ) {
		$engine  = Engine::get();
		$refused = Waiting_Limits::refuse( $call );
		if ( null !== $refused ) {
			return $refused;
		}
		$claims = new Claims( $engine->store );
		$taken  = $claims->take( $call );
		if ( null === $taken ) {
			return null;
		}
		if ( false === $taken ) {
			return self::row_of_another( $call->id );
		}
		Crash_Guard::hold( $call->id );
		Call_Log::start( $call->id, $given_id, $call->name, $reason, $origin );
		$context = array( 'caller' => 'user:' . get_current_user_id() );
		self::record( $call->id, static fn (): Execution => $engine->executor->execute( $call, $context ) );
		return Call_Log::find( $call->id );
	}

	/**
	 * Goes on with a call that waits, as the user who made it, if somebody has decided or nobody did in time.
	 *
	 * @param string $action_id The action's id.
	 * @return array<string, string|null>|null Its row as it then is.
	 */
	public static function resume( string $action_id ): ?array {
		$row = Call_Log::find( $action_id );
		if ( null === $row || 'pending' !== $row['state'] ) {
			return $row;
		}
		$engine = Engine::get();
		$gone   = self::is_gone( (int) $row['user_id'] );
		if ( $gone ) {
			$engine->approvals->cancel( $row['approval_id'] );
		}
		if ( 'pending' === $engine->approvals->status( $row['approval_id'] ) ) {
			return $row;
		}
		Crash_Guard::hold( $action_id );
		$decision = Approvals::decision( (string) $row['approval_id'] );
		if ( ! Call_Log::change( $action_id, array( 'state' => 'running' ) + $decision, array( 'pending' ) ) ) {
			Crash_Guard::release( $action_id );
			return Call_Log::find( $action_id );
		}
		self::$user_is_gone = $gone;
		Acting_User::during(
			(int) $row['user_id'],
			static fn () => self::record( $action_id, static fn (): ?Execution => $engine->executor->resume( $action_id ), $gone ? self::gone() : array() )
		);
		self::$user_is_gone = false;
		Remains::forget_arguments( $action_id, (string) $row['approval_id'] );
		return Call_Log::find( $action_id );
	}

	/**
	 * Goes on with the calls whose request was decided, or expired, while nobody went on with them.
	 *
	 * @param int $most How many calls that wait are looked at, from the oldest.
	 */
	public static function settle( int $most = PHP_INT_MAX ): void {
		$after = 0;
		do {
			$some  = Call_Log::in_state( 'pending', min( 100, $most ), $after );
			$most -= count( $some );
			foreach ( $some as $number => $action_id ) {
				self::resume( $action_id );
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
	public static function undo( string $action_id ) {
		$nothing = new WP_Error( 'toolwire_nothing_to_undo', __( 'There is nothing to undo: the call was undone, cannot be, or is too old.', 'toolwire' ), array( 'status' => 409 ) );
		$row     = Call_Log::find( $action_id );
		if ( null === $row || 'completed' !== $row['state'] ) {
			return $nothing;
		}
		try {
			$undone = Engine::get()->executor->undo( $action_id );
		} catch ( ToolUndoFailed $failed ) {
			$message = $failed->getPrevious() instanceof Refused
				? $failed->getPrevious()->getMessage()
				: __( 'The tool could not undo it.', 'toolwire' );
			return new WP_Error( 'toolwire_undo_failed', $message, array( 'status' => 409 ) );
		}
		if ( ! $undone ) {
			return $nothing;
		}
		$columns = array(
			'state'     => 'undone',
			'undone_by' => get_current_user_id(),
		);
		Call_Log::change( $action_id, $columns, array( 'completed' ) );
		return true;
	}

	/**
	 * The row of a call that another request has taken; it may have done so just now and not have written it yet.
	 *
	 * @param string $action_id The action's id.
	 * @return array<string, string|null>|null
	 */
	private static function row_of_another( string $action_id ): ?array {
		for ( $try = 1; $try < 20; $try++ ) {
			$row = Call_Log::find( $action_id );
			if ( null !== $row ) {
				return $row;
			}
			usleep( 25000 );
		}
		return Call_Log::find( $action_id );
	}

	/**
	 * Whether a user was deleted, or removed from this site of a network.
	 *
	 * @param int $user The user's id; 0 for a visitor, who cannot be gone.
	 */
	private static function is_gone( int $user ): bool {
		if ( 0 === $user ) {
			return false;
		}
		return ! get_userdata( $user ) || ( is_multisite() && ! is_user_member_of_blog( $user ) && ! is_super_admin( $user ) );
	}

	/**
	 * What the log keeps of a call whose user is gone.
	 *
	 * @return array<string, string|null>
	 */
	private static function gone(): array {
		return array(
			'state'      => 'denied',
			'error_code' => 'user_gone',
			'error'      => __( 'The user who made the call is gone. Nothing has run.', 'toolwire' ),
			'result'     => null,
		);
	}

	/**
	 * Runs a step and records what came of it.
	 *
	 * @param string                     $action_id The action's id.
	 * @param callable(): ?Execution     $step      The step; null when the store has nothing to go on with.
	 * @param array<string, string|null> $instead   What is recorded in place of what the step says.
	 */
	private static function record( string $action_id, callable $step, array $instead = array() ): void {
		try {
			$execution = $step();
			$columns   = $instead + ( null === $execution ? self::lost( $action_id ) : self::columns( $execution ) );
		} catch ( Throwable $thrown ) {
			$columns = array(
				'state'       => 'failed',
				'error_code'  => 'not_run',
				'error'       => Call_Log::text( $thrown::class . ': ' . $thrown->getMessage(), 1000 ),
				'finished_at' => gmdate( 'Y-m-d H:i:s' ),
			);
		}
		if ( $columns ) {
			Call_Log::change( $action_id, $columns );
		}
		Crash_Guard::release( $action_id );
	}

	/**
	 * What the log keeps of a call that waited so long that the store has it no longer.
	 *
	 * @param string $action_id The action's id.
	 * @return array<string, string>
	 */
	private static function lost( string $action_id ): array {
		$row    = Call_Log::find( $action_id );
		$status = Engine::get()->approvals->status( (string) ( $row['approval_id'] ?? '' ) );
		$ends   = array(
			'expired' => array( 'denied', 'approval_timeout', __( 'Nobody decided in time.', 'toolwire' ) ),
			'denied'  => array( 'denied', 'approval_denied', __( 'Somebody denied the call.', 'toolwire' ) ),
		);
		$end    = $ends[ $status ] ?? array( 'failed', 'not_run', __( 'The call waited so long that it was not kept. It has not run.', 'toolwire' ) );
		return array_combine( array( 'state', 'error_code', 'error' ), $end ) + array( 'finished_at' => gmdate( 'Y-m-d H:i:s' ) );
	}

	/**
	 * What the log keeps of a step.
	 *
	 * @param Execution $execution What became of the run.
	 * @return array<string, mixed>
	 */
	private static function columns( Execution $execution ): array {
		if ( 'running' === $execution->state ) {
			return array();
		}
		$columns = array( 'state' => 'pendingApproval' === $execution->state ? 'pending' : $execution->state );
		foreach ( $execution->events as $event ) {
			if ( isset( $event['data']['payload_summary'] ) ) {
				$columns['arguments'] = Call_Log::json( $event['data']['payload_summary'] );
			}
			if ( isset( $event['data']['duration_ms'] ) ) {
				$columns['duration_ms'] = (string) $event['data']['duration_ms'];
			}
		}
		if ( null !== $execution->approvalId ) { // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
			$columns['approval_id'] = $execution->approvalId; // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
		}
		if ( 'pending' === $columns['state'] ) {
			return $columns;
		}
		$columns['finished_at'] = gmdate( 'Y-m-d H:i:s' );
		if ( null !== $execution->error ) {
			return self::failure( $execution->error ) + $columns;
		}
		return self::output( $execution ) + $columns;
	}

	/**
	 * What the log keeps of an output.
	 *
	 * @param Execution $execution What became of the run.
	 * @return array<string, mixed>
	 */
	private static function output( Execution $execution ): array {
		$output  = $execution->output;
		$tool    = Engine::get()->tools->get( (string) $execution->tool );
		$columns = array( 'result' => $tool?->logs_result ? Call_Log::json( $output->data ) : null );
		if ( ! $output->success ) {
			$columns['state']      = 'failed';
			$columns['error_code'] = 'tool_error';
			$columns['error']      = Call_Log::text( (string) $output->error, 1000 );
		} elseif ( $output->undoMetadata ) { // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
			$columns['undo_until'] = gmdate( 'Y-m-d H:i:s', time() + (int) Engine::undo_seconds() );
		}
		return $columns;
	}

	/**
	 * What the log keeps of a failure.
	 *
	 * @param ToolException $error Why there is no output.
	 * @return array<string, mixed>
	 */
	private static function failure( ToolException $error ): array {
		$columns = array(
			'error_code' => $error->getKind(),
			'error'      => Call_Log::text( $error->getMessage(), 1000 ),
		);
		$details = array_intersect_key( $error->toArray(), array_fill_keys( array( 'problems', 'retry_after', 'reason' ), true ) );
		if ( $details ) {
			$columns['result'] = Call_Log::json( $details );
		}
		return $columns;
	}
}
