<?php
/**
 * The end of a request's part of a conversation.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Exception;

/**
 * Ends a step before the model is asked once more: the request has worked long enough, the user has
 * stopped the conversation, or another process goes on with it. What was said is kept.
 */
final class Step_Over extends Exception {
}
