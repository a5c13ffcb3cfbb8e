<?php
/**
 * State that outlives a request.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use RuntimeException;
use Toolwire\Tools\Store as Store_Interface;

/**
 * The extension's store in a table of WordPress' database. Each method is one statement, or two of
 * which at most one changes anything. A version is a random number, so that it never repeats, not
 * even after a delete.
 *
 * Values are written as hexadecimal digits: any bytes pass, whatever the connection's charset.
 */
final class Store implements Store_Interface {

	/**
	 * How many expired entries one statement removes.
	 */
	const PIECE = 1000;

	/**
	 * The table's name.
	 *
	 * @var string
	 */
	private string $table;

	/**
	 * Makes the table where it is missing.
	 *
	 * @param Schema $schema The tables.
	 */
	public function __construct( Schema $schema ) {
		$schema->ensure();
		$this->table = $schema->store_table();
	}

	/**
	 * The entry of a key.
	 *
	 * @param string $key The key.
	 * @param int    $now Microseconds since 1970.
	 */
	public function get( string $key, int $now ): ?array {
		$rows = $this->rows(
			"SELECT name, value, version, expires_at FROM `{$this->table}` "
				. 'WHERE name = UNHEX(%s) AND (expires_at IS NULL OR expires_at >= %d)',
			array( bin2hex( $key ), $now )
		);
		if ( ! $rows ) {
			return null;
		}
		$entry = $this->entry( $rows[0] );
		unset( $entry['key'] );
		return $entry;
	}

	/**
	 * Puts an entry if the present version is the expected one.
	 *
	 * @param string   $key        The key.
	 * @param string   $value      The value.
	 * @param int|null $expected   The version that must be there, 0 for none, null for any.
	 * @param int|null $expires_at Microseconds since 1970.
	 * @param int      $now        Microseconds since 1970.
	 */
	public function put(
		string $key,
		string $value,
		?int $expected,
		?int $expires_at,
		int $now,
	): ?int {
		$version = random_int( 1, PHP_INT_MAX );
		$expiry  = null === $expires_at ? 'NULL' : (string) $expires_at;
		$written = array( bin2hex( $value ), $version );
		$at      = bin2hex( $key );
		if ( null !== $expected && 0 !== $expected ) {
			$changed = $this->change(
				"UPDATE `{$this->table}` SET value = UNHEX(%s), version = %d, expires_at = $expiry "
					. 'WHERE name = UNHEX(%s) AND version = %d '
					. 'AND (expires_at IS NULL OR expires_at >= %d)',
				array( ...$written, $at, $expected, $now )
			);
			return $changed ? $version : null;
		}
		$insert = "INTO `{$this->table}` (value, version, expires_at, name) "
			. "VALUES (UNHEX(%s), %d, $expiry, UNHEX(%s))";
		if ( null === $expected ) {
			$this->change( "REPLACE $insert", array( ...$written, $at ) );
			return $version;
		}
		$changed = $this->change( "INSERT IGNORE $insert", array( ...$written, $at ) )
			|| $this->change(
				"UPDATE `{$this->table}` SET value = UNHEX(%s), version = %d, expires_at = $expiry "
					. 'WHERE name = UNHEX(%s) AND expires_at < %d',
				array( ...$written, $at, $now )
			);
		return $changed ? $version : null;
	}

	/**
	 * Deletes the entry if its version is the expected one, and returns whether it did.
	 *
	 * @param string   $key      The key.
	 * @param int|null $expected The version that must be there, null for any.
	 * @param int      $now      Microseconds since 1970.
	 */
	public function delete( string $key, ?int $expected, int $now ): bool {
		$statement = "DELETE FROM `{$this->table}` WHERE name = UNHEX(%s) "
			. 'AND (expires_at IS NULL OR expires_at >= %d)';
		$values    = array( bin2hex( $key ), $now );
		if ( null !== $expected ) {
			$statement .= ' AND version = %d';
			$values[]   = $expected;
		}
		return $this->change( $statement, $values ) > 0;
	}

	/**
	 * The entries whose keys begin with a prefix and come after a key, in their order.
	 *
	 * @param string      $prefix The prefix.
	 * @param string|null $after  A key.
	 * @param int         $limit  How many at most.
	 * @param int         $now    Microseconds since 1970.
	 */
	public function scan( string $prefix, ?string $after, int $limit, int $now ): array {
		list( $begins, $keys ) = $this->begins( $prefix );
		$rows                  = $this->rows(
			"SELECT name, value, version, expires_at FROM `{$this->table}` "
				. "WHERE $begins AND name > UNHEX(%s) "
				. 'AND (expires_at IS NULL OR expires_at >= %d) ORDER BY name LIMIT %d',
			array( ...$keys, bin2hex( (string) $after ), $now, max( 0, $limit ) )
		);
		return array_map( array( $this, 'entry' ), $rows );
	}

