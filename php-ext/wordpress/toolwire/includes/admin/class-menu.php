<?php
/**
 * The menu in wp-admin.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Schema;
use Toolwire\WordPress\Scripts;

/**
 * Adds the screens.
 */
final class Menu {

	/**
	 * Answers the hook `admin_menu`.
	 */
	public static function register(): void {
		$title = __( 'AI tool calls', 'toolwire' );
		add_menu_page( $title, $title . self::bubble(), Access::capability( 'approve' ), 'toolwire', array( Approvals_Screen::class, 'show' ), 'dashicons-yes-alt', 76 );
		$screens = array(
			add_submenu_page( 'toolwire', __( 'Tool calls that wait for approval', 'toolwire' ), __( 'Approvals', 'toolwire' ), Access::capability( 'approve' ), 'toolwire', array( Approvals_Screen::class, 'show' ) ),
			add_submenu_page( 'toolwire', __( 'Log of tool calls', 'toolwire' ), __( 'Log', 'toolwire' ), Access::capability( 'log' ), 'toolwire-log', array( Log_Screen::class, 'show' ) ),
			add_submenu_page( 'toolwire', __( 'Settings for tool calls', 'toolwire' ), __( 'Settings', 'toolwire' ), Access::capability( 'settings' ), 'toolwire-settings', array( Settings_Screen::class, 'show' ) ),
		);
		foreach ( array_filter( $screens ) as $screen ) {
			add_action( "load-$screen", array( Scripts::class, 'admin' ) );
		}
	}

	/**
	 * How many calls wait, for those who may decide.
	 */
	private static function bubble(): string {
		if ( ! Access::allows( 'approve' ) || Schema::VERSION !== (int) get_option( 'toolwire_schema' ) ) {
			return '';
		}
		$waiting = Call_Log::count( 'pending' );
		if ( 0 === $waiting ) {
			return '';
		}
		$number = number_format_i18n( $waiting );
		/* translators: %s: a number. */
		$words = sprintf( _n( '%s call waits for approval', '%s calls wait for approval', $waiting, 'toolwire' ), $number );
		return sprintf(
			' <span class="awaiting-mod"><span class="pending-count" aria-hidden="true">%s</span><span class="screen-reader-text">%s</span></span>',
			esc_html( $number ),
			esc_html( $words )
		);
	}
}
