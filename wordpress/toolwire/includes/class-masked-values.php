<?php
/**
 * Secrets in arguments that a person changes.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use stdClass;

/**
 * Puts the secrets of a call back into arguments that a person has changed. The person saw
 * `[redacted]` in their place. Where the mask is as it was shown, the secret stays what it was.
 * Everywhere else a mask is a problem: nobody knows which secret it means.
 */
final class Masked_Values {

	const MASK = '[redacted]';

	/**
	 * The paths of the masks that stand for no secret.
	 *
	 * @var list<string>
	 */
	private array $unknown = array();

	/**
	 * Takes its parts.
	 *
	 * @param Json_Text $json_text Writes JSON.
	 */
	public function __construct(
		private Json_Text $json_text,
	) {
	}

	/**
	 * The changed arguments with the secrets of the call, and the JSON Pointers of the values whose
	 * masks stand for no secret.
	 *
	 * @param mixed $sent  What the person sent, with objects.
	 * @param mixed $shown What the person was shown: the arguments without secrets.
	 * @param mixed $own   The arguments of the call.
	 * @return array{value: mixed, unknown: list<string>}
	 */
	public function restore( $sent, $shown, $own ): array {
		$this->unknown = array();
		$value         = $this->value( $sent, $shown, $own, '' );
		return array(
			'value'   => $value,
			'unknown' => $this->unknown,
		);
	}

	/**
	 * A value with its secrets.
	 *
	 * @param mixed  $sent  What was sent.
	 * @param mixed  $shown What was shown in this place.
	 * @param mixed  $own   What the call has there.
	 * @param string $path  The place, a JSON Pointer.
	 * @return mixed
	 */
	private function value( $sent, $shown, $own, string $path ) {
		if ( $this->is_same( $sent, $shown ) ) {
			return $own;
		}
		if (
			$sent instanceof stdClass && $shown instanceof stdClass && $own instanceof stdClass
			&& count( (array) $shown ) === count( (array) $own )
		) {
			return $this->members( $sent, $shown, $own, $path );
		}
		if ( is_array( $sent ) && is_array( $shown ) && is_array( $own ) ) {
			return $this->items( $sent, $shown, $own, $path );
		}
		// A text may have the mask in it without a secret.
		return $this->is_same( $shown, $own ) ? $sent : $this->unmasked( $sent, $path );
	}

	/**
	 * An object with its secrets. Names may be masked too; the order of the members is that of the
	 * call.
	 *
	 * @param stdClass $sent  As in value().
	 * @param stdClass $shown As in value().
	 * @param stdClass $own   As in value().
	 * @param string   $path  As in value().
	 */
	private function members(
		stdClass $sent,
		stdClass $shown,
		stdClass $own,
		string $path,
	): stdClass {
		$shown    = (array) $shown;
		$own      = (array) $own;
		$names    = array_combine( array_keys( $shown ), array_keys( $own ) );
		$restored = new stdClass();
		foreach ( (array) $sent as $name => $value ) {
			$at = $path . '/' . strtr(
				(string) $name,
				array(
					'~' => '~0',
					'/' => '~1',
				)
			);
			if ( array_key_exists( $name, $names ) ) {
				$real              = $names[ $name ];
				$restored->{$real} = $this->value( $value, $shown[ $name ], $own[ $real ], $at );
			} else {
				$this->unmasked( (string) $name, $at );
				$restored->{$name} = $this->unmasked( $value, $at );
			}
		}
		return $restored;
	}

	/**
	 * A list with its secrets. An item that was shown is the item of the call, wherever it stands
	 * now, unless items with different secrets looked the same.
	 *
	 * @param array<mixed> $sent  As in value().
	 * @param array<mixed> $shown As in value().
	 * @param array<mixed> $own   As in value().
	 * @param string       $path  As in value().
	 * @return list<mixed>
	 */
	private function items( array $sent, array $shown, array $own, string $path ): array {
		$known = array();
		foreach ( $shown as $number => $item ) {
			$secret = (string) $this->json_text->of( $own[ $number ] ?? null );

			$known[ (string) $this->json_text->of( $item ) ][ $secret ] = $own[ $number ] ?? null;
		}
		$restored = array();
		foreach ( $sent as $number => $item ) {
			$meant = $known[ (string) $this->json_text->of( $item ) ] ?? array();
			if (
				count( $sent ) === count( $shown )
				&& $this->is_same( $item, $shown[ $number ] ?? null )
			) {
				$restored[] = $own[ $number ] ?? null;
			} elseif ( 1 === count( $meant ) ) {
				$restored[] = reset( $meant );
			} else {
				$restored[] = $this->unmasked( $item, "$path/$number" );
			}
		}
		return $restored;
	}

	/**
	 * A new value, noted where it holds a mask.
	 *
	 * @param mixed  $value The value.
	 * @param string $path  Its place.
	 * @return mixed
	 */
	private function unmasked( $value, string $path ) {
		if ( str_contains( (string) $this->json_text->of( $value ), self::MASK ) ) {
			$this->unknown[] = $path;
		}
		return $value;
	}

	/**
	 * Whether two values are the same JSON.
	 *
	 * @param mixed $one     The one.
	 * @param mixed $another The other.
	 */
	private function is_same( $one, $another ): bool {
		return $this->json_text->of( $one ) === $this->json_text->of( $another );
	}
}
