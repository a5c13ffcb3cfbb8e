<?php
/**
 * A text that may be long, on a screen.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

/**
 * Prints a whole text. What is long is folded and says how much there is; nothing is left out. Invisible and control
 * characters are shown as marks.
 */
final class Folded_Text {

	const CHARACTERS = 3000;

	/**
	 * Prints a text.
	 *
	 * @param string $text The text.
	 */
	public static function show( string $text ): void {
		$text  = mb_scrub( $text, 'UTF-8' );
		$first = self::beginning( $text );
		$rest  = substr( $text, strlen( $first ) );
		printf( '<pre>%s</pre>', Verbatim::html( $first ) );
		self::fold( $rest );
	}

	/**
	 * Prints a text that is folded; nothing where there is none.
	 *
	 * @param string $text The text, in UTF-8.
	 */
	public static function fold( string $text ): void {
		if ( '' === $text ) {
			return;
		}
		$number = mb_strlen( $text, 'UTF-8' );
		/* translators: %s: a number. */
		$more = sprintf( _n( 'Show %s more character', 'Show %s more characters', $number, 'toolwire' ), number_format_i18n( $number ) );
		printf( '<details class="toolwire-folded"><summary>%s</summary><pre>%s</pre></details>', esc_html( $more ), Verbatim::html( $text ) );
	}

	/**
	 * The beginning of a text that is not folded: up to the end of a line, if one is near.
	 *
	 * @param string $text The text, in UTF-8.
	 */
	private static function beginning( string $text ): string {
		$first = mb_substr( $text, 0, self::CHARACTERS, 'UTF-8' );
		if ( strlen( $first ) === strlen( $text ) ) {
			return $text;
		}
		$end = strrpos( $first, "\n" );
		return false === $end || $end < strlen( $first ) / 2 ? $first : substr( $first, 0, $end + 1 );
	}
}
