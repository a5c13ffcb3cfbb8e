<?php
/**
 * Texts that are kept encrypted.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use SodiumException;

/**
 * Encrypts texts that may be secret before the database gets them. The key is made of the site's
 * salts. Where wp-config.php has them, a copy of the database does not open the texts; WordPress
 * keeps salts in the database where wp-config.php has none.
 */
final class Sealed_Text {

	/**
	 * Takes what the texts are for: each purpose has a key of its own.
	 *
	 * @param string $purpose The purpose.
	 */
	public function __construct( private string $purpose ) {
	}

	/**
	 * Encrypts a text; the result is bytes.
	 *
	 * @param string $text The text.
	 */
	public function seal( string $text ): string {
		$nonce = random_bytes( SODIUM_CRYPTO_SECRETBOX_NONCEBYTES );
		return $nonce . sodium_crypto_secretbox( $text, $nonce, $this->key() );
	}

	/**
	 * The text that seal() encrypted; null for other bytes, and after the salts have changed.
	 *
	 * @param string $sealed What seal() returned.
	 */
	public function open( string $sealed ): ?string {
		$size = SODIUM_CRYPTO_SECRETBOX_NONCEBYTES;
		if ( strlen( $sealed ) <= $size ) {
			return null;
		}
		try {
			$text = sodium_crypto_secretbox_open(
				substr( $sealed, $size ),
				substr( $sealed, 0, $size ),
				$this->key()
			);
		} catch ( SodiumException $damaged ) {
			return null;
		}
		return false === $text ? null : $text;
	}

	/**
	 * What encrypts.
	 */
	private function key(): string {
		return hash_hkdf( 'sha256', wp_salt( 'auth' ), 32, $this->purpose );
	}
}
