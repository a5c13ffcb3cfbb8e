<?php
/**
 * The tokens of a month.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Settings;

/**
 * Counts the tokens of all conversations of a site, month by month in UTC, and says when a month
 * has had as many as the settings allow.
 */
final class Token_Budget {

	/**
	 * Where the counts are.
	 */
	private const PREFIX = 'wordpress/tokens/';

	/**
	 * How often a count is tried that others change at the same moment.
	 */
	const TRIES = 20;

	/**
	 * Takes its parts.
	 *
	 * @param Engines  $engines  The engine of each site.
	 * @param Settings $settings The settings.
	 */
	public function __construct(
		private Engines $engines,
		private Settings $settings,
	) {
	}

	/**
	 * Whether the tokens of this month are spent.
	 */
	public function is_spent(): bool {
		$most = (int) $this->settings->get( 'tokens_per_month' );
		return $most > 0 && $this->count() >= $most;
	}

	/**
	 * The seconds until the next month.
	 */
	public function seconds_left(): int {
		return max( 1, (int) strtotime( gmdate( 'Y-m-01 00:00:00' ) . ' UTC +1 month' ) - time() );
	}

	/**
	 * Adds tokens to those of this month.
	 *
	 * @param int $tokens How many.
	 */
	public function add( int $tokens ): void {
		$store = $this->engines->get()->store;
		for ( $try = 1; $tokens > 0 && $try <= self::TRIES; $try++ ) {
			$now   = $store->now();
			$entry = $store->get( $this->key(), $now );
			$sum   = (int) ( $entry['value'] ?? 0 ) + $tokens;
			$until = $now + 40 * DAY_IN_SECONDS * 1000000;
			$known = $entry['version'] ?? 0;
			if ( null !== $store->put( $this->key(), (string) $sum, $known, $until, $now ) ) {
				return;
			}
		}
	}

	/**
	 * How many this month has had.
	 */
	public function count(): int {
		$store = $this->engines->get()->store;
		return (int) ( $store->get( $this->key(), $store->now() )['value'] ?? 0 );
	}

	/**
	 * The key of this month.
	 */
	private function key(): string {
		return self::PREFIX . gmdate( 'Y-m' );
	}
}
