<?php
/**
 * The address of a model's server.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use WP_Error;

/**
 * An address in the form of OpenAI's API, such as `https://example.com/v1`. Outside of private
 * networks it must be encrypted, since what users write goes there.
 */
final class Model_Address {

	/**
	 * Takes the address.
	 *
	 * @param string $url        Without the path of a route.
	 * @param bool   $is_private Whether it is in a private network.
	 */
	private function __construct(
		public readonly string $url,
		public readonly bool $is_private,
	) {
	}

	/**
	 * Reads what a person has written.
	 *
	 * @param string $written The text.
	 * @return self|WP_Error
	 */
	public static function read( string $written ) {
		$url   = rtrim( trim( $written ), '/' );
		$parts = wp_parse_url( $url );
		$host  = strtolower( (string) ( $parts['host'] ?? '' ) );
		if (
			! in_array( $parts['scheme'] ?? '', array( 'http', 'https' ), true )
			|| '' === $host
			|| isset( $parts['user'] ) || isset( $parts['query'] ) || isset( $parts['fragment'] )
		) {
			return new WP_Error(
				'toolwire_bad_address',
				__(
					'The address of the model must be one such as https://example.com/v1.',
					'toolwire'
				)
			);
		}
		$is_private = self::is_private( $host );
		if ( 'https' !== $parts['scheme'] && ! $is_private ) {
			return new WP_Error(
				'toolwire_unencrypted_address',
				__(
					'The address of the model must begin with https, unless it is in your network.',
					'toolwire'
				)
			);
		}
		return new self( $url, $is_private );
	}

	/**
	 * Where chat completions are asked for.
	 */
	public function route(): string {
		return $this->url . '/chat/completions';
	}

	/**
	 * Whether a host is in a private network: by its address, or by a name that no public host has.
	 *
	 * @param string $host The host, in lower case.
	 */
	private static function is_private( string $host ): bool {
		$address = trim( $host, '[]' );
		if ( filter_var( $address, FILTER_VALIDATE_IP ) ) {
			$public = FILTER_FLAG_NO_PRIV_RANGE | FILTER_FLAG_NO_RES_RANGE;
			return ! filter_var( $address, FILTER_VALIDATE_IP, $public );
		}
		return ! str_contains( $host, '.' )
			|| 1 === preg_match( '/\.(?:local|internal|lan|home\.arpa)$/', $host );
	}
}
