<?php
/**
 * A post that changed before it was written.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Tools;

use RuntimeException;

/**
 * Ends an update of a post, before anything is told of it, because its columns are not those that
 * were compared.
 */
final class Changed_Since extends RuntimeException {
}
