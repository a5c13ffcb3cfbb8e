<?php
/**
 * The input of abilities and the arguments of tools.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use stdClass;

/**
 * Turns the input of an ability into the arguments of the tool that stands for it, and back. An
 * ability may take any value, a tool takes an object.
 */
final class Ability_Input {

	/**
	 * The argument that is the input of an ability whose input is no object, such as a text.
	 */
	const INPUT = 'input';

	/**
	 * Takes its parts.
	 *
	 * @param Input_Schema $input_schema Reads schemas.
	 * @param Served\Input $served_input Writes values as a schema wants them.
	 */
	public function __construct(
		private Input_Schema $input_schema,
		private Served\Input $served_input,
	) {
	}

	/**
	 * The schema of the tool's arguments.
	 *
	 * @param array<mixed> $given The schema of the ability's input; empty when it takes none.
	 * @return array<mixed>
	 */
	public function schema( array $given ): array {
		$schema = $this->input_schema->standard( $given );
		if ( ! $this->wraps( $given ) ) {
			return $schema;
		}
		return array(
			'type'                 => 'object',
			'properties'           => array( self::INPUT => $schema ),
			'additionalProperties' => false,
		) + ( array_key_exists( 'default', $given )
			? array()
			: array( 'required' => array( self::INPUT ) ) );
	}

	/**
	 * The input that arguments stand for.
	 *
	 * @param array<mixed> $given     The schema of the ability's input.
	 * @param array<mixed> $arguments The tool's arguments, which fit the tool's schema.
	 * @return mixed
	 */
	public function of_arguments( array $given, array $arguments ) {
		if ( $this->wraps( $given ) ) {
			return $arguments[ self::INPUT ] ?? null;
		}
		// An ability without a schema takes no input; one with a default takes that for none.
		$none = ! $given || ( ! $arguments && array_key_exists( 'default', $given ) );
		return $none ? null : $arguments;
	}

	/**
	 * The arguments, as JSON text, that stand for an input. Null when JSON cannot hold the whole of
	 * the input.
	 *
	 * @param array<mixed> $given The schema of the ability's input.
	 * @param mixed        $input The input.
	 */
	public function to_arguments( array $given, $input ): ?string {
		if ( ! $this->is_plain( $input, Json_Text::DEPTH ) ) {
			return null;
		}
		$json = $this->served_input->json( $given, $input );
		if ( null === $json ) {
			return null;
		}
		if ( $this->wraps( $given ) ) {
			return '{"' . self::INPUT . '":' . $json . '}';
		}
		return in_array( $json, array( 'null', '[]' ), true ) ? '{}' : $json;
	}

	/**
	 * A hash of an input: equal for inputs that a client cannot tell apart in JSON. An empty object
	 * counts as an empty list, since WordPress hands both on as the same value. Empty when JSON
	 * cannot hold the input.
	 *
	 * @param array<mixed> $given The schema of the ability's input.
	 * @param mixed        $input The input.
	 */
	public function hash( array $given, $input ): string {
		$json = $this->to_arguments( $given, $input );
		if ( null === $json ) {
			return '';
		}
		$value = $this->sorted( json_decode( $json, true ) );
		return hash( 'sha256', (string) wp_json_encode( $value ) );
	}

	/**
	 * Whether the input is one argument of the tool, because it is no object.
	 *
	 * @param array<mixed> $given The schema of the ability's input.
	 */
	private function wraps( array $given ): bool {
		$schema = $this->input_schema->standard( $given );
		return $schema && ! $this->input_schema->is_for_objects( $schema );
	}

	/**
	 * Whether a value is made of what JSON has: of other objects, JSON would lose a part.
	 *
	 * @param mixed $value  The value.
	 * @param int   $levels How deep it may nest.
	 */
	private function is_plain( $value, int $levels ): bool {
		if ( ! is_array( $value ) && ! $value instanceof stdClass ) {
			return null === $value || is_scalar( $value );
		}
		foreach ( $levels > 0 ? (array) $value : array() as $part ) {
			if ( ! $this->is_plain( $part, $levels - 1 ) ) {
				return false;
			}
		}
		return $levels > 0;
	}

	/**
	 * A value whose objects have their members in the order of the names.
	 *
	 * @param mixed $value The value, with objects as arrays.
	 * @return mixed
	 */
	private function sorted( $value ) {
		if ( ! is_array( $value ) ) {
			return $value;
		}
		if ( ! array_is_list( $value ) ) {
			ksort( $value, SORT_STRING );
		}
		return array_map( array( $this, 'sorted' ), $value );
	}
}
