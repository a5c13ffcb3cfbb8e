<?php
/**
 * The columns that the log keeps for a step of a call.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Throwable;
use Toolwire\Tools\ApprovalRequest;
use Toolwire\Tools\Exception\StoreException;
use Toolwire\Tools\Exception\ToolException;
use Toolwire\Tools\Execution;
use Toolwire\ToolCall;

/**
 * Makes the columns of a call's row from the outcome of a step: an output, a failure, a decision,
 * or nothing.
 */
final class Outcome {

	/**
	 * Takes its parts.
	 *
	 * @param Engines            $engines            The engine of each site.
	 * @param Call_Log           $call_log           The log.
	 * @param Json_Text          $json_text          Tells objects from lists.
	 * @param Proposed_Arguments $proposed_arguments Changed arguments.
	 */
	public function __construct(
		private Engines $engines,
		private Call_Log $call_log,
		private Json_Text $json_text,
		private Proposed_Arguments $proposed_arguments,
	) {
	}

	/**
	 * The columns for a decision: who, what, why, the fingerprint of what was seen, and the
	 * arguments that were approved, where they are not those of the call. Empty when nobody has
	 * decided.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 * @return array<string, int|string|null>
	 */
	public function decision( array $row ): array {
		$request = $this->engines->get()->approvals->get( (string) $row['approval_id'] );
		if (
			null === $request
			|| ! in_array( $request->status, array( 'approved', 'denied' ), true )
		) {
			return array();
		}
		$by   = (string) $request->decidedBy;
		$user = str_starts_with( $by, 'user:' ) ? (int) substr( $by, 5 ) : 0;
		return array(
			'decided_by'      => $user,
			'decision'        => $request->status,
			'decision_reason' => $this->call_log->text( (string) $request->reason, 2000 ),
			'fingerprint'     => $this->call_log->text( (string) $request->decidedFingerprint, 64 ),
		) + $this->change( $row, $request, $user );
	}

	/**
	 * The columns for arguments that were approved in place of those of the call.
	 *
	 * @param array<string, string|null> $row     The call's row in the log.
	 * @param ApprovalRequest            $request The request, which was decided.
	 * @param int                        $user    Who decided.
	 * @return array<string, int|string|null>
	 */
	private function change( array $row, ApprovalRequest $request, int $user ): array {
		$approved = 'approved' === $request->status
			? $this->proposed_arguments->approved(
				(string) $request->id,
				(string) $request->decidedFingerprint
			)
			: null;
		// A call that goes on in several steps has them in its row already.
		return null === $approved || null !== $row['changed_at'] ? array() : array(
			'arguments_before' => $row['arguments'],
			'arguments'        => $approved,
			'changed_by'       => $user,
			'changed_at'       => gmdate(
				'Y-m-d H:i:s',
				(int) strtotime( (string) $request->decidedAt )
			),
		);
	}

	/**
	 * The columns for a step that could not be taken. A call that waits for it still does, and is
	 * tried again; a call that has not begun may be sent again.
	 *
	 * @param string    $run_id The run's id.
	 * @param Throwable $thrown    Why.
	 * @return array<string, string>
	 */
	public function of_thrown( string $run_id, Throwable $thrown ): array {
		try {
			$run = $this->engines->get()->executor->run( $run_id );
		} catch ( StoreException $unreadable ) {
			$run = null;
		}
		$stands  = null === $run ? array() : $this->of( $run );
		$columns = array(
			'error_code' => 'not_run',
			'error'      => $this->call_log->text(
				$thrown::class . ': ' . $thrown->getMessage(),
				1000
			),
		);
		if ( ! $stands ) {
			return array(
				'state'       => 'failed',
				'finished_at' => gmdate( 'Y-m-d H:i:s' ),
			) + $columns;
		}
		return $this->is_open( $stands['state'] ) ? $columns + $stands : $stands;
	}

	/**
	 * The columns for a call whose request ended before its tool ran. It may be sent again.
	 *
	 * @param string $why Why the request ended; may be empty.
	 * @return array<string, string>
	 */
	public function of_none( string $why = '' ): array {
		return array(
			'state'       => 'failed',
			'error_code'  => 'not_run',
			'error'       => $this->call_log->text(
				'' === $why ? __( 'The request ended before the tool ran.', 'toolwire' ) : $why,
				1000
			),
			'finished_at' => gmdate( 'Y-m-d H:i:s' ),
		);
	}

	/**
	 * The column of the arguments.
	 *
	 * @param mixed    $summary What the extension tells of them.
	 * @param ToolCall $call    The call.
	 * @return array<string, string>
	 */
	public function arguments( $summary, ToolCall $call ): array {
		$with_objects = $this->json_text->with_objects( $summary, $call->argumentsObject() );
		return array( 'arguments' => $this->call_log->json( $with_objects ) );
	}

