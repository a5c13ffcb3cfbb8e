<?php
/**
 * The runs of calls on a host that only reads.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Reading;

use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Host;
use Toolwire\WordPress\Left_Calls;
use Toolwire\WordPress\Runs;

/**
 * Keeps the rows of calls true. Nothing waits, is undone or runs again here; what waits since the
 * extension was there goes on waiting.
 */
final class Read_Only_Runs implements Runs {

	/**
	 * After how many seconds a call that runs counts as interrupted. The time limit of PHP says
	 * little of it: steps set their own, and on Linux what a tool waits for does not count.
	 */
	const SECONDS = HOUR_IN_SECONDS;

	/**
	 * Takes its parts.
	 *
	 * @param Call_Log   $call_log   The log.
	 * @param Left_Calls $left_calls Records calls that are interrupted.
	 */
	public function __construct( private Call_Log $call_log, private Left_Calls $left_calls ) {
	}

	/**
	 * Records the calls whose requests were killed: no request lives that long.
	 */
	public function look(): void {
		foreach ( $this->call_log->in_state( 'running' ) as $run_id ) {
			$row = $this->call_log->find( $run_id );
			if ( null !== $row && $this->call_log->is_old( $row, self::SECONDS ) ) {
				$this->left_calls->interrupt(
					$run_id,
					__( 'The process ended while the tool ran.', 'toolwire' )
				);
			}
		}
	}

	/**
	 * The row of a call as it is.
	 *
	 * @param string $run_id The run's id.
	 */
	public function resume( string $run_id ): ?array {
		return $this->call_log->find( $run_id );
	}

	/**
	 * Nothing is left: a call runs in the request that records it.
	 */
	public function resume_left(): void {
	}

	/**
	 * Nobody decides here.
	 *
	 * @param int $most Of how many.
	 */
	public function resume_decided( int $most = PHP_INT_MAX ): void {
	}

	/**
	 * Refuses.
	 *
	 * @param string $run_id The run's id.
	 */
	public function retry( string $run_id ) {
		return Host::refusal();
	}
}
