<?php
/**
 * Locks of the database.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Locks that one connection to the database holds at a time. The database frees them when the
 * connection ends, so a request that is killed holds nobody up.
 */
final class Locks {

	/**
	 * Takes the tables, by which the locks of sites differ.
	 *
	 * @param Schema $schema The tables.
	 */
	public function __construct( private Schema $schema ) {
	}

	/**
	 * Takes a lock; whether it was to be had.
	 *
	 * @param string $what    What the lock is for.
	 * @param int    $seconds How long to wait for it.
	 */
	public function take( string $what, int $seconds = 0 ): bool {
		return $this->ask( 'GET_LOCK(%s, %d)', $what, $seconds );
	}

	/**
	 * Lets a lock go.
	 *
	 * @param string $what What the lock is for.
	 */
	public function release( string $what ): void {
		$this->ask( 'RELEASE_LOCK(%s)', $what );
	}

	/**
	 * Whether nobody holds a lock.
	 *
	 * @param string $what What the lock is for.
	 */
	public function is_free( string $what ): bool {
		return $this->ask( 'IS_FREE_LOCK(%s)', $what );
	}

	/**
	 * Whether a function of the database answers 1 for a lock.
	 *
	 * @param string $function The call, with a placeholder for the lock's name.
	 * @param string $what     What the lock is for.
	 * @param int    ...$more  Values of further placeholders.
	 */
	private function ask( string $function, string $what, int ...$more ): bool {
		global $wpdb;
		// phpcs:ignore WordPress.DB -- locks are not cached, and the call is a literal.
		$query = $wpdb->prepare( "SELECT $function", $this->name( $what ), ...$more );
		return '1' === (string) $wpdb->get_var( $query ); // phpcs:ignore WordPress.DB -- as above.
	}

	/**
	 * The name by which the database knows a lock: its locks are those of all sites, and have 64
	 * characters.
	 *
	 * @param string $what What the lock is for.
	 */
	private function name( string $what ): string {
		return 'toolwire_' . md5( DB_NAME . '/' . $this->schema->calls_table() . '/' . $what );
	}
}
