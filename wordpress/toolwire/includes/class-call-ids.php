<?php
/**
 * The names of calls.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\ToolCall;

/**
 * Makes the id under which a call runs, so that a call that is sent again is the same run, and
 * remembers the ids of erased calls, which never run again.
 */
final class Call_Ids {

	/**
	 * Where the ids are.
	 */
	private const PREFIX = 'wordpress/call/';

	/**
	 * Takes its parts.
	 *
	 * @param Store    $store    Where the ids of erased calls are.
	 * @param Settings $settings The settings.
	 */
	public function __construct(
		private Store $store,
		private Settings $settings,
	) {
	}

	/**
	 * The id under which a call runs. Ids that models write are not enough: users, programs,
	 * conversations and messages share them. Each part is hashed first, so that no part can be
	 * written to look like another.
	 *
	 * @param int    $user         The user's id.
	 * @param string $conversation The client's name for the conversation; may be empty.
	 * @param string $given        The id that the model or the client gave; a new one when it is
	 *                             empty.
	 * @param string $message      The client's name for the message of the call; may be empty.
	 * @param string $client       What client() says, for an id that the client chose.
	 */
	public function run_id(
		int $user,
		string $conversation,
		string $given,
		string $message = '',
		string $client = '',
	): string {
		$given = '' === $given ? wp_generate_uuid4() : $given;
		$parts = array_map(
			static fn ( string $part ): string => hash( 'sha256', $part, true ),
			array( (string) $user, $client, $conversation, $message, $given )
		);
		// A UUID of version 8, which says nothing of how it was made.
		$hash    = hash( 'sha256', implode( '', $parts ) );
		$variant = dechex( 8 | ( hexdec( $hash[16] ) & 3 ) );
		return vsprintf(
			'%s-%s-8%s-%s%s-%s',
			array(
				substr( $hash, 0, 8 ),
				substr( $hash, 8, 4 ),
				substr( $hash, 13, 3 ),
				$variant,
				substr( $hash, 17, 3 ),
				substr( $hash, 20, 12 ),
			)
		);
	}

	/**
	 * Which of the current user's programs sent the request: the id of its application password.
	 * Two programs of one user may give the same ids. Empty for a browser.
	 */
	public function client(): string {
		$password = rest_get_authenticated_app_password();
		/**
		 * Filters the name of the program that sent the request; ids of calls count for it alone.
		 *
		 * @param string $client The id of the application password, empty without one.
		 */
		return (string) apply_filters( 'toolwire_client', (string) $password );
	}

	/**
	 * Whether the id of a call belongs to another one: to an erased call, or to a call of an
	 * earlier version of the plugin, which took each id by a hash of the call.
	 *
	 * @param ToolCall $call The call, whose id is that of the action.
	 */
	public function is_of_another( ToolCall $call ): bool {
		$entry = $this->store->get( self::PREFIX . $call->id, $this->store->now() );
		$taken = null === $entry ? null : json_decode( $entry['value'], true )['call'] ?? '';
		return null !== $taken && hash( 'sha256', "$call->name\0{$call->argumentsRaw}" ) !== $taken;
	}

	/**
	 * Keeps the id of an erased call: a client that sends the call again gets a conflict, and the
	 * call does not run.
	 *
	 * @param string $run_id The run's id.
	 */
	public function block( string $run_id ): void {
		$seconds = max(
			(int) $this->settings->get( 'retention_days' ) * DAY_IN_SECONDS,
			(int) $this->settings->get( 'approval_hours' ) * HOUR_IN_SECONDS
		);
		$now     = $this->store->now();
		$expires = $now + $seconds * 1000000;
		$this->store->put( self::PREFIX . $run_id, '{"call":""}', null, $expires, $now );
	}

	/**
	 * Frees the ids of calls that left the log.
	 *
	 * @param list<string> $ids The actions' ids.
	 */
	public function free( array $ids ): void {
		foreach ( $ids as $id ) {
			$this->store->delete( self::PREFIX . $id, null, $this->store->now() );
		}
	}
}
