<?php
/**
 * Arguments that a person is about to approve in place of those of a call.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Keeps what the log will say of changed arguments, from before the decision until the call has
 * ended. The decision names the fingerprint of what was approved, so whichever request goes on with
 * the call finds the right ones, also when the request of the decision did not live to record it.
 */
final class Proposed_Arguments {

	const PREFIX = 'wordpress/changed/';

	/**
	 * Takes its parts.
	 *
	 * @param Engines $engines The engine of each site.
	 */
	public function __construct(
		private Engines $engines,
	) {
	}

	/**
	 * Keeps arguments as the log will have them.
	 *
	 * @param string $approval    The id of the request for approval.
	 * @param string $fingerprint The fingerprint of the call with them.
	 * @param string $arguments   JSON text, without secrets.
	 */
	public function keep( string $approval, string $fingerprint, string $arguments ): void {
		$store = $this->engines->get()->store;
		$now   = $store->now();
		$store->put(
			self::PREFIX . "$approval/$fingerprint",
			$arguments,
			null,
			$now + MONTH_IN_SECONDS * 1000000,
			$now
		);
	}

	/**
	 * The changed arguments that a decision approved; null when it approved those of the call.
	 *
	 * @param string $approval    The id of the request for approval.
	 * @param string $fingerprint The fingerprint of the decision.
	 */
	public function approved( string $approval, string $fingerprint ): ?string {
		$store = $this->engines->get()->store;
		$entry = $store->get( self::PREFIX . "$approval/$fingerprint", $store->now() );
		return $entry['value'] ?? null;
	}

	/**
	 * Forgets all that was proposed for a request.
	 *
	 * @param string $approval The id of the request for approval.
	 */
	public function forget( string $approval ): void {
		$store = $this->engines->get()->store;
		$now   = $store->now();
		do {
			$some  = $store->scan( self::PREFIX . "$approval/", null, 100, $now );
			$count = count( $some );
			foreach ( $some as $entry ) {
				$store->delete( $entry['key'], null, $now );
			}
		} while ( 100 === $count );
	}
}
