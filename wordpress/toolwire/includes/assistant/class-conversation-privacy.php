<?php
/**
 * The conversations of a person, for WordPress' tools for personal data.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\WordPress\Deleted_Users;

/**
 * Exports what a person and the assistant said, and removes it. The calls of conversations are in
 * the log, which has an exporter and an eraser of its own.
 */
final class Conversation_Privacy {

	/**
	 * How many conversations a page has.
	 */
	const PER_PAGE = 20;

	/**
	 * Who says what.
	 */
	const SPEAKERS = array( 'user', 'reasoning', 'text' );

	/**
	 * Takes its parts.
	 *
	 * @param Conversation_Table $table         The conversations.
	 * @param Conversations      $conversations Knows what was said.
	 * @param Deleted_Users      $deleted_users Who was deleted.
	 */
	public function __construct(
		private Conversation_Table $table,
		private Conversations $conversations,
		private Deleted_Users $deleted_users,
	) {
	}

	/**
	 * Exports a page of a person's conversations.
	 *
	 * @param string $email The person's address.
	 * @param int    $page  From 1.
	 * @return array{data: list<array<string, mixed>>, done: bool}
	 */
	public function export( $email, $page = 1 ): array {
		$data = array();
		$rows = $this->rows( (string) $email, ( max( 1, (int) $page ) - 1 ) * self::PER_PAGE );
		foreach ( $rows as $row ) {
			$data[] = array(
				'group_id'    => 'toolwire-conversations',
				'group_label' => __( 'Conversations with the assistant', 'toolwire' ),
				'item_id'     => "toolwire-conversation-{$row['uuid']}",
				'data'        => $this->said( $row ),
			);
		}
		return array(
			'data' => $data,
			'done' => count( $rows ) < self::PER_PAGE,
		);
	}

	/**
	 * Removes a person's conversations.
	 *
	 * @param string $email The person's address.
	 * @param int    $page  From 1; each call removes the next ones.
	 * @return array<string, mixed>
	 */
	public function erase( $email, $page = 1 ): array {
		$rows = $this->rows( (string) $email, 0 );
		foreach ( $rows as $row ) {
			$this->conversations->delete( $row );
		}
		return array(
			'items_removed'  => array() !== $rows,
			'items_retained' => false,
			'messages'       => array(),
			'done'           => count( $rows ) < self::PER_PAGE,
		);
	}

	/**
	 * What was said in a conversation.
	 *
	 * @param array<string, string|null> $row The conversation.
	 * @return list<array{name: string, value: string}>
	 */
	private function said( array $row ): array {
		$names = array(
			'user'      => __( 'You', 'toolwire' ),
			'reasoning' => __( 'What the assistant thought', 'toolwire' ),
			'text'      => __( 'Assistant', 'toolwire' ),
		);
		$said  = array(
			array(
				'name'  => __( 'Begun', 'toolwire' ),
				'value' => (string) $row['created_at'] . ' UTC',
			),
		);
		foreach ( $this->conversations->events( $row ) as $event ) {
			if ( in_array( $event['type'], self::SPEAKERS, true ) ) {
				$said[] = array(
					'name'  => $names[ $event['type'] ],
					'value' => esc_html( $event['data']['text'] ),
				);
			}
		}
		return $said;
	}

	/**
	 * Some conversations of the users with an address.
	 *
	 * @param string $email  The address.
	 * @param int    $offset How many are left out.
	 * @return list<array<string, string|null>>
	 */
	private function rows( string $email, int $offset ): array {
		$rows = array();
		foreach ( $this->deleted_users->with_address( $email ) as $user ) {
			array_push( $rows, ...$this->table->of_user( $user, self::PER_PAGE, $offset ) );
		}
		return $rows;
	}
}
