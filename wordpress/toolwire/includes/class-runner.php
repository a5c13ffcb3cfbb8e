<?php
/**
 * Calls from their beginning to their end.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use RuntimeException;
use Throwable;
use Toolwire\Tools\Exception\RunException;
use Toolwire\Tools\Execution;
use Toolwire\ToolCall;
use WP_Error;

/**
 * Runs a call once, goes on with it when a person has decided, and records each step.
 */
final class Runner implements Runs {

	/**
	 * For how many seconds a call that is recorded may have no run in the store yet.
	 */
	const BEGINS_WITHIN = 60;

	/**
	 * The calls whose runs this request begins, by their ids.
	 *
	 * @var array<string, ToolCall>
	 */
	private array $calls = array();

	/**
	 * The runs that this request has ended, by their ids: the store does not keep what tools give.
	 *
	 * @var array<string, Execution>
	 */
	private array $ended = array();

	/**
	 * Takes its parts.
	 *
	 * @param Engines        $engines        The engine of each site.
	 * @param Call_Log       $call_log       The log.
	 * @param Left_Calls     $left_calls     Records calls that end their request.
	 * @param Waiting_Limits $waiting_limits How much may wait.
	 * @param Acting_User    $acting_user    Who acts.
	 * @param Remains        $remains        What the store keeps of calls.
	 * @param Outcome        $outcome        What the log keeps of a step.
	 * @param Silence        $silence        Keeps what tools print apart.
	 */
	public function __construct(
		private Engines $engines,
		private Call_Log $call_log,
		private Left_Calls $left_calls,
		private Waiting_Limits $waiting_limits,
		private Acting_User $acting_user,
		private Remains $remains,
		private Outcome $outcome,
		private Silence $silence,
	) {
	}

	/**
	 * Runs a call of the current user. Returns its row in the log, null when its id belongs to
	 * another call, or an error when its tool is not offered, too many calls wait for approval, or
	 * the call cannot begin again. After the first two the call is not taken.
	 *
	 * @param ToolCall $call     The call; its id is that of Call_Ids::run_id().
	 * @param string   $given_id The id that the model or the client gave.
	 * @param string   $reason   Why, in the model's words.
	 * @param string   $origin   Where it came from, one of Call_Log::ORIGINS.
	 * @param bool     $again    Whether it begins once more if it was denied or has expired.
	 * @return array<string, string|null>|WP_Error|null
	 */
	public function run(
		ToolCall $call,
		string $given_id,
		string $reason,
		string $origin = 'rest',
		bool $again = false,
	) {
		return $this->engines->get()->tools->refuse( $call->name, $origin )
			?? $this->waiting_limits->refuse( $call, $again )
			?? $this->start( $call, array( $given_id, $reason, $origin ), $again );
	}

	/**
	 * Runs a call, unless it has begun before. Returns what run() returns.
	 *
	 * @param ToolCall     $call  As in run().
	 * @param list<string> $words The id that was given, why, and the origin.
	 * @param bool         $again As in run().
	 * @return array<string, string|null>|WP_Error|null
	 */
	private function start( ToolCall $call, array $words, bool $again ) {
		$engine = $this->engines->get();
		if ( $engine->ids->is_of_another( $call ) ) {
			return null;
		}
		$row = $this->call_log->find( $call->id );
		if ( $this->is_over( $row ) && null === $engine->executor->run( $call->id ) ) {
			// The store has no run of it, or none any more. It does not run again.
			return $row;
		}
		$this->begin( $row, $call, $words );
		$start = new Call_Start( $engine->executor, $call, $again );

		$this->calls[ $call->id ] = $call;
		$start->during(
			$this->call_log,
			$row,
			fn () => $this->record( $call->id, array( $start, 'run' ) )
		);
		unset( $this->calls[ $call->id ] );
		return $start->answer( $this->call_log );
	}

	/**
	 * The run of a call that this request has ended, with its output; null for any other.
	 *
	 * @param string $run_id The run's id.
	 */
	public function run_of_this_request( string $run_id ): ?Execution {
		return $this->ended[ $run_id ] ?? null;
	}

