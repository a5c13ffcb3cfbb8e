<?php
/**
 * What the plugin hooks into.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\ToolResultFinder;

/**
 * Names the hooks and who answers them. Nothing else is loaded until one of them is called, so a page
 * without tool calls pays for this file alone.
 */
final class Plugin {

	/**
	 * Hooks in.
	 */
	public static function start(): void {
		register_activation_hook( FILE, array( Schema::class, 'install' ) );
		register_deactivation_hook( FILE, array( Network::class, 'deactivate' ) );
		add_filter( 'wpmu_drop_tables', array( Network::class, 'tables_of_deleted_site' ), 10, 2 );
		add_action( 'init', array( self::class, 'load_translations' ) );
		if ( ! class_exists( '\Toolwire\Tools\Executor', false ) ) {
			add_action( 'admin_notices', array( Missing_Extension::class, 'tell' ) );
			add_shortcode( 'toolwire_chat', '__return_empty_string' );
			return;
		}
		add_action( 'rest_api_init', array( Rest\Routes::class, 'register' ) );
		add_action( 'rest_api_init', array( Schema::class, 'ensure' ), 5 );
		add_action( 'admin_menu', array( Admin\Menu::class, 'register' ) );
		add_action( 'admin_menu', array( Schema::class, 'ensure' ), 5 );
		add_action( 'admin_init', array( Admin\Settings_Screen::class, 'register' ) );
		add_action( 'admin_post_toolwire_decide', array( Admin\Forms::class, 'decide' ) );
		add_action( 'admin_post_toolwire_undo', array( Admin\Forms::class, 'undo' ) );
		add_action( 'toolwire_register_tools', array( Built_In_Tools::class, 'register' ), 5 );
		add_action( 'toolwire_register_tools', array( Abilities::class, 'register' ), 20 );
		add_action( 'toolwire_daily', array( Housekeeping::class, 'run' ) );
		// Its name is written out so that the class is not loaded for it.
		add_filter( 'pre_update_option_toolwire_settings', array( Settings::class, 'merge' ), 10, 2 );
		add_filter( 'wp_privacy_personal_data_exporters', array( Privacy::class, 'exporter' ) );
		add_filter( 'wp_privacy_personal_data_erasers', array( Privacy::class, 'eraser' ) );
		add_action( 'admin_init', array( Privacy::class, 'suggest_policy' ) );
		add_shortcode( 'toolwire_chat', array( Chat::class, 'render' ) );
		ToolResultFinder::setFilter( array( self::class, 'filter_result' ) );
	}

	/**
	 * Loads translations that came with the plugin.
	 */
	public static function load_translations(): void {
		load_plugin_textdomain( 'toolwire', false, dirname( plugin_basename( FILE ) ) . '/languages' );
	}

	/**
	 * Lets others change what a search for a handler's result found.
	 *
	 * @param array|null $found   The data packet, or null.
	 * @param array      $packets The data packets that were searched.
	 * @param string     $handler The slug of the handler.
	 * @return array|null
	 */
	public static function filter_result( $found, $packets, $handler ) {
		/**
		 * Filters the data packet that holds a handler's result.
		 *
		 * @param array|null $found   The data packet, or null.
		 * @param array      $packets The data packets that were searched.
		 * @param string     $handler The slug of the handler.
		 */
		return apply_filters( 'datamachine_tool_result_finder', $found, $packets, $handler );
	}
}
