<?php
/**
 * What WordPress' privacy tools are told.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Registers the exporter and the eraser, and suggests a text for the site's privacy policy.
 */
final class Privacy {

	/**
	 * Answers the filter `wp_privacy_personal_data_exporters`.
	 *
	 * @param array<string, array<string, mixed>> $exporters Those of others.
	 * @return array<string, array<string, mixed>>
	 */
	public static function exporter( $exporters ): array {
		return array(
			'toolwire' => array(
				'exporter_friendly_name' => __( 'AI tool calls', 'toolwire' ),
				'callback'               => array( Privacy_Exporter::class, 'export' ),
			),
		) + (array) $exporters;
	}

	/**
	 * Answers the filter `wp_privacy_personal_data_erasers`.
	 *
	 * @param array<string, array<string, mixed>> $erasers Those of others.
	 * @return array<string, array<string, mixed>>
	 */
	public static function eraser( $erasers ): array {
		return array(
			'toolwire' => array(
				'eraser_friendly_name' => __( 'AI tool calls', 'toolwire' ),
				'callback'             => array( Privacy_Eraser::class, 'erase' ),
			),
		) + (array) $erasers;
	}

	/**
	 * Answers the hook `admin_init`: suggests what a privacy policy says of tool calls.
	 */
	public static function suggest_policy(): void {
		$days  = (int) Settings::get( 'retention_days' );
		$texts = array(
			__( 'When you use the assistant of this site, we record each action that it takes for you: the action with its arguments, the reason that the assistant gave, the result, and the time. Who approves, denies or undoes an action is recorded too, with the reason they write.', 'toolwire' ),
			/* translators: %s: number of days. */
			sprintf( _n( 'The record is removed after %s day.', 'The record is removed after %s days.', $days, 'toolwire' ), number_format_i18n( $days ) ),
			__( 'You can ask for a copy of the record, and for its removal. Actions of yours that still wait are then cancelled. Records of other people on which you decided stay without your name and your words.', 'toolwire' ),
		);
		$note  = __( 'Say here as well to which company your assistant sends what people write. Toolwire itself sends nothing.', 'toolwire' );
		wp_add_privacy_policy_content(
			'Toolwire',
			'<p class="privacy-policy-tutorial">' . esc_html( $note ) . '</p><p>' . implode( '</p><p>', array_map( 'esc_html', $texts ) ) . '</p>'
		);
	}
}
