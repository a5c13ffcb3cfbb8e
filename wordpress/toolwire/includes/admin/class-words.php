<?php
/**
 * Words for what the log says by codes.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\Text;

/**
 * Says in words where a call came from, its state, whose it is and when it was made.
 */
final class Words {

	/**
	 * Where a call came from: whether a text could have asked for it.
	 *
	 * @param string $origin One of Call_Log::ORIGINS; empty for a call from before it was recorded.
	 */
	public function origin( string $origin ): string {
		$words = array(
			'assistant' => __( 'a reply of the site\'s assistant', 'toolwire' ),
			'text'      => __(
				'a text in which the call was found; anybody may have written it',
				'toolwire'
			),
			'script'    => __( 'a script of this site that names the tool', 'toolwire' ),
			'rest'      => __( 'a program that uses the REST API', 'toolwire' ),
			'ability'   => __( 'a program that uses the tool as an ability', 'toolwire' ),
		);
		return $words[ $origin ] ?? __( 'unknown', 'toolwire' );
	}

	/**
	 * The words for the states.
	 *
	 * @return array<string, string>
	 */
	public function states(): array {
		return array(
			'seen'        => __( 'seen', 'toolwire' ),
			'refused'     => __( 'refused', 'toolwire' ),
			'running'     => __( 'running', 'toolwire' ),
			'waiting'     => __( 'waiting for approval', 'toolwire' ),
			'approved'    => __( 'approved, about to run', 'toolwire' ),
			'interrupted' => __( 'interrupted', 'toolwire' ),
			'completed'   => __( 'completed', 'toolwire' ),
			'failed'      => __( 'failed', 'toolwire' ),
			'denied'      => __( 'denied', 'toolwire' ),
			'expired'     => __( 'expired: nobody decided in time', 'toolwire' ),
			'undone'      => __( 'undone', 'toolwire' ),
		);
	}

	/**
	 * A user's name, as it is shown.
	 *
	 * @param int $id The user's id.
	 */
	public function user( int $id ): string {
		$user = get_userdata( $id );
		return $user
			? Text::visible( $user->display_name )
			/* translators: %d: id of a user. */
			: sprintf( __( 'user %d, who is gone', 'toolwire' ), $id );
	}

	/**
	 * A text of a model or a stranger as one line of plain text, which no program takes for a link.
	 *
	 * @param string $text The text.
	 * @param int    $most The most characters.
	 */
	public function plain( string $text, int $most ): string {
		$line = trim( (string) preg_replace( '~\s+~u', ' ', mb_scrub( $text, 'UTF-8' ) ) );
		$line = mb_strimwidth( Text::visible( $line ), 0, $most, '…', 'UTF-8' );
		$dead = array(
			'://'  => '[:]//',
			'www.' => 'www[.]',
			'@'    => '[@]',
		);
		return str_ireplace( array_keys( $dead ), $dead, $line );
	}

	/**
	 * A time as the site shows times.
	 *
	 * @param string|null $time The time, in UTC.
	 */
	public function time( ?string $time ): string {
		$stamp = null === $time
			? false
			: strtotime( $time . ( str_contains( $time, 'T' ) ? '' : ' UTC' ) );
		return false === $stamp
			? ''
			: (string) wp_date(
				get_option( 'date_format' ) . ' ' . get_option( 'time_format' ),
				$stamp
			);
	}
}
