<?php
/**
 * What a privacy policy may say of tool calls.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Suggests a text for the site's privacy policy. WordPress asks for it on every screen of wp-admin,
 * so this class needs few others.
 */
final class Privacy_Policy {

	/**
	 * Takes its parts.
	 *
	 * @param Settings $settings The settings.
	 */
	public function __construct(
		private Settings $settings,
	) {
	}

	/**
	 * Suggests what a privacy policy says of tool calls.
	 */
	public function suggest(): void {
		$days  = (int) $this->settings->get( 'retention_days' );
		$chat  = (int) $this->settings->get( 'chat_days' );
		$texts = array(
			__(
				// phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
				'When you use the assistant of this site, we record each action that it takes for you: the action with its arguments, the reason that the assistant gave, the result, and the time. Who approves, changes, denies or undoes an action is recorded too, with what they change and the reason they write.',
				'toolwire'
			),
			sprintf(
				/* translators: %s: number of days. */
				_n( 'The record is removed after %s day.', 'The record is removed after %s days.', $days, 'toolwire' ), // phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
				number_format_i18n( $days )
			),
			sprintf(
				/* translators: %s: number of days. */
				_n( 'What you and the assistant write is kept until nothing was added for %s day.', 'What you and the assistant write is kept until nothing was added for %s days.', $chat, 'toolwire' ), // phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
				number_format_i18n( $chat )
			),
			__(
				// phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
				'You can ask for a copy of the record, and for its removal. Actions of yours that still wait are then cancelled. Records of other people on which you decided stay without your name and your reasons; what you changed in their actions stays part of the record.',
				'toolwire'
			),
		);
		$note  = __(
			// phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
			'Say here as well to which company your assistant sends what people write and what tools return. Toolwire sends it to the model that you connect.',
			'toolwire'
		);
		wp_add_privacy_policy_content(
			'Toolwire',
			sprintf(
				'<p class="privacy-policy-tutorial">%s</p><p>%s</p>',
				esc_html( $note ),
				implode( '</p><p>', array_map( 'esc_html', $texts ) )
			)
		);
	}
}
