<?php
/**
 * How the calls of a conversation stand.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Host;
use Toolwire\WordPress\Schema;

/**
 * Reads the calls of a conversation with few queries, and says cheaply whether any of them has
 * changed.
 */
final class Call_Standings {

	/**
	 * The columns that change when a call stands in another way. None of them is long.
	 */
	const STANDING = 'action_id, tool, state, error_code, approval_id, decision, decided_by, '
		. 'changed_by, changed_at, finished_at, undone_by, undo_until';

	/**
	 * How many calls one query names.
	 */
	const PIECE = 200;

	/**
	 * Takes its parts.
	 *
	 * @param Schema $schema The tables.
	 * @param Access $access Who may do what.
	 */
	public function __construct( private Schema $schema, private Access $access ) {
	}

	/**
	 * How each call of a conversation stands, in few bytes, by the call's id.
	 *
	 * @param string $uuid The conversation.
	 * @return array<string, string>
	 */
	public function of( string $uuid ): array {
		$rows = $this->schema->calls(
			'WHERE conversation = %s ORDER BY id',
			array( $uuid ),
			self::STANDING
		);
		$now  = gmdate( 'Y-m-d H:i:s' );
		$all  = array();
		foreach ( $rows as $row ) {
			$row['undo_until'] = (string) $row['undo_until'] > $now;

			$all[ (string) $row['action_id'] ] = implode( '|', $row );
		}
		return $all;
	}

	/**
	 * A name for how some calls stand. What is shown of them depends on who looks, too, and on what
	 * the host can do: a server may gain or lose the extension while a page is open.
	 *
	 * @param array<string, string> $standings What of() gives.
	 */
	public function tag( array $standings ): string {
		$decides = $this->access->allows( 'approve' ) ? 'decides' : '';
		$host    = Host::only_reads() ? 'only reads' : '';
		return md5( implode( "\n", $standings ) . "\n$decides\n$host" );
	}

	/**
	 * The rows of some calls, in the order of the log.
	 *
	 * @param list<string> $ids Their ids.
	 * @return list<array<string, string|null>>
	 */
	public function rows( array $ids ): array {
		$rows = array();
		foreach ( array_chunk( $ids, self::PIECE ) as $some ) {
			$marks = implode( ', ', array_fill( 0, count( $some ), '%s' ) );
			$found = $this->schema->calls( "WHERE action_id IN ($marks) ORDER BY id", $some );
			array_push( $rows, ...$found );
		}
		return $rows;
	}
}
