<?php
/**
 * Texts of others, for prompts and pages.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Detector;

/**
 * Makes a text in which no call is found, whatever its format. What looks like one stays readable: a mark stands in it.
 * A model can still be persuaded by what it reads; that the text itself is no call is all that is promised.
 */
final class Quote {

	/**
	 * Stands in what looked like a call, behind its first character.
	 */
	const MARK = '⟨quoted⟩';

	/**
	 * How often marks are put; each round may uncover calls inside of others.
	 */
	const ROUNDS = 8;

	/**
	 * Quotes a text.
	 *
	 * @param string $text What others wrote.
	 */
	public static function text( string $text ): string {
		$detector = new Detector( formats: 'auto', fences: 'all', reasoning: true, repair: 'safe', maxCalls: 100000, maxRejections: 100000 );
		for ( $round = 1; $round <= self::ROUNDS; $round++ ) {
			$starts = self::starts( $detector, $text );
			if ( null === $starts ) {
				return $text;
			}
			$text = self::marked( $text, $starts );
		}
		// Somebody nested calls in calls on purpose: what no call can be without is taken out of all of the text.
		$text = (string) preg_replace( '/[^\p{L}\p{N}\p{Zs}\n.,!?]/u', '·', mb_scrub( $text, 'UTF-8' ) );
		return null === self::starts( $detector, $text ) ? $text : self::MARK;
	}

	/**
	 * Where what looks like a call begins, from the last to the first; null when nothing does.
	 *
	 * @param Detector $detector Finds calls of all formats.
	 * @param string   $text     The text.
	 * @return list<int>|null
	 */
	private static function starts( Detector $detector, string $text ): ?array {
		$detection = $detector->detect( $text );
		$starts    = array();
		// A call that is not complete may become so by what stands behind the quote.
		foreach ( array( ...$detection->calls, ...$detection->rejections ) as $found ) {
			if ( ! str_starts_with( substr( $text, $found->span['start'] + 1 ), self::MARK ) ) {
				$starts[ $found->span['start'] ] = true;
			}
		}
		krsort( $starts );
		return $detection->calls || $starts ? array_keys( $starts ) : null;
	}

	/**
	 * A text with a mark behind each of these characters.
	 *
	 * @param string    $text   The text.
	 * @param list<int> $starts Where the characters stand, in bytes, from the last to the first.
	 */
	private static function marked( string $text, array $starts ): string {
		$parts = array();
		$end   = strlen( $text );
		foreach ( $starts as $start ) {
			$behind  = $start + strlen( mb_substr( substr( $text, $start, 4 ), 0, 1, 'UTF-8' ) );
			$parts[] = self::MARK . substr( $text, $behind, $end - $behind );
			$end     = $behind;
		}
		$parts[] = substr( $text, 0, $end );
		return implode( '', array_reverse( $parts ) );
	}
}
