<?php
/**
 * The states of calls.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Says what the state of a call means, in one place. Call_Log::STATES lists all.
 */
final class Call_States {

	/**
	 * A person decides on the call, or has decided and nothing has gone on with it.
	 */
	const WAITING = array( 'waiting', 'approved' );

	/**
	 * The call may still run, or run once more.
	 */
	const OPEN = array( 'running', 'interrupted', ...self::WAITING );

	/**
	 * Whether a call waits for a person, or to go on after one.
	 *
	 * @param ?string $state The state.
	 */
	public static function waits( ?string $state ): bool {
		return in_array( $state, self::WAITING, true );
	}

	/**
	 * Whether a call may still run.
	 *
	 * @param ?string $state The state.
	 */
	public static function is_open( ?string $state ): bool {
		return in_array( $state, self::OPEN, true );
	}
}
