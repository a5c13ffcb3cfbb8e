<?php
/**
 * The parts of approvals.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Builds each part that a decision of a person needs once, when it is first asked for.
 */
final class Approval_Parts {

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

	/** The calls that wait for a person. */
	public function approvals(): Approvals {
		return $this->parts[ Approvals::class ] ??= new Approvals(
			$this->plugin->settings(),
			$this->plugin->engines(),
			$this->plugin->call_log(),
			$this->plugin->acting_user(),
			$this->plugin->runs(),
			$this->plugin->silence(),
			new Hold(
				$this->plugin->engines(),
				$this->plugin->acting_user(),
				$this->plugin->silence(),
			),
			$this->plugin->json_text(),
			$this->changed_arguments(),
			$this->proposed_arguments(),
			new Approval_Refusals(),
		);
	}

	/** The changed arguments that are about to be approved. */
	public function proposed_arguments(): Proposed_Arguments {
		return $this->parts[ Proposed_Arguments::class ] ??=
			new Proposed_Arguments( $this->plugin->engines() );
	}

	/** The check of changed arguments. */
	public function changed_arguments(): Changed_Arguments {
		return $this->parts[ Changed_Arguments::class ] ??= new Changed_Arguments(
			$this->plugin->engines(),
			$this->plugin->sent_calls(),
			$this->plugin->waiting_limits(),
			new Masked_Values( $this->plugin->json_text() ),
			$this->plugin->json_text(),
			$this->plugin->secrets(),
			$this->plugin->acting_user(),
			$this->plugin->silence(),
			$this->plugin->outcome(),
		);
	}
}
