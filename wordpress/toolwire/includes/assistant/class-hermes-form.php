<?php
/**
 * Calls in the text of a model, in the form of Hermes.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\Tools\Registry;

/**
 * Writes tools and calls for servers that take no tools, on hosts without the extension: it writes
 * each model's own form, and this class that of Hermes, which most models know.
 */
final class Hermes_Form {

	/**
	 * What a model is told of the tools and of the form; empty without tools.
	 *
	 * @param Registry $registry The tools.
	 */
	public function prompt( Registry $registry ): string {
		$tools = array();
		foreach ( $registry->toProvider( 'openai' ) as $tool ) {
			$tools[] = wp_json_encode( $tool['function'], JSON_HEX_TAG );
		}
		if ( ! $tools ) {
			return '';
		}
		return 'You can call tools. Each line of this list is a tool as JSON: its name, what it '
			. "does, and the JSON Schema of its arguments.\n\n```json\n" . implode( "\n", $tools )
			. "\n```\n\nTo call a tool, end your message with a call of exactly the form below, "
			. 'with the name of the tool and with arguments that match its schema. Write nothing '
			. "behind it: the next message tells you the result.\n\n<tool_call>\n"
			. "{\"name\": \"NAME\", \"arguments\": {\"ARGUMENT\": \"VALUE\"}}\n</tool_call>";
	}

	/**
	 * Calls as the model writes them.
	 *
	 * @param list<array{name: string, arguments: mixed}> $calls The calls.
	 */
	public function calls( array $calls ): string {
		$written = array_map(
			static fn ( array $call ): string =>
				"<tool_call>\n" . wp_json_encode( $call ) . "\n</tool_call>",
			$calls
		);
		return implode( "\n", $written );
	}
}
