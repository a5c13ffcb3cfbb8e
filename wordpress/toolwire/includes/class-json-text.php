<?php
/**
 * JSON as text.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Cuts the text of a value out of JSON, and writes values as JSON. PHP's own values lose what a
 * client wrote: numbers beyond a float, integers beyond 64 bits, whether an empty list was an
 * object, names that begin with NUL.
 */
final class Json_Text {

	const SPACE = " \t\n\r";

	/**
	 * How deep a value may nest. WordPress' own limit is 512, and answers hold values some levels
	 * deep.
	 */
	const DEPTH = 480;

	const FLAGS = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION;

	/**
	 * The text of the value that a member of an object has. Null when the object has no such
	 * member, or the text is no object. The last of several members with one name counts, as in
	 * PHP.
	 *
	 * @param string $json Valid JSON.
	 * @param string $name The member's name.
	 */
	public function member( string $json, string $name ): ?string {
		$found = null;
		foreach ( $this->parts( $json, '{' ) as list( $key, $text ) ) {
			$found = $key === $name ? $text : $found;
		}
		return $found;
	}

	/**
	 * The texts of the values in a list; none when the text is no list.
	 *
	 * @param string $json Valid JSON.
	 * @return list<string>
	 */
	public function items( string $json ): array {
		return array_column( iterator_to_array( $this->parts( $json, '[' ), false ), 1 );
	}

	/**
	 * A value as JSON. Null when JSON cannot hold the whole of it; json_last_error_msg() has the
	 * reason.
	 *
	 * @param mixed $value The value.
	 * @param int   $flags Flags of json_encode() besides FLAGS.
	 */
	public function of( $value, int $flags = 0 ): ?string {
		$whole = $this->with_all_names( $value, self::DEPTH );
		// phpcs:ignore WordPress.WP.AlternativeFunctions -- that of WordPress changes bad UTF-8.
		$json = json_encode( $whole, self::FLAGS | $flags, self::DEPTH );
		return false === $json ? null : $json;
	}

	/**
	 * JSON indented for people, if only white space changes; else the JSON as it is.
	 *
	 * @param string $json The JSON.
	 */
	public static function indented( string $json ): string {
		$text  = new self();
		$value = $text->value( $json );
		return $text->of( $value ) === $json
			? (string) $text->of( $value, JSON_PRETTY_PRINT )
			: $json;
	}

	/**
	 * The value of a JSON text, in which an empty object is not an empty list. An object with a
	 * name that an object of PHP cannot have is an array.
	 *
	 * @param string $json The text.
	 * @return mixed Null when it is not valid.
	 */
	public function value( string $json ) {
		$value = json_decode( $json, false, 512, JSON_BIGINT_AS_STRING );
		return JSON_ERROR_INVALID_PROPERTY_NAME === json_last_error()
			? json_decode( $json, true, 512, JSON_BIGINT_AS_STRING )
			: $value;
	}

	/**
	 * A copy of a value in which an object is an object again where it is one in another copy.
	 * Lists and objects of JSON are both arrays in PHP.
	 *
	 * @param mixed $copy     The value, with arrays.
	 * @param mixed $original The same with objects; parts of it may be missing in the copy.
	 * @return mixed
	 */
	public function with_objects( $copy, $original ) {
		if ( ! is_array( $copy ) ) {
			return $copy;
		}
		$parts = (array) $original;
		foreach ( $copy as $name => $part ) {
			$copy[ $name ] = $this->with_objects( $part, $parts[ $name ] ?? null );
		}
		return $original instanceof \stdClass && array_is_list( $copy ) ? (object) $copy : $copy;
	}

	/**
	 * A copy of a value in which objects are arrays, as tools get their arguments.
	 *
	 * @param mixed $value The value.
	 * @return mixed
	 */
	public function without_objects( $value ) {
		return is_array( $value ) || $value instanceof \stdClass
			? array_map( array( $this, 'without_objects' ), (array) $value )
			: $value;
	}

	/**
	 * A value in which objects with a name that begins with NUL are arrays: PHP leaves such members
	 * of an object out, without an error.
	 *
	 * @param mixed $value The value.
	 * @param int   $depth How many levels are looked at.
	 * @return mixed
	 */
	private function with_all_names( $value, int $depth ) {
		if ( 0 === $depth || ! ( is_array( $value ) || $value instanceof \stdClass ) ) {
			return $value;
		}
		$members = array();
		$hidden  = is_array( $value );
		foreach ( (array) $value as $name => $part ) {
			$hidden           = $hidden || str_starts_with( (string) $name, "\0" );
			$members[ $name ] = $this->with_all_names( $part, $depth - 1 );
		}
		return $hidden ? $members : (object) $members;
	}

	/**
	 * The parts of an object or a list: the name of each, null in a list, and its text.
	 *
	 * @param string $json Valid JSON.
	 * @param string $open The bracket that it must begin with.
	 * @return iterable<array{string|null, string}>
	 */
	private function parts( string $json, string $open ): iterable {
		$at = strspn( $json, self::SPACE );
		if ( substr( $json, $at, 1 ) !== $open ) {
			return;
		}
		++$at;
		while ( true ) {
			$at += strspn( $json, self::SPACE . ',', $at );
			if ( ! isset( $json[ $at ] ) || ']' === $json[ $at ] || '}' === $json[ $at ] ) {
				return;
			}
			$key = null;
			if ( '{' === $open ) {
				$behind = $this->behind( $json, $at );
				$key    = (string) json_decode( substr( $json, $at, $behind - $at ) );
				$at     = $behind + strspn( $json, self::SPACE . ':', $behind );
			}
			$behind = $this->behind( $json, $at );
			yield array( $key, substr( $json, $at, $behind - $at ) );
			$at = $behind;
		}
	}

	/**
	 * The offset behind a value.
	 *
	 * @param string $json Valid JSON.
	 * @param int    $at   Where the value begins.
	 */
	private function behind( string $json, int $at ): int {
		$open = 0;
		$end  = strlen( $json );
		do {
			switch ( $json[ $at ] ?? '' ) {
				case '"':
					$at = $this->behind_text( $json, $at, $end );
					break;
				case '{':
				case '[':
					++$open;
					++$at;
					break;
				case '}':
				case ']':
					--$open;
					++$at;
					break;
				default:
					$stops = 0 === $open ? self::SPACE . ',]}' : '"{}[]';
					$at   += max( 1, strcspn( $json, $stops, $at ) );
			}
		} while ( $open > 0 && $at < $end );
		return min( $at, $end );
	}

	/**
	 * The offset behind a text in quotes.
	 *
	 * @param string $json Valid JSON.
	 * @param int    $at   Where its first quote stands.
	 * @param int    $end  Where the JSON ends.
	 */
	private function behind_text( string $json, int $at, int $end ): int {
		++$at;
		while ( $at < $end ) {
			$at += strcspn( $json, '"\\', $at );
			if ( '"' === ( $json[ $at ] ?? '"' ) ) {
				return $at + 1;
			}
			$at += 2;
		}
		return $end;
	}
}
