<?php
/**
 * The table of conversations.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use RuntimeException;
use Toolwire\WordPress\Database;
use Toolwire\WordPress\Schema;

/**
 * One row for each conversation: whose it is and how it stands. What was said is in the store,
 * where the extension's agent keeps it.
 */
final class Conversation_Table {

	/**
	 * How a conversation stands: an answer is being made, a call waits for a person, the assistant
	 * has answered, the last step failed, or it was stopped.
	 */
	const STATES = array( 'thinking', 'waiting', 'idle', 'failed', 'stopped' );

	/**
	 * Takes its parts.
	 *
	 * @param Schema $schema The tables.
	 */
	public function __construct( private Schema $schema ) {
	}

	/**
	 * Adds a conversation in which the user has said a first text, unless its id is taken.
	 *
	 * @param string $uuid      The id.
	 * @param int    $user      The user's id.
	 * @param string $title     What lists show.
	 * @param string $client_id The client's name for the text.
	 * @param string $api       In whose form the model is asked, from the first text on.
	 */
	public function begin(
		string $uuid,
		int $user,
		string $title,
		string $client_id,
		string $api,
	): void {
		$now = $this->now();
		$this->write(
			"INSERT IGNORE INTO `{$this->table()}` (uuid, user_id, title, state, client_id, texts, "
				. "api, created_at, updated_at) VALUES (%s, %d, %s, 'thinking', %s, 1, %s, %s, %s)",
			array( $uuid, $user, $title, $client_id, $api, $now, $now )
		);
	}

	/**
	 * A conversation by its id.
	 *
	 * @param string $uuid The id.
	 * @return array<string, string|null>|null
	 */
	public function find( string $uuid ): ?array {
		return $this->rows( 'WHERE uuid = %s', array( $uuid ) )[0] ?? null;
	}

	/**
	 * The conversations of a user, the newest first.
	 *
	 * @param int $user   The user's id.
	 * @param int $most   How many at most.
	 * @param int $offset How many are left out.
	 * @return list<array<string, string|null>>
	 */
	public function of_user( int $user, int $most, int $offset = 0 ): array {
		return $this->rows(
			'WHERE user_id = %d ORDER BY updated_at DESC, id DESC LIMIT %d OFFSET %d',
			array( $user, $most, $offset )
		);
	}

	/**
	 * How many conversations a user has.
	 *
	 * @param int $user The user's id.
	 */
	public function count( int $user ): int {
		global $wpdb;
		$query = "SELECT COUNT(*) FROM `{$this->table()}` WHERE user_id = %d";
		// phpcs:ignore WordPress.DB -- WordPress before 6.2 has no placeholder for a table.
		return (int) $wpdb->get_var( $wpdb->prepare( $query, $user ) );
	}

	/**
	 * The conversations whose next step nobody takes: their time to answer has passed.
	 *
	 * @param int $seconds For how many seconds nothing has happened.
	 * @param int $most    How many at most.
	 * @return list<array<string, string|null>>
	 */
	public function left( int $seconds, int $most ): array {
		return $this->rows(
			"WHERE state IN ('thinking', 'waiting') AND claimed_until < %d AND updated_at < %s "
				. 'ORDER BY id LIMIT %d',
			array( time(), gmdate( 'Y-m-d H:i:s', time() - $seconds ), $most )
		);
	}

	/**
	 * The conversations in which nothing has happened for a number of days, and nothing waits.
	 *
	 * @param int $days The days.
	 * @param int $most How many at most.
	 * @return list<array<string, string|null>>
	 */
	public function old( int $days, int $most ): array {
		return $this->rows(
			"WHERE updated_at < %s AND state != 'waiting' ORDER BY id LIMIT %d",
			array( gmdate( 'Y-m-d H:i:s', time() - $days * DAY_IN_SECONDS ), $most )
		);
	}

	/**
	 * The names of the tools that were called in a conversation.
	 *
	 * @param string $uuid The conversation.
	 * @return list<string>
	 */
	public function called_tools( string $uuid ): array {
		global $wpdb;
		$query = "SELECT DISTINCT tool FROM `{$this->schema->calls_table()}` "
			. "WHERE conversation = %s AND state NOT IN ('seen', 'refused')";
		// phpcs:ignore WordPress.DB -- WordPress before 6.2 has no placeholder for a table.
		return $wpdb->get_col( $wpdb->prepare( $query, $uuid ) );
	}

	/**
	 * Records that the user says one more text, unless a text is being answered, a call waits, or a
	 * step that was stopped has not ended. Says whether it was recorded.
	 *
	 * @param array<string, string|null> $row       The conversation as it was read.
	 * @param string                     $client_id The client's name for the text.
	 */
	public function say( array $row, string $client_id ): bool {
		return $this->write(
			"UPDATE `{$this->table()}` SET state = 'thinking', error_code = '', client_id = %s, "
				. "deaths = 0, claim = '', "
				. 'texts = texts + 1, version = version + 1, updated_at = %s '
				. 'WHERE uuid = %s AND texts = %d AND claimed_until < %d '
				. "AND state NOT IN ('thinking', 'waiting')",
			array( $client_id, $this->now(), $row['uuid'], $row['texts'], time() )
		) > 0;
	}

