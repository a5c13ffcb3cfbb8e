<?php
/**
 * Calls of gated abilities that wait, and their results.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Gate;

use Throwable;
use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Json_Text;
use Toolwire\WordPress\Sealed_Text;
use Toolwire\WordPress\Settings;
use WP_Error;

/**
 * Remembers which call a user has made of an ability with an input, so that the same request finds
 * it, and keeps the result of a call that was approved until that request comes: once, for a day.
 *
 * Two entries of the store belong to a call. One is found by the user, the ability and the input,
 * and names the call; whoever deletes it takes the result. The other is found by the call: the hash
 * of the input, and behind it the result. A result may hold secrets, so it is encrypted by a key
 * that is not in the database.
 */
final class Asked_Calls {

	/**
	 * For how many seconds the result of a call is kept.
	 */
	const SECONDS = DAY_IN_SECONDS;

	/**
	 * The most bytes of a result that are kept, as JSON.
	 */
	const MOST_BYTES = 1048576;

	/**
	 * How many characters a hash has.
	 */
	private const HASH = 64;

	/**
	 * Where the names of calls are.
	 */
	private const ASKED = 'wordpress/ability/asked/';

	/**
	 * Where the results are.
	 */
	private const RESULT = 'wordpress/ability/result/';

	/**
	 * Takes its parts.
	 *
	 * @param Engines     $engines     The engine of each site.
	 * @param Settings    $settings    The settings.
	 * @param Json_Text   $json_text   Writes JSON.
	 * @param Sealed_Text $sealed_text Encrypts results.
	 */
	public function __construct(
		private Engines $engines,
		private Settings $settings,
		private Json_Text $json_text,
		private Sealed_Text $sealed_text,
	) {
	}

	/**
	 * The name of what the current user asks for.
	 *
	 * @param string $ability The ability's name.
	 * @param string $hash    The hash of its input.
	 */
	public function name( string $ability, string $hash ): string {
		return hash( 'sha256', get_current_user_id() . "\0$ability\0$hash" );
	}

	/**
	 * The call that was made for what is asked; null when there is none.
	 *
	 * @param string $name What name() returned.
	 * @return array{call: string, at: int, version: int}|null With the second of its beginning.
	 */
	public function find( string $name ): ?array {
		$store = $this->engines->get()->store;
		$entry = $store->get( self::ASKED . $name, $store->now() );
		$value = json_decode( (string) ( $entry['value'] ?? '' ), true );
		return null === $entry ? null : array(
			'call'    => (string) ( $value['call'] ?? '' ),
			'at'      => (int) ( $value['at'] ?? 0 ),
			'version' => (int) $entry['version'],
		);
	}

	/**
	 * Makes a call the one for what is asked. False when another request has just done so.
	 *
	 * @param string $name What name() returned.
	 * @param string $call The call's id.
	 * @param string $hash The hash of the input.
	 */
	public function claim( string $name, string $call, string $hash ): bool {
		$store   = $this->engines->get()->store;
		$now     = $store->now();
		$hours   = (int) $this->settings->get( 'approval_hours' );
		$expires = $now + ( $hours * HOUR_IN_SECONDS + self::SECONDS ) * 1000000;
		$value   = array(
			'call' => $call,
			'at'   => time(),
		);
		$store->put( self::RESULT . $call, $hash, null, $expires, $now );
		$put = $store->put(
			self::ASKED . $name,
			(string) wp_json_encode( $value ),
			0,
			$expires,
			$now
		);
		if ( null === $put ) {
			$this->forget( $call );
		}
		return null !== $put;
	}

	/**
	 * The hash of the input with which a call was made; null for a call that nobody asks for.
	 *
	 * @param string $call The call's id.
	 */
	public function hash_of( string $call ): ?string {
		$entry = $this->entry( $call );
		return null === $entry ? null : substr( $entry, 0, self::HASH );
	}

