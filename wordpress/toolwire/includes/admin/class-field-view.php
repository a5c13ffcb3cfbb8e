<?php
/**
 * A field of the form that changes arguments.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

/**
 * Prints a field with its label, its description and what is wrong with it. What stands in a field
 * must not be changed by showing it, so a text with invisible characters is shown once more below
 * its field, with marks.
 */
final class Field_View {

	/**
	 * The most characters of a text that has one line to write in.
	 */
	const ONE_LINE = 200;

	/**
	 * Takes its parts.
	 *
	 * @param Verbatim    $verbatim    Shows texts as they are.
	 * @param Folded_Text $folded_text Shows long texts.
	 */
	public function __construct(
		private Verbatim $verbatim,
		private Folded_Text $folded_text,
	) {
	}

	/**
	 * Prints a field.
	 *
	 * @param int                  $number  Its number in the form.
	 * @param array<string, mixed> $field   What Argument_Fields says.
	 * @param string               $problem What is wrong with it; empty when nothing is.
	 */
	public function show( int $number, array $field, string $problem ): void {
		$id    = "toolwire-field-$number";
		$label = Argument_Fields::WHOLE === $field['kind']
			? __( 'Arguments as JSON', 'toolwire' )
			: $field['name'];
		printf(
			'<div class="toolwire-field"><label for="%s">%s</label>%s',
			esc_attr( $id ),
			esc_textarea( $this->verbatim->text( $label ) ),
			$field['required'] ? '' : ' <span class="description">'
				. esc_html__( '(optional)', 'toolwire' ) . '</span>'
		);
		$this->hidden( $number, $field );
		$this->control( $number, $id, $field, '' !== $problem );
		$this->drop( $number, $field );
		$this->notes( $id, $field, $problem );
		echo '</div>';
	}

	/**
	 * Prints what the reader of the form must know of the field.
	 *
	 * @param int                  $number Its number in the form.
	 * @param array<string, mixed> $field  What Argument_Fields says.
	 */
	private function hidden( int $number, array $field ): void {
		$facts = array(
			// As JSON, since a form would change line ends in a name.
			'name' => (string) wp_json_encode( $field['name'] ),
			'kind' => $field['kind'],
		);
		if ( $field['was'] ) {
			$facts['was'] = '1';
		}
		foreach ( $facts as $fact => $value ) {
			printf(
				'<input type="hidden" name="toolwire_change[fields][%d][%s]" value="%s">',
				absint( $number ),
				esc_attr( $fact ),
				esc_textarea( $value )
			);
		}
	}

	/**
	 * Prints what a person writes in.
	 *
	 * @param int                  $number The field's number in the form.
	 * @param string               $id     The id for its label.
	 * @param array<string, mixed> $field  What Argument_Fields says.
	 * @param bool                 $wrong  Whether something is wrong with it.
	 */
	private function control( int $number, string $id, array $field, bool $wrong ): void {
		$attributes = sprintf(
			'id="%1$s" aria-describedby="%1$s-notes" name="toolwire_change[fields][%2$d][text]"'
				. '%3$s',
			esc_attr( $id ),
			absint( $number ),
			$wrong ? ' aria-invalid="true"' : ''
		);
		$text       = (string) $field['text'];
		$kind       = $field['kind'];
		if ( 'truth' === $kind || 'choice' === $kind ) {
			$this->select( $attributes, $field );
			return;
		}
		$one_line = 'number' === $kind || ( 'text' === $kind
			&& ! str_contains( $text, "\n" ) && mb_strlen( $text, 'UTF-8' ) <= self::ONE_LINE );
		if ( $one_line ) {
			printf(
				// phpcs:ignore WordPress.Security.EscapeOutput -- the attributes are escaped above.
				'<input type="text" class="large-text" dir="auto" %s value="%s"%s>',
				$attributes, // phpcs:ignore WordPress.Security.EscapeOutput -- escaped above.
				esc_textarea( $text ),
				'number' === $kind ? ' inputmode="decimal"' : ''
			);
			return;
		}
		// HTML drops a line end at the beginning of a textarea, so there is one to drop.
		printf(
			"<textarea class=\"large-text%s\" rows=\"%d\" dir=\"auto\" %s>\n%s</textarea>",
			'json' === $kind || Argument_Fields::WHOLE === $kind ? ' code' : '',
			absint( min( 16, max( 3, substr_count( $text, "\n" ) + 2 ) ) ),
			$attributes, // phpcs:ignore WordPress.Security.EscapeOutput -- escaped above.
			esc_textarea( $text )
		);
	}

