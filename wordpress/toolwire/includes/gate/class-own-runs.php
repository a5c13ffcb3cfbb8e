<?php
/**
 * The site's own runs of abilities.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Gate;

use Closure;
use Toolwire\WordPress\Ability_Input;
use WP_Ability;
use WP_Error;

/**
 * Runs the ability of a call, and lets that run pass the gate once: by the ability's name and a
 * hash of its input.
 */
final class Own_Runs {

	/**
	 * The calls that the gate begins now: what runs the ability, once WordPress has checked its
	 * input and its permission, and what came of it.
	 *
	 * @var array<string, array{act: ?Closure, result: list<mixed>}>
	 */
	private array $begun = array();

	/**
	 * The runs that may pass, and what the ability's own code gave.
	 *
	 * @var list<array{name: string, hash: string, result: list<mixed>}>
	 */
	private array $passes = array();

	/**
	 * Takes its parts.
	 *
	 * @param Ability_Input $ability_input Hashes inputs.
	 * @param Asked_Calls   $asked_calls   Has what was approved.
	 */
	public function __construct(
		private Ability_Input $ability_input,
		private Asked_Calls $asked_calls,
	) {
	}

	/**
	 * Begins a call whose ability may run at once, and returns what $start returns, and a list with
	 * the ability's result, which is empty when the ability has not run.
	 *
	 * @param string       $call  The call's id.
	 * @param Closure|null $act   What runs the ability's own code; null where only the ability's
	 *                            class can.
	 * @param callable     $start Begins the call.
	 * @return array{mixed, list<mixed>}
	 */
	public function during( string $call, ?Closure $act, callable $start ): array {
		$this->begun[ $call ] = array(
			'act'    => $act,
			'result' => array(),
		);
		try {
			$answer = $start();
			return array( $answer, $this->begun[ $call ]['result'] );
		} finally {
			unset( $this->begun[ $call ] );
		}
	}

	/**
	 * Runs the ability of a call that has passed all checks, and returns its result. It keeps the
	 * result for the request that asks for it.
	 *
	 * @param string $name  The ability's name.
	 * @param mixed  $input The ability's input.
	 * @param string $call  The call's id.
	 * @return mixed
	 */
	public function run( string $name, $input, string $call ) {
		$act = $this->begun[ $call ]['act'] ?? null;
		if ( null !== $act ) {
			$result = $act();

			$this->begun[ $call ]['result'] = array( $result );
			return $result;
		}
		$ability = wp_has_ability( $name ) ? wp_get_ability( $name ) : null;
		if ( null === $ability ) {
			return new WP_Error(
				'toolwire_no_ability',
				__( 'There is no such ability any more.', 'toolwire' )
			);
		}
		$normal = $ability->normalize_input( $input );
		if ( is_wp_error( $normal ) ) {
			return $normal;
		}
		$schema = (array) $ability->get_input_schema();
		$hash   = $this->ability_input->hash( $schema, $normal );
		// What was approved, perhaps as a person has changed it, was normal when it was asked for.
		$is_asked_for = null !== $this->asked_calls->hash_of( $call );
		if ( $is_asked_for && $this->ability_input->hash( $schema, $input ) !== $hash ) {
			$changed = $this->input_changed();
			$this->asked_calls->keep( $call, $changed );
			return $changed;
		}
		list( $result, $own ) = $this->execute( $ability, $input, $hash );
		// Filters of results apply when a request gets it, so what the ability's code gave is kept.
		$given = $own ? $own[0] : $result;
		if ( $is_asked_for ) {
			$this->asked_calls->keep( $call, $given );
		}
		if ( isset( $this->begun[ $call ] ) ) {
			$this->begun[ $call ]['result'] = array( $given );
		}
		return $result;
	}

	/**
	 * Whether a run may pass the gate.
	 *
	 * @param WP_Ability $ability The ability.
	 * @param mixed      $input   Its input.
	 */
	public function may_pass( WP_Ability $ability, $input ): bool {
		return null !== $this->pass_of( $ability, $input );
	}

	/**
	 * Lets a run pass the gate, once. Returns a list with what the ability's own code gave; an
	 * empty one when the run may not pass.
	 *
	 * @param WP_Ability $ability The ability.
	 * @param mixed      $input   Its input.
	 * @param callable   $act     What runs the ability's own code.
	 * @return list<mixed>
	 */
	public function pass( WP_Ability $ability, $input, callable $act ): array {
		$at = $this->pass_of( $ability, $input );
		if ( null === $at ) {
			return array();
		}
		$this->passes[ $at ]['hash']   = '';
		$result                        = $act();
		$this->passes[ $at ]['result'] = array( $result );
		return array( $result );
	}

	/**
	 * That the input is not the one which a person has approved.
	 */
	private function input_changed(): WP_Error {
		return new WP_Error(
			'toolwire_input_changed',
			__(
				'Other code has changed the input since the call was made. It has not run.',
				'toolwire'
			),
			array( 'status' => 409 )
		);
	}

	/**
	 * Executes an ability by WordPress, with a pass. Returns the result, and a list with what the
	 * ability's own code gave.
	 *
	 * @param WP_Ability $ability The ability.
	 * @param mixed      $input   Its input, not yet normalized.
	 * @param string     $hash    The hash of its normalized input.
	 * @return array{mixed, list<mixed>}
	 */
	private function execute( WP_Ability $ability, $input, string $hash ): array {
		$this->passes[] = array(
			'name'   => $ability->get_name(),
			'hash'   => $hash,
			'result' => array(),
		);
		try {
			$result = $ability->execute( $input );
			return array( $result, end( $this->passes )['result'] );
		} finally {
			array_pop( $this->passes );
		}
	}

	/**
	 * The number of the pass for a run; null when there is none.
	 *
	 * @param WP_Ability $ability The ability.
	 * @param mixed      $input   Its input.
	 */
	private function pass_of( WP_Ability $ability, $input ): ?int {
		$at = array_key_last( $this->passes );
		if ( null === $at || $this->passes[ $at ]['name'] !== $ability->get_name() ) {
			return null;
		}
		$hash = $this->ability_input->hash( (array) $ability->get_input_schema(), $input );
		return '' !== $hash && $this->passes[ $at ]['hash'] === $hash ? $at : null;
	}
}
