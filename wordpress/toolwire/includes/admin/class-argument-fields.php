<?php
/**
 * The arguments of a call as fields of a form.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use stdClass;
use Toolwire\WordPress\Json_Text;

/**
 * Chooses a field for each argument: a text, a number, yes or no, a choice, a list of texts, a line
 * each; else its JSON. What a field of HTML would change is JSON too: carriage returns, control
 * characters, empty lines of a list.
 *
 * A field has `name`, `kind`, `text` (what stands in it), `was` (whether the call has the
 * argument), `required`, `about` (its description), and `choices` for a choice.
 */
final class Argument_Fields {

	/**
	 * The kind of the only field of arguments whose names the schema does not tell.
	 */
	const WHOLE = 'whole';

	/**
	 * The kinds that any argument may have.
	 */
	const FREE = array( 'text', 'number', 'truth', 'lines', 'json' );

	/**
	 * The most fields: PHP takes no more than 1,000 values of a form.
	 */
	const MOST = 150;

	/**
	 * What no field of HTML holds: control characters, and line ends that are not `\n`.
	 */
	const CONTROL = '~[\x00-\x08\x0b-\x1f\x7f]~';

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
	 * The fields for arguments.
	 *
	 * @param array<string, mixed> $schema    The schema of the tool.
	 * @param string               $arguments The arguments as JSON text, without secrets.
	 * @return list<array<string, mixed>>
	 */
	public function of( array $schema, string $arguments ): array {
		$known  = (array) ( $schema['properties'] ?? array() );
		$values = $this->json_text->value( $arguments );
		if ( ! $known || ! $values instanceof stdClass ) {
			return array( $this->whole( $arguments ) );
		}
		$values   = (array) $values;
		$required = (array) ( $schema['required'] ?? array() );
		$fields   = array();
		foreach ( $known + $values as $name => $_ ) {
			$of  = (array) ( $known[ $name ] ?? array() );
			$was = array_key_exists( $name, $values );
			// PHP writes some numbers in another way than the call.
			$json     = $was ? $this->json_text->member( $arguments, (string) $name ) : null;
			$fields[] = array(
				'name'     => (string) $name,
				'was'      => $was,
				'required' => in_array( (string) $name, $required, true ),
				'about'    => is_string( $of['description'] ?? null ) ? $of['description'] : '',
			) + $this->field( $of, $values[ $name ] ?? null, $json );
		}
		return count( $fields ) > self::MOST ? array( $this->whole( $arguments ) ) : $fields;
	}

	/**
	 * The fields with what a person wrote into them before.
	 *
	 * @param list<array<string, mixed>>          $fields What of() returned.
	 * @param array<string, array<string, mixed>> $sent   What Sent_Fields::read() found in them.
	 * @return list<array<string, mixed>>
	 */
	public function filled( array $fields, array $sent ): array {
		return array_map(
			static function ( array $field ) use ( $sent ): array {
				$written = $sent[ $field['name'] ] ?? array();
				// The form may have been made for other values.
				$is_known = isset( $written['kind'] ) && (
					$written['kind'] === $field['kind']
					|| in_array( $written['kind'], self::FREE, true )
				);
				return $is_known ? $written + $field : $field;
			},
			$fields
		);
	}

	/**
	 * The field of all arguments as JSON.
	 *
	 * @param string $arguments The arguments as JSON text.
	 * @return array<string, mixed>
	 */
	private function whole( string $arguments ): array {
		return array(
			'name'     => '',
			'kind'     => self::WHOLE,
			'text'     => Json_Text::indented( $arguments ),
			'was'      => true,
			'required' => true,
			'about'    => '',
		);
	}

	/**
	 * The kind and the text of a field.
	 *
	 * @param array<string, mixed> $schema The schema of the argument.
	 * @param mixed                $value  Its value.
	 * @param string|null          $json   The same as JSON; null when the call lacks the argument.
	 * @return array<string, mixed>
	 */
	private function field( array $schema, $value, ?string $json ): array {
		$choices = $this->choices( $schema );
		$was     = null !== $json;
		$json    = (string) $json;
		if ( $choices && ( ! $was || in_array( $json, $choices, true ) ) ) {
			return array(
				'kind'    => 'choice',
				'text'    => $json,
				'choices' => $choices,
			);
		}
		$type = $schema['type'] ?? '';
		$text = null;
		if ( 'string' === $type ) {
			$kind = 'text';
			$text = $was ? $this->plain( $value ) : '';
		} elseif ( 'integer' === $type || 'number' === $type ) {
			$kind = 'number';
			$text = ! $was || is_int( $value ) || is_float( $value ) ? $json : null;
		} elseif ( 'boolean' === $type ) {
			$kind = 'truth';
			$text = ! $was || is_bool( $value ) ? $json : null;
		} elseif ( 'array' === $type && 'string' === ( $schema['items']['type'] ?? '' ) ) {
			$kind = 'lines';
			$text = $was ? $this->lines( $value ) : '';
		}
		return array(
			'kind' => null === $text ? 'json' : $kind,
			'text' => $text ?? ( $was ? Json_Text::indented( $json ) : '' ),
		);
	}

	/**
	 * The values that a schema allows, as JSON texts; none when it allows others.
	 *
	 * @param array<string, mixed> $schema The schema.
	 * @return list<string>
	 */
	private function choices( array $schema ): array {
		$values = is_array( $schema['enum'] ?? null ) ? array_values( $schema['enum'] ) : array();
		return array_map( array( $this->json_text, 'of' ), $values );
	}

	/**
	 * A text that a field of HTML gives back as it is; null for any other value.
	 *
	 * @param mixed $value The value.
	 */
	private function plain( $value ): ?string {
		return is_string( $value ) && ! preg_match( self::CONTROL, $value ) ? $value : null;
	}

	/**
	 * A list of texts as lines; null for what lines cannot say.
	 *
	 * @param mixed $value The value.
	 */
	private function lines( $value ): ?string {
		foreach ( is_array( $value ) ? $value : array( null ) as $text ) {
			$is_line = '' !== (string) $this->plain( $text ) && ! str_contains( $text, "\n" );
			if ( ! $is_line ) {
				return null;
			}
		}
		return implode( "\n", $value );
	}
}
