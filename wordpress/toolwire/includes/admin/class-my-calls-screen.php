<?php
/**
 * The screen of a user's own calls.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Host;
use Toolwire\WordPress\Own_Calls;
use Toolwire\WordPress\Rest\Call_View;

/**
 * Shows users without the right to the log what their own calls did.
 */
final class My_Calls_Screen {

	/**
	 * Takes its parts.
	 *
	 * @param Access    $access    Who may do what.
	 * @param Call_Log  $call_log  The log.
	 * @param Own_Calls $own_calls The calls of the current user.
	 * @param Call_View $call_view Tells of calls.
	 * @param Verbatim  $verbatim  Shows texts as they are.
	 * @param Words     $words     Words for people.
	 * @param Notices   $notices   Says what came of a form.
	 */
	public function __construct(
		private Access $access,
		private Call_Log $call_log,
		private Own_Calls $own_calls,
		private Call_View $call_view,
		private Verbatim $verbatim,
		private Words $words,
		private Notices $notices,
	) {
	}

	/**
	 * Prints the screen.
	 */
	public function show(): void {
		if ( ! $this->access->allows( 'use' ) ) {
			wp_die(
				esc_html__( 'You are not allowed to do that.', 'toolwire' ),
				'',
				array( 'response' => 403 )
			);
		}
		$table = new My_Calls_Table(
			$this->call_log,
			$this->own_calls,
			$this->call_view,
			$this->verbatim,
			$this->words
		);
		$table->prepare_items();
		printf(
			'<div class="wrap toolwire"><h1>%s</h1>',
			esc_html__( 'My tool calls', 'toolwire' )
		);
		Host::tell();
		$this->notices->show();
		$table->display();
		echo '</div>';
	}
}
