<?php
/**
 * What must not be kept.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Redaction;

/**
 * Masks secrets in what the log keeps: whatever stands under a name of one, and every text that
 * looks like one.
 */
final class Secrets {

	/**
	 * The names by which secrets are found, also by what runs the tools.
	 */
	public function redaction(): Redaction {
		/**
		 * Filters the names of secrets that a site has beside those that the extension knows. What
		 * stands under one of them in a call is kept out of the log and the store.
		 *
		 * @param list<string> $names Words joined by `_`.
		 */
		$names = (array) apply_filters( 'toolwire_secret_names', array() );
		return Redaction::withDefaults( array_values( array_filter( $names, 'is_string' ) ) );
	}

	/**
	 * A text without what looks like a secret.
	 *
	 * @param string $text The text.
	 */
	public function text( string $text ): string {
		return $this->redaction()->maskText( $text );
	}

	/**
	 * A value that JSON gave, without secrets.
	 *
	 * @param mixed $value The value.
	 * @return mixed
	 */
	public function masked( $value ) {
		return $this->redaction()->mask( $value );
	}
}
