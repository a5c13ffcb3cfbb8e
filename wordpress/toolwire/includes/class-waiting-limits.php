<?php
/**
 * Limits on what waits for approval.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\ToolCall;
use WP_Error;

/**
 * Limits how large a waiting call is, and how many calls of a user wait, so that people can review
 * them.
 *
 * Whether a call waits is known only after the extension has checked it. So a call that may wait
 * takes a place first: an entry of the store has the calls of the user that took one within the
 * last minute. It is changed by its version, so of many calls at once no two take the same place,
 * and a request that is killed gives its place back by the passing of that minute.
 */
final class Waiting_Limits {

	const MOST_BYTES = 524288;

	const MOST_CALLS = 50;

	/**
	 * For how many seconds a call has its place before it waits.
	 */
	const SECONDS = 60;

	/**
	 * How often a call tries to take a place that other calls of the user take at the same moment.
	 */
	const TRIES = 100;

	/**
	 * Takes its parts.
	 *
	 * @param Engines  $engines  The engine of each site.
	 * @param Call_Log $call_log The log.
	 */
	public function __construct(
		private Engines $engines,
		private Call_Log $call_log,
	) {
	}

	/**
	 * Why a call may not wait for approval; null when it may, or never does.
	 *
	 * @param ToolCall $call  The call, whose id is that of the action.
	 * @param bool     $again Whether it begins once more if it was denied or has expired.
	 */
	public function refuse( ToolCall $call, bool $again = false ): ?WP_Error {
		$tool = $this->engines->get()->tools->registry->get( $call->name );
		if ( null === $tool || ! $tool->requiresApproval ) {
			return null;
		}
		$row = $this->call_log->find( $call->id );
		if ( $this->call_log->has_begun( $row ) && ! Call_Start::begins_again( $row, $again ) ) {
			return null;
		}
		return $this->refuse_size( strlen( $call->argumentsRaw ), $call->name )
			?? $this->refuse_number( $call->id, get_current_user_id() );
	}

	/**
	 * Refuses arguments that are too large to be read by a person; null when they are not.
	 *
	 * @param int    $bytes How many bytes they have.
	 * @param string $tool  The tool's name.
	 */
	public function refuse_size( int $bytes, string $tool ): ?WP_Error {
		/**
		 * Filters how many bytes of arguments a call that needs approval may have.
		 *
		 * @param int    $most How many bytes.
		 * @param string $tool The tool's name.
		 */
		$most = (int) apply_filters( 'toolwire_most_argument_bytes', self::MOST_BYTES, $tool );
		if ( $bytes <= $most ) {
			return null;
		}
		$message = sprintf(
			/* translators: 1: a size, such as 600 KB, 2: another size. */
			__( 'The arguments are too large to be approved: %1$s. At most %2$s can wait for approval.', 'toolwire' ), // phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
			size_format( $bytes ),
			size_format( $most )
		);
		return new WP_Error( 'toolwire_arguments_too_large', $message, array( 'status' => 413 ) );
	}

	/**
	 * Takes a place for a call, or refuses it when too many calls of the user have one.
	 *
	 * @param string $run_id The run's id.
	 * @param int    $user      The user's id.
	 */
	private function refuse_number( string $run_id, int $user ): ?WP_Error {
		/**
		 * Filters how many calls of a user may wait for approval at a time.
		 *
		 * @param int $most How many calls.
		 * @param int $user The user's id.
		 */
		$most  = (int) apply_filters( 'toolwire_most_waiting_calls', self::MOST_CALLS, $user );
		$store = $this->engines->get()->store;
		$key   = "wordpress/waiting/$user";
		for ( $try = 1; $try <= self::TRIES; $try++ ) {
			$now    = $store->now();
			$entry  = $store->get( $key, $now );
			$placed = $this->placed( (string) ( $entry['value'] ?? '' ), $now );
			$others = array_diff( array_keys( $placed ), array( $run_id ) );
			if ( $this->call_log->count_open( $user, $others ) >= $most ) {
				return $this->too_many();
			}
			$placed[ $run_id ] = $now;
			$version           = $store->put(
				$key,
				(string) wp_json_encode( $placed ),
				$entry['version'] ?? 0,
				$now + self::SECONDS * 1000000,
				$now
			);
			if ( null !== $version ) {
				return null;
			}
		}
		$message = __( 'Other calls of yours are being recorded. Try again.', 'toolwire' );
		return new WP_Error( 'toolwire_busy', $message, array( 'status' => 503 ) );
	}

	/**
	 * The calls that have taken a place lately, and when.
	 *
	 * @param string $value What the store has.
	 * @param int    $now   Microseconds since 1970.
	 * @return array<string, int>
	 */
	private function placed( string $value, int $now ): array {
		return array_filter(
			(array) json_decode( $value, true ),
			static fn ( $at ): bool => $at > $now - self::SECONDS * 1000000
		);
	}

	/**
	 * Refuses a call of a user who has too many waiting calls.
	 */
	private function too_many(): WP_Error {
		$message = __(
			'Too many of your calls wait for approval. Somebody must decide on some of them first.',
			'toolwire'
		);
		return new WP_Error( 'toolwire_too_many_waiting', $message, array( 'status' => 429 ) );
	}
}
