<?php
/**
 * Conversations that are not kept.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\WordPress\Settings;

/**
 * Removes conversations that are older than the settings keep them.
 */
final class Forgetting {

	/**
	 * How many are removed at once.
	 */
	const MOST = 500;

	/**
	 * Takes its parts.
	 *
	 * @param Settings           $settings      The settings.
	 * @param Conversation_Table $table         The conversations.
	 * @param Conversations      $conversations Removes conversations.
	 */
	public function __construct(
		private Settings $settings,
		private Conversation_Table $table,
		private Conversations $conversations,
	) {
	}

	/**
	 * Removes some of the old conversations, and returns their number.
	 */
	public function prune(): int {
		$old = $this->table->old( (int) $this->settings->get( 'chat_days' ), self::MOST );
		foreach ( $old as $row ) {
			$this->conversations->delete( $row );
		}
		return count( $old );
	}

	/**
	 * Removes the conversations of a user who is deleted: nobody else may read them.
	 *
	 * @param int $user The user's id.
	 */
	public function of_user( int $user ): void {
		do {
			$some  = $this->table->of_user( $user, self::MOST );
			$count = count( $some );
			foreach ( $some as $row ) {
				$this->conversations->delete( $row );
			}
		} while ( self::MOST === $count );
	}
}