	/**
	 * The last of the keys that begin with a prefix; null where there is none. Expired entries
	 * count.
	 *
	 * @param string $prefix The prefix.
	 */
	public function newest( string $prefix ): ?string {
		list( $begins, $keys ) = $this->begins( $prefix );
		$rows                  = $this->rows(
			"SELECT name FROM `{$this->table}` WHERE $begins ORDER BY name DESC LIMIT 1",
			$keys
		);
		return $rows[0]['name'] ?? null;
	}

	/**
	 * Removes the expired entries whose keys begin with a prefix, and returns their number. One
	 * statement removes some, since clusters refuse large ones.
	 *
	 * @param string $prefix The prefix.
	 * @param int    $now    Microseconds since 1970.
	 */
	public function purge( string $prefix, int $now ): int {
		$removed               = 0;
		list( $begins, $keys ) = $this->begins( $prefix );
		do {
			$some     = $this->change(
				"DELETE FROM `{$this->table}` WHERE $begins AND expires_at < %d "
					. 'ORDER BY expires_at, name LIMIT %d',
				array( ...$keys, $now, self::PIECE )
			);
			$removed += $some;
		} while ( self::PIECE === $some );
		return $removed;
	}

	/**
	 * The present time in the unit of stores: microseconds since 1970.
	 */
	public function now(): int {
		return (int) ( microtime( true ) * 1000000 );
	}

	/**
	 * Says that other requests write to the store too.
	 */
	public function shared(): bool {
		return true;
	}

	/**
	 * A condition for keys that begin with a prefix, byte by byte on every database, with its
	 * values.
	 *
	 * @param string $prefix The prefix.
	 * @return array{string, list<string>}
	 */
	private function begins( string $prefix ): array {
		// The first key behind them; there is none behind those that begin with 0xFF alone.
		$behind = rtrim( $prefix, "\xff" );
		if ( '' === $behind ) {
			return array( 'name >= UNHEX(%s)', array( bin2hex( $prefix ) ) );
		}
		$behind[-1] = chr( ord( $behind[-1] ) + 1 );
		return array(
			'name >= UNHEX(%s) AND name < UNHEX(%s)',
			array( bin2hex( $prefix ), bin2hex( $behind ) ),
		);
	}

	/**
	 * An entry in the form that the extension wants.
	 *
	 * @param array<string, string|null> $row A row of the table.
	 * @return array{key: string, value: string, version: int, expires_at: int|null}
	 */
	private function entry( array $row ): array {
		return array(
			'key'        => $row['name'],
			'value'      => $row['value'],
			'version'    => (int) $row['version'],
			'expires_at' => null === $row['expires_at'] ? null : (int) $row['expires_at'],
		);
	}

	/**
	 * The rows that a query finds.
	 *
	 * @param string             $statement The query with placeholders.
	 * @param array<int, mixed>  $values    Their values.
	 * @return list<array<string, string|null>>
	 * @throws RuntimeException When the database refuses.
	 */
	private function rows( string $statement, array $values ): array {
		global $wpdb;
		$shown = $wpdb->suppress_errors();
		// phpcs:ignore WordPress.DB -- the statement is a literal of this class with placeholders.
		$rows = $wpdb->get_results( $wpdb->prepare( $statement, $values ), ARRAY_A );
		$wpdb->suppress_errors( $shown );
		if ( '' !== $wpdb->last_error ) {
			// phpcs:ignore WordPress.Security.EscapeOutput -- escaped where it is shown.
			throw new RuntimeException( 'The database refused to read: ' . Database::error() );
		}
		return (array) $rows;
	}

	/**
	 * How many rows a statement changes.
	 *
	 * @param string            $statement The statement with placeholders.
	 * @param array<int, mixed> $values    Their values.
	 * @throws RuntimeException When the database refuses.
	 */
	private function change( string $statement, array $values ): int {
		$changed = Database::change( $statement, $values );
		if ( false === $changed ) {
			// phpcs:ignore WordPress.Security.EscapeOutput -- escaped where it is shown.
			throw new RuntimeException( 'The database refused to write: ' . Database::error() );
		}
		return $changed;
	}
}
