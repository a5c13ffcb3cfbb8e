<?php
/**
 * The key of the model's server.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\WordPress\Sealed_Text;

/**
 * Keeps the key encrypted in an option that no page loads. A constant or a variable of the
 * environment, `TOOLWIRE_MODEL_KEY`, goes before it and is safer: it is not in the database.
 */
final class Model_Key {

	const OPTION = 'toolwire_model_key';
	const NAME   = 'TOOLWIRE_MODEL_KEY';

	/**
	 * The key; empty without one, and after the site's salts have changed.
	 */
	public function get(): string {
		$given = $this->given();
		if ( '' !== $given ) {
			return $given;
		}
		// phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions -- bytes in a column of text.
		$kept = base64_decode( (string) get_option( self::OPTION, '' ), true );
		return (string) $this->sealed()->open( (string) $kept );
	}

	/**
	 * Keeps a key; an empty one removes it.
	 *
	 * @param string $key The key.
	 */
	public function set( string $key ): void {
		if ( '' === $key ) {
			delete_option( self::OPTION );
			return;
		}
		// phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions -- bytes in a column of text.
		update_option( self::OPTION, base64_encode( $this->sealed()->seal( $key ) ), false );
	}

	/**
	 * Whether the key comes from a constant or the environment.
	 */
	public function is_given(): bool {
		return '' !== $this->given();
	}

	/**
	 * What people may see of the key: its end. Empty without a key.
	 */
	public function shown(): string {
		$key = $this->get();
		return '' === $key ? '' : '•••• ' . ( strlen( $key ) >= 16 ? substr( $key, -4 ) : '' );
	}

	/**
	 * Whether a key is kept that cannot be read any more: the site's salts have changed.
	 */
	public function is_lost(): bool {
		return ! $this->is_given() && '' !== (string) get_option( self::OPTION, '' )
			&& '' === $this->get();
	}

	/**
	 * The key of the constant or the environment.
	 */
	private function given(): string {
		$given = defined( self::NAME ) ? constant( self::NAME ) : getenv( self::NAME );
		return is_string( $given ) ? trim( $given ) : '';
	}

	/**
	 * What encrypts the key.
	 */
	private function sealed(): Sealed_Text {
		return new Sealed_Text( 'toolwire model key' );
	}
}
