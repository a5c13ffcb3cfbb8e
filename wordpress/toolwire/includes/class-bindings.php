<?php
/**
 * Which calls the site's own assistant asked for.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use WP_Error;

/**
 * A binding says that this site found a call in a reply of its assistant: this call, for this user,
 * in this conversation, until a time. A binding is a keyed hash, so nobody else can make one. The
 * id belongs to one reply and each id is one run, so a bound call runs once.
 */
final class Bindings {

	/**
	 * The binding of a call of the current user.
	 *
	 * @param string $conversation The client's name for the conversation; may be empty.
	 * @param string $id           The id under which the call is to be sent.
	 * @param string $name         The tool's name.
	 * @param string $arguments    Its arguments, the JSON text as it was written.
	 */
	public function make(
		string $conversation,
		string $id,
		string $name,
		string $arguments,
	): string {
		/**
		 * Filters for how long a call of the assistant can be run, in seconds.
		 *
		 * @param int $seconds A day at most: runs are kept at least that long.
		 */
		$seconds = (int) apply_filters( 'toolwire_binding_seconds', HOUR_IN_SECONDS );
		$expires = (string) ( time() + min( $seconds, DAY_IN_SECONDS ) );
		return $expires . '.' . $this->code( $expires, $conversation, $id, $name, $arguments );
	}

	/**
	 * Why a binding does not bind a call to the current user; null when it does.
	 *
	 * @param string $binding      What was sent.
	 * @param string $conversation As in make().
	 * @param string $id           As in make().
	 * @param string $name         As in make().
	 * @param string $arguments    As in make().
	 */
	public function refusal(
		string $binding,
		string $conversation,
		string $id,
		string $name,
		string $arguments,
	): ?WP_Error {
		list( $expires, $code ) = explode( '.', $binding, 2 ) + array( '', '' );
		if (
			! hash_equals( $this->code( $expires, $conversation, $id, $name, $arguments ), $code )
		) {
			return new WP_Error(
				'toolwire_bad_binding',
				__( 'The assistant did not ask you for this call.', 'toolwire' ),
				array( 'status' => 403 )
			);
		}
		return (int) $expires >= time() ? null : new WP_Error(
			'toolwire_binding_expired',
			__( 'The assistant asked for this call too long ago. Ask it again.', 'toolwire' ),
			array( 'status' => 410 )
		);
	}

	/**
	 * The keyed hash. Each part is hashed first, so that two lists of parts never give the same
	 * text.
	 *
	 * @param string ...$parts What is bound besides the site and the current user.
	 */
	private function code( string ...$parts ): string {
		$parts[] = (string) get_current_blog_id();
		$parts[] = (string) get_current_user_id();
		$written = implode(
			'',
			array_map( static fn ( string $part ): string => hash( 'sha256', $part, true ), $parts )
		);
		return hash_hmac(
			'sha256',
			$written,
			hash_hkdf( 'sha256', wp_salt( 'auth' ), 32, 'toolwire binding' )
		);
	}
}
