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
		add_action( 'wp_ability_invoked', array( $this, 'begin_ability' ) );
		add_filter( 'wp_ability_validate_input', array( $this, 'see_input' ), PHP_INT_MAX, 3 );
		add_filter( 'wp_ability_permission_result', array( $this, 'see_refusal' ), PHP_INT_MAX, 4 );
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

	/**
	 * Notes that an ability is executed.
	 *
	 * @param mixed $name The ability's name.
	 */
	public function begin_ability( $name ): void {
		if ( $this->plugin->gate()->rule()->is_on() ) {
			$this->plugin->gate()->refusals()->begin( (string) $name );
		}
	}

	/**
	 * Notes whether the input of an ability is valid.
	 *
	 * @param mixed $valid What WordPress says.
	 * @param mixed $input The input.
	 * @param mixed $name  The ability's name.
	 * @return mixed The same.
	 */
	public function see_input( $valid, $input, $name ) {
		if ( $this->plugin->gate()->rule()->is_on() ) {
			$this->plugin->gate()->refusals()->validate( $valid, (string) $name );
		}
		return $valid;
	}

	/**
	 * Records that somebody may not run an ability.
	 *
	 * @param mixed $permission What WordPress says.
	 * @param mixed $name       The ability's name.
	 * @param mixed $input      Its input.
	 * @param mixed $ability    The ability.
	 * @return mixed The same.
	 */
	public function see_refusal( $permission, $name, $input, $ability ) {
		if ( $this->plugin->gate()->rule()->is_on() ) {
			$this->plugin->gate()->refusals()->look( $permission, $input, $ability );
		}
		return $permission;
	}
}
