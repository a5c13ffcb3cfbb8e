<?php
/**
 * Locks of the database.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Locks that one connection to the database holds at a time. The database releases them when the
 * connection ends, so a killed request blocks nobody.
 */
final class Locks {

	/**
	 * Takes the tables: their names make the locks of each site different.
	 *
	 * @param Schema $schema The tables.
	 */
	public function __construct( private Schema $schema ) {
	}

	/**
	 * Takes a lock, and returns whether it was free.
	 *
	 * @param string $what    What the lock is for.
	 * @param int    $seconds How long to wait for it.
	 */
	public function take( string $what, int $seconds = 0 ): bool {
		return $this->ask( 'GET_LOCK(%s, %d)', $what, $seconds );
	}

	/**
	 * Releases a lock.
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
	 * The name of a lock in the database. All sites share the names, which have 64 characters at
	 * most.
	 *
	 * @param string $what What the lock is for.
	 */
	private function name( string $what ): string {
		return 'toolwire_' . md5( DB_NAME . '/' . $this->schema->calls_table() . '/' . $what );
	}
}
