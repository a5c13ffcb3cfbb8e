<?php
/**
 * The start of a call's run.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Tools\Exception\RunException;
use Toolwire\Tools\Execution;
use Toolwire\Tools\Executor;
use Toolwire\ToolCall;
use WP_Error;

/**
 * Starts the run of a call in the store, or, when the client says so, starts it once more after it
 * was denied or has expired. The store decides whether it may.
 */
final class Call_Start {

	/**
	 * The states after which a call may begin again: no tool has run.
	 */
	private const ENDED = array( 'denied', 'expired' );

	/**
	 * What the log forgets of a call that begins again.
	 */
	private const BEGINS = array(
		'state'            => 'running',
		'error_code'       => '',
		'error'            => null,
		'result'           => null,
		'decided_by'       => 0,
		'decision'         => '',
		'decision_reason'  => null,
		'fingerprint'      => '',
		'arguments_before' => null,
		'changed_by'       => 0,
		'changed_at'       => null,
		'finished_at'      => null,
	);

	/**
	 * Whether the id of the call belongs to another one.
	 *
	 * @var bool
	 */
	private bool $is_other = false;

	/**
	 * Why the call does not begin again.
	 *
	 * @var WP_Error|null
	 */
	private ?WP_Error $refusal = null;

	/**
	 * Takes what it starts.
	 *
	 * @param Executor $executor What runs the call.
	 * @param ToolCall $call     The call; its id is that of Call_Ids::run_id().
	 * @param bool     $again    Whether it may begin once more.
	 */
	public function __construct(
		private Executor $executor,
		private ToolCall $call,
		private bool $again,
	) {
	}

	/**
	 * Whether the client wants a call to begin once more that can.
	 *
	 * @param array<string, string|null>|null $row   Its row in the log.
	 * @param bool                            $again Whether the client wants it.
	 */
	public static function begins_again( ?array $row, bool $again ): bool {
		return $again && null !== $row && in_array( $row['state'], self::ENDED, true );
	}

	/**
	 * Starts the run as the current user. Returns the run of the call, whether or not it began now.
	 *
	 * @throws RunException When the store has another reason than that the call ran.
	 */
	public function run(): ?Execution {
		$context = array(
			'caller' => 'user:' . get_current_user_id(),
			'run_id' => $this->call->id,
		);
		try {
			$run = $this->executor->start( $this->call, $context, again: $this->again );
		} catch ( RunException $refused ) {
			if ( 'already_ran' !== $refused->getKind() ) {
				throw $refused;
			}
			$this->refusal = new WP_Error(
				'toolwire_already_ran',
				__( 'Only a call that was denied or has expired can begin again.', 'toolwire' ),
				array( 'status' => 409 )
			);
			return $this->executor->run( $this->call->id );
		}
		$this->is_other = 'call_id_reused' === $run->error?->getKind();
		return $this->is_other ? $this->executor->run( $this->call->id ) : $run;
	}

	/**
	 * Has the log forget how a call ended that begins again, around the start. If nothing begins,
	 * the row gets its old values back.
	 *
	 * @param Call_Log                        $call_log The log.
	 * @param array<string, string|null>|null $row      The call's row in it.
	 * @param callable(): void                $start    Starts the run and records the outcome.
	 */
	public function during( Call_Log $call_log, ?array $row, callable $start ): void {
		$begins = self::begins_again( $row, $this->again )
			&& $call_log->change( $this->call->id, self::BEGINS, self::ENDED );
		$start();
		if ( $begins && ( $this->is_other || $this->refusal ) ) {
			$call_log->change( $this->call->id, array_intersect_key( (array) $row, self::BEGINS ) );
		}
	}

	/**
	 * The call's row in the log, null when the id belongs to another call, or why the call does not
	 * begin again.
	 *
	 * @param Call_Log $call_log The log.
	 * @return array<string, string|null>|WP_Error|null
	 */
	public function answer( Call_Log $call_log ) {
		return $this->is_other ? null : $this->refusal ?? $call_log->find( $this->call->id );
	}
}
