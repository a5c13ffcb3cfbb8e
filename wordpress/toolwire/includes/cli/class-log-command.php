<?php
/**
 * The commands of the log.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Cli;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Log_Search;
use Toolwire\WordPress\Rest\Call_View;
use Toolwire\WordPress\Runner;
use Toolwire\WordPress\Undoing;

/**
 * `wp toolwire log list` lists calls, and `wp toolwire undo` undoes some.
 */
final class Log_Command extends Calls_Command {

	/**
	 * Takes its parts.
	 *
	 * @param Output     $output     The console.
	 * @param Access     $access     Who may do what.
	 * @param Call_Log   $call_log   The log.
	 * @param Call_View  $call_view  Tells of calls.
	 * @param Log_Search $log_search Searches the log.
	 * @param Runner     $runner     Runs calls.
	 * @param Undoing    $undoing    Undoes calls.
	 */
	public function __construct(
		Output $output,
		Access $access,
		Call_Log $call_log,
		Call_View $call_view,
		Log_Search $log_search,
		Runner $runner,
		private Undoing $undoing,
	) {
		parent::__construct( $output, $access, $call_log, $call_view, $log_search, $runner );
	}

	/**
	 * Lists calls, newest first.
	 *
	 * @param list<string>          $ids     Not used.
	 * @param array<string, string> $options The filters, and the options of a list.
	 */
	public function list( array $ids, array $options ): int {
		if ( ! $this->permits( 'log' ) ) {
			return 1;
		}
		$filters = $this->filters( $options );
		if ( null === $filters ) {
			return 1;
		}
		$this->write_calls( $filters, $options );
		return 0;
	}

	/**
	 * Undoes calls: one's own, or anybody's for those who decide.
	 *
	 * @param list<string>          $ids     The ids of calls.
	 * @param array<string, string> $options None.
	 */
	public function undo( array $ids, array $options ): int {
		if ( ! $this->permits( 'use' ) ) {
			return 1;
		}
		$failed = 0;
		foreach ( $ids as $id ) {
			$row    = $this->call_log->find( $id );
			$is_own = get_current_user_id() === (int) ( $row['user_id'] ?? 0 );
			if ( null === $row || ( ! $is_own && ! $this->access->allows( 'approve' ) ) ) {
				$this->output->error( "$id: " . __( 'There is no such call.', 'toolwire' ) );
				$failed = 1;
				continue;
			}
			$undone = $this->attempt( fn () => $this->undoing->undo( $id ) );
			if ( is_wp_error( $undone ) ) {
				$this->output->error( "$id: " . $undone->get_error_message() );
				$failed = 1;
				continue;
			}
			$this->output->line( "$id: undone" );
		}
		return $failed;
	}

	/**
	 * The filters that the options name; writes which of them is wrong.
	 *
	 * @param array<string, string> $options `tool`, `state`, `origin`, `by`, `from`, `to`,
	 *                                       `search`.
	 * @return array<string, string|int>|null
	 */
	private function filters( array $options ): ?array {
		$filters = array_intersect_key(
			$options,
			array_flip( array( 'tool', 'state', 'origin', 'from', 'to', 'search' ) )
		);
		$valid   = array(
			'state'  => static fn ( string $state ): bool =>
				in_array( $state, Call_Log::STATES, true ),
			'origin' => static fn ( string $origin ): bool =>
				in_array( $origin, Call_Log::ORIGINS, true ),
			'from'   => fn ( string $day ): bool => null !== $this->log_search->day( $day ),
			'to'     => fn ( string $day ): bool => null !== $this->log_search->day( $day ),
		);
		foreach ( array_intersect_key( $filters, $valid ) as $name => $value ) {
			if ( ! $valid[ $name ]( $value ) ) {
				/* translators: 1: the name of an option, 2: its value. */
				$wrong = __( '--%1$s: %2$s is none.', 'toolwire' );
				$this->output->error( sprintf( $wrong, $name, $value ) );
				return null;
			}
		}
		if ( isset( $options['by'] ) ) {
			$user = $this->named( $options['by'] );
			if ( null === $user ) {
				$this->output->error( __( '--by: there is no such user.', 'toolwire' ) );
				return null;
			}
			$filters['user'] = $user;
		}
		return $filters;
	}

	/**
	 * The id of a user; null when there is none. The id of a user who is gone counts, since the
	 * log may know of the user's calls.
	 *
	 * @param string $name An id, a name, or an address.
	 */
	private function named( string $name ): ?int {
		if ( 1 === preg_match( '~^[1-9]\d{0,15}$~D', $name ) ) {
			return (int) $name;
		}
		$user = get_user_by( is_email( $name ) ? 'email' : 'login', $name );
		return $user ? $user->ID : null;
	}
}
