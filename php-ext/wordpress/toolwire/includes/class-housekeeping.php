<?php
/**
 * What is done once a day.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Ends what waited too long and removes what is too old.
 */
final class Housekeeping {

	/**
	 * Answers the daily event.
	 */
	public static function run(): void {
		$store = Engine::get()->store;
		Crash_Guard::reap();
		Runner::settle();
		Call_Log::prune( (int) Settings::get( 'retention_days' ) );
		Remains::sweep();
		$store->purge( '', Claims::now() );
	}
}
