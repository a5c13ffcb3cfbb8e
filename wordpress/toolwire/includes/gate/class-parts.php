<?php
/**
 * The parts of the gate.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Gate;

use Toolwire\WordPress\Ability_Input;
use Toolwire\WordPress\Input_Schema;
use Toolwire\WordPress\Plugin;
use Toolwire\WordPress\Sealed_Text;

/**
 * Builds each part of the gate once, when it is first asked for.
 */
final class Parts {

	/**
	 * The parts that were asked for, by class.
	 *
	 * @var array<class-string, object>
	 */
	private array $parts = array();

	/**
	 * Takes the parts of the plugin.
	 *
	 * @param Plugin $plugin The parts of the plugin.
	 */
	public function __construct( private Plugin $plugin ) {
	}

	/** What decides which abilities are gated. */
	public function rule(): Rule {
		return $this->parts[ Rule::class ] ??= new Rule( $this->plugin->settings() );
	}

	/** What turns input into arguments. */
	public function ability_input(): Ability_Input {
		return $this->parts[ Ability_Input::class ] ??=
			new Ability_Input( new Input_Schema(), $this->plugin->served()->input() );
	}

	/** The calls that wait, and their results. */
	public function asked_calls(): Asked_Calls {
		return $this->parts[ Asked_Calls::class ] ??= new Asked_Calls(
			$this->plugin->engines(),
			$this->plugin->settings(),
			$this->plugin->json_text(),
			new Sealed_Text( 'toolwire ability result' ),
		);
	}

	/** The site's own runs. */
	public function own_runs(): Own_Runs {
		return $this->parts[ Own_Runs::class ] ??=
			new Own_Runs( $this->ability_input(), $this->asked_calls() );
	}

	/** The gate. */
	public function gate(): Gate {
		return $this->parts[ Gate::class ] ??= new Gate(
			$this->rule(),
			$this->own_runs(),
			$this->asked_calls(),
			new Answer( $this->plugin->call_view(), $this->plugin->admin()->request_view() ),
			$this->ability_input(),
			$this->plugin->engines(),
			$this->plugin->call_log(),
			$this->plugin->sent_calls(),
			$this->plugin->served()->calls(),
			$this->refusals(),
		);
	}

	/** What records refused tries. */
	public function refusals(): Refusals {
		return $this->parts[ Refusals::class ] ??= new Refusals(
			$this->rule(),
			$this->own_runs(),
			$this->plugin->engines(),
			$this->plugin->call_log(),
			$this->plugin->request_stack(),
		);
	}
}
