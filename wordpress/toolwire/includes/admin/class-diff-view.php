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
 * Prints a diff as a table. Signs and words mark what is removed and added, not only colours. The
 * table shows the first lines; the rest of the diff is folded text.
 */
final class Diff_View {

	/**
	 * The most characters of a line of the table.
	 */
	const CHARACTERS = 3000;

	/**
	 * Takes its parts.
	 *
	 * @param Secrets     $secrets     Masks secrets.
	 * @param Verbatim    $verbatim    Shows texts as they are.
	 * @param Folded_Text $folded_text Shows long texts.
	 * @param Diff_Rows   $diff_rows   Reads the rows.
	 */
	public function __construct(
		private Secrets $secrets,
		private Verbatim $verbatim,
		private Folded_Text $folded_text,
		private Diff_Rows $diff_rows,
	) {
	}

	/**
	 * Prints a diff.
	 *
	 * @param string     $label What is compared.
	 * @param DiffResult $diff  The diff.
	 */
	public function show( string $label, DiffResult $diff ): void {
		if ( ! $diff->hasChanges() ) {
			/* translators: %s: what is compared, such as Title. */
			$nothing = sprintf( __( '%s: nothing changes.', 'toolwire' ), $label );
			printf( '<p>%s</p>', esc_textarea( $this->verbatim->text( $nothing ) ) );
			return;
		}
		/* translators: 1: what is compared, such as Title, 2: lines added and removed: +2 -1. */
		$caption = sprintf( __( '%1$s (%2$s)', 'toolwire' ), $label, $diff->changeSummary() );
		if ( 'unified' !== $diff->diffType ) {
			printf( '<h4>%s</h4>', esc_textarea( $this->verbatim->text( $caption ) ) );
			$this->folded_text->show( $this->secrets->text( $diff->diffOutput ) );
			return;
		}
		$read  = $this->diff_rows->of( $diff->diffOutput );
		$alike = $this->end_alike( (string) $diff->oldContent, (string) $diff->newContent );
		printf(
			'<table class="toolwire-diff"><caption>%s</caption><tbody>',
			esc_textarea( $this->verbatim->text( $caption ) )
		);
		foreach ( $read['rows'] as $row ) {
			if ( 'gap' === $row['type'] ) {
				echo '<tr class="toolwire-gap"><td colspan="3">⋮</td></tr>';
			} elseif ( 'note' === $row['type'] && $alike ) {
				continue; // That no side ends with a line end is no change.
			} elseif ( 'note' === $row['type'] ) {
				printf(
					'<tr><td></td><td></td><td><em>%s</em></td></tr>',
					esc_textarea( $this->verbatim->text( $row['text'] ) )
				);
			} else {
				$this->line( $row['type'], $row['number'], $row['text'] );
			}
		}
		echo '</tbody></table>';
		$this->folded_text->fold( $read['rest'] );
	}

	/**
	 * Whether both sides end with a line end, or neither does, or one is empty.
	 *
	 * @param string $old The text before.
	 * @param string $new The text after.
	 */
	private function end_alike( string $old, string $new ): bool {
		return '' === $old
			|| '' === $new
			|| str_ends_with( $old, "\n" ) === str_ends_with( $new, "\n" );
	}

	/**
	 * Prints a line.
	 *
	 * @param string $type   `add`, `remove` or `equal`.
	 * @param int    $number The line's number.
	 * @param string $line   What it says.
	 */
	private function line( string $type, int $number, string $line ): void {
		$kinds                     = array(
			'add'    => array( '+', __( 'added', 'toolwire' ), 'ins' ),
			'remove' => array( '−', __( 'removed', 'toolwire' ), 'del' ),
			'equal'  => array( ' ', __( 'unchanged', 'toolwire' ), 'span' ),
		);
		list( $sign, $word, $tag ) = $kinds[ $type ];
		$first                     = mb_substr( $line, 0, self::CHARACTERS, 'UTF-8' );
		printf(
			'<tr class="toolwire-%1$s"><td>%2$s</td><td><span aria-hidden="true">%3$s</span>'
				. '<span class="screen-reader-text">%4$s</span></td><td><%5$s>%6$s</%5$s>',
			esc_attr( $type ),
			esc_html( (string) $number ),
			esc_html( $sign ),
			esc_html( $word ),
			esc_html( $tag ),
			esc_textarea( $this->verbatim->text( $first ) )
		);
		$this->folded_text->fold( substr( $line, strlen( $first ) ) );
		echo '</td></tr>';
	}
}
