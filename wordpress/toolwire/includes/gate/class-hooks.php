<?php
/**
 * What the gate hooks into.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Gate;

use Toolwire\WordPress\Plugin;

/**
 * Answers WordPress' hooks of abilities with parts of the gate, on sites that gate some. The first
 * hook is of WordPress 6.9, the others are of 7.1.
 */
final class Hooks {

	/**
	 * Takes the parts.
	 *
	 * @param Plugin $plugin The parts of the plugin.
	 */
	public function __construct( private Plugin $plugin ) {
	}

	/**
	 * Hooks in.
	 */
	public function add(): void {
		// Last, so that no other code stands between the gate and WordPress.
		add_filter( 'wp_register_ability_args', array( $this, 'gate_ability' ), PHP_INT_MAX, 2 );
		add_filter( 'wp_pre_execute_ability', array( $this, 'gate_class' ), PHP_INT_MAX, 4 );
	}

	/**
	 * Puts the gate before an ability.
	 *
	 * @param mixed $arguments The ability's registration.
	 * @param mixed $name      Its name.
	 * @return mixed
	 */
	public function gate_ability( $arguments, $name ) {
		$gate = $this->plugin->gate();
		return $gate->rule()->is_on()
			? $gate->gate()->wrap( $arguments, (string) $name )
			: $arguments;
	}

	/**
	 * Answers for an ability that has a class of its own.
	 *
	 * @param mixed $given   What others answer.
	 * @param mixed $name    The ability's name.
	 * @param mixed $input   Its input.
	 * @param mixed $ability The ability.
	 * @return mixed
	 */
	public function gate_class( $given, $name, $input, $ability ) {
		$gate = $this->plugin->gate();
		return $gate->rule()->is_on()
			? $gate->gate()->answer_class( $given, $input, $ability )
			: $given;
	}
}
