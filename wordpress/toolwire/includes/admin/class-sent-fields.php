<?php
/**
 * The fields of arguments that a form sent.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Json_Text;

/**
 * Reads the arguments that a person wrote into the fields of Argument_Fields.
 */
final class Sent_Fields {

	const NUMBER = '~^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$~D';

	/**
	 * Takes its parts.
	 *
	 * @param Json_Text $json_text Reads and writes JSON.
	 */
	public function __construct(
		private Json_Text $json_text,
	) {
	}

	/**
	 * The arguments as JSON text, the names of the fields that hold no JSON although they must, and
	 * what stands in the fields, by name.
	 *
	 * @param array<mixed> $sent Each with `name` (as JSON), `kind`, `text`, and `was` and `drop` if
	 *                           they are set.
	 * @return array{json: string, broken: list<string>, fields: array<string, array>}
	 */
	public function read( array $sent ): array {
		$members = array();
		$broken  = array();
		$fields  = array();
		foreach ( $sent as $field ) {
			$field = array_filter( (array) $field, 'is_string' );
			$text  = str_replace( array( "\r\n", "\r" ), "\n", $field['text'] ?? '' );
			$kind  = $field['kind'] ?? '';
			$name  = json_decode( $field['name'] ?? '' );
			if ( ! is_string( $name ) ) {
				continue;
			}
			$fields[ $name ] = array(
				'kind' => $kind,
				'text' => $text,
				'drop' => isset( $field['drop'] ),
			);
			if ( Argument_Fields::WHOLE === $kind ) {
				return array(
					'json'   => $text,
					'broken' => array(),
					'fields' => $fields,
				);
			}
			$json = $this->is_given( $kind, $text, $field ) ? $this->json( $kind, $text ) : '';
			if ( null === $json ) {
				$broken[] = $name;
			} elseif ( '' !== $json ) {
				$members[] = $this->json_text->of( $name ) . ':' . $json;
			}
		}
		return array(
			'json'   => '{' . implode( ',', $members ) . '}',
			'broken' => $broken,
			'fields' => $fields,
		);
	}

	/**
	 * Whether a field gives its argument. An empty text is one only where the call has the
	 * argument.
	 *
	 * @param string                $kind  The kind of the field.
	 * @param string                $text  What stands in it.
	 * @param array<string, string> $field All that was sent of it.
	 */
	private function is_given( string $kind, string $text, array $field ): bool {
		$may_be_empty = 'text' === $kind || 'lines' === $kind;
		return ! isset( $field['drop'] )
			&& ( '' !== $text || ( $may_be_empty && isset( $field['was'] ) ) );
	}

	/**
	 * What stands in a field, as JSON; null when it must be JSON and is not. A number that is none
	 * is a text, which the schema refuses with its place.
	 *
	 * @param string $kind The kind of the field.
	 * @param string $text What stands in it.
	 */
	private function json( string $kind, string $text ): ?string {
		if ( 'lines' === $kind ) {
			$lines = array_filter( explode( "\n", $text ), static fn ( $line ) => '' !== $line );
			return $this->json_text->of( array_values( $lines ) );
		}
		$is_text = 'text' === $kind
			|| ( 'number' === $kind && ! preg_match( self::NUMBER, trim( $text ) ) );
		if ( $is_text ) {
			return $this->json_text->of( $text );
		}
		json_decode( $text );
		return JSON_ERROR_NONE === json_last_error() ? trim( $text ) : null;
	}
}
