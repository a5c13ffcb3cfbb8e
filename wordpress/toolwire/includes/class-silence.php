<?php
/**
 * What code of others prints.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Keeps what a tool prints out of the answer: functions of WordPress and of plugins print, and no
 * client can read JSON with something before it. The action `toolwire_tool_printed` tells what was
 * printed.
 */
final class Silence {

	/**
	 * How many bytes of it are told.
	 */
	const MOST_BYTES = 2000;

	/**
	 * Takes its parts.
	 *
	 * @param Events  $events  Tells of events.
	 * @param Secrets $secrets Masks secrets.
	 */
	public function __construct(
		private Events $events,
		private Secrets $secrets,
	) {
	}

	/**
	 * Does something that must not print, and returns its result.
	 *
	 * @param string   $action_id The action's id.
	 * @param callable $act       What is done.
	 * @return mixed
	 */
	public function during( string $action_id, callable $act ) {
		$printed = '';
		$bytes   = 0;
		$level   = ob_get_level();
		// The size makes PHP call this for each piece, so that the page of a fatal error passes.
		ob_start(
			static function ( string $piece ) use ( &$printed, &$bytes ): string {
				$fatal = error_get_last()['type'] ?? 0;
				if ( 0 !== ( $fatal & Crash_Guard::FATAL ) ) {
					return $piece;
				}
				$bytes   += strlen( $piece );
				$printed .= substr( $piece, 0, self::MOST_BYTES - strlen( $printed ) );
				return '';
			},
			1
		);
		try {
			return $act();
		} finally {
			while ( ob_get_level() > $level ) {
				ob_end_flush();
			}
			if ( $bytes > 0 ) {
				$this->events->tell(
					'tool.printed',
					array(
						'action_id' => $action_id,
						'printed'   => $this->secrets->text( mb_scrub( $printed, 'UTF-8' ) ),
						'bytes'     => $bytes,
					)
				);
			}
		}
	}
}
