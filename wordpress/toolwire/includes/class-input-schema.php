<?php
/**
 * Schemas in the words of WordPress.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use stdClass;

/**
 * Turns a schema as WordPress takes it into JSON Schema. WordPress allows `required` at each
 * property and truth values as exclusive limits, does not mind the keys of a list, and schemas of
 * routes have callbacks in them.
 */
final class Input_Schema {

	/**
	 * Keywords that have a list.
	 */
	const LISTS = array( 'required', 'enum', 'type', 'anyOf', 'oneOf', 'allOf', 'examples' );

	/**
	 * Keywords that have a schema for each of several names.
	 */
	const MAPS = array( 'properties', 'patternProperties', 'definitions', '$defs' );

	/**
	 * Keywords that have code, which nothing of the plugin calls.
	 */
	const CODE = array( 'validate_callback', 'sanitize_callback', 'arg_options' );

	/**
	 * The limits that WordPress makes exclusive by a truth value.
	 */
	const LIMITS = array(
		'exclusiveMinimum' => 'minimum',
		'exclusiveMaximum' => 'maximum',
	);

	/**
	 * The schema in JSON Schema.
	 *
	 * @param array<mixed> $schema  The schema.
	 * @param list<string> $dropped Takes the places of code in it, which is left out.
	 * @param string       $path    The place of the schema.
	 * @return array<mixed>
	 */
	public function standard( array $schema, array &$dropped = array(), string $path = '' ): array {
		foreach ( $schema as $keyword => $value ) {
			if ( $this->is_code( $keyword, $value ) ) {
				$dropped[] = "$path/$keyword";
				unset( $schema[ $keyword ] );
			}
		}
		if ( is_bool( $schema['required'] ?? null ) ) {
			unset( $schema['required'] );
		}
		foreach ( self::LISTS as $keyword ) {
			if ( is_array( $schema[ $keyword ] ?? null ) ) {
				$schema[ $keyword ] = array_values( $schema[ $keyword ] );
			}
		}
		$schema = $this->with_limits( $schema );
		foreach ( array_intersect( array_keys( $schema ), self::MAPS ) as $keyword ) {
			$schema = $this->with_map( $schema, $keyword, $dropped, "$path/$keyword" );
		}
		foreach ( array( 'items', 'additionalProperties', 'not' ) as $keyword ) {
			if ( is_array( $schema[ $keyword ] ?? null ) ) {
				$place              = "$path/$keyword";
				$schema[ $keyword ] = $this->part( $schema[ $keyword ], $dropped, $place );
			}
		}
		foreach ( array( 'anyOf', 'oneOf', 'allOf' ) as $keyword ) {
			foreach ( (array) ( $schema[ $keyword ] ?? array() ) as $number => $part ) {
				if ( is_array( $part ) ) {
					$place                         = "$path/$keyword/$number";
					$schema[ $keyword ][ $number ] = $this->part( $part, $dropped, $place );
				}
			}
		}
		return $schema;
	}

	/**
	 * Whether a schema is for objects, as the arguments of a call are.
	 *
	 * @param array<mixed> $schema What standard() returned.
	 */
	public function is_for_objects( array $schema ): bool {
		if ( isset( $schema['type'] ) ) {
			return in_array( 'object', (array) $schema['type'], true );
		}
		$branches = array_filter( $schema['anyOf'] ?? $schema['oneOf'] ?? array(), 'is_array' );
		foreach ( $branches as $branch ) {
			if ( ! $this->is_for_objects( $branch ) ) {
				return false;
			}
		}
		return ! isset( $schema['enum'] ) && ! isset( $schema['items'] );
	}

	/**
	 * A part of a schema in JSON Schema. One that says nothing is an object, not a list.
	 *
	 * @param array<mixed> $part    The part.
	 * @param list<string> $dropped Takes the places of code.
	 * @param string       $path    The place of the part.
	 * @return array<mixed>|stdClass
	 */
	private function part( array $part, array &$dropped, string $path ) {
		$standard = $this->standard( $part, $dropped, $path );
		return $standard ? $standard : new stdClass();
	}

	/**
	 * Whether a keyword has code.
	 *
	 * @param int|string $keyword The keyword.
	 * @param mixed      $value   Its value.
	 */
	private function is_code( $keyword, $value ): bool {
		return in_array( $keyword, self::CODE, true )
			|| is_resource( $value )
			|| ( is_object( $value ) && ! $value instanceof stdClass );
	}

	/**
	 * A schema whose exclusive limits are numbers.
	 *
	 * @param array<mixed> $schema The schema.
	 * @return array<mixed>
	 */
	private function with_limits( array $schema ): array {
		foreach ( self::LIMITS as $exclusive => $limit ) {
			if ( ! is_bool( $schema[ $exclusive ] ?? null ) ) {
				continue;
			}
			if ( $schema[ $exclusive ] && isset( $schema[ $limit ] ) ) {
				$schema[ $exclusive ] = $schema[ $limit ];
				unset( $schema[ $limit ] );
			} else {
				unset( $schema[ $exclusive ] );
			}
		}
		return $schema;
	}

	/**
	 * A schema in which each part of a map is in JSON Schema too, and the object lists its required
	 * properties.
	 *
	 * @param array<mixed> $schema  The schema.
	 * @param string       $keyword One of MAPS.
	 * @param list<string> $dropped Takes the places of code.
	 * @param string       $path    The place of the map.
	 * @return array<mixed>
	 */
	private function with_map(
		array $schema,
		string $keyword,
		array &$dropped,
		string $path,
	): array {
		$parts = array();
		foreach ( (array) $schema[ $keyword ] as $name => $part ) {
			$part = $part instanceof stdClass ? (array) $part : $part;
			if ( 'properties' === $keyword && true === ( $part['required'] ?? null ) ) {
				$schema['required'][] = (string) $name;
			}
			$parts[ $name ] = is_array( $part )
				? $this->part( $part, $dropped, "$path/$name" )
				: $part;
		}
		// A property may be called 0.
		$schema[ $keyword ] = (object) $parts;
		return $schema;
	}
}
