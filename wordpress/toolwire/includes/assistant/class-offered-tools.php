<?php
/**
 * The tools of a conversation.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\Tools\Registry;
use Toolwire\Tools\ToolDefinition;
use Toolwire\WordPress\Engines;

/**
 * Knows which of the site's tools a conversation has: all, unless a filter takes some away.
 */
final class Offered_Tools {

	/**
	 * Takes its parts.
	 *
	 * @param Engines            $engines The engine of each site.
	 * @param Conversation_Table $table   Knows which tools were called.
	 */
	public function __construct(
		private Engines $engines,
		private Conversation_Table $table,
	) {
	}

	/**
	 * The tools of a conversation for the extension's agent. One that was called before stays: a
	 * call that waits must find its tool when somebody has decided.
	 *
	 * @param array<string, string|null> $row The conversation.
	 */
	public function registry( array $row ): Registry {
		$tools = $this->engines->get()->tools;
		if ( ! has_filter( 'toolwire_conversation_tools' ) ) {
			return $tools->offered();
		}
		$called = $this->table->called_tools( (string) $row['uuid'] );
		return $tools->offered( array( ...$this->names( $row ), ...$called ) );
	}

	/**
	 * Whether a conversation may begin a call of a tool.
	 *
	 * @param array<string, string|null> $row  The conversation.
	 * @param string                     $name The tool's name or an alias.
	 */
	public function has( array $row, string $name ): bool {
		$tool = $this->engines->get()->tools->registry->get( $name );
		return null !== $tool && in_array( $tool->name, $this->names( $row ), true );
	}

	/**
	 * The names of a conversation's tools.
	 *
	 * @param array<string, string|null> $row The conversation.
	 * @return list<string>
	 */
	private function names( array $row ): array {
		$all  = $this->engines->get()->tools->offered()->list();
		$name = static fn ( ToolDefinition $tool ): string => $tool->name;
		$told = array_flip( array( 'uuid', 'user_id', 'state', 'title' ) );
		/**
		 * Filters the tools of a conversation. The model is told of no other one, and can begin no
		 * call of another one.
		 *
		 * @param list<string>          $names        The names of all tools that the site offers.
		 * @param array<string, string> $conversation Its `uuid`, `user_id`, `state`, `title`.
		 */
		$names = (array) apply_filters(
			'toolwire_conversation_tools',
			array_map( $name, $all ),
			array_intersect_key( $row, $told )
		);
		return array_values( array_filter( $names, 'is_string' ) );
	}
}
