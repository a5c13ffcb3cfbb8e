<?php
/**
 * The entries that the store keeps for calls.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Tools\UndoStore;

/**
 * Removes these entries: the arguments when a call has ended, the rest when the call leaves the
 * log.
 */
final class Remains {

	/**
	 * How many entries are looked at, at once.
	 */
	const PAGE = 500;

	/**
	 * Takes its parts.
	 *
	 * @param Engines            $engines            The engine of each site.
	 * @param Call_Log           $call_log           The log.
	 * @param Proposed_Arguments $proposed_arguments Changed arguments.
	 * @param Gate\Asked_Calls   $asked_calls        The results of gated abilities.
	 */
	public function __construct(
		private Engines $engines,
		private Call_Log $call_log,
		private Proposed_Arguments $proposed_arguments,
		private Gate\Asked_Calls $asked_calls,
	) {
	}

	/**
	 * Forgets the request for approval of a call that has ended: only the log keeps its arguments,
	 * masked. An interrupted call may run again, and keeps it.
	 *
	 * @param string $run_id   The run's id.
	 * @param string $approval_id The id of its request for approval; may be empty.
	 */
	public function forget_request( string $run_id, string $approval_id ): void {
		$engine = $this->engines->get();
		$state  = $engine->executor->run( $run_id )?->state;
		if ( '' !== $approval_id && ! Call_States::is_open( $state ) ) {
			$engine->approvals->forget( $approval_id );
			$this->proposed_arguments->forget( $approval_id );
		}
	}

	/**
	 * Forgets a request for approval: a person who decided is forgotten.
	 *
	 * @param string $approval_id The id of the request; may be empty.
	 */
	public function forget_decision( string $approval_id ): void {
		if ( Host::only_reads() ) {
			$this->forget_entries( '', $approval_id );
			return;
		}
		$this->engines->get()->approvals->forget( $approval_id );
	}

	/**
	 * Forgets everything about a call.
	 *
	 * @param string $run_id   The run's id.
	 * @param string $approval_id The id of its request for approval; may be empty.
	 */
	public function forget( string $run_id, string $approval_id ): void {
		if ( Host::only_reads() ) {
			$this->forget_entries( $run_id, $approval_id );
			return;
		}
		$engine = $this->engines->get();
		$engine->executor->forget( $run_id );
		if ( '' !== $approval_id ) {
			$engine->approvals->forget( $approval_id );
			$this->proposed_arguments->forget( $approval_id );
		}
		( new UndoStore( $engine->store, $engine->undo_seconds() ) )->delete( $run_id );
		$this->asked_calls->forget( $run_id );
	}

	/**
	 * Forgets what the extension has kept of a call before this PHP lost it: arguments, and the
	 * data of undoing. Only ids are left.
	 *
	 * @param string $run_id   The run's id.
	 * @param string $approval_id The id of its request for approval; may be empty.
	 */
	private function forget_entries( string $run_id, string $approval_id ): void {
		$store = $this->engines->get()->store;
		$keys  = array( "run/id/$run_id", "undo/$run_id" );
		if ( '' !== $approval_id ) {
			array_push( $keys, "approval/request/$approval_id", "approval/detail/$approval_id" );
			$this->proposed_arguments->forget( $approval_id );
		}
		foreach ( $keys as $key ) {
			$store->delete( $key, null, $store->now() );
		}
		$this->asked_calls->forget( $run_id );
	}

	/**
	 * Forgets calls that are older than a number of days and neither wait nor run, with their rows.
	 * Returns their number.
	 *
	 * @param int $days The days.
	 * @param int $most How many at most: a log may have many thousands that are too old.
	 */
	public function prune( int $days, int $most = PHP_INT_MAX ): int {
		$removed = 0;
		do {
			$some  = $this->call_log->old( $days, min( self::PAGE, $most - $removed ) );
			$count = count( $some );
			foreach ( $some as $row ) {
				$this->forget( $row['action_id'], $row['approval_id'] );
			}
			$ids = array_column( $some, 'action_id' );
			$this->engines->get()->ids->free( $ids );
			$deleted  = $this->call_log->delete( ...$ids );
			$removed += $deleted;
		} while ( self::PAGE === $count && $deleted > 0 && $removed < $most );
		return $removed;
	}

	/**
	 * Forgets the requests for approval of calls that have ended or are not in the log. Earlier
	 * versions of the plugin left such requests.
	 */
	public function sweep(): void {
		if ( Host::only_reads() ) {
			return;
		}
		$engine = $this->engines->get();
		$after  = null;
		do {
			$some  = $engine->store->scan(
				'approval/request/',
				$after,
				self::PAGE,
				$this->engines->get()->store->now()
			);
			$count = count( $some );
			foreach ( $some as $entry ) {
				$after   = $entry['key'];
				$id      = substr( $after, strlen( 'approval/request/' ) );
				$request = $engine->approvals->get( $id );
				$row     = null === $request ? null : $this->call_log->find( $request->runId );
				if ( ! Call_States::is_open( $row['state'] ?? '' ) ) {
					$engine->approvals->forget( $id );
				}
			}
		} while ( self::PAGE === $count );
	}
}
