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

use const Toolwire\WordPress\FILE;
use const Toolwire\WordPress\VERSION;

/**
 * Adds the screens, and what they load.
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
			add_action( "load-$screen", array( self::class, 'load' ) );
		}
	}

	/**
	 * Loads the style and the script of the screens.
	 */
	public static function load(): void {
		wp_enqueue_style( 'toolwire', plugins_url( 'assets/toolwire.css', FILE ), array(), VERSION );
		wp_enqueue_script( 'toolwire-admin', plugins_url( 'assets/admin.js', FILE ), array( 'wp-a11y', 'wp-i18n' ), VERSION, true );
		wp_set_script_translations( 'toolwire-admin', 'toolwire' );
		wp_add_inline_script( 'toolwire-admin', self::settings(), 'before' );
	}

	/**
	 * What a script needs to know.
	 */
	public static function settings(): string {
		$settings = array(
			'root'  => esc_url_raw( rest_url( 'toolwire/v1/' ) ),
			'nonce' => wp_create_nonce( 'wp_rest' ),
		);
		return 'window.toolwireSettings = ' . wp_json_encode( $settings, JSON_HEX_TAG | JSON_HEX_AMP ) . ';';
	}

	/**
	 * How many calls wait, for those who may decide.
	 */
	private static function bubble(): string {
		if ( ! Access::allows( 'approve' ) || Schema::VERSION !== (int) get_option( 'toolwire_schema' ) ) {
			return '';
		}
		$waiting = Call_Log::count( 'pending' );
		return 0 === $waiting ? '' : sprintf( ' <span class="awaiting-mod"><span class="pending-count">%s</span></span>', esc_html( number_format_i18n( $waiting ) ) );
	}
}
