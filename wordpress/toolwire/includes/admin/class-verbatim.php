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
 * `&lt;`. This class shows each character as itself, and an invisible character as a mark.
 */
final class Verbatim {

	/**
	 * A text as HTML.
	 *
	 * @param string $text The text.
	 */
	public function html( string $text ): string {
		return htmlspecialchars( Text::visible( $text ), ENT_QUOTES | ENT_SUBSTITUTE, 'UTF-8' );
	}
}
