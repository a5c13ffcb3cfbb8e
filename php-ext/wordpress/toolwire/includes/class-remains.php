<?php
/**
 * What the store keeps of calls.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Tools\UndoStore;

/**
 * Forgets it: the arguments once a call has ended, everything once the call leaves the log.
 */
final class Remains {

	/**
	 * How many entries are looked at, at once.
	 */
	const PAGE = 500;

	/**
	 * Forgets what a call that has ended was asked with. The log alone keeps that, masked.
	 *
	 * @param string $action_id   The action's id.
	 * @param string $approval_id The id of its request for approval; may be empty.
	 */
	public static function forget_arguments( string $action_id, string $approval_id ): void {
		$engine = Engine::get();
		$engine->store->delete( "execution/$action_id", null, Claims::now() );
		if ( '' !== $approval_id ) {
			$engine->approvals->forget( $approval_id );
		}
	}

	/**
	 * Forgets a call but that its id was taken.
	 *
	 * @param string $action_id   The action's id.
	 * @param string $approval_id The id of its request for approval; may be empty.
	 */
	public static function forget( string $action_id, string $approval_id ): void {
		$store = Engine::get()->store;
		self::forget_arguments( $action_id, $approval_id );
		( new UndoStore( $store, Engine::undo_seconds() ) )->delete( $action_id );
	}

	/**
	 * Forgets the requests for approval of calls that have ended or are not in the log. Versions of the plugin before
	 * this one left them.
	 */
	public static function sweep(): void {
		$engine = Engine::get();
		$after  = null;
		do {
			$some  = $engine->store->scan( 'approval/request/', $after, self::PAGE, Claims::now() );
			$count = count( $some );
			foreach ( $some as $entry ) {
				$after   = $entry['key'];
				$id      = substr( $after, strlen( 'approval/request/' ) );
				$request = $engine->approvals->get( $id );
				$row     = null === $request ? null : Call_Log::find( $request->actionId ); // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
				if ( ! in_array( $row['state'] ?? '', array( 'pending', 'running' ), true ) ) {
					$engine->approvals->forget( $id );
				}
			}
		} while ( self::PAGE === $count );
	}
}
