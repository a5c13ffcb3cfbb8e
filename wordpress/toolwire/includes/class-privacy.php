<?php
/**
 * What WordPress' privacy tools are told.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\WordPress\Assistant\Conversation_Privacy;

/**
 * Registers the exporter and the eraser.
 */
final class Privacy {

	/**
	 * Takes its parts.
	 *
	 * @param Privacy_Exporter $privacy_exporter Exports personal data.
	 * @param Privacy_Eraser   $privacy_eraser   Erases personal data.
	 * @param Conversation_Privacy $conversations Exports and erases what was said.
	 */
	public function __construct(
		private Privacy_Exporter $privacy_exporter,
		private Privacy_Eraser $privacy_eraser,
		private Conversation_Privacy $conversations,
	) {
	}

	/**
	 * Answers the filter `wp_privacy_personal_data_exporters`.
	 *
	 * @param array<string, array<string, mixed>> $exporters Those of others.
	 * @return array<string, array<string, mixed>>
	 */
	public function exporter( $exporters ): array {
		return array(
			'toolwire' => array(
				'exporter_friendly_name' => __( 'AI tool calls', 'toolwire' ),
				'callback'               => array( $this->privacy_exporter, 'export' ),
			),
			'toolwire-conversations' => array(
				'exporter_friendly_name' => __( 'Conversations with the assistant', 'toolwire' ),
				'callback'               => array( $this->conversations, 'export' ),
			),
		) + (array) $exporters;
	}

	/**
	 * Answers the filter `wp_privacy_personal_data_erasers`.
	 *
	 * @param array<string, array<string, mixed>> $erasers Those of others.
	 * @return array<string, array<string, mixed>>
	 */
	public function eraser( $erasers ): array {
		return array(
			'toolwire' => array(
				'eraser_friendly_name' => __( 'AI tool calls', 'toolwire' ),
				'callback'             => array( $this->privacy_eraser, 'erase' ),
			),
			'toolwire-conversations' => array(
				'eraser_friendly_name' => __( 'Conversations with the assistant', 'toolwire' ),
				'callback'             => array( $this->conversations, 'erase' ),
			),
		) + (array) $erasers;
	}
}
