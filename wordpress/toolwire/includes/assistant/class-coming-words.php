<?php
/**
 * The words of messages that are being written.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\WordPress\Engines;

/**
 * Keeps what a model has written of a message that is not complete, for pages that ask: a server
 * may hold the stream of events back until its end, and another tab has no stream.
 */
final class Coming_Words {

	/**
	 * For how many seconds the words are kept.
	 */
	const SECONDS = 120;

	/**
	 * Takes its parts.
	 *
	 * @param Engines $engines The engine of each site.
	 */
	public function __construct( private Engines $engines ) {
	}

	/**
	 * Keeps the words.
	 *
	 * @param string                                 $uuid    The conversation.
	 * @param int                                    $message The number of the message.
	 * @param array{reasoning: string, text: string} $said    Its words so far.
	 */
	public function keep( string $uuid, int $message, array $said ): void {
		$store = $this->engines->get()->store;
		$now   = $store->now();
		$value = (string) wp_json_encode( array( 'message' => $message ) + $said );
		$store->put( $this->key( $uuid ), $value, null, $now + self::SECONDS * 1000000, $now );
	}

	/**
	 * The words that are kept, with the number of their message; null where there are none.
	 *
	 * @param string $uuid The conversation.
	 * @return array{message: int, reasoning: string, text: string}|null
	 */
	public function find( string $uuid ): ?array {
		$store = $this->engines->get()->store;
		$entry = $store->get( $this->key( $uuid ), $store->now() );
		return null === $entry ? null : json_decode( $entry['value'], true );
	}

	/**
	 * Forgets the words.
	 *
	 * @param string $uuid The conversation.
	 */
	public function forget( string $uuid ): void {
		$store = $this->engines->get()->store;
		$store->delete( $this->key( $uuid ), null, $store->now() );
	}

	/**
	 * Where the words are.
	 *
	 * @param string $uuid The conversation.
	 */
	private function key( string $uuid ): string {
		return "wordpress/coming/$uuid";
	}
}
