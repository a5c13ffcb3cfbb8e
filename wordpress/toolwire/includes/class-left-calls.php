<?php
/**
 * Calls that were cut off by the end of their request.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Tools\Exception\StoreException;
use Toolwire\Tools\Executor;

/**
 * Records the calls whose tools ended the request: by `exit`, a fatal error or the time limit. They
 * are `interrupted`. When PHP itself is killed, nothing can be recorded: the next look finds the
 * call interrupted when the lease of its run has ended.
 */
final class Left_Calls {

	/**
	 * The errors that end a request.
	 */
	const FATAL = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_RECOVERABLE_ERROR
		| E_USER_ERROR;

	/**
	 * The calls that this request has.
	 *
	 * @var array<string, true>
	 */
	private array $open = array();

	/**
	 * Whether the end of the request is watched.
	 *
	 * @var bool
	 */
	private bool $watching = false;

	/**
	 * Takes its parts.
	 *
	 * @param Engines  $engines  The engine of each site.
	 * @param Call_Log $call_log The log.
	 * @param Outcome  $outcome  What the log keeps of a step.
	 */
	public function __construct(
		private Engines $engines,
		private Call_Log $call_log,
		private Outcome $outcome,
	) {
	}

	/**
	 * Whether a fatal error has ended the request.
	 */
	public static function is_fatal(): bool {
		// PHP also keeps the last notice, which ended nothing.
		return 0 !== ( ( error_get_last()['type'] ?? 0 ) & self::FATAL );
	}

	/**
	 * Does a step of a call, whose tool may end the request, and returns the result of the step.
	 *
	 * @param string   $run_id The run's id.
	 * @param callable $step      The step.
	 * @return mixed
	 */
	public function during( string $run_id, callable $step ) {
		if ( ! $this->watching ) {
			$this->watching = true;
			register_shutdown_function( array( $this, 'record' ) );
			// WordPress does its action before that; an error or `exit` in the action ends it all.
			add_action( 'shutdown', array( $this, 'record' ), PHP_INT_MIN );
		}
		$this->open[ $run_id ] = true;
		try {
			return $step();
		} finally {
			unset( $this->open[ $run_id ] );
		}
	}

	/**
	 * Records the calls that the end of the request has left.
	 */
	public function record(): void {
		$left = array_keys( $this->open );
		if ( ! $left ) {
			return;
		}
		// The extension does this at the end of the request too; the states are read here.
		if ( ! Host::only_reads() ) {
			Executor::interruptOpenRuns();
		}
		$message    = self::is_fatal()
			? (string) error_get_last()['message']
			: __( 'The tool ended the request.', 'toolwire' );
		$this->open = array();
		foreach ( $left as $run_id ) {
			try {
				$state = Host::only_reads()
					? 'interrupted'
					: $this->engines->get()->executor->run( $run_id )?->state;
			} catch ( StoreException $away ) {
				continue; // The next request that looks records it.
			}
			if ( 'interrupted' === $state ) {
				$this->interrupt( $run_id, $message );
			} else {
				$columns = $this->outcome->of_none( $message );
				$this->call_log->change( $run_id, $columns, array( 'running' ) );
			}
		}
	}

	/**
	 * Records a call whose request has ended while its tool ran. The extension tells that.
	 *
	 * @param string $run_id The run's id.
	 * @param string $message   Why.
	 */
	public function interrupt( string $run_id, string $message ): void {
		$columns = array(
			'state'       => 'interrupted',
			'error_code'  => 'interrupted',
			'error'       => $this->call_log->text( $message, 1000 ),
			'finished_at' => gmdate( 'Y-m-d H:i:s' ),
		);
		$this->call_log->change( $run_id, $columns, array( 'running' ) );
	}
}
