<?php
/**
 * What code of others prints.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use RuntimeException;

/**
 * Keeps what a tool prints out of the answer: functions of WordPress and of plugins print, and no
 * client can read JSON with something before it. The action `toolwire_tool_printed` tells what was
 * printed. A tool that calls wp_die(), which prints a page, fails like one that throws.
 */
final class Silence {

	/**
	 * How many bytes of it are told.
	 */
	const MOST_BYTES = 2000;

	/**
	 * The filters by which wp_die() looks for what ends the request.
	 */
	const ENDS = array(
		'wp_die_ajax_handler',
		'wp_die_json_handler',
		'wp_die_jsonp_handler',
		'wp_die_xmlrpc_handler',
		'wp_die_xml_handler',
		'wp_die_handler',
	);

	/**
	 * How many pieces of code run, one within the other.
	 *
	 * @var int
	 */
	private int $depth = 0;

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
	 * @param string   $run_id The run's id.
	 * @param callable $act       What is done.
	 * @return mixed
	 */
	public function during( string $run_id, callable $act ) {
		$printed = '';
		$bytes   = 0;
		$level   = ob_get_level();
		// The size makes PHP call this for each piece, so that the page of a fatal error passes.
		ob_start(
			function ( string $piece ) use ( &$printed, &$bytes ): string {
				if ( Left_Calls::is_fatal() ) {
					return $piece;
				}
				$bytes   += strlen( $piece );
				$printed .= substr( $piece, 0, self::MOST_BYTES - strlen( $printed ) );
				return '';
			},
			1
		);
		$this->catch_ends( true );
		try {
			return $act();
		} finally {
			$this->catch_ends( false );
			while ( ob_get_level() > $level ) {
				ob_end_flush();
			}
			if ( $bytes > 0 ) {
				$this->events->tell(
					'tool.printed',
					array(
						'run_id' => $run_id,
						'printed'   => $this->secrets->text( mb_scrub( $printed, 'UTF-8' ) ),
						'bytes'     => $bytes,
					)
				);
			}
		}
	}

	/**
	 * Answers the filters by which wp_die() looks for what ends the request. After a fatal error
	 * WordPress ends it in its own way.
	 *
	 * @param callable $handler What others say.
	 * @return callable What throws instead.
	 */
	public function end( $handler ) {
		return Left_Calls::is_fatal() ? $handler : static function ( $message ): void {
			$words = is_wp_error( $message ) ? $message->get_error_message() : $message;
			$words = wp_strip_all_tags( is_scalar( $words ) ? (string) $words : '' );
			throw new RuntimeException( esc_html( "wp_die: $words" ) );
		};
	}

	/**
	 * Hooks into wp_die(), or out of it: tools may call tools.
	 *
	 * @param bool $begins Whether code of a tool begins to run.
	 */
	private function catch_ends( bool $begins ): void {
		$this->depth += $begins ? 1 : -1;
		foreach ( $this->depth > 1 ? array() : self::ENDS as $filter ) {
			if ( 1 === $this->depth && $begins ) {
				add_filter( $filter, array( $this, 'end' ), PHP_INT_MAX );
			} elseif ( 0 === $this->depth ) {
				remove_filter( $filter, array( $this, 'end' ), PHP_INT_MAX );
			}
		}
	}
}