	/**
	 * Prints a list to choose from. Its values are JSON.
	 *
	 * @param string               $attributes Those of the control, escaped.
	 * @param array<string, mixed> $field      What Argument_Fields says.
	 */
	private function select( string $attributes, array $field ): void {
		$choices = 'truth' === $field['kind'] ? array(
			'true'  => __( 'yes', 'toolwire' ),
			'false' => __( 'no', 'toolwire' ),
		) : array();
		foreach ( $field['choices'] ?? array() as $json ) {
			$value            = json_decode( $json );
			$choices[ $json ] = is_string( $value ) ? $value : $json;
		}
		if ( ! $field['required'] || '' === $field['text'] ) {
			$choices = array( '' => __( '(not given)', 'toolwire' ) ) + $choices;
		}
		// phpcs:ignore WordPress.Security.EscapeOutput -- escaped in control().
		printf( '<select %s>', $attributes );
		foreach ( $choices as $json => $label ) {
			printf(
				'<option value="%s"%s>%s</option>',
				esc_textarea( (string) $json ),
				selected( (string) $field['text'], (string) $json, false ),
				esc_textarea( $this->verbatim->text( (string) $label ) )
			);
		}
		echo '</select>';
	}

	/**
	 * Prints the box that leaves an argument out, where an empty text would not.
	 *
	 * @param int                  $number The field's number in the form.
	 * @param array<string, mixed> $field  What Argument_Fields says.
	 */
	private function drop( int $number, array $field ): void {
		if (
			$field['was'] && ! $field['required']
			&& in_array( $field['kind'], array( 'text', 'lines' ), true )
		) {
			printf(
				'<label class="toolwire-drop"><input type="checkbox" value="1" '
					. 'name="toolwire_change[fields][%d][drop]"%s> %s</label>',
				absint( $number ),
				checked( $field['drop'] ?? false, true, false ),
				esc_html__( 'leave it out', 'toolwire' )
			);
		}
	}

	/**
	 * Prints what is said of a field.
	 *
	 * @param string               $id      The id of its control.
	 * @param array<string, mixed> $field   What Argument_Fields says.
	 * @param string               $problem What is wrong with it.
	 */
	private function notes( string $id, array $field, string $problem ): void {
		printf( '<div id="%s-notes">', esc_attr( $id ) );
		if ( '' !== $problem ) {
			printf(
				'<p class="toolwire-warning">%s</p>',
				esc_textarea( $this->verbatim->text( $problem ) )
			);
		}
		if ( 'lines' === $field['kind'] ) {
			printf(
				'<p class="description">%s</p>',
				esc_html__( 'A text on each line.', 'toolwire' )
			);
		}
		if ( '' !== $field['about'] ) {
			printf(
				'<p class="description">%s</p>',
				esc_textarea( $this->verbatim->text( $field['about'] ) )
			);
		}
		if ( $this->verbatim->text( $field['text'] ) !== $field['text'] ) {
			printf(
				'<p class="toolwire-warning">%s</p>',
				esc_html__( 'It holds characters that nobody sees, here with marks:', 'toolwire' )
			);
			$this->folded_text->show( $field['text'] );
		}
		echo '</div>';
	}
}
