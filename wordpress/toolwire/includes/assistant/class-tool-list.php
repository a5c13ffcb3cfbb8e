<?php
/**
 * The tools that a model is told of.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\Constraint;
use Toolwire\Detector;
use Toolwire\Profile;
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
	 *
	 * @param string|null $format The format to which a grammar holds the calls; null without one.
	 */
	public function prompt( ?string $format = null ): string {
		if ( Host::only_reads() ) {
			return ( new Hermes_Form() )->prompt( $this->registry );
		}
		$profile = $this->profile();
		if ( null === $profile ) {
			return $this->registry->renderPrompt( format: 'hermes' );
		}
		// A grammar may have to take another format of the family than its first one, which the
		// family may lay out in its own way.
		$is_first = ( $profile->formats[0] ?? null ) === $format;
		return null === $format || $is_first
			? $this->registry->renderPrompt( $this->model )
			: $this->registry->renderPrompt( format: $format );
	}

	/**
	 * The grammar that holds the model to calls of the tools. prompt() tells the model of its
	 * format. It needs the extension.
	 *
	 * @param string $backend  `structural_tag`, `lark` or `gbnf`.
	 * @param bool   $may_call Whether calls may be written.
	 * @throws \Toolwire\Exception\ToolwireThrowable When there is none.
	 */
	public function constraint( string $backend, bool $may_call = true ): Constraint {
		$is_known = null !== $this->profile();
		$tools    = array_map(
			static fn ( ToolDefinition $tool ): array => array(
				'name'       => $tool->name,
				'parameters' => $tool->inputSchema ? $tool->inputSchema : new \stdClass(),
			),
			array_values( $this->registry->list() )
		);
		return Detector::constrain(
			$tools,
			model: $is_known ? $this->model : null,
			format: $is_known ? null : 'hermes',
			backend: $backend,
			toolChoice: $may_call ? 'auto' : 'none',
		);
	}

	/**
	 * How the model writes calls; null where that is not known.
	 */
	private function profile(): ?Profile {
		return '' === $this->model ? null : Detector::profileFor( $this->model );
	}

	/**
	 * How many there are.
	 */
	public function count(): int {
		return $this->registry->count();
	}
}
