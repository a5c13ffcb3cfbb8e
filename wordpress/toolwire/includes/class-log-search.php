<?php
/**
 * Searching the log.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use DateTimeImmutable;
use DateTimeZone;

/**
 * Finds the calls in the log that match filters, by pages.
 */
final class Log_Search {

	/**
	 * Takes its parts.
	 *
	 * @param Schema $schema The tables.
	 */
	public function __construct( private Schema $schema ) {
	}

	/**
	 * The rows that match, newest first.
	 *
	 * @param array<string, mixed> $filters  `tool`, `state`, `origin`, `user`, `from`, `to` (days
	 *                                       of the site), `search`; `states`, a list.
	 * @param int                  $page     From 1.
	 * @param int                  $per_page How many.
	 * @return array{rows: list<array<string, string|null>>, total: int}
	 */
	public function query( array $filters, int $page = 1, int $per_page = 20 ): array {
		list( $where, $values ) = $this->where( $filters );
		$window                 = array( $per_page, ( max( 1, $page ) - 1 ) * $per_page );
		return array(
			'total' => $this->schema->count_calls( $where, $values ),
			'rows'  => $this->schema->calls(
				"WHERE $where ORDER BY id DESC LIMIT %d OFFSET %d",
				array( ...$values, ...$window )
			),
		);
	}

	/**
	 * The tools that the log names.
	 *
	 * @return list<string>
	 */
	public function tools(): array {
		$rows = $this->schema->calls( 'ORDER BY tool LIMIT 500', array(), 'DISTINCT tool' );
		return array_column( $rows, 'tool' );
	}

	/**
	 * When a day of the site begins, in the form of the table. Null when the day does not exist or
	 * MySQL cannot store its year.
	 *
	 * @param string $date The day, as 2026-01-31.
	 * @param int    $days So many days later.
	 */
	public function day( string $date, int $days = 0 ): ?string {
		if (
			1 !== preg_match( '/^([1-9]\d{3})-(\d{2})-(\d{2})$/D', $date, $part )
			|| '9999' === $part[1]
		) {
			return null;
		}
		if ( ! checkdate( (int) $part[2], (int) $part[3], (int) $part[1] ) ) {
			return null;
		}
		$begins = new DateTimeImmutable( "$date 00:00:00", wp_timezone() );
		$begins = $begins->modify( "+$days day" )->setTimezone( new DateTimeZone( 'UTC' ) );
		return $begins->format( 'Y-m-d H:i:s' );
	}

	/**
	 * The condition of the filters, and its values. Days are in the time zone of the site, like the
	 * times in the list.
	 *
	 * @param array<string, mixed> $filters What query() takes.
	 * @return array{string, list<string|int>}
	 */
	private function where( array $filters ): array {
		foreach ( array( 'from' => 0, 'to' => 1 ) as $name => $days ) {
			if ( isset( $filters[ $name ] ) ) {
				$filters[ $name ] = (string) $this->day( (string) $filters[ $name ], $days );
			}
		}
		$conditions = array(
			'tool'   => 'tool = %s',
			'state'  => 'state = %s',
			'origin' => 'origin = %s',
			'user'   => 'user_id = %d',
			'from'   => 'created_at >= %s',
			'to'     => 'created_at < %s',
		);
		$where      = array( '1 = 1' );
		$values     = array();
		foreach ( $conditions as $name => $condition ) {
			if ( isset( $filters[ $name ] ) && '' !== $filters[ $name ] ) {
				$where[]  = $condition;
				$values[] = $filters[ $name ];
			}
		}
		if ( ! empty( $filters['states'] ) ) {
			$marks   = array_fill( 0, count( $filters['states'] ), '%s' );
			$where[] = 'state IN (' . implode( ', ', $marks ) . ')';
			array_push( $values, ...$filters['states'] );
		}
		if ( isset( $filters['search'] ) && '' !== $filters['search'] ) {
			// The translation for SQLite loses the backslashes of esc_like(), and reads one of the
			// search with a `%` behind it as an escape.
			$marks   = array(
				'!' => '!!',
				'%' => '!%',
				'_' => '!_',
			);
			$like    = '%' . strtr( $filters['search'], $marks );
			$match   = "LIKE CONCAT(%s, '%%') ESCAPE '!'";
			$where[] = "(given_id $match OR reason $match OR arguments $match "
				. "OR arguments_before $match OR error $match)";
			array_push( $values, $like, $like, $like, $like, $like );
		}
		return array( implode( ' AND ', $where ), $values );
	}
}
