<?php
/**
 * Texts of others, for prompts and pages.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Text;

/**
 * Quotes a text so that no call of any format is found in it. What looks like a call stays
 * readable, with a mark in it. Only this is promised: a model can still be persuaded by what it
 * reads.
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
