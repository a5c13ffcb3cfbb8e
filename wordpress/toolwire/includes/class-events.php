<?php
/**
 * The events of calls, for other plugins.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Turns the extension's events into actions of WordPress. Parts of the plugin hear them first,
 * whatever other code does with the actions.
 */
final class Events {

	/**
	 * The names that fields had, which code of others may still read, and those that they have.
	 */
	const EARLIER_NAMES = array(
		'action_id'                 => 'run_id',
		'original_action_timestamp' => 'ran_at',
	);

	/**
	 * What parts of the plugin do at an event, by its type.
	 *
	 * @var array<string, list<callable>>
	 */
	private array $listeners = array();

	/**
	 * Has a part of the plugin hear an event.
	 *
	 * @param string   $type     The event's type.
	 * @param callable $listener What gets its data.
	 */
	public function listen( string $type, callable $listener ): void {
		$this->listeners[ $type ][] = $listener;
	}

	/**
	 * Turns an event into an action: `tool.completed` becomes `toolwire_tool_completed`.
	 *
	 * @param string               $type The event's type.
	 * @param array<string, mixed> $data What it tells, without secrets.
	 */
	public function tell( string $type, array $data ): void {
		foreach ( $this->listeners[ $type ] ?? array() as $listener ) {
			$listener( $data );
		}
		foreach ( self::EARLIER_NAMES as $earlier => $name ) {
			if ( isset( $data[ $name ] ) ) {
				$data[ $earlier ] = $data[ $name ];
			}
		}
		/**
		 * Fires when the state of a call changes: `toolwire_tool_invoked`, `_started`,
		 * `_completed`, `_failed`, `_denied`, `_interrupted`, `_undone`, `_undo_failed`,
		 * `_undo_store_failed`, `toolwire_approval_requested`, `_decided`.
		 *
		 * @param array<string, mixed> $data What the event tells; `run_id` and `tool_name` are
		 *                                   always there. Beside them stand the names that
		 *                                   fields had, which go with the next version.
		 */
		// phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals -- it begins with the prefix.
		do_action( 'toolwire_' . str_replace( '.', '_', $type ), $data );
	}
}
