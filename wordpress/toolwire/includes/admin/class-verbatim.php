<?php
/**
 * Text of models and strangers on a screen.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\Text;

/**
 * Shows a text as it is. esc_html() leaves `&lt;` alone, so that a person who decides would read
 * `<` where the call has `&lt;`; here each character is shown as itself, and one that nobody sees
 * as a mark.
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
