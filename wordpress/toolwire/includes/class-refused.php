<?php
/**
 * A refusal with a message for people.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use RuntimeException;

/**
 * Carries the message of a WP_Error through the extension. Messages of other exceptions appear only
 * in the log.
 */
final class Refused extends RuntimeException {

	/**
	 * Takes an error.
	 *
	 * @param string               $message Its message.
	 * @param array<string, mixed> $told    Its `code`, and the `status` that it has.
	 */
	public function __construct( string $message, public readonly array $told ) {
		parent::__construct( $message );
	}
}
