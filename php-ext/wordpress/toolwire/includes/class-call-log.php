<?php
/**
 * The record of every call.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use DateTimeImmutable;
use DateTimeZone;

/**
 * One row a call: who, what, when, what came of it, who decided, who undid it. Arguments are kept as the extension
 * tells them: long texts cut, secrets left out.
 */
final class Call_Log {

	const STATES = array( 'seen', 'running', 'pending', 'completed', 'failed', 'denied', 'undone' );

	/**
	 * Where a call came from: the reply of the site's assistant, another text in which it was found, a script of the site
	 * that names the tool, or the REST API.
	 */
	const ORIGINS = array( 'assistant', 'text', 'script', 'rest' );

	/**
	 * The most bytes of a result that are kept.
	 */
	const RESULT_BYTES = 65536;

	/**
	 * The row of a call.
	 *
	 * @param string $action_id The action's id.
	 * @return array<string, string|null>|null
	 */
	public static function find( string $action_id ): ?array {
		return self::first( 'action_id = %s', $action_id );
	}

	/**
	 * The row of a request for approval.
	 *
	 * @param string $id The request's id.
	 * @return array<string, string|null>|null
	 */
	public static function find_by_approval( string $id ): ?array {
		return '' === $id ? null : self::first( 'approval_id = %s', $id );
	}

	/**
	 * The row of a number.
	 *
	 * @param int $id The row's number.
	 * @return array<string, string|null>|null
	 */
	public static function find_by_number( int $id ): ?array {
		return self::first( 'id = %d', $id );
	}

	/**
	 * Records a call that was found in a text.
	 *
	 * @param string $action_id The action's id.
	 * @param string $given_id  The id that the model gave, or the detector.
	 * @param string $tool      The tool's name.
	 * @param string $origin    One of ORIGINS.
	 */
	public static function see( string $action_id, string $given_id, string $tool, string $origin ): void {
		self::insert( $action_id, $given_id, $tool, 'seen', '', $origin );
	}

	/**
	 * Records that a call begins to run.
	 *
	 * @param string $action_id The action's id.
	 * @param string $given_id  The id that the model gave, or the detector.
	 * @param string $tool      The tool's name.
	 * @param string $reason    Why, in the model's words.
	 * @param string $origin    One of ORIGINS.
	 */
	public static function start( string $action_id, string $given_id, string $tool, string $reason, string $origin ): void {
		if ( ! self::insert( $action_id, $given_id, $tool, 'running', $reason, $origin ) ) {
			self::change(
				$action_id,
				array(
					'state'       => 'running',
					'origin'      => $origin,
					'reason'      => self::text( $reason, 2000 ),
					'error_code'  => '',
					'error'       => null,
					'finished_at' => null,
				)
			);
		}
	}

	/**
	 * Changes columns of a call's row; whether there was one in one of these states.
	 *
	 * @param string               $action_id The action's id.
	 * @param array<string, mixed> $columns   Values by column.
	 * @param list<string>         $states    The states in which it must be; any when empty.
	 */
	public static function change( string $action_id, array $columns, array $states = array() ): bool {
		$set    = array();
		$values = array();
		foreach ( $columns as $column => $value ) {
			$set[] = null === $value ? "`$column` = NULL" : "`$column` = %s";
			if ( null !== $value ) {
				$values[] = $value;
			}
		}
		$where = '';
		if ( $states ) {
			$where = ' AND state IN (' . implode( ', ', array_fill( 0, count( $states ), '%s' ) ) . ')';
		}
		$table     = Schema::calls_table();
		$statement = "UPDATE `$table` SET " . implode( ', ', $set ) . " WHERE action_id = %s$where";
		return self::write( $statement, array( ...$values, $action_id, ...$states ) ) > 0;
	}

	/**
	 * The rows that match, newest first.
	 *
	 * @param array<string, string|int> $filters  `tool`, `state`, `origin`, `user`, `from`, `to` (days of the site), `search`.
	 * @param int                       $page     From 1.
	 * @param int                       $per_page How many.
	 * @return array{rows: list<array<string, string|null>>, total: int}
	 */
	public static function query( array $filters, int $page = 1, int $per_page = 20 ): array {
		global $wpdb;
		$table                  = Schema::calls_table();
		list( $where, $values ) = self::where( $filters );
		$count                  = "SELECT COUNT(*) FROM `$table` WHERE $where";
		$list                   = "SELECT * FROM `$table` WHERE $where ORDER BY id DESC LIMIT %d OFFSET %d";
		$window                 = array( $per_page, ( max( 1, $page ) - 1 ) * $per_page );
		// phpcs:disable WordPress.DB -- conditions are literals of this class, values placeholders.
		return array(
			'total' => (int) $wpdb->get_var( $values ? $wpdb->prepare( $count, $values ) : $count ),
			'rows'  => (array) $wpdb->get_results( $wpdb->prepare( $list, array( ...$values, ...$window ) ), ARRAY_A ),
		);
		// phpcs:enable
	}

