<?php
/**
 * The runs of calls on a host that only reads.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Reading;

use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Host;
use Toolwire\WordPress\Runs;
use WP_Error;

/**
 * Keeps the rows of calls true. Nothing waits, is undone or runs again here; what waits since the
 * extension was there goes on waiting.
 */
final class Read_Only_Runs implements Runs {

	/**
	 * After how many seconds a call that runs counts as interrupted, where PHP has no limit.
	 */
	const SECONDS = 3600;

	/**
	 * Takes its parts.
	 *
	 * @param Call_Log $call_log The log.
	 */
	public function __construct( private Call_Log $call_log ) {
	}

	/**
	 * Records the calls whose requests were killed: no request lives that long.
	 */
	public function look(): void {
		$limit   = (int) ini_get( 'max_execution_time' );
		$seconds = max( MINUTE_IN_SECONDS, $limit > 0 ? 2 * $limit : self::SECONDS );
		foreach ( $this->call_log->in_state( 'running' ) as $action_id ) {
			$row = $this->call_log->find( $action_id );
			if ( null !== $row && $this->call_log->is_old( $row, $seconds ) ) {
				$columns = array(
					'state'       => 'interrupted',
					'error_code'  => 'interrupted',
					'error'       => __( 'The process ended while the tool ran.', 'toolwire' ),
					'finished_at' => gmdate( 'Y-m-d H:i:s' ),
				);
				$this->call_log->change( $action_id, $columns, array( 'running' ) );
			}
		}
	}

	/**
	 * The row of a call as it is.
	 *
	 * @param string $action_id The action's id.
	 */
	public function resume( string $action_id ): ?array {
		return $this->call_log->find( $action_id );
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
	 * @param string $action_id The action's id.
	 */
	public function retry( string $action_id ) {
		return $this->refusal();
	}

	/**
	 * Says that nothing is changed here.
	 */
	private function refusal(): WP_Error {
		return Host::refusal();
	}
}
