<?php
/**
 * What pages load.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Loads the styles and scripts, on the pages that need them alone.
 */
final class Scripts {

	/**
	 * For the screens in wp-admin.
	 */
	public static function admin(): void {
		self::load( 'toolwire-admin', 'admin.js', array( 'wp-a11y', 'wp-i18n' ) );
	}

	/**
	 * For a page with the chat box.
	 */
	public static function chat(): void {
		self::load( 'toolwire', 'toolwire.js', array( 'wp-i18n' ) );
		self::load( 'toolwire-chat', 'chat.js', array( 'toolwire', 'wp-i18n' ) );
	}

	/**
	 * Loads a script, the style, and what the script needs to know.
	 *
	 * @param string       $handle The script's name.
	 * @param string       $file   Its file.
	 * @param list<string> $needs  What must be there before it.
	 */
	private static function load( string $handle, string $file, array $needs ): void {
		$settings = array(
			'root'  => esc_url_raw( rest_url( 'toolwire/v1/' ) ),
			'nonce' => wp_create_nonce( 'wp_rest' ),
		);
		wp_enqueue_style( 'toolwire', plugins_url( 'assets/toolwire.css', FILE ), array(), VERSION );
		wp_enqueue_script( $handle, plugins_url( "assets/$file", FILE ), $needs, VERSION, true );
		wp_set_script_translations( $handle, 'toolwire' );
		wp_add_inline_script( $handle, 'window.toolwireSettings = ' . wp_json_encode( $settings, JSON_HEX_TAG | JSON_HEX_AMP ) . ';', 'before' );
	}
}
