<?php
/**
 * A refusal that a tool words for people.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use RuntimeException;

/**
 * Carries the message of a WP_Error through the extension. Messages of other exceptions are for the
 * log alone.
 */
final class Refused extends RuntimeException {
}
