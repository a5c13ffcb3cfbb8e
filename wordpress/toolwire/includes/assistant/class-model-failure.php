<?php
/**
 * A model that gave no answer.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Exception;
use WP_Error;

/**
 * Says why the site's own function gave no answer.
 */
final class Model_Failure extends Exception {

	/**
	 * Takes the reason.
	 *
	 * @param WP_Error $error The reason, for the site and not for visitors.
	 */
	public function __construct( public readonly WP_Error $error ) {
		parent::__construct( $error->get_error_message() );
	}
}
