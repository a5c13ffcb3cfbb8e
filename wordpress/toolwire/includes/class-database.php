<?php
/**
 * Statements that write.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Runs statements of this plugin that change rows, on MySQL, MariaDB and the plugin SQLite Database
 * Integration: a statement that lost against another process is tried again, and what the database
 * says of a failure never holds the statement, whose values are nobody's business.
 */
final class Database {

	/**
	 * How often a statement that lost against another process is tried.
	 */
	const TRIES = 12;

	/**
	 * What databases say of such a statement: it changed nothing.
	 */
	const LOST = array( 'try restarting transaction', 'database is locked', 'table is locked' );

	/**
	 * How many rows a statement changes; false when the database refuses.
	 *
	 * @param string            $statement The statement with placeholders.
	 * @param array<int, mixed> $values    Their values.
	 * @return int|false
	 */
	public static function change( string $statement, array $values ) {
		global $wpdb;
		$shown = $wpdb->suppress_errors();
		for ( $try = 1; $try <= self::TRIES; $try++ ) {
			// phpcs:ignore WordPress.DB -- statements are literals of this plugin.
			$changed = $wpdb->query( $wpdb->prepare( $statement, $values ) );
			if ( false !== $changed || ! self::has_lost() ) {
				break;
			}
			usleep( random_int( 500, 2000 ) * $try );
		}
		$wpdb->suppress_errors( $shown );
		return false === $changed ? false : (int) $changed;
	}

	/**
	 * What the database says of the last failure; empty where there was none. SQLite's plugin says
	 * it between the statement, its values and a trace.
	 */
	public static function error(): string {
		$said = (string) $GLOBALS['wpdb']->last_error;
		if ( ! str_contains( $said, '<p>MySQL query:</p>' ) ) {
			return $said;
		}
		$parts = explode( 'Error message was: ', $said );
		$told  = count( $parts ) > 1 ? end( $parts ) : 'unknown';
		return trim( explode( '</div>', explode( 'SQLite:', $told )[0] )[0] );
	}

	/**
	 * Whether the last statement lost against another process.
	 */
	private static function has_lost(): bool {
		$error = self::error();
		foreach ( self::LOST as $words ) {
			if ( false !== stripos( $error, $words ) ) {
				return true;
			}
		}
		return false;
	}
}