	/**
	 * Whether the log knows how a call ended.
	 *
	 * @param array<string, string|null>|null $row Its row in the log.
	 */
	private function is_over( ?array $row ): bool {
		return $this->call_log->has_begun( $row ) && 'running' !== $row['state'];
	}

	/**
	 * Sees to it that a call has a row in the log before it runs.
	 *
	 * @param array<string, string|null>|null $row   Its row, if it has one.
	 * @param ToolCall                        $call  The call.
	 * @param list<string>                    $words The id that was given, why, and the origin.
	 * @throws RuntimeException When the call cannot be recorded.
	 */
	private function begin( ?array $row, ToolCall $call, array $words ): void {
		list( $given_id, $reason, $origin ) = $words;
		if (
			! $this->call_log->has_begun( $row )
			&& ! $this->call_log->start( $call->id, $given_id, $call->name, $reason, $origin )
			&& ! $this->call_log->has_begun( $this->call_log->find( $call->id ) )
		) {
			throw new RuntimeException( 'The call could not be recorded.' );
		}
	}

	/**
	 * Records the arguments of a call that begins to run, as the extension tells them: with long
	 * texts cut and secrets left out.
	 *
	 * @param array<string, mixed> $event The event `tool.invoked`.
	 */
	public function record_arguments( array $event ): void {
		$call = $this->calls[ $event['run_id'] ?? '' ] ?? null;
		if ( null !== $call && isset( $event['payload_summary'] ) ) {
			$columns = $this->outcome->arguments( $event['payload_summary'], $call );
			$this->call_log->change( $call->id, $columns );
		}
	}

