<?php
/**
 * Texts of others, for prompts and pages.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Text;

/**
 * Makes a text in which no call is found, whatever its format. What looks like one stays readable:
 * a mark stands in it. A model can still be persuaded by what it reads; that the text itself is no
 * call is all that is promised.
 */
final class Quote {

	/**
	 * Quotes a text.
	 *
	 * @param string $text What others wrote.
	 */
	public function text( string $text ): string {
		return Text::quote( $text );
	}
}
