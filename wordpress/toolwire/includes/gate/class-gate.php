<?php
/**
 * The gate before abilities.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Gate;

use Closure;
use ReflectionMethod;
use Throwable;
use Toolwire\WordPress\Ability_Input;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Call_States;
use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Report;
use Toolwire\WordPress\Sent_Calls;
use Toolwire\WordPress\Served;
use WP_Ability;
use WP_Error;

/**
 * Makes a call of this site of an ability that anyone runs: by PHP, over REST, by the MCP Adapter.
 * It stands before the ability's own code. WordPress has checked the input and the permission by
 * then, so questions, bad input and forbidden tries do not reach it.
 */
final class Gate {

	/**
	 * How often a request looks for its call that other requests begin or end at the same moment.
	 */
	const TRIES = 5;

	/**
	 * For how many seconds a call may have no row in the log yet.
	 */
	const BEGINS_WITHIN = 60;

	/**
	 * Takes its parts.
	 *
	 * @param Rule          $rule          Which abilities are gated.
	 * @param Own_Runs      $own_runs      The site's own runs.
	 * @param Asked_Calls   $asked_calls   Calls that wait, and their results.
	 * @param Answer        $answer        Tells of calls.
	 * @param Ability_Input $ability_input Turns input into arguments.
	 * @param Engines       $engines       The engine of each site.
	 * @param Call_Log      $call_log      The log.
	 * @param Sent_Calls    $sent_calls    Goes on with calls.
	 * @param Served\Calls  $calls         Begins calls.
	 * @param Refusals      $refusals      Records refused tries.
	 */
	public function __construct(
		private Rule $rule,
		private Own_Runs $own_runs,
		private Asked_Calls $asked_calls,
		private Answer $answer,
		private Ability_Input $ability_input,
		private Engines $engines,
		private Call_Log $call_log,
		private Sent_Calls $sent_calls,
		private Served\Calls $calls,
		private Refusals $refusals,
	) {
	}

	/**
	 * Answers the hook `wp_register_ability_args`: puts the gate before an ability's own code.
	 *
	 * @param mixed  $arguments The ability's registration.
	 * @param string $name      Its name.
	 * @return mixed
	 */
	public function wrap( $arguments, string $name ) {
		if ( ! is_array( $arguments ) ) {
			return $arguments; // WordPress refuses it.
		}
		$callback = $arguments['execute_callback'] ?? null;
		$category = $arguments['category'] ?? '';
		if (
			! $this->rule->take( $name, is_string( $category ) ? $category : '' )
			|| ! is_callable( $callback )
		) {
			return $arguments;
		}
		// An ability without a schema gives its code no input.
		$arguments['execute_callback'] = fn ( ...$given ) => $this->execute(
			$name,
			$given[0] ?? null,
			static fn () => $callback( ...$given )
		);
		return $arguments;
	}

	/**
	 * Answers the hook `wp_pre_execute_ability` of WordPress 7.1 for abilities whose class has code
	 * of its own in the place of a callback. The hook comes before WordPress' checks, so they are
	 * made here; where one fails, WordPress goes on and says so.
	 *
	 * @param mixed      $given   What others answer.
	 * @param mixed      $input   The ability's input.
	 * @param WP_Ability $ability The ability.
	 * @return mixed
	 */
	public function answer_class( $given, $input, WP_Ability $ability ) {
		if (
			! $given instanceof \WP_Filter_Sentinel
			|| WP_Ability::class === ( new ReflectionMethod( $ability, 'do_execute' ) )->class
			|| ! $this->rule->gates( $ability )
		) {
			return $given;
		}
		$input = $ability->normalize_input( $input );
		if (
			is_wp_error( $input )
			|| $this->own_runs->may_pass( $ability, $input )
			|| true !== $ability->validate_input( $input )
			|| true !== $ability->check_permissions( $input )
		) {
			return $given;
		}
		return $this->ask( $ability, $input, null );
	}

	/**
	 * Runs an ability's own code, or answers instead of it.
	 *
	 * @param string  $name  The ability's name.
	 * @param mixed   $input Its input.
	 * @param Closure $act   Runs the code.
	 * @return mixed
	 */
	private function execute( string $name, $input, Closure $act ) {
		$ability = wp_has_ability( $name ) ? wp_get_ability( $name ) : null;
		if ( null === $ability ) {
			return new WP_Error(
				'toolwire_no_ability',
				__( 'There is no such ability any more.', 'toolwire' )
			);
		}
		$passed = $this->own_runs->pass( $ability, $input, $act );
		if ( $passed ) {
			return $passed[0];
		}
		return $this->rule->gates( $ability ) ? $this->ask( $ability, $input, $act ) : $act();
	}

	/**
	 * Makes a call of a run. A database that is away is an error too: WordPress before 7.1 does not
	 * catch what is thrown here.
	 *
	 * @param WP_Ability   $ability The ability.
	 * @param mixed        $input   Its input, which WordPress has checked.
	 * @param Closure|null $act     Runs the ability's own code; null where only its class can.
	 * @return mixed
	 */
	private function ask( WP_Ability $ability, $input, ?Closure $act ) {
		try {
			return $this->ask_site( $ability, $input, $act );
		} catch ( Throwable $thrown ) {
			Report::failure( "could not make a call of {$ability->get_name()}", $thrown );
			return new WP_Error(
				'toolwire_not_run',
				__( 'The call could not be run.', 'toolwire' ),
				array( 'status' => 500 )
			);
		}
	}

