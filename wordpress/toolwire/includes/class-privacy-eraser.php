<?php
/**
 * Removes what the plugin knows of a person, for WordPress' tool "Erase Personal Data".
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Erases the data of a person. Calls that wait are cancelled. The person's calls are removed from
 * the log and the store. Calls of others on which the person decided stay, without the person's
 * name and reasons. Arguments that the person changed stay: they say what was done for the other.
 */
final class Privacy_Eraser {

	/**
	 * How many calls are removed at once.
	 */
	const PER_PAGE = 50;

	/**
	 * Takes its parts.
	 *
	 * @param Schema        $schema        The tables.
	 * @param Engines       $engines       The engine of each site.
	 * @param Call_Log      $call_log      The log.
	 * @param Remains       $remains       What the store keeps of calls.
	 * @param Runs          $runs          Runs calls.
	 * @param Deleted_Users $deleted_users Who was deleted.
	 */
	public function __construct(
		private Schema $schema,
		private Engines $engines,
		private Call_Log $call_log,
		private Remains $remains,
		private Runs $runs,
		private Deleted_Users $deleted_users,
	) {
	}

	/**
	 * Answers a page of an erasure. Each page takes the first records that are left.
	 *
	 * @param string $email The person's address.
	 * @return array{items_removed: bool, items_retained: bool, messages: list<string>, done: bool}
	 */
	public function erase( $email ): array {
		$this->schema->ensure();
		$removed  = 0;
		$retained = 0;
		$done     = true;
		foreach ( $this->deleted_users->with_address( (string) $email ) as $user ) {
			$calls = $this->calls_of( $user );
			foreach ( $calls as $row ) {
				$this->erase_call( $row );
			}
			$decisions = $this->decided_by( $user );
			foreach ( $decisions as $row ) {
				$this->erase_decision( $row, $user );
			}
			$removed += count( $calls ) + count( $decisions );
			if ( max( count( $calls ), count( $decisions ) ) === self::PER_PAGE ) {
				$done = false;
				continue;
			}
			$removed  += $this->erase_counters( $user );
			$retained += $this->running( $user );
		}
		if ( $done ) {
			$this->deleted_users->prune();
		}
		return $this->answer( $removed, $done ? $retained : 0, $done );
	}

	/**
	 * Removes a call: from the log and from the store. Its id stays taken, so that it never runs a
	 * second time.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 */
	private function erase_call( array $row ): void {
		$engine = $this->engines->get();
		$id     = (string) $row['action_id'];
		if ( 'waiting' === $row['state'] && ! Host::only_reads() ) {
			// Listeners are told that the request has ended.
			$engine->approvals->cancel( (string) $row['approval_id'] );
			$this->runs->resume( $id );
		}
		$this->remains->forget( $id, (string) $row['approval_id'] );
		$engine->ids->block( $id );
		$this->call_log->delete( $id );
	}

	/**
	 * Takes a person out of the record of a call that somebody else made.
	 *
	 * @param array<string, string|null> $row  The call's row in the log.
	 * @param int                        $user The person's id.
	 */
	private function erase_decision( array $row, int $user ): void {
		$columns = array();
		if ( $user === (int) $row['decided_by'] ) {
			$columns = array(
				'decided_by'      => 0,
				'decision_reason' => null,
			);
			$this->remains->forget_decision( (string) $row['approval_id'] );
		}
		foreach ( array( 'changed_by', 'undone_by' ) as $column ) {
			if ( $user === (int) $row[ $column ] ) {
				$columns[ $column ] = 0;
			}
		}
		$this->call_log->change( (string) $row['action_id'], $columns );
	}

	/**
	 * Removes the counters of rate limits whose names hold the person's id, and returns their
	 * number.
	 *
	 * @param int $user The person's id.
	 */
	private function erase_counters( int $user ): int {
		$store   = $this->engines->get()->store;
		$removed = 0;
		$after   = null;
		do {
			$some  = $store->scan( 'limit/', $after, 500, $this->engines->get()->store->now() );
			$count = count( $some );
			foreach ( $some as $entry ) {
				$after = $entry['key'];
				if (
					str_ends_with( $after, "/user:$user" )
					&& $store->delete( $after, null, $this->engines->get()->store->now() )
				) {
					++$removed;
				}
			}
		} while ( 500 === $count );
		return $removed;
	}

	/**
	 * The first calls of a person, without those that run now.
	 *
	 * @param int $user The person's id.
	 * @return list<array<string, string|null>>
	 */
	private function calls_of( int $user ): array {
		return $this->schema->calls(
			"WHERE user_id = %d AND state <> 'running' ORDER BY id LIMIT %d",
			array( $user, self::PER_PAGE )
		);
	}

	/**
	 * The first calls of others that a person decided, changed or undid.
	 *
	 * @param int $user The person's id.
	 * @return list<array<string, string|null>>
	 */
	private function decided_by( int $user ): array {
		return $this->schema->calls(
			'WHERE %d IN (decided_by, changed_by, undone_by) '
				. "AND state <> 'running' ORDER BY id LIMIT %d",
			array( $user, self::PER_PAGE )
		);
	}

	/**
	 * How many calls with a person's data run now.
	 *
	 * @param int $user The person's id.
	 */
	private function running( int $user ): int {
		return $this->schema->count_calls(
			"state = 'running' AND %d IN (user_id, decided_by, changed_by, undone_by)",
			array( $user )
		);
	}

	/**
	 * The answer in the form that WordPress wants.
	 *
	 * @param int  $removed  How many things were removed.
	 * @param int  $retained How many calls were kept.
	 * @param bool $done     Whether nothing is left to do.
	 * @return array{items_removed: bool, items_retained: bool, messages: list<string>, done: bool}
	 */
	private function answer( int $removed, int $retained, bool $done ): array {
		/* translators: %s: a number. */
		$words = _n( '%s tool call runs now. Erase once more when it has ended.', '%s tool calls run now. Erase once more when they have ended.', $retained, 'toolwire' ); // phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
		return array(
			'items_removed'  => $removed > 0,
			'items_retained' => $retained > 0,
			'messages'       => $retained > 0
				? array( sprintf( $words, number_format_i18n( $retained ) ) )
				: array(),
			'done'           => $done,
		);
	}
}
