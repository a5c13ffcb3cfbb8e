<?php
/**
 * What WordPress' privacy tools are told.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Registers the exporter and the eraser.
 */
final class Privacy {

	/**
	 * Takes its parts.
	 *
	 * @param Privacy_Exporter $privacy_exporter Exports personal data.
	 * @param Privacy_Eraser   $privacy_eraser   Erases personal data.
	 */
	public function __construct(
		private Privacy_Exporter $privacy_exporter,
		private Privacy_Eraser $privacy_eraser,
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
		) + (array) $erasers;
	}
}
