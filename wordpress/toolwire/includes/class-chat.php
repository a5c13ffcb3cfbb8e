<?php
/**
 * The shortcode `[toolwire_chat]`.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * A small box for talking to the assistant. Users who may not have tools called see nothing.
 */
final class Chat {

	/**
	 * Takes its parts.
	 *
	 * @param Access  $access  Who may do what.
	 * @param Scripts $scripts Loads scripts.
	 */
	public function __construct(
		private Access $access,
		private Scripts $scripts,
	) {
	}

	/**
	 * The box.
	 */
	public function render(): string {
		if ( ! $this->access->allows( 'use' ) ) {
			return '';
		}
		$this->scripts->chat();
		$id = wp_unique_id( 'toolwire-message-' );
		return sprintf(
			'<div class="toolwire-chat" data-toolwire-chat>
<div class="toolwire-messages" role="log" aria-live="polite" aria-label="%1$s" tabindex="0"></div>
<form><label for="%2$s">%3$s</label>
<textarea id="%2$s" name="message" rows="2" required></textarea>
<button type="submit">%4$s</button></form>
<noscript><p>%5$s</p></noscript></div>',
			esc_attr__( 'Conversation with the assistant', 'toolwire' ),
			esc_attr( $id ),
			esc_html__( 'Message', 'toolwire' ),
			esc_html__( 'Send', 'toolwire' ),
			esc_html__( 'The assistant needs JavaScript.', 'toolwire' )
		);
	}
}
