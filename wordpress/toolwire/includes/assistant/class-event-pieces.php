<?php
/**
 * The events in the pieces of a stream.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

/**
 * Finds the data of server-sent events in pieces of any size, as the standard of HTML says: lines
 * that begin with `data:`, an empty line behind each event.
 */
final class Event_Pieces {

	/**
	 * The bytes of a line that has no end yet.
	 *
	 * @var string
	 */
	private string $line = '';

	/**
	 * The data of an event that has no end yet.
	 *
	 * @var list<string>
	 */
	private array $data = array();

	/**
	 * Whether there was an event.
	 *
	 * @var bool
	 */
	private bool $has_events = false;

	/**
	 * Takes a piece, and returns the data of the events that end in it.
	 *
	 * @param string $piece The bytes.
	 * @return list<string>
	 */
	public function take( string $piece ): array {
		$lines      = explode( "\n", $this->line . $piece );
		$this->line = (string) array_pop( $lines );
		$events     = array();
		foreach ( $lines as $line ) {
			$line = rtrim( $line, "\r" );
			if ( '' === $line && $this->data ) {
				$events[] = $this->end();
			} elseif ( str_starts_with( $line, 'data:' ) ) {
				$this->data[] = ltrim( substr( $line, 5 ), ' ' );
			}
		}
		return $events;
	}

	/**
	 * The event that the end of the stream ends: some servers leave out the last empty line.
	 *
	 * @return list<string>
	 */
	public function rest(): array {
		return $this->take( "\n\n" );
	}

	/**
	 * Whether there was an event.
	 */
	public function has_events(): bool {
		return $this->has_events || array() !== $this->data;
	}

	/**
	 * The data of the event that ends.
	 */
	private function end(): string {
		$event            = implode( "\n", $this->data );
		$this->data       = array();
		$this->has_events = true;
		return $event;
	}
}
