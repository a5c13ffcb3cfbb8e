<?php
/**
 * Which calls have been taken.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\ToolCall;

/**
 * Lets each call run once, however often and from wherever it is sent: the request that first puts
 * the call's id into the store takes the call. The claim keeps a hash of the arguments.
 */
final class Claims {

	/**
	 * Takes its parts.
	 *
	 * @param Store    $store    Where claims live.
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
	public function action_id(
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
	 * Takes a call. True when it was free, false when another request has taken it, null when its
	 * id belongs to another call.
	 *
	 * @param ToolCall $call The call, whose id is that of the action.
	 */
	public function take( ToolCall $call ): ?bool {
		$mine = array( 'call' => hash( 'sha256', "$call->name\0{$call->argumentsRaw}" ) );
		if ( null !== $this->put( $call->id, $mine, 0 ) ) {
			return true;
		}
		return $mine['call'] === ( $this->read( $call->id )['call'] ?? null ) ? false : null;
	}

	/**
	 * Forgets everything about a call except that its id was taken: a client that sends the call
	 * again gets a conflict, and the call does not run.
	 *
	 * @param string $action_id The action's id.
	 */
	public function blank( string $action_id ): void {
		if ( $this->read( $action_id ) ) {
			$this->put( $action_id, array( 'call' => '' ), null );
		}
	}

	/**
	 * Forgets calls altogether: their ids are free again.
	 *
	 * @param list<string> $ids The actions' ids.
	 */
	public function forget( array $ids ): void {
		foreach ( $ids as $id ) {
			$this->store->delete( "wordpress/call/$id", null, $this->store->now() );
		}
	}

	/**
	 * A claim as the store has it.
	 *
	 * @param string $action_id The action's id.
	 * @return array<string, string>
	 */
	private function read( string $action_id ): array {
		$entry = $this->store->get( "wordpress/call/$action_id", $this->store->now() );
		return null === $entry ? array() : (array) json_decode( $entry['value'], true );
	}

	/**
	 * Writes a claim; it lives as long as the call is in the log or waits.
	 *
	 * @param string                $action_id The action's id.
	 * @param array<string, string> $claim     What is written.
	 * @param int|null              $expected  0 where there must be none.
	 */
	private function put( string $action_id, array $claim, ?int $expected ): ?int {
		$seconds = max(
			(int) $this->settings->get( 'retention_days' ) * DAY_IN_SECONDS,
			(int) $this->settings->get( 'approval_hours' ) * HOUR_IN_SECONDS
		);
		$expires = $this->store->now() + $seconds * 1000000;
		return $this->store->put(
			"wordpress/call/$action_id",
			(string) wp_json_encode( $claim ),
			$expected,
			$expires,
			$this->store->now()
		);
	}
}
