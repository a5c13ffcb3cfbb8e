<?php
/**
 * Conversations that go on without a page.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Settings;

/**
 * Has events of WordPress go on with conversations: after a person has decided on a call, and after
 * a page was closed before the assistant had answered.
 */
final class Continuing {

	/**
	 * The event, whose argument is the id of a conversation.
	 */
	const HOOK = 'toolwire_continue';

	/**
	 * After how many seconds without a step a conversation is gone on with.
	 */
	const PATIENCE = 60;

	/**
	 * After how many seconds a conversation is looked at again that another process has.
	 */
	const SOON = 10;

	/**
	 * How many conversations the daily work goes on with.
	 */
	const MOST = 50;

	/**
	 * Takes its parts.
	 *
	 * @param Settings           $settings The settings.
	 * @param Conversation_Table $table    The conversations.
	 * @param Steps              $steps    Takes steps.
	 * @param Call_Log           $call_log The log.
	 */
	public function __construct(
		private Settings $settings,
		private Conversation_Table $table,
		private Steps $steps,
		private Call_Log $call_log,
	) {
	}

	/**
	 * Leaves an event that goes on with a conversation, should no page do so.
	 *
	 * @param string $uuid    The conversation.
	 * @param int    $seconds After how many seconds.
	 */
	public function leave( string $uuid, int $seconds = self::PATIENCE ): void {
		if ( ! wp_next_scheduled( self::HOOK, array( $uuid ) ) ) {
			wp_schedule_single_event( time() + $seconds, self::HOOK, array( $uuid ) );
		}
	}

	/**
	 * Has the conversation of a call go on at once, whose call has ended in another request.
	 *
	 * @param string $run_id The call.
	 */
	public function after_call( string $run_id ): void {
		$uuid = (string) ( $this->call_log->find( $run_id )['conversation'] ?? '' );
		$row  = '' === $uuid ? null : $this->table->find( $uuid );
		if ( null === $row || ! in_array( $row['state'], array( 'thinking', 'waiting' ), true ) ) {
			return;
		}
		// Also while a process goes on with it: it may have seen the call undecided.
		wp_clear_scheduled_hook( self::HOOK, array( $uuid ) );
		wp_schedule_single_event( time(), self::HOOK, array( $uuid ) );
		if ( ! defined( 'DISABLE_WP_CRON' ) || ! DISABLE_WP_CRON ) {
			spawn_cron();
		}
	}

	/**
	 * Answers the event.
	 *
	 * @param mixed $uuid The conversation.
	 */
	public function go_on( $uuid ): void {
		$row = is_string( $uuid ) ? $this->table->find( $uuid ) : null;
		if ( null === $row || ! in_array( $row['state'], array( 'thinking', 'waiting' ), true ) ) {
			return;
		}
		// WordPress has removed the event already, and this process may be killed. This one has a
		// name of its own: what after_call() leaves meanwhile is still needed.
		$after_death = array( $uuid, 'killed' );
		$patience    = $this->steps->claimed_seconds() + self::SOON;
		wp_schedule_single_event( time() + $patience, self::HOOK, $after_death );
		$taken = $this->steps->take_as_its_user( $row );
		wp_clear_scheduled_hook( self::HOOK, $after_death );
		if ( is_wp_error( $taken ) ) {
			// Another process goes on with it, perhaps without what this event is about.
			wp_schedule_single_event( time() + self::SOON, self::HOOK, array( $uuid, 'busy' ) );
			return;
		}
		$state = $this->table->find( $uuid )['state'] ?? '';
		$later = array( $uuid, $state );
		if ( 'thinking' === $state && ! wp_next_scheduled( self::HOOK, $later ) ) {
			wp_schedule_single_event( time() + 1, self::HOOK, $later );
		} elseif ( 'waiting' === $state && ! wp_next_scheduled( self::HOOK, $later ) ) {
			// By then somebody has decided, or nobody can any more.
			$hours = (int) $this->settings->get( 'approval_hours' );
			$time  = time() + $hours * HOUR_IN_SECONDS + self::PATIENCE;
			wp_schedule_single_event( $time, self::HOOK, $later );
		}
	}

	/**
	 * Goes on with conversations that nobody goes on with: an event was lost, or a call has
	 * expired.
	 */
	public function sweep(): void {
		foreach ( $this->table->left( self::PATIENCE, self::MOST ) as $row ) {
			$this->steps->take_as_its_user( $row );
		}
	}
}
