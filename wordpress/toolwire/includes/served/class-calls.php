<?php
/**
 * Calls of tools that were made as abilities.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Served;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Found_Calls;
use Toolwire\WordPress\Sent_Calls;
use WP_Error;

/**
 * Runs a tool for a program that uses it as an ability, with every check that other calls pass, and
 * tells later how the call stands.
 */
final class Calls {

	/**
	 * Takes its parts.
	 *
	 * @param Access     $access     Who may do what.
	 * @param Engines    $engines    The engine of each site.
	 * @param Call_Log   $call_log   The log.
	 * @param Sent_Calls $sent_calls Reads and runs calls.
	 * @param Answer     $answer     Tells of calls.
	 */
	public function __construct(
		private Access $access,
		private Engines $engines,
		private Call_Log $call_log,
		private Sent_Calls $sent_calls,
		private Answer $answer,
	) {
	}

	/**
	 * Runs a tool.
	 *
	 * @param string      $tool      Its name.
	 * @param string|null $arguments The arguments as JSON text; null when JSON cannot hold them.
	 * @return array<string, mixed>|WP_Error
	 */
	public function run( string $tool, ?string $arguments ) {
		$row = null === $arguments
			? $this->sent_calls->refusal( 'bad_json' )
			: $this->start( $tool, $arguments );
		return is_wp_error( $row ) ? $row : $this->answer->to_sender( $row );
	}

	/**
	 * Starts a call of a tool. Returns its row in the log, or why it was not taken.
	 *
	 * @param string $tool      The tool's name.
	 * @param string $arguments The arguments as JSON text.
	 * @param string $id        What Call_Ids::run_id() says; a new one when it is empty.
	 * @return array<string, string|null>|WP_Error
	 */
	public function start( string $tool, string $arguments, string $id = '' ) {
		$wait = $this->engines->get()->wait( 'calls' );
		if ( $wait > 0 ) {
			return new WP_Error(
				'toolwire_rate_limited',
				sprintf(
					/* translators: %d: number of seconds. */
					__( 'Too many calls. Send this one again in %d seconds.', 'toolwire' ),
					$wait
				),
				array( 'status' => 429 )
			);
		}
		if ( strlen( $arguments ) > Found_Calls::MOST_BYTES ) {
			return new WP_Error(
				'toolwire_too_large',
				__( 'The arguments are too large.', 'toolwire' ),
				array( 'status' => 413 )
			);
		}
		$call = $this->sent_calls->read( $tool, $arguments, $id );
		return is_wp_error( $call ) ? $call : $this->sent_calls->run( $call, '', '', 'ability' );
	}

	/**
	 * Tells how a call of the current user stands, and goes on with it when somebody has decided.
	 *
	 * @param string $id The call's id.
	 * @return array<string, mixed>|WP_Error
	 */
	public function status( string $id ) {
		$row = $this->call_log->find( $id );
		if (
			null === $row
			|| ( get_current_user_id() !== (int) $row['user_id']
				&& ! $this->access->allows( 'log' ) )
		) {
			return new WP_Error(
				'toolwire_unknown_call',
				__( 'There is no such call.', 'toolwire' ),
				array( 'status' => 404 )
			);
		}
		return $this->answer->of( $this->sent_calls->resume( $row ) );
	}
}