	/**
	 * Takes the next step of a conversation for one process. The claim ends by itself, if the
	 * process dies; the next one counts that.
	 *
	 * @param string $uuid    The conversation.
	 * @param string $claim   What names the process.
	 * @param int    $seconds For how long.
	 */
	public function claim( string $uuid, string $claim, int $seconds ): bool {
		// MySQL sets one column after the other: what reads a column comes before what sets it.
		return $this->write(
			"UPDATE `{$this->table()}` SET "
				. "deaths = CASE WHEN claim = '' THEN deaths ELSE deaths + 1 END, "
				. 'claim = %s, claimed_until = %d WHERE uuid = %s '
				. "AND claimed_until < %d AND state IN ('thinking', 'waiting')",
			array( $claim, time() + $seconds, $uuid, time() )
		) > 0;
	}

	/**
	 * Gives a claim back: no step is taken.
	 *
	 * @param string $uuid  The conversation.
	 * @param string $claim What names the process.
	 */
	public function unclaim( string $uuid, string $claim ): void {
		$this->write(
			"UPDATE `{$this->table()}` SET claim = '', claimed_until = 0 "
				. 'WHERE uuid = %s AND claim = %s',
			array( $uuid, $claim )
		);
	}

	/**
	 * How many conversations have a step taken right now: of a user, and of all.
	 *
	 * @param int $user The user's id.
	 * @return array{user: int, all: int}
	 */
	public function working( int $user ): array {
		$rows = $this->rows( 'WHERE claimed_until >= %d', array( time() ), 'user_id' );
		return array(
			'user' => count( array_keys( array_column( $rows, 'user_id' ), (string) $user, true ) ),
			'all'  => count( $rows ),
		);
	}

	/**
	 * Keeps a claim for longer. False if another process has it by now, or the user has stopped
	 * the conversation.
	 *
	 * @param string $uuid    The conversation.
	 * @param string $claim   What names the process.
	 * @param int    $seconds For how long.
	 */
	public function renew( string $uuid, string $claim, int $seconds ): bool {
		$row = $this->find( $uuid );
		if ( null === $row || $claim !== $row['claim'] || 'stopped' === $row['state'] ) {
			return false;
		}
		$this->write(
			"UPDATE `{$this->table()}` SET claimed_until = %d WHERE uuid = %s AND claim = %s",
			array( time() + $seconds, $uuid, $claim )
		);
		return true;
	}

	/**
	 * Ends a claim, and records how the conversation stands. One that the user has stopped
	 * meanwhile stays stopped.
	 *
	 * @param string $uuid   The conversation.
	 * @param string $claim  What names the process.
	 * @param string $state  One of STATES.
	 * @param string $code   Why it failed or was stopped; may be empty.
	 * @param int    $tokens How many tokens it took meanwhile.
	 */
	public function release(
		string $uuid,
		string $claim,
		string $state,
		string $code,
		int $tokens,
	): void {
		$this->write(
			"UPDATE `{$this->table()}` SET "
				. "error_code = CASE WHEN state = 'stopped' THEN error_code ELSE %s END, "
				. "state = CASE WHEN state = 'stopped' THEN state ELSE %s END, updated_at = %s, "
				. 'tokens = tokens + %d, version = version + 1, deaths = 0, '
				. "claimed_until = 0, claim = '' WHERE uuid = %s AND claim = %s",
			array( $code, $state, $this->now(), $tokens, $uuid, $claim )
		);
	}

	/**
	 * Moves a conversation from one of some states to another. Says whether it was in one of them.
	 *
	 * @param string       $uuid   The conversation.
	 * @param list<string> $states Some of STATES.
	 * @param string       $state  One of STATES.
	 */
	public function move( string $uuid, array $states, string $state ): bool {
		$marks = implode( ', ', array_fill( 0, count( $states ), '%s' ) );
		return $this->write(
			"UPDATE `{$this->table()}` SET state = %s, error_code = '', updated_at = %s, "
				. "version = version + 1 WHERE uuid = %s AND state IN ($marks)",
			array( $state, $this->now(), $uuid, ...$states )
		) > 0;
	}

	/**
	 * Removes a conversation's row, and says whether there was one.
	 *
	 * @param string $uuid The id.
	 */
	public function delete( string $uuid ): bool {
		return $this->write( "DELETE FROM `{$this->table()}` WHERE uuid = %s", array( $uuid ) ) > 0;
	}

	/**
	 * The table's name.
	 */
	private function table(): string {
		return $this->schema->conversations_table();
	}

	/**
	 * The present time as columns have it.
	 */
	private function now(): string {
		return gmdate( 'Y-m-d H:i:s' );
	}

	/**
	 * Rows of the table.
	 *
	 * @param string           $rest    What stands behind the table's name, with placeholders.
	 * @param list<string|int> $values  Their values.
	 * @param string           $columns The columns.
	 * @return list<array<string, string|null>>
	 */
	private function rows( string $rest, array $values, string $columns = '*' ): array {
		global $wpdb;
		$query = "SELECT $columns FROM `{$this->table()}` $rest";
		// phpcs:ignore WordPress.DB -- queries are literals of this class, values placeholders.
		return (array) $wpdb->get_results( $wpdb->prepare( $query, $values ), ARRAY_A );
	}

	/**
	 * How many rows a statement changes.
	 *
	 * @param string                $statement The statement with placeholders.
	 * @param list<string|int|null> $values    Their values.
	 * @throws RuntimeException When the database refuses: a conversation that is not recorded must
	 *                          not go on.
	 */
	private function write( string $statement, array $values ): int {
		$changed = Database::change( $statement, $values );
		if ( false === $changed ) {
			// phpcs:ignore WordPress.Security.EscapeOutput -- escaped where it is shown.
			throw new RuntimeException( 'The database refused to write: ' . Database::error() );
		}
		return $changed;
	}
}
