<?php
/**
 * The daily work.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Ends what waited too long and removes what is too old.
 */
final class Housekeeping {

	/**
	 * Takes its parts.
	 *
	 * @param Settings      $settings      The settings.
	 * @param Engines       $engines       The engine of each site.
	 * @param Crash_Guard   $crash_guard   Watches calls that run.
	 * @param Remains       $remains       What the store keeps of calls.
	 * @param Runner        $runner        Runs calls.
	 * @param Deleted_Users $deleted_users Who was deleted.
	 */
	public function __construct(
		private Settings $settings,
		private Engines $engines,
		private Crash_Guard $crash_guard,
		private Remains $remains,
		private Runner $runner,
		private Deleted_Users $deleted_users,
	) {
	}

	/**
	 * Answers the daily event.
	 */
	public function run(): void {
		$store = $this->engines->get()->store;
		$this->crash_guard->reap();
		$this->runner->resume_decided();
		$this->remains->prune( (int) $this->settings->get( 'retention_days' ) );
		$this->remains->sweep();
		$this->deleted_users->prune();
		$store->purge( '', $store->now() );
	}
}