	/**
	 * The ids of the calls in a state by their rows' numbers, oldest first.
	 *
	 * @param string $state The state.
	 * @param int    $most  How many at most.
	 * @param int    $after The row's number after which to begin.
	 * @return array<int, string>
	 */
	public static function in_state( string $state, int $most = 100, int $after = 0 ): array {
		global $wpdb;
		$table = Schema::calls_table();
		// phpcs:ignore WordPress.DB -- the table's name is the plugin's own.
		$rows = (array) $wpdb->get_results( $wpdb->prepare( "SELECT id, action_id FROM `$table` WHERE state = %s AND id > %d ORDER BY id LIMIT %d", $state, $after, $most ), ARRAY_A );
		return array_column( $rows, 'action_id', 'id' );
	}

	/**
	 * A page of the calls that wait for approval, oldest first.
	 *
	 * @param int $page     From 1.
	 * @param int $per_page How many.
	 * @return list<array<string, string|null>>
	 */
	public static function waiting( int $page, int $per_page ): array {
		global $wpdb;
		$table = Schema::calls_table();
		// phpcs:ignore WordPress.DB -- the table's name is the plugin's own.
		return (array) $wpdb->get_results( $wpdb->prepare( "SELECT * FROM `$table` WHERE state = 'pending' ORDER BY id LIMIT %d OFFSET %d", $per_page, ( max( 1, $page ) - 1 ) * $per_page ), ARRAY_A );
	}

	/**
	 * How many calls are in a state.
	 *
	 * @param string $state The state.
	 * @param int    $user  Whose calls; everybody's when 0.
	 */
	public static function count( string $state, int $user = 0 ): int {
		global $wpdb;
		$table = Schema::calls_table();
		// phpcs:ignore WordPress.DB -- the table's name is the plugin's own.
		return (int) $wpdb->get_var( $wpdb->prepare( "SELECT COUNT(*) FROM `$table` WHERE state = %s AND (user_id = %d OR 0 = %d)", $state, $user, $user ) );
	}

	/**
	 * The tools of which there are records.
	 *
	 * @return list<string>
	 */
	public static function tools(): array {
		global $wpdb;
		$table = Schema::calls_table();
		// phpcs:ignore WordPress.DB -- the table's name is the plugin's own.
		return $wpdb->get_col( "SELECT DISTINCT tool FROM `$table` ORDER BY tool LIMIT 500" );
	}

	/**
	 * Removes what is older than so many days and does not wait or run, with all that the store keeps of it; how many
	 * rows.
	 *
	 * @param int $days The days.
	 */
	public static function prune( int $days ): int {
		global $wpdb;
		$table   = Schema::calls_table();
		$before  = gmdate( 'Y-m-d H:i:s', time() - $days * DAY_IN_SECONDS );
		$removed = 0;
		do {
			// phpcs:ignore WordPress.DB -- the table's name is the plugin's own.
			$some  = (array) $wpdb->get_results( $wpdb->prepare( "SELECT id, action_id, approval_id FROM `$table` WHERE created_at < %s AND state NOT IN ('pending', 'running') LIMIT 500", $before ), ARRAY_A );
			$count = count( $some );
			foreach ( $some as $row ) {
				Remains::forget( $row['action_id'], $row['approval_id'] );
				Engine::get()->store->delete( 'wordpress/call/' . $row['action_id'], null, Claims::now() );
				$removed += (int) $wpdb->delete( $table, array( 'id' => $row['id'] ) ); // phpcs:ignore WordPress.DB -- the plugin's own table.
			}
		} while ( 500 === $count );
		return $removed;
	}

	/**
	 * A text that a column takes: valid, without what looks like a secret, and not too long.
	 *
	 * @param string $text The text.
	 * @param int    $most The most characters.
	 */
	public static function text( string $text, int $most ): string {
		$valid = mb_scrub( Secrets::text( $text ), 'UTF-8' );
		return mb_strlen( $valid, 'UTF-8' ) > $most ? mb_substr( $valid, 0, $most - 1, 'UTF-8' ) . '…' : $valid;
	}

