<?php
/**
 * A call that a list shows as a whole.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\DiffResult;
use Toolwire\WordPress\Approvals;
use Toolwire\WordPress\Secrets;

/**
 * Shows all that a small call says and would change, so that a person can decide on it in a list.
 * A change of one line is one line: `Title: Hello world! → Hello`.
 */
final class Brief_View {

	/**
	 * The most bytes of a call that a list shows: its arguments and its changes together.
	 */
	const MOST_BYTES = 2048;

	/**
	 * Takes its parts.
	 *
	 * @param Approvals $approvals What waits for a person.
	 * @param Secrets   $secrets   Masks secrets.
	 * @param Verbatim  $verbatim  Shows texts as they are.
	 * @param Diff_View $diff_view Shows diffs of more than one line.
	 */
	public function __construct(
		private Approvals $approvals,
		private Secrets $secrets,
		private Verbatim $verbatim,
		private Diff_View $diff_view,
	) {
	}

	/**
	 * All of a call that waits. Null when the call is too large for a list, or waits no longer.
	 *
	 * @param array<string, mixed> $item An item of {@see Approvals::page()}.
	 * @return array<string, mixed>|null As {@see Approvals::look()} returns it.
	 */
	public function whole( array $item ): ?array {
		if ( null === $item['bytes'] || $item['bytes'] > self::MOST_BYTES ) {
			return null;
		}
		$shown = $this->approvals->look( $item['id'] );
		if ( is_wp_error( $shown ) ) {
			return null;
		}
		$bytes = strlen( $shown['arguments'] );
		foreach ( $shown['changes'] ?? array() as $change ) {
			$diff   = $change['diff']->diffOutput;
			$bytes += strlen( $change['label'] ) + strlen( $diff );
			if ( preg_match_all( Diff_Rows::ENDS, $diff ) > Diff_Rows::LINES ) {
				return null; // The table of the diff would fold its end.
			}
		}
		return $bytes > self::MOST_BYTES ? null : $shown;
	}

	/**
	 * Prints the changes and the arguments of a call.
	 *
	 * @param array<string, mixed> $shown What whole() returned.
	 */
	public function show( array $shown ): void {
		if ( null !== $shown['hold'] ) {
			printf(
				'<p class="toolwire-warning">%s</p>',
				esc_textarea( $this->verbatim->text( $shown['hold']->get_error_message() ) )
			);
		}
		if ( null === $shown['changes'] ) {
			printf(
				'<p class="toolwire-warning">%s</p>',
				esc_html__( 'The tool could not say what it would change.', 'toolwire' )
			);
		}
		foreach ( $shown['changes'] ?? array() as $change ) {
			$this->change( $change['label'], $change['diff'] );
		}
		printf( '<pre>%s</pre>', esc_textarea( $this->verbatim->text( $shown['arguments'] ) ) );
	}

	/**
	 * Prints a change.
	 *
	 * @param string     $label What is compared.
	 * @param DiffResult $diff  The diff.
	 */
	private function change( string $label, DiffResult $diff ): void {
		if ( ! $this->is_of_one_line( $diff ) ) {
			$this->diff_view->show( $label, $diff );
			return;
		}
		printf(
			'<p class="toolwire-change">%s: ',
			esc_textarea( $this->verbatim->text( $label ) )
		);
		$this->side( 'del', (string) $diff->oldContent );
		printf(
			' <span aria-hidden="true">→</span><span class="screen-reader-text">%s</span> ',
			esc_html__( 'becomes', 'toolwire' )
		);
		$this->side( 'ins', (string) $diff->newContent );
		echo '</p>';
	}

	/**
	 * Prints the text before or after a change.
	 *
	 * @param string $tag  Its element: `del` or `ins`.
	 * @param string $text The text.
	 */
	private function side( string $tag, string $text ): void {
		if ( '' === $text ) {
			printf( '<em>%s</em>', esc_html__( 'empty', 'toolwire' ) );
			return;
		}
		printf(
			'<%1$s>%2$s</%1$s>',
			esc_html( $tag ),
			esc_textarea( $this->verbatim->text( $this->secrets->text( $text ) ) )
		);
	}

	/**
	 * Whether both sides of a diff are a line without an end.
	 *
	 * @param DiffResult $diff The diff.
	 */
	private function is_of_one_line( DiffResult $diff ): bool {
		return 'unified' === $diff->diffType
			&& $diff->hasChanges()
			&& 1 !== preg_match( Diff_Rows::ENDS, $diff->oldContent . $diff->newContent );
	}
}
