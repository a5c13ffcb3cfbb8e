<?php
/**
 * The tools that a model is told of.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\Detector;
use Toolwire\Tools\Registry;
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
		$known = '' !== $this->model && null !== Detector::profileFor( $this->model );
		return $known
			? $this->registry->renderPrompt( $this->model )
			: $this->registry->renderPrompt( format: 'hermes' );
	}

	/**
	 * How many there are.
	 */
	public function count(): int {
		return $this->registry->count();
	}
}
