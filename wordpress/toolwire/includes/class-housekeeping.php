<?php
/**
 * The daily work.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\WordPress\Assistant\Continuing;
use Toolwire\WordPress\Assistant\Forgetting;

/**
 * Ends what waited too long and removes what is too old.
 */
final class Housekeeping {

	/**
	 * How many old calls a run removes. What is left is removed a minute later.
	 */
	const PIECE = 5000;

	/**
	 * Takes its parts.
	 *
	 * @param Settings      $settings      The settings.
	 * @param Engines       $engines       The engine of each site.
	 * @param Remains       $remains       What the store keeps of calls.
	 * @param Runs          $runs          Runs calls.
	 * @param Deleted_Users $deleted_users Who was deleted.
	 * @param Continuing    $continuing    Goes on with conversations.
	 * @param Forgetting    $forgetting    Removes old conversations.
	 */
	public function __construct(
		private Settings $settings,
		private Engines $engines,
		private Remains $remains,
		private Runs $runs,
		private Deleted_Users $deleted_users,
		private Continuing $continuing,
		private Forgetting $forgetting,
	) {
	}

	/**
	 * Answers the daily event.
	 */
	public function run(): void {
		$store = $this->engines->get()->store;
		$this->runs->look();
		$this->runs->resume_left();
		$this->runs->resume_decided();
		$this->continuing->sweep();
		$this->prune();
		$this->remains->sweep();
		$this->deleted_users->prune();
		$store->purge( '', $store->now() );
	}

	/**
	 * Removes some of the old calls and conversations, and leaves an event for the others.
	 */
	public function prune(): void {
		$days  = (int) $this->settings->get( 'retention_days' );
		$calls = $this->remains->prune( $days, self::PIECE );
		$talks = $this->forgetting->prune();
		if ( self::PIECE <= $calls || Forgetting::MOST <= $talks ) {
			wp_schedule_single_event( time() + MINUTE_IN_SECONDS, 'toolwire_prune' );
		}
	}
}
