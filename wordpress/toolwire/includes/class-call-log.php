<?php
/**
 * The record of every call.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Throwable;

/**
 * One row for each call: who, what, when, the outcome, who decided, who undid it. Where a person
 * has changed the arguments, those of the call are kept too. Arguments are kept as the extension
 * reports them: with long texts cut and secrets left out.
 */
final class Call_Log {

	const STATES = array(
		'seen',
		'refused',
		'running',
		'waiting',
		'approved',
		'interrupted',
		'completed',
		'failed',
		'denied',
		'expired',
		'undone',
	);

	/**
	 * Where a call came from: the reply of the site's assistant, another text in which it was
	 * found, a script of the site that names the tool, the REST API, or an ability of WordPress.
	 */
	const ORIGINS = array( 'assistant', 'text', 'script', 'rest', 'ability' );

	/**
	 * The most characters of an id that the model or the client gave.
	 */
	const ID_LENGTH = 256;

	/**
	 * The most bytes of a result that are kept.
	 */
	const RESULT_BYTES = 65536;

	/**
	 * Takes its parts.
	 *
	 * @param Schema    $schema    The tables.
	 * @param Secrets   $secrets   Masks secrets.
	 * @param Json_Text $json_text Writes JSON.
	 */
	public function __construct(
		private Schema $schema,
		private Secrets $secrets,
		private Json_Text $json_text,
	) {
	}

	/**
	 * The row of a call.
	 *
	 * @param string $run_id The run's id.
	 * @return array<string, string|null>|null
	 */
	public function find( string $run_id ): ?array {
		return $this->first( 'action_id = %s', $run_id );
	}

	/**
	 * The row of a request for approval.
	 *
	 * @param string $id The request's id.
	 * @return array<string, string|null>|null
	 */
	public function find_by_approval( string $id ): ?array {
		return '' === $id ? null : $this->first( 'approval_id = %s', $id );
	}

	/**
	 * Whether a user made a call, decided on one, changed one or undid one.
	 *
	 * @param int $user The user's id.
	 */
	public function names( int $user ): bool {
		$named = 'WHERE %d IN (user_id, decided_by, changed_by, undone_by) LIMIT 1';
		return array() !== $this->schema->calls( $named, array( $user ), 'id' );
	}

	/**
	 * Records a call that was found in a text.
	 *
	 * @param string $run_id The run's id.
	 * @param string $given_id  The id that the model gave, or the detector.
	 * @param string $tool      The tool's name.
	 * @param string $origin    One of ORIGINS.
	 */
	public function see( string $run_id, string $given_id, string $tool, string $origin ): void {
		$this->insert( $run_id, $given_id, $tool, 'seen', '', $origin );
	}

	/**
	 * Records that a call begins to run. False when it has begun before, or when nothing can be
	 * recorded.
	 *
	 * @param string $run_id The run's id.
	 * @param string $given_id  The id that the model gave, or the detector.
	 * @param string $tool      The tool's name.
	 * @param string $reason    Why, in the model's words.
	 * @param string $origin    One of ORIGINS.
	 */
	public function start(
		string $run_id,
		string $given_id,
		string $tool,
		string $reason,
		string $origin,
	): bool {
		if ( $this->insert( $run_id, $given_id, $tool, 'running', $reason, $origin ) ) {
			return true;
		}
		$row     = $this->find( $run_id );
		$columns = array(
			'state'       => 'running',
			'origin'      => $origin,
			'reason'      => $this->text( $reason, 2000 ),
			'error_code'  => '',
			'error'       => null,
			'finished_at' => null,
		);
		return null !== $row
			&& ! $this->has_begun( $row )
			&& $this->change( $run_id, $columns, array( 'seen', 'denied', 'failed' ) );
	}

	/**
	 * Whether a call has begun. A call that was only seen, that came without its binding, or that
	 * could not be run, has not.
	 *
	 * @param array<string, string|null>|null $row The call's row in the log.
	 */
	public function has_begun( ?array $row ): bool {
		return null !== $row
			&& 'seen' !== $row['state']
			&& 'unbound_call' !== $row['error_code']
			&& ( 'failed' !== $row['state'] || 'not_run' !== $row['error_code'] );
	}

