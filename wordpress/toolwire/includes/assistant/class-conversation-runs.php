<?php
/**
 * The calls of conversations, for agents.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\Tools\Execution;
use Toolwire\Tools\ToolOutput;

/**
 * Runs the calls of conversations and records them.
 */
interface Conversation_Runs {

	/**
	 * Runs a call as the current user, whose conversation it is, or goes on with it.
	 *
	 * @param string $id           What Refused_Calls::run_id() says.
	 * @param string $name         The tool's name.
	 * @param string $arguments    Its arguments as JSON.
	 * @param string $conversation The conversation.
	 * @param string $place        The call's place in it, `MESSAGE:INDEX`.
	 * @param string $reason       What the model said beside the call.
	 */
	public function run(
		string $id,
		string $name,
		string $arguments,
		string $conversation,
		string $place,
		string $reason,
	): Execution|ToolOutput;

	/**
	 * Ends a call that has not run, because the user has stopped the conversation.
	 *
	 * @param string $id As in run().
	 */
	public function stop( string $id ): Execution|ToolOutput;
}
