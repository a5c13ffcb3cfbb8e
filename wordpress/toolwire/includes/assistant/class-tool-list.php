<?php
/**
 * The tools that a model is told of.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\Constraint;
use Toolwire\Detector;
use Toolwire\Tools\Registry;
use Toolwire\Tools\ToolDefinition;
use Toolwire\WordPress\Host;

/**
 * The tools of the site in the shape that a model's server wants, for the filter `toolwire_reply`.
 */
final class Tool_List {

	/**
	 * Takes the tools.
	 *
	 * @param Registry $registry The tools.
	 * @param string   $model    The model's name; may be empty.
	 */
	public function __construct(
		private Registry $registry,
		private string $model,
	) {
	}

	/**
	 * The tools as a request to a provider has them.
	 *
	 * @param string $provider `openai`, `anthropic`, `gemini`, `ollama`, …
	 * @return list<array<string, mixed>>
	 */
	public function to( string $provider ): array {
		return $this->registry->toProvider( $provider );
	}

	/**
	 * The text that tells a model which tools it has and how to call them, for a server that takes
	 * no tools. A model that is not known is told the form of Hermes.
	 */
	public function prompt(): string {
		if ( Host::only_reads() ) {
			return ( new Hermes_Form() )->prompt( $this->registry );
		}
		return $this->is_known()
			? $this->registry->renderPrompt( $this->model )
			: $this->registry->renderPrompt( format: 'hermes' );
	}

	/**
	 * The grammar that holds the model to calls of the tools, in the form that prompt() tells. It
	 * needs the extension.
	 *
	 * @param string $backend  `structural_tag`, `lark` or `gbnf`.
	 * @param bool   $may_call Whether calls may be written.
	 * @throws \Toolwire\Exception\ToolwireThrowable When there is none.
	 */
	public function constraint( string $backend, bool $may_call = true ): Constraint {
		$tools = array_map(
			static fn ( ToolDefinition $tool ): array => array(
				'name'       => $tool->name,
				'parameters' => $tool->inputSchema ? $tool->inputSchema : new \stdClass(),
			),
			array_values( $this->registry->list() )
		);
		return Detector::constrain(
			$tools,
			model: $this->is_known() ? $this->model : null,
			format: $this->is_known() ? null : 'hermes',
			backend: $backend,
			toolChoice: $may_call ? 'auto' : 'none',
		);
	}

	/**
	 * Whether it is known how the model writes calls.
	 */
	private function is_known(): bool {
		return '' !== $this->model && null !== Detector::profileFor( $this->model );
	}

	/**
	 * How many there are.
	 */
	public function count(): int {
		return $this->registry->count();
	}
}