	/**
	 * Changes columns of a call's row. Returns whether there was a row in one of these states.
	 *
	 * @param string               $run_id The run's id.
	 * @param array<string, mixed> $columns   Values by column.
	 * @param list<string>         $states    The states in which it must be; any when empty.
	 */
	public function change( string $run_id, array $columns, array $states = array() ): bool {
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
			$marks = implode( ', ', array_fill( 0, count( $states ), '%s' ) );
			$where = " AND state IN ($marks)";
		}
		$table     = $this->schema->calls_table();
		$statement = "UPDATE `$table` SET " . implode( ', ', $set ) . " WHERE action_id = %s$where";
		return $this->write( $statement, array( ...$values, $run_id, ...$states ) ) > 0;
	}

	/**
	 * The ids of the calls in a state, keyed by the number of the row, oldest first.
	 *
	 * @param string $state The state.
	 * @param int    $most  How many at most.
	 * @param int    $after The row's number after which to begin.
	 * @return array<int, string>
	 */
	public function in_state( string $state, int $most = 100, int $after = 0 ): array {
		$rows = $this->schema->calls(
			'WHERE state = %s AND id > %d ORDER BY id LIMIT %d',
			array( $state, $after, $most ),
			'id, action_id'
		);
		return array_column( $rows, 'action_id', 'id' );
	}

	/**
	 * Whether a call was recorded more than a number of seconds ago.
	 *
	 * @param array<string, string|null> $row     The call's row in the log.
	 * @param int                        $seconds The seconds.
	 */
	public function is_old( array $row, int $seconds ): bool {
		return (string) $row['created_at'] < gmdate( 'Y-m-d H:i:s', time() - $seconds );
	}

	/**
	 * A page of the calls that wait for approval, oldest first.
	 *
	 * @param int $page     From 1.
	 * @param int $per_page How many.
	 * @return list<array<string, string|null>>
	 */
	public function waiting( int $page, int $per_page ): array {
		return $this->schema->calls(
			"WHERE state = 'waiting' ORDER BY id LIMIT %d OFFSET %d",
			array( $per_page, ( max( 1, $page ) - 1 ) * $per_page )
		);
	}

	/**
	 * How many calls are in a state.
	 *
	 * @param string $state The state.
	 * @param int    $user  Whose calls; everybody's when 0.
	 */
	public function count( string $state, int $user = 0 ): int {
		return $this->schema->count_calls(
			'state = %s AND (user_id = %d OR 0 = %d)',
			array( $state, $user, $user )
		);
	}

	/**
	 * How many calls of a user wait or may come to wait: those that wait, and those of the given
	 * ones that have not ended or are not in the log yet.
	 *
	 * @param int          $user The user's id.
	 * @param list<string> $ids  The ids of calls.
	 */
	public function count_open( int $user, array $ids ): int {
		$among = $ids ? implode( ', ', array_fill( 0, count( $ids ), '%s' ) ) : 'NULL';
		// One statement: a call that comes to wait between two of them would be in neither.
		$rows  = $this->schema->calls(
			"WHERE (user_id = %d AND state = 'waiting') OR action_id IN ($among)",
			array( $user, ...$ids ),
			'action_id, state'
		);
		$known = array_column( $rows, 'state', 'action_id' );
		$ended = array_diff( $known, array( 'waiting', 'seen', 'running' ) );
		return count( array_diff_key( $known + array_fill_keys( $ids, 'seen' ), $ended ) );
	}

	/**
	 * Some calls that are older than a number of days and neither wait nor run.
	 *
	 * @param int $days The days.
	 * @param int $most How many at most.
	 * @return list<array<string, string|null>>
	 */
	public function old( int $days, int $most ): array {
		return $this->schema->calls(
			"WHERE created_at < %s AND state NOT IN ('waiting', 'approved', 'running') LIMIT %d",
			array( gmdate( 'Y-m-d H:i:s', time() - $days * DAY_IN_SECONDS ), $most ),
			'id, action_id, approval_id'
		);
	}

	/**
	 * Removes the rows of calls, and returns the number of removed rows.
	 *
	 * @param string ...$ids The actions' ids.
	 */
	public function delete( string ...$ids ): int {
		if ( ! $ids ) {
			return 0;
		}
		$table = $this->schema->calls_table();
		$among = implode( ', ', array_fill( 0, count( $ids ), '%s' ) );
		return $this->write( "DELETE FROM `$table` WHERE action_id IN ($among)", $ids );
	}

	/**
	 * Whether a call can still be undone.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 */
	public function can_undo( array $row ): bool {
		return ! Host::only_reads()
			&& 'completed' === $row['state']
			&& null !== $row['undo_until']
			&& $row['undo_until'] > gmdate( 'Y-m-d H:i:s' );
	}

	/**
	 * A text made fit for a column: valid UTF-8, without secrets, and not too long.
	 *
	 * @param string $text The text.
	 * @param int    $most The most characters.
	 */
	public function text( string $text, int $most ): string {
		$valid = mb_scrub( $this->secrets->text( $text ), 'UTF-8' );
		return mb_strlen( $valid, 'UTF-8' ) > $most
			? mb_substr( $valid, 0, $most - 1, 'UTF-8' ) . '…'
			: $valid;
	}

	/**
	 * A value as JSON for a column, without secrets. A note stands for a value that is too long
	 * (`omitted_bytes`), and for one that JSON cannot hold (`not_json`, with the reason).
	 *
	 * @param mixed $value The value.
	 */
	public function json( $value ): string {
		try {
			$json = $this->json_text->of( $value, JSON_INVALID_UTF8_SUBSTITUTE );
			$note = array( 'not_json' => json_last_error_msg() );
		} catch ( Throwable $thrown ) {
			// An object may say itself how it is written.
			$json = null;
			$note = array( 'not_json' => $this->text( $thrown->getMessage(), 200 ) );
		}
		if ( null === $json ) {
			return (string) wp_json_encode( $note );
		}
		if ( strlen( $json ) > self::RESULT_BYTES ) {
			return (string) wp_json_encode( array( 'omitted_bytes' => strlen( $json ) ) );
		}
		return (string) $this->json_text->of(
			$this->secrets->masked( $this->json_text->value( $json ) )
		);
	}

	/**
	 * A row that meets a condition.
	 *
	 * @param string     $condition With one placeholder.
	 * @param string|int $value     Its value.
	 * @return array<string, string|null>|null
	 */
	private function first( string $condition, $value ): ?array {
		return $this->schema->calls( "WHERE $condition LIMIT 1", array( $value ) )[0] ?? null;
	}

	/**
	 * Adds a row, and returns whether it is new.
	 *
	 * @param string $run_id The run's id.
	 * @param string $given_id  The id that the model gave, or the detector.
	 * @param string $tool      The tool's name.
	 * @param string $state     The state.
	 * @param string $reason    Why, in the model's words.
	 * @param string $origin    One of ORIGINS.
	 */
	private function insert(
		string $run_id,
		string $given_id,
		string $tool,
		string $state,
		string $reason,
		string $origin,
	): bool {
		$table  = $this->schema->calls_table();
		$values = array(
			$run_id,
			$this->text( $given_id, self::ID_LENGTH ),
			get_current_user_id(),
			$this->text( $tool, 128 ),
			$state,
			$origin,
			$this->text( $reason, 2000 ),
			gmdate( 'Y-m-d H:i:s' ),
		);
		return $this->write(
			"INSERT IGNORE INTO `$table` (action_id, given_id, user_id, tool, state, origin, "
				. 'reason, created_at) VALUES (%s, %s, %d, %s, %s, %s, %s, %s)',
			$values
		) > 0;
	}

	/**
	 * How many rows a statement changes. The warning about a failed statement leaves the statement
	 * out: it holds the arguments of a call, and WordPress would write them to its debug log.
	 *
	 * @param string            $statement The statement with placeholders.
	 * @param array<int, mixed> $values    Their values.
	 */
	private function write( string $statement, array $values ): int {
		$changed = Database::change( $statement, $values );
		if ( false === $changed ) {
			// phpcs:ignore WordPress.PHP.DevelopmentFunctions -- no other place reports it.
			trigger_error(
				esc_html( 'Toolwire could not write to its log: ' . Database::error() ),
				E_USER_WARNING
			);
		}
		return (int) $changed;
	}
}
