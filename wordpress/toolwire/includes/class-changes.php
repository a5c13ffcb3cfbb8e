<?php
/**
 * What calls would change.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Throwable;
use Toolwire\DiffResult;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;

/**
 * Asks tools what a call of the current user would change now. The extension puts the answer into
 * the call's fingerprint, and people are shown the same answer.
 */
final class Changes {

	/**
	 * The last answer for each action; null when the tool could not say.
	 *
	 * @var array<string, list<array{label: string, diff: DiffResult}>|null>
	 */
	private array $told = array();

	/**
	 * Takes the tools of the site.
	 *
	 * @param Tools $tools The tools.
	 */
	public function __construct( private Tools $tools ) {
	}

	/**
	 * The part of a call's fingerprint that stands for its changes: a hash of each diff. Labels are
	 * left out: they depend on the language of the user.
	 *
	 * @param ToolInput      $input What the call gives its tool.
	 * @param ToolDefinition $tool  The tool.
	 * @return list<string>|null
	 */
	public function fingerprint( ToolInput $input, ToolDefinition $tool ): ?array {
		$changes                        = $this->ask( $input, $tool->name );
		$this->told[ $input->actionId ] = $changes;
		return null === $changes ? null : array_map(
			static fn ( array $change ): string => hash( 'sha256', $change['diff']->diffOutput ),
			$changes
		);
	}

	/**
	 * What a call would change, as in its last fingerprint; null when the tool could not say.
	 *
	 * @param string $action_id The action's id.
	 * @return list<array{label: string, diff: DiffResult}>|null
	 */
	public function of( string $action_id ): ?array {
		return $this->told[ $action_id ] ?? null;
	}

	/**
	 * Asks a tool.
	 *
	 * @param ToolInput $input What the call gives its tool.
	 * @param string    $name  The tool's name.
	 * @return list<array{label: string, diff: DiffResult}>|null
	 */
	private function ask( ToolInput $input, string $name ): ?array {
		try {
			$changes = $this->tools->get( $name )?->preview( $input->payload );
		} catch ( Throwable $thrown ) {
			return null;
		}
		foreach ( $changes ?? array() as $change ) {
			if (
				! is_string( $change['label'] ?? null )
				|| ! ( $change['diff'] ?? null ) instanceof DiffResult
			) {
				return null;
			}
		}
		return $changes;
	}
}
