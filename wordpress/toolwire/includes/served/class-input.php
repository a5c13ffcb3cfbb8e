<?php
/**
 * The input of abilities that are tools.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Served;

use Toolwire\WordPress\Json_Text;
use Toolwire\WordPress\Request_Stack;
use Toolwire\WordPress\Rest\Call_View;

/**
 * Turns the schema of a tool into one that WordPress reads without complaint, and the input of an
 * ability into the arguments of a call. WordPress checks the input by its own rules first, which
 * are laxer; the executor then checks the arguments by the tool's schema.
 */
final class Input {

	/**
	 * How deep lists may nest in a value of which a schema says nothing.
	 */
	const LEVELS = 4;

	/**
	 * Takes its parts.
	 *
	 * @param Request_Stack $request_stack Has what the client sent.
	 * @param Json_Text     $json_text     Writes JSON.
	 */
	public function __construct(
		private Request_Stack $request_stack,
		private Json_Text $json_text,
	) {
	}

	/**
	 * The schema of an ability's input; null when the tool takes no arguments.
	 *
	 * @param array<mixed> $schema The tool's schema.
	 * @return array<string, mixed>|null
	 */
	public function schema( array $schema ): ?array {
		$schema = (array) json_decode( (string) wp_json_encode( $schema ), true );
		if (
			! ( $schema['properties'] ?? array() )
			&& false === ( $schema['additionalProperties'] ?? null )
		) {
			return null;
		}
		return array( 'type' => 'object' ) + $this->typed( $schema );
	}

	/**
	 * The arguments of a call as JSON text: the text that the client sent, where there is one. Null
	 * when JSON cannot hold the whole of them.
	 *
	 * @param string                    $ability The ability's name.
	 * @param array<string, mixed>|null $schema  What schema() returned.
	 * @param mixed                     $input   What the ability was given.
	 */
	public function arguments( string $ability, ?array $schema, $input ): ?string {
		$sent = $this->request_stack->take( $ability, $schema, $input );
		if ( null !== $sent ) {
			return $sent;
		}
		$json = $this->json( $schema ?? array(), $input ?? array() );
		return '[]' === $json ? '{}' : $json;
	}

	/**
	 * A value as JSON text, as a schema wants it. Null when JSON cannot hold the whole of it.
	 *
	 * @param array<string, mixed> $schema The schema.
	 * @param mixed                $value  The value.
	 */
	public function json( array $schema, $value ): ?string {
		return $this->json_text->of( $this->value( $schema, $value ) );
	}

	/**
	 * A schema in which each part names its types, as WordPress wants it. An empty object has
	 * become an empty list on the way, so it is left out.
	 *
	 * @param mixed $schema A schema, or a part of one.
	 * @return array<string, mixed>
	 */
	private function typed( $schema ): array {
		if ( ! is_array( $schema ) ) {
			return Call_View::ANYTHING;
		}
		$parts = array_map(
			array( $this, 'typed' ),
			(array) ( $schema['properties'] ?? array() )
		);
		unset( $schema['properties'] );
		if ( $parts ) {
			$schema['properties'] = $parts;
		}
		foreach ( array( 'items', 'additionalProperties' ) as $key ) {
			if ( isset( $schema[ $key ] ) && is_array( $schema[ $key ] ) ) {
				$schema[ $key ] = $this->typed( $schema[ $key ] );
			}
		}
		if ( array_key_exists( 'anyOf', $schema ) || array_key_exists( 'oneOf', $schema ) ) {
			return $schema;
		}
		if ( ! isset( $schema['type'] ) && is_array( $schema['enum'] ?? null ) ) {
			$schema['type'] = $this->types( $schema['enum'] );
		}
		$schema += $this->anything( self::LEVELS );
		// Servers of models refuse a list of which nobody says what it holds.
		if ( ! in_array( 'array', (array) $schema['type'], true ) ) {
			unset( $schema['items'] );
		} elseif ( ! isset( $schema['items'] ) ) {
			$schema['items'] = $this->anything( self::LEVELS );
		}
		return $schema;
	}

	/**
	 * A schema that any value fits whose lists nest so many levels deep.
	 *
	 * @param int $levels How many levels.
	 * @return array<string, mixed>
	 */
	private function anything( int $levels ): array {
		$types = Call_View::ANYTHING['type'];
		return $levels > 0
			? array(
				'type'  => $types,
				'items' => $this->anything( $levels - 1 ),
			)
			: array( 'type' => array_values( array_diff( $types, array( 'array' ) ) ) );
	}

	/**
	 * The types of values.
	 *
	 * @param array<mixed> $values The values.
	 * @return string|list<string>
	 */
	private function types( array $values ) {
		$names = array(
			'NULL'    => 'null',
			'boolean' => 'boolean',
			'integer' => 'integer',
			'double'  => 'number',
			'string'  => 'string',
		);
		$types = array();
		foreach ( $values as $value ) {
			$other   = is_array( $value ) && array_is_list( $value ) ? 'array' : 'object';
			$types[] = $names[ gettype( $value ) ] ?? $other;
		}
		$types = array_values( array_unique( $types ) );
		return 1 === count( $types ) ? $types[0] : $types;
	}

	/**
	 * A value as the schema wants it, where PHP and WordPress do not tell values apart: an empty
	 * object from an empty list, and in the address of a request a number from its digits.
	 *
	 * @param array<string, mixed> $schema A schema, or a part of one.
	 * @param mixed                $value  The value.
	 * @return mixed
	 */
	private function value( array $schema, $value ) {
		$type = $schema['type'] ?? null;
		if ( is_string( $value ) ) {
			return $this->scalar( $type, $value );
		}
		if ( ! is_array( $value ) ) {
			return $value;
		}
		foreach ( $value as $key => $part ) {
			$of            = $schema['properties'][ $key ]
				?? $schema[ array_is_list( $value ) ? 'items' : 'additionalProperties' ]
				?? null;
			$value[ $key ] = $this->value( is_array( $of ) ? $of : array(), $part );
		}
		return 'object' === $type && ! $value ? (object) array() : $value;
	}

	/**
	 * A text, or the number or truth value that WordPress takes it for.
	 *
	 * @param mixed  $type  The type in the schema.
	 * @param string $value The text.
	 * @return mixed
	 */
	private function scalar( $type, string $value ) {
		if ( 'integer' === $type && rest_is_integer( $value ) ) {
			return (int) $value;
		}
		if ( 'number' === $type && is_numeric( $value ) ) {
			return (float) $value;
		}
		if ( 'boolean' === $type && rest_is_boolean( $value ) ) {
			return rest_sanitize_boolean( $value );
		}
		return $value;
	}
}
