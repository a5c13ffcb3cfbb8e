<?php
/**
 * The parts that serve WordPress' privacy tools.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Builds each part that tells of personal data or removes it once, when it is first asked for.
 */
final class Privacy_Parts {

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

	/** The exporter of personal data. */
	public function exporter(): Privacy_Exporter {
		return $this->parts[ Privacy_Exporter::class ] ??= new Privacy_Exporter(
			$this->plugin->schema(),
			$this->plugin->engines(),
			$this->plugin->admin()->words(),
			$this->plugin->deleted_users(),
		);
	}

	/** The eraser of personal data. */
	public function eraser(): Privacy_Eraser {
		return $this->parts[ Privacy_Eraser::class ] ??= new Privacy_Eraser(
			$this->plugin->schema(),
			$this->plugin->engines(),
			$this->plugin->call_log(),
			$this->plugin->remains(),
			$this->plugin->runs(),
			$this->plugin->deleted_users(),
		);
	}

	/** The part that offers both to WordPress' privacy tools. */
	public function offer(): Privacy {
		return $this->parts[ Privacy::class ] ??= new Privacy(
			$this->exporter(),
			$this->eraser(),
			$this->plugin->assistant()->privacy(),
		);
	}

	/** The text that a privacy policy may take. */
	public function policy(): Privacy_Policy {
		return $this->parts[ Privacy_Policy::class ] ??=
			new Privacy_Policy( $this->plugin->settings() );
	}
}
