<?php
/**
 * Calls that are undone.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Tools\Exception\ToolUndoFailed;
use WP_Error;

/**
 * Undoes a call that has completed, once, and records who did.
 */
final class Undoing {

	/**
	 * Takes its parts.
	 *
	 * @param Engines  $engines  The engine of each site.
	 * @param Call_Log $call_log The log.
	 * @param Silence  $silence  Keeps what tools print apart.
	 */
	public function __construct(
		private Engines $engines,
		private Call_Log $call_log,
		private Silence $silence,
	) {
	}

	/**
	 * Undoes a call, as the current user.
	 *
	 * @param string $run_id The run's id.
	 * @return true|WP_Error
	 */
	public function undo( string $run_id ) {
		if ( Host::only_reads() ) {
			return Host::refusal();
		}
		$row = $this->call_log->find( $run_id );
		if ( null === $row || 'completed' !== $row['state'] ) {
			return $this->nothing();
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
				$run_id,
				static fn (): bool => $engine->executor->undo( $run_id )
			);
		} catch ( ToolUndoFailed $failed ) {
			return $this->failure( $failed );
		}
		if ( ! $undone ) {
			return $this->nothing();
		}
		$columns = array(
			'state'     => 'undone',
			'undone_by' => get_current_user_id(),
		);
		$this->call_log->change( $run_id, $columns, array( 'completed' ) );
		return true;
	}

	/**
	 * The refusal of a call that cannot be undone, or not any more.
	 */
	private function nothing(): WP_Error {
		return new WP_Error(
			'toolwire_nothing_to_undo',
			__(
				'There is nothing to undo: the call was undone, cannot be, or is too old.',
				'toolwire'
			),
			array( 'status' => 409 )
		);
	}

	/**
	 * Why a tool could not undo: a WP_Error of the tool says so in its own words.
	 *
	 * @param ToolUndoFailed $failed What the extension says.
	 */
	private function failure( ToolUndoFailed $failed ): WP_Error {
		$why     = $failed->getPrevious();
		$message = $why instanceof Refused
			? $why->getMessage()
			: __( 'The tool could not undo it.', 'toolwire' );
		$told    = $why instanceof Refused ? array( 'wp_error' => $why->told ) : array();
		return new WP_Error( 'toolwire_undo_failed', $message, array( 'status' => 409 ) + $told );
	}
}
