<?php
/**
 * Secrets, which must not be stored.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Redaction;

/**
 * Masks secrets before the log stores a value: every value whose name is that of a secret, and
 * every text that looks like a secret.
 */
final class Secrets {

	/**
	 * The names that mark secrets, also for the executor.
	 */
	public function redaction(): Redaction {
		/**
		 * Filters the names of secrets that the site adds to those of the extension. A value with
		 * such a name is kept out of the log and the store.
		 *
		 * @param list<string> $names Words joined by `_`.
		 */
		$names = (array) apply_filters( 'toolwire_secret_names', array() );
		return Redaction::withDefaults( array_values( array_filter( $names, 'is_string' ) ) );
	}

	/**
	 * A text without parts that look like secrets.
	 *
	 * @param string $text The text.
	 */
	public function text( string $text ): string {
		return $this->redaction()->maskText( $text );
	}

	/**
	 * A value from JSON, without secrets.
	 *
	 * @param mixed $value The value.
	 * @return mixed
	 */
	public function masked( $value ) {
		return $this->redaction()->mask( $value );
	}
}
