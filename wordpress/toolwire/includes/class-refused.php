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
}
