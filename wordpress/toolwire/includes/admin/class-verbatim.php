<?php
/**
 * Text of models and strangers on a screen.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\Text;

/**
 * Shows a text as it is. esc_html() keeps `&lt;`, so a person would read `<` where the call has
 * `&lt;`; esc_textarea() shows each character as itself, wherever it stands. An invisible character
 * is shown as a mark.
 */
final class Verbatim {

	/**
	 * A text that is valid and shows what is invisible. Whoever prints it passes it through
	 * esc_textarea().
	 *
	 * @param string $text The text.
	 */
	public function text( string $text ): string {
		return mb_scrub( Text::visible( $text ), 'UTF-8' );
	}

	/**
	 * A text as HTML.
	 *
	 * @param string $text The text.
	 */
	public function html( string $text ): string {
		return esc_textarea( $this->text( $text ) );
	}
}
