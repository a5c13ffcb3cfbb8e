<?php
/**
 * What keeps a person from approving a call right now.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Throwable;
use WP_Error;

/**
 * Asks tools whether something holds a call up, such as a person who has the post open in the
 * editor. Such a call is not approved, and goes on waiting. It is no part of the fingerprint: it
 * comes and goes, and changes nothing about what the call does.
 */
final class Hold {

	/**
	 * Takes its parts.
	 *
	 * @param Engines     $engines     The engine of each site.
	 * @param Acting_User $acting_user Who acts.
	 * @param Silence     $silence     Keeps what tools print apart.
	 */
	public function __construct(
		private Engines $engines,
		private Acting_User $acting_user,
		private Silence $silence,
	) {
	}

	/**
	 * Why a call must not be approved now; null when nothing holds it up.
	 *
	 * @param array<string, string|null> $call      The call's row in the log.
	 * @param array<mixed>               $arguments What the call would run with.
	 */
	public function of( array $call, array $arguments ): ?WP_Error {
		$tool = $this->engines->get()->tools->get( (string) $call['tool'] );
		$ask  = static fn (): ?WP_Error => $tool?->hold( $arguments );
		try {
			$hold = $this->acting_user->during(
				(int) $call['user_id'],
				fn (): ?WP_Error => $this->silence->during( (string) $call['action_id'], $ask )
			);
		} catch ( Throwable $thrown ) {
			Report::failure( "could not ask what holds up a call of {$call['tool']}", $thrown );
			$hold = new WP_Error(
				'toolwire_hold_failed',
				__( 'The tool could not say whether the call may run now.', 'toolwire' )
			);
		}
		return null === $hold ? null : new WP_Error(
			$hold->get_error_code(),
			$hold->get_error_message(),
			array(
				'status' => 409,
				'hold'   => true,
			)
		);
	}
}