	/**
	 * Makes a call of a run, or finds the one that was made of the same run before.
	 *
	 * @param WP_Ability   $ability The ability.
	 * @param mixed        $input   Its input.
	 * @param Closure|null $act     Runs the ability's own code, or null.
	 * @return mixed
	 */
	private function ask_site( WP_Ability $ability, $input, ?Closure $act ) {
		$name      = $ability->get_name();
		$schema    = (array) $ability->get_input_schema();
		$arguments = $this->ability_input->to_arguments( $schema, $input );
		$tool      = $this->engines->get()->tools->registry->get( $name );
		if ( null === $arguments ) {
			return $this->sent_calls->refusal( 'bad_json' );
		}
		if ( null === $tool ) {
			return new WP_Error(
				'toolwire_tool_not_found',
				__( 'This ability could not be made a tool, so it does not run.', 'toolwire' ),
				array( 'status' => 500 )
			);
		}
		$run = fn ( string $id ): array => $this->begin( $id, $name, $arguments, $act );
		if ( ! $tool->requiresApproval ) {
			return $run( $this->new_id() )['answer'];
		}
		if ( $this->is_visitor() ) {
			return $this->refuse_visitor( $name, $input );
		}
		return $this->ask_once( $name, $this->ability_input->hash( $schema, $input ), $run );
	}

	/**
	 * Begins a call that a person must approve, unless the same user has asked for the same before.
	 *
	 * @param string   $ability The ability's name.
	 * @param string   $hash    The hash of its input.
	 * @param callable $run     Begins the call of an id.
	 * @return mixed
	 */
	private function ask_once( string $ability, string $hash, callable $run ) {
		$name = $this->asked_calls->name( $ability, $hash );
		for ( $try = 1; $try <= self::TRIES; $try++ ) {
			$asked = $this->asked_calls->find( $name );
			if ( null !== $asked ) {
				$answer = $this->earlier( $name, $asked );
				if ( $answer ) {
					return $answer[0];
				}
				continue;
			}
			$id = $this->new_id();
			if ( $this->asked_calls->claim( $name, $id, $hash ) ) {
				$begun = $run( $id );
				if ( ! $begun['open'] ) {
					$this->asked_calls->leave( $name, $id );
				}
				return $begun['answer'];
			}
		}
		return $this->busy();
	}

	/**
	 * The answer to a request whose call was made before: how the call stands, or, once, what came
	 * of it. An empty list when nothing is left of that call, and a new one may begin.
	 *
	 * @param string                                     $name  What Asked_Calls::name() returned.
	 * @param array{call: string, at: int, version: int} $asked What Asked_Calls::find() returned.
	 * @return list<mixed>
	 */
	private function earlier( string $name, array $asked ): array {
		$row = $this->call_log->find( $asked['call'] );
		if ( null === $row ) {
			if ( time() - $asked['at'] < self::BEGINS_WITHIN ) {
				return array( $this->busy() ); // Another request is about to record it.
			}
			$this->asked_calls->drop( $name, $asked );
			return array();
		}
		$row = $this->sent_calls->resume( $row );
		if ( Call_States::is_open( $row['state'] ) ) {
			return array( $this->answer->of( $row ) );
		}
		$kept = $this->asked_calls->take( $name, $asked );
		if ( null === $kept ) {
			return array();
		}
		return 'undone' !== $row['state'] && $kept ? $kept : array( $this->answer->of( $row ) );
	}

	/**
	 * Begins a call. Returns whether it may still run, and what to answer.
	 *
	 * @param string       $id        The call's id.
	 * @param string       $name      The ability's name.
	 * @param string       $arguments The arguments of the tool, as JSON text.
	 * @param Closure|null $act       What ask() takes.
	 * @return array{open: bool, answer: mixed}
	 */
	private function begin( string $id, string $name, string $arguments, ?Closure $act ): array {
		list( $row, $result ) = $this->own_runs->during(
			$id,
			$act,
			fn () => $this->calls->start( $name, $arguments, $id )
		);
		if ( $result || is_wp_error( $row ) ) {
			return array(
				'open'   => false,
				'answer' => $result ? $result[0] : $row,
			);
		}
		return array(
			'open'   => Call_States::is_open( $row['state'] ),
			'answer' => $this->answer->of( $row ),
		);
	}

	/**
	 * Whether nobody is signed in, and the site itself is not at work.
	 */
	private function is_visitor(): bool {
		$is_console = defined( 'WP_CLI' ) && WP_CLI;
		return 0 === get_current_user_id() && ! wp_doing_cron() && ! $is_console;
	}

	/**
	 * Refuses a call that would wait for a visitor: nobody can tell visitors apart, so one could
	 * get the result of another, and anybody could fill the list of what waits.
	 *
	 * @param string $name  The ability's name.
	 * @param mixed  $input Its input.
	 */
	private function refuse_visitor( string $name, $input ): WP_Error {
		$message = __( 'Sign in: a person must approve this call.', 'toolwire' );
		$this->refusals->record( 'no_user', $message, $input, $name );
		return new WP_Error( 'toolwire_no_user', $message, array( 'status' => 401 ) );
	}

	/**
	 * The id of a new call of the current user.
	 */
	private function new_id(): string {
		return $this->engines->get()->ids->run_id( get_current_user_id(), '', '' );
	}

	/**
	 * That another request has just begun the same call.
	 */
	private function busy(): WP_Error {
		return new WP_Error(
			'toolwire_busy',
			__( 'The same call is being recorded. Send the request again.', 'toolwire' ),
			array( 'status' => 503 )
		);
	}
}
