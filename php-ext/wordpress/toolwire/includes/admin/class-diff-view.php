<?php
/**
 * A diff on a screen.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\DiffResult;
use Toolwire\WordPress\Secrets;

/**
 * Prints what would change as a table: what is removed and added is said by sign and words, not by colour alone. The
 * table has so many lines; the rest of the diff is folded as text. Lines are read from the diff's text, because an
 * object for each would take more memory than a request has.
 */
final class Diff_View {

	/**
	 * The most lines of the table.
	 */
	const LINES = 500;

	/**
	 * The most characters of a line of the table.
	 */
	const CHARACTERS = 3000;

	/**
	 * Prints a diff.
	 *
	 * @param string     $label What is compared.
	 * @param DiffResult $diff  The diff.
	 */
	public static function show( string $label, DiffResult $diff ): void {
		if ( ! $diff->hasChanges() ) {
			/* translators: %s: what is compared, such as Title. */
			printf( '<p>%s</p>', esc_html( sprintf( __( '%s: nothing changes.', 'toolwire' ), $label ) ) );
			return;
		}
		/* translators: 1: what is compared, such as Title, 2: how many lines were added and removed, such as +2 -1. */
		$caption = sprintf( __( '%1$s (%2$s)', 'toolwire' ), $label, $diff->changeSummary() );
		$text    = mb_scrub( Secrets::text( $diff->diffOutput ), 'UTF-8' ); // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
		if ( 'unified' !== $diff->diffType ) { // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
			printf( '<h4>%s</h4>', Verbatim::html( $caption ) );
			Folded_Text::show( $text );
			return;
		}
		printf( '<table class="toolwire-diff"><caption>%s</caption><tbody>', Verbatim::html( $caption ) );
		$rest = self::lines( $text );
		echo '</tbody></table>';
		Folded_Text::fold( $rest );
	}

	/**
	 * Prints the first lines of a unified diff; the text of the others.
	 *
	 * @param string $text The diff.
	 */
	private static function lines( string $text ): string {
		$lines = explode( "\n", $text, self::LINES + 1 );
		$rest  = count( $lines ) > self::LINES ? (string) array_pop( $lines ) : '';
		$old   = 0;
		$new   = 0;
		foreach ( $lines as $line ) {
			$sign = substr( $line, 0, 1 );
			if ( '@' === $sign && preg_match( '~^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@~', $line, $found ) ) {
				if ( $old + $new > 0 ) {
					echo '<tr class="toolwire-gap"><td colspan="3">⋮</td></tr>';
				}
				$old = max( 1, (int) $found[1] );
				$new = max( 1, (int) $found[2] );
			} elseif ( 0 === $old || '' === $line ) {
				continue;
			} elseif ( '-' === $sign ) {
				self::line( 'remove', $old++, substr( $line, 1 ) );
			} elseif ( '+' === $sign ) {
				self::line( 'add', $new++, substr( $line, 1 ) );
			} elseif ( ' ' === $sign ) {
				++$old;
				self::line( 'equal', $new++, substr( $line, 1 ) );
			} else {
				printf( '<tr><td></td><td></td><td><em>%s</em></td></tr>', Verbatim::html( ltrim( $line, '\\ ' ) ) );
			}
		}
		return $rest;
	}

	/**
	 * Prints a line.
	 *
	 * @param string $type   `add`, `remove` or `equal`.
	 * @param int    $number The line's number.
	 * @param string $line   What it says.
	 */
	private static function line( string $type, int $number, string $line ): void {
		$kinds                     = array(
			'add'    => array( '+', __( 'added', 'toolwire' ), 'ins' ),
			'remove' => array( '−', __( 'removed', 'toolwire' ), 'del' ),
			'equal'  => array( ' ', __( 'unchanged', 'toolwire' ), 'span' ),
		);
		list( $sign, $word, $tag ) = $kinds[ $type ];
		$line                      = rtrim( $line, "\r" );
		$first                     = mb_substr( $line, 0, self::CHARACTERS, 'UTF-8' );
		printf(
			'<tr class="toolwire-%1$s"><td>%2$s</td><td><span aria-hidden="true">%3$s</span><span class="screen-reader-text">%4$s</span></td><td><%5$s>%6$s</%5$s>',
			esc_attr( $type ),
			esc_html( (string) $number ),
			esc_html( $sign ),
			esc_html( $word ),
			esc_html( $tag ),
			Verbatim::html( $first )
		);
		Folded_Text::fold( substr( $line, strlen( $first ) ) );
		echo '</td></tr>';
	}
}
