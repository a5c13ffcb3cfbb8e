<?php
/**
 * The shortcode `[toolwire_chat]`.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\WordPress\Assistant\Model;

/**
 * A small box for talking to the assistant. Users who may not have tools called see nothing.
 */
final class Chat {

	/**
	 * Takes its parts.
	 *
	 * @param Access  $access  Who may do what.
	 * @param Scripts $scripts Loads scripts.
	 * @param Model   $model   What answers.
	 */
	public function __construct(
		private Access $access,
		private Scripts $scripts,
		private Model $model,
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
		return '<div class="toolwire-chat" data-toolwire-chat>' . $this->bar() . $this->note()
			. $this->empty()
			. $this->log() . $this->form() . '</div>';
	}

	/**
	 * Where the conversation is shown, and what is said of it.
	 */
	private function log(): string {
		return sprintf(
			'<div class="toolwire-messages" role="log" aria-live="off" aria-label="%s" '
				. 'tabindex="0"></div>'
				. '<p class="toolwire-status" role="status" data-toolwire="status"></p>'
				. '<p class="toolwire-spoken" role="status" data-toolwire="spoken"></p>',
			esc_attr__( 'Conversation with the assistant', 'toolwire' )
		);
	}

	/**
	 * Where the user writes.
	 */
	private function form(): string {
		return sprintf(
			'<form%5$s><label for="%1$s">%2$s</label>
<textarea id="%1$s" name="message" rows="2" required enterkeyhint="send"></textarea>
<button type="submit" data-toolwire="send">%3$s</button>
<button type="button" data-toolwire="stop" hidden>%6$s</button></form>
<noscript><p>%4$s</p></noscript>',
			esc_attr( wp_unique_id( 'toolwire-message-' ) ),
			esc_html__( 'Message', 'toolwire' ),
			esc_html__( 'Send', 'toolwire' ),
			esc_html__( 'The assistant needs JavaScript.', 'toolwire' ),
			$this->model->is_connected() ? '' : ' hidden',
			esc_html__( 'Stop', 'toolwire' )
		);
	}

	/**
	 * What a host without the extension cannot do.
	 */
	private function note(): string {
		return Host::only_reads()
			? sprintf( '<p class="toolwire-note">%s</p>', esc_html( Host::sentence() ) )
			: '';
	}

	/**
	 * The bar above the conversation.
	 */
	private function bar(): string {
		return sprintf(
			'<div class="toolwire-chat-bar"><strong>%1$s</strong>
<em data-toolwire="demo" hidden>%2$s</em>
<button type="button" data-toolwire="new">%3$s</button>
<button type="button" data-toolwire="past" aria-expanded="false">%4$s</button></div>
<ul class="toolwire-past" data-toolwire="list" hidden></ul>',
			esc_html__( 'Assistant', 'toolwire' ),
			esc_html__( 'Demo', 'toolwire' ),
			esc_html__( 'New', 'toolwire' ),
			esc_html__( 'Past', 'toolwire' )
		);
	}

	/**
	 * What is said where no model is connected.
	 */
	private function empty(): string {
		if ( $this->model->is_connected() ) {
			return '';
		}
		if ( ! $this->access->allows( 'settings' ) ) {
			$words = __( 'The assistant is not ready yet.', 'toolwire' );
			return sprintf( '<p class="toolwire-empty">%s</p>', esc_html( $words ) );
		}
		return sprintf(
			'<p class="toolwire-empty" data-toolwire="empty">%1$s <a href="%2$s">%3$s</a> '
				. '<button type="button" data-toolwire="try">%4$s</button></p>',
			esc_html__( 'No model is connected.', 'toolwire' ),
			esc_url( admin_url( 'admin.php?page=toolwire-settings' ) ),
			esc_html__( 'Connect one', 'toolwire' ),
			esc_html__( 'Try the demo', 'toolwire' )
		);
	}
}
