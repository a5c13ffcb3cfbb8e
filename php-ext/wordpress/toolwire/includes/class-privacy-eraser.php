<?php
/**
 * Removes what the plugin knows of a person, for WordPress' tool "Erase Personal Data".
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Cancels the calls of a person that wait, removes the person's calls with all that the store keeps of them, and takes
 * the person's name and words out of decisions on others' calls, whose records stay.
 */
final class Privacy_Eraser {

	/**
	 * How many calls are removed at once.
	 */
	const PER_PAGE = 50;

	/**
	 * Answers a page of an erasure. Each page takes the first of what is left.
	 *
	 * @param string $email The person's address.
	 * @return array{items_removed: bool, items_retained: bool, messages: list<string>, done: bool}
	 */
	public static function erase( $email ): array {
		$user = get_user_by( 'email', (string) $email );
		if ( ! $user ) {
			return self::answer( 0, 0, true );
		}
		Schema::ensure();
		$removed = 0;
		$calls   = self::calls_of( $user->ID );
		foreach ( $calls as $row ) {
			self::erase_call( $row );
			++$removed;
		}
		$decisions = self::decided_by( $user->ID );
		foreach ( $decisions as $row ) {
			self::erase_decision( $row, $user->ID );
			++$removed;
		}
		$done = count( $calls ) < self::PER_PAGE && count( $decisions ) < self::PER_PAGE;
		if ( $done ) {
			$removed += self::erase_counters( $user->ID );
		}
		return self::answer( $removed, $done ? self::running( $user->ID ) : 0, $done );
	}

	/**
	 * Removes a call: from the log and from the store. Its id stays taken, so that it never runs a second time.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 */
	private static function erase_call( array $row ): void {
		global $wpdb;
		$engine = Engine::get();
		$id     = (string) $row['action_id'];
		if ( 'pending' === $row['state'] ) {
			// Whoever listens hears of the end of the request.
			$engine->approvals->cancel( (string) $row['approval_id'] );
			Runner::resume( $id );
		}
		Remains::forget( $id, (string) $row['approval_id'] );
		( new Claims( $engine->store ) )->blank( $id );
		$wpdb->delete( Schema::calls_table(), array( 'action_id' => $id ) ); // phpcs:ignore WordPress.DB -- the plugin's own table.
	}

	/**
	 * Takes a person out of the record of a call that somebody else made.
	 *
	 * @param array<string, string|null> $row  The call's row in the log.
	 * @param int                        $user The person's id.
	 */
	private static function erase_decision( array $row, int $user ): void {
		$columns = array();
		if ( $user === (int) $row['decided_by'] ) {
			$columns = array(
				'decided_by'      => 0,
				'decision_reason' => null,
			);
			Engine::get()->approvals->forget( (string) $row['approval_id'] );
		}
		if ( $user === (int) $row['undone_by'] ) {
			$columns['undone_by'] = 0;
		}
		Call_Log::change( (string) $row['action_id'], $columns );
	}

	/**
	 * Removes the counters of rate limits, whose names hold the person's id; how many.
	 *
	 * @param int $user The person's id.
	 */
	private static function erase_counters( int $user ): int {
		$store   = Engine::get()->store;
		$removed = 0;
		$after   = null;
		do {
			$some  = $store->scan( 'limit/', $after, 500, Claims::now() );
			$count = count( $some );
			foreach ( $some as $entry ) {
				$after = $entry['key'];
				if ( str_ends_with( $after, "/user:$user" ) && $store->delete( $after, null, Claims::now() ) ) {
					++$removed;
				}
			}
		} while ( 500 === $count );
		return $removed;
	}

	/**
	 * The first of a person's calls, without those that run now.
	 *
	 * @param int $user The person's id.
	 * @return list<array<string, string|null>>
	 */
	private static function calls_of( int $user ): array {
		global $wpdb;
		$table = Schema::calls_table();
		// phpcs:ignore WordPress.DB -- the table's name is the plugin's own.
		return (array) $wpdb->get_results( $wpdb->prepare( "SELECT * FROM `$table` WHERE user_id = %d AND state <> 'running' ORDER BY id LIMIT %d", $user, self::PER_PAGE ), ARRAY_A );
	}

	/**
	 * The first of others' calls that a person decided or undid.
	 *
	 * @param int $user The person's id.
	 * @return list<array<string, string|null>>
	 */
	private static function decided_by( int $user ): array {
		global $wpdb;
		$table = Schema::calls_table();
		// phpcs:ignore WordPress.DB -- the table's name is the plugin's own.
		return (array) $wpdb->get_results( $wpdb->prepare( "SELECT * FROM `$table` WHERE (decided_by = %d OR undone_by = %d) AND state <> 'running' ORDER BY id LIMIT %d", $user, $user, self::PER_PAGE ), ARRAY_A );
	}

	/**
	 * How many calls with a person's data run now.
	 *
	 * @param int $user The person's id.
	 */
	private static function running( int $user ): int {
		global $wpdb;
		$table = Schema::calls_table();
		// phpcs:ignore WordPress.DB -- the table's name is the plugin's own.
		return (int) $wpdb->get_var( $wpdb->prepare( "SELECT COUNT(*) FROM `$table` WHERE state = 'running' AND %d IN (user_id, decided_by, undone_by)", $user ) );
	}

	/**
	 * The answer as WordPress takes it.
	 *
	 * @param int  $removed  How many things were removed.
	 * @param int  $retained How many calls were kept.
	 * @param bool $done     Whether nothing is left to do.
	 * @return array{items_removed: bool, items_retained: bool, messages: list<string>, done: bool}
	 */
	private static function answer( int $removed, int $retained, bool $done ): array {
		/* translators: %s: a number. */
		$words = _n( '%s tool call runs now. Erase once more when it has ended.', '%s tool calls run now. Erase once more when they have ended.', $retained, 'toolwire' );
		return array(
			'items_removed'  => $removed > 0,
			'items_retained' => $retained > 0,
			'messages'       => $retained > 0 ? array( sprintf( $words, number_format_i18n( $retained ) ) ) : array(),
			'done'           => $done,
		);
	}
}
