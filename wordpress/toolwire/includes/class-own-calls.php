<?php
/**
 * The calls of the current user.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Lists the calls that the current user made, and goes on with those that somebody has decided.
 */
final class Own_Calls {

	/**
	 * Takes its parts.
	 *
	 * @param Log_Search $log_search Searches the log.
	 * @param Runs       $runs       Goes on with calls.
	 */
	public function __construct(
		private Log_Search $log_search,
		private Runs $runs,
	) {
	}

	/**
	 * A page of the calls, newest first. Visitors have none: nobody knows which visitor made a
	 * call.
	 *
	 * @param int $page     From 1.
	 * @param int $per_page How many.
	 * @return array{rows: list<array<string, string|null>>, total: int}
	 */
	public function page( int $page, int $per_page ): array {
		$user = get_current_user_id();
		if ( 0 === $user ) {
			return array(
				'rows'  => array(),
				'total' => 0,
			);
		}
		$this->runs->look();
		$found         = $this->log_search->query( array( 'user' => $user ), $page, $per_page );
		$found['rows'] = array_map( array( $this, 'present' ), $found['rows'] );
		return $found;
	}

	/**
	 * A row as it is once the call has gone on.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 * @return array<string, string|null>
	 */
	private function present( array $row ): array {
		return Call_States::waits( $row['state'] )
			? $this->runs->resume( (string) $row['action_id'] ) ?? $row
			: $row;
	}
}
