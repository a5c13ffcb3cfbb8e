<?php
/**
 * Tries to run gated abilities that are refused.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Gate;

use Throwable;
use Toolwire\Tools\RateLimiter;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Request_Stack;
use WP_Ability;

/**
 * Records who tried to run a gated ability without the permission. WordPress 7.1 and later tell of
 * each permission that is asked; earlier versions leave no trace.
 *
 * A permission is often asked without a try, to show a button for example. It is a try when the
 * ability is being executed, or when the request names the ability to run it. Nothing is thrown
 * here, since WordPress catches nothing around these hooks.
 */
final class Refusals {

	/**
	 * How many tries of a user are recorded in SECONDS. Anybody can try, and the log is bounded.
	 */
	const MOST = 10;

	const SECONDS = 600;

	/**
	 * The abilities whose execution has begun and whose permission has not been asked yet.
	 *
	 * @var array<string, true>
	 */
	private array $executed = array();

	/**
	 * The abilities whose refusal has been recorded for this request.
	 *
	 * @var array<string, true>
	 */
	private array $recorded = array();

	/**
	 * Takes its parts.
	 *
	 * @param Rule          $rule          Which abilities are gated.
	 * @param Own_Runs      $own_runs      The site's own runs.
	 * @param Engines       $engines       The engine of each site.
	 * @param Call_Log      $call_log      The log.
	 * @param Request_Stack $request_stack What clients ask for.
	 */
	public function __construct(
		private Rule $rule,
		private Own_Runs $own_runs,
		private Engines $engines,
		private Call_Log $call_log,
		private Request_Stack $request_stack,
	) {
	}

	/**
	 * Answers the hook `wp_ability_invoked`.
	 *
	 * @param string $name The ability's name.
	 */
	public function begin( string $name ): void {
		$this->executed[ $name ] = true;
	}

	/**
	 * Answers the hook `wp_ability_validate_input`: after bad input no permission is asked.
	 *
	 * @param mixed  $valid Whether the input is valid, or why not.
	 * @param string $name  The ability's name.
	 */
	public function validate( $valid, string $name ): void {
		if ( true !== $valid ) {
			unset( $this->executed[ $name ] );
		}
	}

	/**
	 * Answers the hook `wp_ability_permission_result`.
	 *
	 * @param mixed      $permission True, or something else for a refusal.
	 * @param mixed      $input      The ability's input.
	 * @param WP_Ability $ability    The ability.
	 */
	public function look( $permission, $input, WP_Ability $ability ): void {
		$name     = $ability->get_name();
		$executed = isset( $this->executed[ $name ] );
		unset( $this->executed[ $name ] );
		if ( true === $permission ) {
			return;
		}
		try {
			if ( $this->is_try( $ability, $input, $executed ) ) {
				$this->record( 'permission_denied', $this->reason( $permission ), $input, $name );
			}
		} catch ( Throwable $unreachable ) {
			return; // Without its database the site answers nothing anyway.
		}
	}

	/**
	 * Records a try, unless the current user has made too many.
	 *
	 * @param string $code  Why it was refused, as a code.
	 * @param string $why   The same in words.
	 * @param mixed  $input The ability's input.
	 * @param string $name  The ability's name.
	 */
	public function record( string $code, string $why, $input, string $name ): void {
		if ( ! $this->has_room() ) {
			return;
		}
		$id = $this->engines->get()->ids->run_id( get_current_user_id(), '', '' );
		$this->call_log->see( $id, '', $name, 'ability' );
		$columns = array(
			'state'       => 'refused',
			'arguments'   => $this->call_log->json( $input ),
			'error_code'  => $code,
			'error'       => $this->call_log->text( $why, 1000 ),
			'finished_at' => gmdate( 'Y-m-d H:i:s' ),
		);
		$this->call_log->change( $id, $columns, array( 'seen' ) );
	}

	/**
	 * Whether somebody has tried to run a gated ability, and not the site itself, whose runs have
	 * rows of their own.
	 *
	 * @param WP_Ability $ability  The ability.
	 * @param mixed      $input    Its input.
	 * @param bool       $executed Whether its execution has begun.
	 */
	private function is_try( WP_Ability $ability, $input, bool $executed ): bool {
		$name = $ability->get_name();
		if (
			( ! $executed && ! $this->request_stack->asks_for( $name ) )
			|| ! $this->rule->gates( $ability )
			|| $this->own_runs->may_pass( $ability, $input )
		) {
			return false;
		}
		$is_new = $executed || ! isset( $this->recorded[ $name ] );

		$this->recorded[ $name ] = true;
		return $is_new;
	}

	/**
	 * Whether another try of the current user may be recorded.
	 */
	private function has_room(): bool {
		$limiter = new RateLimiter(
			$this->engines->get()->store,
			self::MOST,
			(float) self::SECONDS
		);
		return (bool) $limiter->check( 'refused', 'user:' . get_current_user_id() )['allowed'];
	}

	/**
	 * Why WordPress refused a try.
	 *
	 * @param mixed $permission What it found.
	 */
	private function reason( $permission ): string {
		return is_wp_error( $permission )
			? $permission->get_error_message()
			: __( 'The user is not allowed to run this ability.', 'toolwire' );
	}
}
