<?php
/**
 * Deleted users of whom the log still has calls.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use WP_User;

/**
 * Remembers the ids of a deleted user by a keyed hash of the address, so that the person's records
 * can still be exported and erased. The address itself is not kept.
 */
final class Deleted_Users {

	const PREFIX = 'wordpress/deleted-user/';

	/**
	 * How many entries are looked at, at once.
	 */
	const PAGE = 500;

	/**
	 * Takes its parts.
	 *
	 * @param Engines  $engines  The engine of each site.
	 * @param Call_Log $call_log The log.
	 */
	public function __construct(
		private Engines $engines,
		private Call_Log $call_log,
	) {
	}

	/**
	 * Remembers a user who is deleted, or removed from this site, if the log names the user.
	 *
	 * @param WP_User $user The user.
	 */
	public function remember( WP_User $user ): void {
		// A site of a network that has not used the plugin has no tables.
		$used = Schema::VERSION === (int) get_option( 'toolwire_schema' );
		if ( ! $used || ! $this->call_log->names( $user->ID ) ) {
			return;
		}
		$key   = $this->key( $user->user_email );
		$ids   = array_unique( array( ...$this->read( $key ), $user->ID ) );
		$value = (string) wp_json_encode( array_values( $ids ) );
		$store = $this->engines->get()->store;
		$store->put( $key, $value, null, null, $store->now() );
	}

	/**
	 * The ids of all users who have or had an address.
	 *
	 * @param string $email The address.
	 * @return list<int>
	 */
	public function with_address( string $email ): array {
		$user = get_user_by( 'email', $email );
		$ids  = '' === $email ? array() : $this->read( $this->key( $email ) );
		return array_values( array_unique( $user ? array( $user->ID, ...$ids ) : $ids ) );
	}

	/**
	 * Forgets the users whom the log no longer names.
	 */
	public function prune(): void {
		$store = $this->engines->get()->store;
		$after = null;
		do {
			$some  = $store->scan( self::PREFIX, $after, self::PAGE, $store->now() );
			$count = count( $some );
			foreach ( $some as $entry ) {
				$after = $entry['key'];
				if ( ! array_filter( $this->read( $after ), array( $this->call_log, 'names' ) ) ) {
					$store->delete( $after, null, $store->now() );
				}
			}
		} while ( self::PAGE === $count );
	}

	/**
	 * The ids that an entry has.
	 *
	 * @param string $key The entry's key.
	 * @return list<int>
	 */
	private function read( string $key ): array {
		$store = $this->engines->get()->store;
		$entry = $store->get( $key, $store->now() );
		$ids   = null === $entry ? array() : (array) json_decode( $entry['value'], true );
		return array_map( 'intval', $ids );
	}

	/**
	 * The key of an address.
	 *
	 * @param string $email The address.
	 */
	private function key( string $email ): string {
		$email = strtolower( trim( $email ) );
		return self::PREFIX . hash_hmac( 'sha256', $email, wp_salt( 'auth' ) );
	}
}