	/**
	 * Goes on with a call that waits, as the user who made it, once somebody has decided or the
	 * time is over.
	 *
	 * @param string $run_id The run's id.
	 * @return array<string, string|null>|null Its row as it then is.
	 */
	public function resume( string $run_id ): ?array {
		$row = $this->call_log->find( $run_id );
		if ( null === $row || ! $this->outcome->is_open( $row['state'] ) ) {
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
		$decision = $this->outcome->decision( $row );
		$running  = array( 'state' => 'running' ) + $decision;
		if ( $this->call_log->change( $run_id, $running, Call_States::WAITING ) ) {
			$this->go_on( $row, $gone ? $this->outcome->of_gone_user() : array() );
		}
		return $this->call_log->find( $run_id );
	}

	/**
	 * Runs an interrupted call once more, as the user who made it. This is the decision of a person
	 * who has looked what the tool did.
	 *
	 * @param string $run_id The run's id.
	 * @return array<string, string|null>|WP_Error Its row as it then is.
	 */
	public function retry( string $run_id ) {
		$row      = $this->call_log->find( $run_id );
		$executor = $this->engines->get()->executor;
		try {
			$executor->retry( $run_id );
		} catch ( RunException $refused ) {
			// A request that ended right after it made the run ready leaves it approved.
			if ( 'approved' !== $executor->run( $run_id )?->state ) {
				return new WP_Error(
					'toolwire_' . $refused->getKind(),
					__(
						'Only an interrupted call whose arguments are still there can run again.',
						'toolwire'
					),
					array( 'status' => 409 )
				);
			}
		}
		$running = array(
			'state'       => 'running',
			'error_code'  => '',
			'error'       => null,
			'finished_at' => null,
		);
		$this->call_log->change( $run_id, $running );
		$this->go_on( (array) $row, array() );
		return (array) $this->call_log->find( $run_id );
	}

	/**
	 * Goes on with a run of the store as the user who made the call, and records what comes of it.
	 *
	 * @param array<string, string|null> $row     The call's row in the log.
	 * @param array<string, string|null> $instead Columns that replace those of the step.
	 */
	private function go_on( array $row, array $instead ): void {
		$id     = (string) $row['action_id'];
		$engine = $this->engines->get();
		$step   = static fn (): ?Execution => $engine->executor->resume( $id );
		$this->record(
			$id,
			fn (): ?Execution => $this->acting_user->during( (int) $row['user_id'], $step ),
			$instead
		);
		$this->remains->forget_request( $id, (string) $row['approval_id'] );
		/**
		 * Fires when a call that waited has gone on.
		 *
		 * @param string $id The call's id.
		 */
		do_action( 'toolwire_call_continued', $id );
	}

	/**
	 * Brings the rows of calls that run in line with their runs in the store: the requests of some
	 * may have ended before they recorded anything.
	 */
	public function look(): void {
		foreach ( $this->call_log->in_state( 'running' ) as $run_id ) {
			$run = $this->engines->get()->executor->run( $run_id );
			if ( 'interrupted' === $run?->state ) {
				$this->left_calls->interrupt(
					$run_id,
					$run->interruption['detail']
						?? __( 'The process ended while the tool ran.', 'toolwire' )
				);
				continue;
			}
			$row     = $this->call_log->find( $run_id );
			$is_old  = null !== $row && $this->call_log->is_old( $row, self::BEGINS_WITHIN );
			$columns = null === $run ? array() : $this->outcome->of( $run );
			if ( null === $run && $is_old ) {
				$columns = $this->outcome->of_none();
			}
			if ( $columns ) {
				$this->call_log->change( $run_id, $columns, array( 'running' ) );
			}
		}
	}

	/**
	 * Goes on with the calls whose requests ended before their tools ran. The store gives no call
	 * whose tool has begun.
	 */
	public function resume_left(): void {
		foreach ( $this->call_log->in_state( 'running' ) as $run_id ) {
			$row = $this->call_log->find( $run_id );
			if ( null !== $row && $this->call_log->is_old( $row, self::BEGINS_WITHIN ) ) {
				$this->go_on( $row, array() );
			}
		}
	}

	/**
	 * Goes on with the calls that were decided or expired but did not continue.
	 *
	 * @param int $most How many calls that wait are looked at, from the oldest.
	 */
	public function resume_decided( int $most = PHP_INT_MAX ): void {
		foreach ( array( 'approved', 'waiting' ) as $state ) {
			$after = 0;
			do {
				$some  = $this->call_log->in_state( $state, min( 100, $most ), $after );
				$most -= count( $some );
				foreach ( $some as $number => $run_id ) {
					$this->resume( $run_id );
					$after = $number;
				}
			} while ( $some && $most > 0 );
		}
	}

	/**
	 * Whether a call whose end the store did not take is no longer this request's: its tool took
	 * longer than its lease, so others have seen it interrupted, and may have run it once more.
	 *
	 * @param string $run_id The run's id.
	 */
	private function is_lost( string $run_id ): bool {
		return 'running' !== $this->engines->get()->executor->run( $run_id )?->state;
	}

	/**
	 * Takes a step of a call and records its outcome. The store knows the outcome too: a step that
	 * throws leaves the call as the store has it.
	 *
	 * @param string                     $run_id The run's id.
	 * @param callable(): ?Execution     $step      The step; null when the store has nothing to go
	 *                                              on with.
	 * @param array<string, string|null> $instead   Columns that replace those of the step.
	 */
	private function record( string $run_id, callable $step, array $instead = array() ): void {
		try {
			$run = $this->left_calls->during(
				$run_id,
				fn () => $this->silence->during( $run_id, $step )
			);
			if ( null !== $run?->notKept && $this->is_lost( $run_id ) ) {
				$this->look();
				return;
			}
			if ( null !== $run && ! $this->outcome->is_open( $run->state ) ) {
				$this->ended[ $run_id ] = $run;
			}
			$outcome = null === $run
				? $this->outcome->of_lost( $run_id )
				: $this->outcome->of( $run );
		} catch ( Throwable $thrown ) {
			$outcome = $this->outcome->of_thrown( $run_id, $thrown );
		}
		if ( $outcome ) {
			$is_over = ! $this->outcome->is_open( $outcome['state'] );
			$this->call_log->change( $run_id, ( $is_over ? $instead : array() ) + $outcome );
		}
	}
}
