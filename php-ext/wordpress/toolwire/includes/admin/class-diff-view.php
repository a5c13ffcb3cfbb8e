<?php
/**
 * A diff on a screen.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\DiffLine;
use Toolwire\DiffResult;

/**
 * Prints what would change as a table: what is removed and added is said by sign and words, not by colour alone.
 */
final class Diff_View {

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
		printf( '<table class="toolwire-diff"><caption>%s</caption><tbody>', esc_html( $caption ) );
		$last = 0;
		foreach ( $diff->changes as $line ) {
			$number = $line->lineNumberOld ?? $line->lineNumberNew ?? 0; // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
			if ( 'add' !== $line->type && 0 !== $last && $number > $last + 1 ) {
				echo '<tr class="toolwire-gap"><td colspan="3">⋮</td></tr>';
			}
			$last = 'add' === $line->type ? $last : $number;
			self::line( $line );
		}
		echo '</tbody></table>';
	}

	/**
	 * Prints a line.
	 *
	 * @param DiffLine $line The line.
	 */
	private static function line( DiffLine $line ): void {
		$kinds                     = array(
			'add'    => array( '+', __( 'added', 'toolwire' ), 'ins' ),
			'remove' => array( '−', __( 'removed', 'toolwire' ), 'del' ),
			'equal'  => array( ' ', __( 'unchanged', 'toolwire' ), 'span' ),
		);
		list( $sign, $word, $tag ) = $kinds[ $line->type ];
		$number                    = $line->lineNumberNew ?? $line->lineNumberOld; // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
		printf(
			'<tr class="toolwire-%1$s"><td>%2$s</td><td><span aria-hidden="true">%3$s</span><span class="screen-reader-text">%4$s</span></td><td><%5$s>%6$s</%5$s></td></tr>',
			esc_attr( $line->type ),
			esc_html( (string) $number ),
			esc_html( $sign ),
			esc_html( $word ),
			esc_html( $tag ),
			esc_html( rtrim( $line->content, "\r\n" ) )
		);
	}
}
