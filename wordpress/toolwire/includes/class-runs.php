<?php
/**
 * The runs of calls, for screens, routes and the daily work.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use WP_Error;

/**
 * What becomes of calls that have begun.
 */
interface Runs {

	/**
	 * Brings the rows of calls that run in line with what became of them: the requests of some may
	 * have ended before they recorded anything.
	 */
	public function look(): void;

	/**
	 * Goes on with a call that waits, once somebody has decided. Returns its row as it then is.
	 *
	 * @param string $run_id The run's id.
	 * @return array<string, string|null>|null
	 */
	public function resume( string $run_id ): ?array;

	/**
	 * Goes on with the calls whose requests ended before their tools ran.
	 */
	public function resume_left(): void;

	/**
	 * Goes on with the calls that were decided or expired but did not continue.
	 *
	 * @param int $most How many calls that wait are looked at, from the oldest.
	 */
	public function resume_decided( int $most = PHP_INT_MAX ): void;

	/**
	 * Runs an interrupted call once more. Returns its row as it then is.
	 *
	 * @param string $run_id The run's id.
	 * @return array<string, string|null>|WP_Error
	 */
	public function retry( string $run_id );
}