	/**
	 * Keeps what the ability of a call gave, for the request that asks for it. A result that is too
	 * large, that JSON cannot hold or that the database does not take is left out: the ability has
	 * run, and its call does not fail for that.
	 *
	 * @param string $call   The call's id.
	 * @param mixed  $result The result.
	 */
	public function keep( string $call, $result ): void {
		try {
			$entry = $this->entry( $call );
			if ( null !== $entry ) {
				$this->seal( $call, substr( $entry, 0, self::HASH ), $result );
			}
		} catch ( Throwable $away ) {
			return; // The request that asks is told that the result was not kept.
		}
	}

	/**
	 * Puts a result into the store.
	 *
	 * @param string $call   The call's id.
	 * @param string $hash   The hash of the input.
	 * @param mixed  $result The result.
	 */
	private function seal( string $call, string $hash, $result ): void {
		$json    = $this->json_text->of(
			is_wp_error( $result )
				? array(
					'error' => array(
						(string) $result->get_error_code(),
						$result->get_error_message(),
						$result->get_error_data(),
					),
				)
				: array( 'value' => $result )
		);
		$fits    = null !== $json && strlen( $json ) <= self::MOST_BYTES;
		$kept    = $hash . ( $fits ? $this->sealed_text->seal( $json ) : '' );
		$store   = $this->engines->get()->store;
		$now     = $store->now();
		$expires = $now + self::SECONDS * 1000000;
		$store->put( self::RESULT . $call, $kept, null, $expires, $now );
	}

	/**
	 * Takes what was kept of a call that has ended; nobody else gets it. Returns null when another
	 * request has taken it or a day has passed, else a list with the result, which is empty when
	 * none could be kept.
	 *
	 * @param string                                     $name  What name() returned.
	 * @param array{call: string, at: int, version: int} $asked What find() returned.
	 * @return list<mixed>|null
	 */
	public function take( string $name, array $asked ): ?array {
		$entry = $this->entry( $asked['call'] );
		if ( ! $this->drop( $name, $asked ) || null === $entry ) {
			return null;
		}
		$json = $this->sealed_text->open( substr( $entry, self::HASH ) );
		if ( null === $json ) {
			return array();
		}
		$kept = (array) $this->arrays( $this->json_text->value( $json ) );
		return array(
			isset( $kept['error'] ) ? new WP_Error( ...$kept['error'] ) : $kept['value'] ?? null,
		);
	}

	/**
	 * Forgets which call was made for what is asked, and its result. False when another request has
	 * done so.
	 *
	 * @param string                                     $name  What name() returned.
	 * @param array{call: string, at: int, version: int} $asked What find() returned.
	 */
	public function drop( string $name, array $asked ): bool {
		$store = $this->engines->get()->store;
		if ( ! $store->delete( self::ASKED . $name, $asked['version'], $store->now() ) ) {
			return false;
		}
		$this->forget( $asked['call'] );
		return true;
	}

	/**
	 * Forgets a call that has ended in the request which made it. If that fails, the next request
	 * is told that the result was not kept, which is true; this one has its result.
	 *
	 * @param string $name What name() returned.
	 * @param string $call The call's id.
	 */
	public function leave( string $name, string $call ): void {
		try {
			$asked = $this->find( $name );
			if ( $call === ( $asked['call'] ?? '' ) ) {
				$this->drop( $name, $asked );
			}
		} catch ( Throwable $away ) {
			return;
		}
	}

	/**
	 * Forgets the result of a call.
	 *
	 * @param string $call The call's id.
	 */
	public function forget( string $call ): void {
		$store = $this->engines->get()->store;
		$store->delete( self::RESULT . $call, null, $store->now() );
	}

	/**
	 * What the store has of a call.
	 *
	 * @param string $call The call's id.
	 */
	private function entry( string $call ): ?string {
		$store = $this->engines->get()->store;
		return $store->get( self::RESULT . $call, $store->now() )['value'] ?? null;
	}

	/**
	 * A value of JSON as WordPress hands it on: with arrays for objects, but for empty ones, which
	 * would be written as lists.
	 *
	 * @param mixed $value The value, with objects.
	 * @return mixed
	 */
	private function arrays( $value ) {
		if ( $value instanceof \stdClass && array() !== (array) $value ) {
			$value = (array) $value;
		}
		return is_array( $value ) ? array_map( array( $this, 'arrays' ), $value ) : $value;
	}
}