	/**
	 * A value as JSON that a column takes, without secrets, or a note of how long it was.
	 *
	 * @param mixed $value The value.
	 */
	public static function json( $value ): string {
		$flags = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION | JSON_INVALID_UTF8_SUBSTITUTE;
		$json  = (string) wp_json_encode( $value, $flags );
		if ( strlen( $json ) > self::RESULT_BYTES ) {
			return (string) wp_json_encode( array( 'omitted_bytes' => strlen( $json ) ) );
		}
		$copy = json_decode( $json, false, 512, JSON_BIGINT_AS_STRING );
		if ( JSON_ERROR_NONE !== json_last_error() ) {
			// A key that no object of PHP can have; arrays can.
			$copy = json_decode( $json, true, 512, JSON_BIGINT_AS_STRING );
		}
		return (string) wp_json_encode( Secrets::masked( $copy ), $flags );
	}

	/**
	 * A row that meets a condition.
	 *
	 * @param string     $condition With one placeholder.
	 * @param string|int $value     Its value.
	 * @return array<string, string|null>|null
	 */
	private static function first( string $condition, $value ): ?array {
		global $wpdb;
		$table = Schema::calls_table();
		// phpcs:ignore WordPress.DB -- the condition is a literal of this class.
		$row = $wpdb->get_row( $wpdb->prepare( "SELECT * FROM `$table` WHERE $condition", $value ), ARRAY_A );
		return is_array( $row ) ? $row : null;
	}

	/**
	 * Adds a row; whether there was none.
	 *
	 * @param string $action_id The action's id.
	 * @param string $given_id  The id that the model gave, or the detector.
	 * @param string $tool      The tool's name.
	 * @param string $state     The state.
	 * @param string $reason    Why, in the model's words.
	 * @param string $origin    One of ORIGINS.
	 */
	private static function insert( string $action_id, string $given_id, string $tool, string $state, string $reason, string $origin ): bool {
		$table  = Schema::calls_table();
		$values = array( $action_id, self::text( $given_id, 128 ), get_current_user_id(), self::text( $tool, 128 ), $state, $origin, self::text( $reason, 2000 ), gmdate( 'Y-m-d H:i:s' ) );
		return self::write( "INSERT IGNORE INTO `$table` (action_id, given_id, user_id, tool, state, origin, reason, created_at) VALUES (%s, %s, %d, %s, %s, %s, %s, %s)", $values ) > 0;
	}

	/**
	 * When a day of the site begins, as the table has times; null when there is no such day, or MySQL knows no such year.
	 *
	 * @param string $date The day, as 2026-01-31.
	 * @param int    $days So many days later.
	 */
	public static function day( string $date, int $days = 0 ): ?string {
		if ( 1 !== preg_match( '/^([1-9]\d{3})-(\d{2})-(\d{2})$/D', $date, $part ) || '9999' === $part[1] ) {
			return null;
		}
		if ( ! checkdate( (int) $part[2], (int) $part[3], (int) $part[1] ) ) {
			return null;
		}
		$begins = new DateTimeImmutable( "$date 00:00:00", wp_timezone() );
		return $begins->modify( "+$days day" )->setTimezone( new DateTimeZone( 'UTC' ) )->format( 'Y-m-d H:i:s' );
	}

	/**
	 * How many rows a statement changes. One that fails is told without itself: it holds what a call was asked with,
	 * and WordPress would write all of it to its debug log.
	 *
	 * @param string            $statement The statement with placeholders.
	 * @param array<int, mixed> $values    Their values.
	 */
	private static function write( string $statement, array $values ): int {
		global $wpdb;
		$shown = $wpdb->suppress_errors();
		// phpcs:ignore WordPress.DB -- columns are literals of this plugin, values placeholders.
		$changed = $wpdb->query( $wpdb->prepare( $statement, $values ) );
		$wpdb->suppress_errors( $shown );
		if ( false === $changed ) {
			// phpcs:ignore WordPress.PHP.DevelopmentFunctions -- nobody would hear of it else.
			trigger_error( esc_html( 'Toolwire could not write to its log: ' . $wpdb->last_error ), E_USER_WARNING );
		}
		return (int) $changed;
	}

	/**
	 * The condition that filters make, and its values. Days are those of the site, as the list shows times.
	 *
	 * @param array<string, string|int> $filters What query() takes.
	 * @return array{string, list<string|int>}
	 */
	private static function where( array $filters ): array {
		foreach ( array( 'from' => 0, 'to' => 1 ) as $name => $days ) {
			if ( isset( $filters[ $name ] ) ) {
				$filters[ $name ] = (string) self::day( (string) $filters[ $name ], $days );
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
		if ( isset( $filters['search'] ) && '' !== $filters['search'] ) {
			$like    = '%' . $GLOBALS['wpdb']->esc_like( $filters['search'] ) . '%';
			$where[] = '(given_id LIKE %s OR reason LIKE %s OR arguments LIKE %s OR error LIKE %s)';
			array_push( $values, $like, $like, $like, $like );
		}
		return array( implode( ' AND ', $where ), $values );
	}
}
