<?php
/**
 * The scripts and styles of pages.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Loads the styles and scripts, only on pages that need them.
 */
final class Scripts {

	/**
	 * For the screens in wp-admin.
	 *
	 * @param array<string, string> $words What the screens say of a decision, by the state of its
	 *                                     call.
	 */
	public function admin( array $words ): void {
		$this->load(
			'toolwire-admin',
			'admin.js',
			array( 'toolwire-visible', 'wp-a11y', 'wp-i18n' ),
			array( 'words' => $words )
		);
	}

	/**
	 * For a page with the chat box.
	 */
	public function chat(): void {
		$this->load( 'toolwire-routes', 'routes.js', array( 'wp-i18n' ) );
		$needs = array( 'toolwire-routes', 'toolwire-visible', 'wp-i18n' );
		$this->load( 'toolwire', 'toolwire.js', $needs );
		$this->load( 'toolwire-markdown', 'markdown.js', array() );
		$parts = array( 'toolwire-markdown', 'toolwire' );
		$this->load( 'toolwire-chat-view', 'chat-view.js', $parts );
		$this->load( 'toolwire-chat', 'chat.js', array( 'toolwire-chat-view', 'wp-i18n' ) );
	}

	/**
	 * Loads a script, the style, and what the script needs to know.
	 *
	 * @param string               $handle The script's name.
	 * @param string               $file   Its file.
	 * @param list<string>         $needs  What must be there before it.
	 * @param array<string, mixed> $more   What this script alone needs to know.
	 */
	private function load(
		string $handle,
		string $file,
		array $needs,
		array $more = array(),
	): void {
		$settings = array(
			'root'  => esc_url_raw( rest_url( 'toolwire/v1/' ) ),
			'nonce' => wp_create_nonce( 'wp_rest' ),
			'renew' => esc_url_raw( admin_url( 'admin-ajax.php?action=rest-nonce' ) ),
		) + $more;
		wp_enqueue_style(
			'toolwire',
			plugins_url( 'assets/toolwire.css', FILE ),
			array(),
			VERSION
		);
		wp_register_script(
			'toolwire-visible',
			plugins_url( 'assets/visible.js', FILE ),
			array(),
			VERSION,
			true
		);
		wp_enqueue_script( $handle, plugins_url( "assets/$file", FILE ), $needs, VERSION, true );
		wp_set_script_translations( $handle, 'toolwire' );
		$json = wp_json_encode( $settings, JSON_HEX_TAG | JSON_HEX_AMP );
		wp_add_inline_script( $handle, "window.toolwireSettings = $json;", 'before' );
	}
}
