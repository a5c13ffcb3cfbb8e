<?php
/**
 * The extent of markup that was refused.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Detector;
use Toolwire\Rejection;

/**
 * Finds where the markup of a refused call begins and ends in a text. A rejection spans the
 * candidate up to the byte that decided, so markers may stand on both sides of it. Where the end
 * cannot be told, it is that of the text.
 */
final class Refused_Markup {

	/**
	 * Markers that open a call or belong to one, at the end of a text.
	 */
	const BEFORE = '~(?:<[|｜][^<>\n]{1,80}>[\w.:-]{0,80}|<[^<>\n]{1,80}>| to=[\w.:-]{1,80}'
		. '|[\]<]+[^\[\]<>\n]{1,40}\[>|\[[A-Z_/]{2,40}\]|\[|```\w*|>>>|functools|Action:)\s*\z~';

	/**
	 * Markers that close a call, at the beginning of a text.
	 */
	const BEHIND = '~\A\s*(?:</[^<>\n]{1,80}>|[\w.:-]{0,80}<[|｜][^<>\n]{1,80}>'
		. '|<[^<>\n]{1,80}[|｜]>|\]<\][^<>\n]{1,40}>|\[/[A-Z_]{2,40}\]|\]|```)~';

	/**
	 * Markers in brackets and the name behind them, at the beginning of a call.
	 */
	const NAMED = '~\G(?:\[[A-Z_]{2,40}\][\w.:-]{0,128})+~';

	/**
	 * How many bytes are looked at for a marker.
	 */
	const NEAR = 200;

	/**
	 * The last marker of an example of each format, by the format's name; none where the example
	 * ends with its arguments.
	 *
	 * @var array<string, string>
	 */
	private array $closers = array();

	/**
	 * Where refused markup begins and ends.
	 *
	 * @param Rejection $rejection The rejection.
	 * @param string    $text      The text.
	 * @param int       $from      The offset at which the part with the rejection begins.
	 * @param int       $to        The offset behind that part.
	 * @return array{int, int}
	 */
	public function extent( Rejection $rejection, string $text, int $from, int $to ): array {
		$start = max( $from, $rejection->span['start'] );
		$end   = max( $start, min( $to, $rejection->span['end'] ) );
		$end   = $this->closed( $rejection, $text, $start, $end, $to ) ?? $to;
		do {
			$near = substr( $text, $end, min( self::NEAR, $to - $end ) );
			$more = preg_match( self::BEHIND, $near, $found ) ? strlen( $found[0] ) : 0;
			$end += $more;
		} while ( $more > 0 );
		do {
			$near   = min( self::NEAR, $start - $from );
			$near   = substr( $text, $start - $near, $near );
			$more   = preg_match( self::BEFORE, $near, $found ) ? strlen( $found[0] ) : 0;
			$start -= $more;
		} while ( $more > 0 );
		return array( $start, $end );
	}

	/**
	 * The offset behind the markup, by the format's last marker or by its brackets. Null when
	 * neither tells.
	 *
	 * @param Rejection $rejection The rejection.
	 * @param string    $text      The text.
	 * @param int       $start     Where the candidate begins.
	 * @param int       $end       Behind the byte that decided.
	 * @param int       $to        Where the part ends.
	 */
	private function closed(
		Rejection $rejection,
		string $text,
		int $start,
		int $end,
		int $to,
	): ?int {
		if ( null === $rejection->format ) {
			return null;
		}
		$closer = $this->closer( $rejection->format );
		if ( '' !== $closer ) {
			// The byte that decided may be the marker's last.
			$at = strpos( $text, $closer, max( $start, $end - strlen( $closer ) ) );
			if ( false !== $at && $at + strlen( $closer ) <= $to ) {
				return $at + strlen( $closer );
			}
			return null;
		}
		$balanced = $this->balanced( $text, $start, $to );
		return null === $balanced ? null : max( $balanced, $end );
	}

	/**
	 * The last marker of a format's example.
	 *
	 * @param string $format The format's name.
	 */
	private function closer( string $format ): string {
		if ( ! $this->closers ) {
			foreach ( Detector::formats() as $built_in ) {
				preg_match( '~(?:<[^<>]+>)?\z~', $built_in['example'], $found );
				$this->closers[ $built_in['slug'] ] = $found[0];
			}
		}
		return $this->closers[ $format ] ?? '';
	}

	/**
	 * The offset behind the bracket that closes the first one. Null when none does.
	 *
	 * @param string $text The text.
	 * @param int    $at   Where to begin.
	 * @param int    $to   Where to end.
	 */
	private function balanced( string $text, int $at, int $to ): ?int {
		$open = 0;
		$at  += preg_match( self::NAMED, $text, $found, 0, $at ) ? strlen( $found[0] ) : 0;
		for ( $at += strcspn( $text, '{[(', $at, $to - $at ); $at < $to; ++$at ) {
			$at += strcspn( $text, '{[()]}"', $at, $to - $at );
			if ( $at >= $to ) {
				return null;
			}
			if ( '"' === $text[ $at ] ) {
				do {
					++$at;
					$at += strcspn( $text, '"\\', $at, max( 0, $to - $at ) );
					$at += '\\' === ( $text[ $at ] ?? '' ) ? 1 : 0;
				} while ( $at < $to && ( '"' !== $text[ $at ] || '\\' === $text[ $at - 1 ] ) );
				continue;
			}
			$open += str_contains( '{[(', $text[ $at ] ) ? 1 : -1;
			if ( 0 === $open ) {
				return $at + 1;
			}
		}
		return null;
	}
}
