<?php
/**
 * A text that may be long, on a screen.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

/**
 * Prints a whole text. A long text is folded and shows its length; nothing is left out. Invisible
 * and control characters are shown as marks.
 */
final class Folded_Text {

	const CHARACTERS = 3000;

	/**
	 * Takes its parts.
	 *
	 * @param Verbatim $verbatim Shows texts as they are.
	 */
	public function __construct(
		private Verbatim $verbatim,
	) {
	}

	/**
	 * Prints a text.
	 *
	 * @param string $text The text.
	 */
	public function show( string $text ): void {
		$text  = mb_scrub( $text, 'UTF-8' );
		$first = $this->beginning( $text );
		$rest  = substr( $text, strlen( $first ) );
		printf( '<pre>%s</pre>', esc_textarea( $this->verbatim->text( $first ) ) );
		$this->fold( $rest );
	}

	/**
	 * Prints a text that is folded; nothing where there is none.
	 *
	 * @param string $text The text, in UTF-8.
	 */
	public function fold( string $text ): void {
		if ( '' === $text ) {
			return;
		}
		$number = mb_strlen( $text, 'UTF-8' );
		$more   = sprintf(
			/* translators: %s: a number. */
			_n( 'Show %s more character', 'Show %s more characters', $number, 'toolwire' ),
			number_format_i18n( $number )
		);
		printf(
			'<details class="toolwire-folded"><summary>%s</summary><pre>%s</pre></details>',
			esc_html( $more ),
			esc_textarea( $this->verbatim->text( $text ) )
		);
	}

	/**
	 * The beginning of a text that is not folded: up to the end of a line, if one is near.
	 *
	 * @param string $text The text, in UTF-8.
	 */
	private function beginning( string $text ): string {
		$first = mb_substr( $text, 0, self::CHARACTERS, 'UTF-8' );
		if ( strlen( $first ) === strlen( $text ) ) {
			return $text;
		}
		$end = strrpos( $first, "\n" );
		return false === $end || $end < strlen( $first ) / 2
			? $first
			: substr( $first, 0, $end + 1 );
	}
}