	/**
	 * The columns for a call whose user no longer exists.
	 *
	 * @return array<string, string|null>
	 */
	public function of_gone_user(): array {
		return array(
			'state'      => 'denied',
			'error_code' => 'user_gone',
			'error'      => __(
				'The user who made the call is gone. Nothing has run.',
				'toolwire'
			),
			'result'     => null,
		);
	}

	/**
	 * The columns for a call that waited so long that the store has dropped it.
	 *
	 * @param string $run_id The run's id.
	 * @return array<string, string>
	 */
	public function of_lost( string $run_id ): array {
		$row    = $this->call_log->find( $run_id );
		$status = $this->engines->get()->approvals->status(
			(string) ( $row['approval_id'] ?? '' )
		);
		$ends   = array(
			'expired' => array(
				'expired',
				'approval_timeout',
				__( 'Nobody decided in time.', 'toolwire' ),
			),
			'denied'  => array(
				'denied',
				'approval_denied',
				__( 'Somebody denied the call.', 'toolwire' ),
			),
		);
		$end    = $ends[ $status ] ?? array(
			'failed',
			'not_run',
			__( 'The call waited so long that it was not kept. It has not run.', 'toolwire' ),
		);
		return array_combine(
			array( 'state', 'error_code', 'error' ),
			$end
		) + array( 'finished_at' => gmdate( 'Y-m-d H:i:s' ) );
	}

	/**
	 * The columns for a step; none for a call that runs in another request.
	 *
	 * @param Execution $execution What became of the run.
	 * @return array<string, mixed>
	 */
	public function of( Execution $execution ): array {
		if ( 'running' === $execution->state ) {
			return array();
		}
		$columns = array(
			'state'      => $execution->state,
			// The call may have been taken for interrupted, or not tried before.
			'error_code' => '',
			'error'      => null,
		);
		foreach ( $execution->events as $event ) {
			if ( isset( $event['data']['duration_ms'] ) ) {
				$columns['duration_ms'] = (string) $event['data']['duration_ms'];
			}
		}
		if ( null !== $execution->approvalId ) {
			$columns['approval_id'] = $execution->approvalId;
		}
		if ( $this->is_open( $columns['state'] ) ) {
			return $columns;
		}
		$columns['finished_at'] = gmdate( 'Y-m-d H:i:s' );
		if ( 'interrupted' === $execution->state ) {
			return array(
				'error_code' => 'interrupted',
				'error'      => __( 'The request ended while the tool ran.', 'toolwire' ),
			) + $columns;
		}
		if ( null !== $execution->error ) {
			return $this->failure( $execution->error ) + $columns;
		}
		return $this->output( $execution ) + $columns;
	}

	/**
	 * Whether a call in a state waits for a person or for the next step.
	 *
	 * @param string $state The state.
	 */
	public function is_open( string $state ): bool {
		return Call_States::waits( $state );
	}

	/**
	 * The columns for an output.
	 *
	 * @param Execution $execution What became of the run.
	 * @return array<string, mixed>
	 */
	private function output( Execution $execution ): array {
		$output = $execution->output;
		if ( null === $output ) {
			return array(); // The request that ran the call did not live to record it.
		}
		$data    = $output->data;
		$tool    = $this->engines->get()->tools->get( (string) $execution->tool );
		$is_told = is_array( $data ) && isset( $data['wp_error'] );
		$keeps   = $tool?->logs_result || $is_told;
		$columns = array( 'result' => $keeps ? $this->call_log->json( $data ) : null );
		if ( ! $output->success ) {
			$columns['state']      = 'failed';
			$columns['error_code'] = 'tool_error';
			$columns['error']      = $this->call_log->text( (string) $output->error, 1000 );
		} elseif ( $output->undoMetadata ) {
			$columns['undo_until'] = gmdate(
				'Y-m-d H:i:s',
				time() + (int) $this->engines->get()->undo_seconds()
			);
		}
		return $columns;
	}

	/**
	 * The columns for a failure.
	 *
	 * @param ToolException $error Why there is no output.
	 * @return array<string, mixed>
	 */
	private function failure( ToolException $error ): array {
		$columns = array(
			'error_code' => $error->getKind(),
			'error'      => $this->call_log->text( $error->getMessage(), 1000 ),
		);
		$details = array_intersect_key(
			$error->toArray(),
			array_fill_keys( array( 'problems', 'retry_after', 'reason' ), true )
		);
		$refusal = $this->engines->get()->tools->get( $error->getTool() )?->refusal();
		if ( $refusal && 'permission_denied' === $error->getKind() ) {
			$details['wp_error'] = $refusal;
		}
		if ( $details ) {
			$columns['result'] = $this->call_log->json( $details );
		}
		return $columns;
	}
}
