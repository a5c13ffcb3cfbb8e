<?php
/**
 * The parts of a message, for the client.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Detection;
use Toolwire\Rejection;
use Toolwire\Segment;
use Toolwire\Text;

/**
 * Tells the parts of a message by their kinds: `text`, `reasoning`, `call` and `rejection`. Tokens
 * that only frame a message are left out.
 */
final class Message_Parts {

	/**
	 * Takes its parts.
	 *
	 * @param Refused_Markup $refused_markup Knows where refused markup ends.
	 */
	public function __construct( private Refused_Markup $refused_markup ) {
	}

	/**
	 * The parts in their order.
	 *
	 * @param Detection $detection What was found.
	 * @param string    $text      In which text.
	 * @param bool      $reasoning Whether reasoning is told.
	 * @return list<array<string, mixed>>
	 */
	public function of( Detection $detection, string $text, bool $reasoning = true ): array {
		$parts = array();
		foreach ( $detection->segments as $segment ) {
			if ( 'call' === $segment->type ) {
				$parts[] = array(
					'type'  => 'call',
					'index' => $segment->call->index,
				);
			} elseif ( 'text' === $segment->type ) {
				array_push( $parts, ...$this->of_text( $segment, $detection, $text ) );
			} elseif ( 'reasoning' === $segment->type && $reasoning ) {
				$parts[] = $this->words( 'reasoning', $segment->text );
			}
		}
		return $parts;
	}

	/**
	 * What people may read: the parts that are text.
	 *
	 * @param list<array<string, mixed>> $parts What of() returned.
	 */
	public function text( array $parts ): string {
		$is_text = static fn ( array $part ): bool => 'text' === $part['type'];
		return implode( '', array_column( array_filter( $parts, $is_text ), 'text' ) );
	}

	/**
	 * A segment of text, divided by the markup in it that was refused.
	 *
	 * @param Segment   $segment   The segment.
	 * @param Detection $detection What was found.
	 * @param string    $text      In which text.
	 * @return list<array<string, mixed>>
	 */
	private function of_text( Segment $segment, Detection $detection, string $text ): array {
		$at    = $segment->span['start'];
		$to    = $segment->span['end'];
		$parts = array();
		foreach ( $this->refused_in( $segment, $detection ) as $rejection ) {
			if ( $rejection->span['start'] < $at ) {
				continue; // Another format has refused the same.
			}
			list( $start, $end ) = $this->refused_markup->extent( $rejection, $text, $at, $to );
			$parts[]             = $this->words( 'text', substr( $text, $at, $start - $at ) );
			$parts[]             = array(
				'type' => 'rejection',
				'code' => $rejection->code,
			) + $this->words( 'rejection', substr( $text, $start, $end - $start ) );
			$at                  = $end;
		}
		// Beyond the most rejections nobody knows what is refused.
		if ( ! $parts || 0 === $detection->rejectionsDropped ) {
			$parts[] = $this->words( 'text', substr( $text, $at, $to - $at ) );
		}
		return array_values(
			array_filter( $parts, static fn ( array $part ): bool => '' !== $part['text'] )
		);
	}

	/**
	 * The rejections that begin in a segment, in the order of the text.
	 *
	 * @param Segment   $segment   The segment.
	 * @param Detection $detection What was found.
	 * @return list<Rejection>
	 */
	private function refused_in( Segment $segment, Detection $detection ): array {
		$refused = array_filter(
			$detection->rejections,
			static fn ( Rejection $rejection ): bool =>
				$rejection->span['start'] >= $segment->span['start']
				&& $rejection->span['start'] < $segment->span['end']
		);
		usort(
			$refused,
			static fn ( Rejection $one, Rejection $other ): int =>
				$one->span['start'] <=> $other->span['start']
		);
		return $refused;
	}

	/**
	 * A part with words: once as they are, and once for people, with marks for invisible
	 * characters.
	 *
	 * @param string $type  Its kind.
	 * @param string $words The words.
	 * @return array<string, string>
	 */
	private function words( string $type, string $words ): array {
		return array(
			'type'  => $type,
			'text'  => $words,
			'shown' => Text::visible( $words ),
		);
	}
}
