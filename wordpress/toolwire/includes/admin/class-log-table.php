<?php
/**
 * The table of the log.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Log_Search;

/**
 * The calls of all users, with everything that the log knows. Who may approve may undo a call, and
 * run an interrupted one once more.
 */
final class Log_Table extends Calls_Table {

	/**
	 * Takes the filters and its parts.
	 *
	 * @param array<string, string|int> $filters    What Log_Search::query() takes.
	 * @param Call_Log                  $call_log   The log.
	 * @param Log_Search                $log_search Searches the log.
	 * @param Access                    $access     Who may do what.
	 * @param Verbatim                  $verbatim   Shows texts as they are.
	 * @param Words                     $words      Words for people.
	 */
	public function __construct(
		private array $filters,
		Call_Log $call_log,
		private Log_Search $log_search,
		private Access $access,
		Verbatim $verbatim,
		Words $words,
	) {
		parent::__construct( $call_log, $verbatim, $words );
	}

	/**
	 * The columns, with the user of a call.
	 *
	 * @return array<string, string>
	 */
	public function get_columns() {
		$columns = parent::get_columns();
		return array_slice( $columns, 0, 2 )
			+ array( 'user' => __( 'User', 'toolwire' ) )
			+ $columns;
	}

	/**
	 * Whose call it is.
	 *
	 * @param array<string, string|null> $item A row.
	 */
	protected function column_user( $item ): string {
		return esc_html( $this->words->user( (int) $item['user_id'] ) );
	}

	/**
	 * A page of the calls that the filters find.
	 *
	 * @param int $page     From 1.
	 * @param int $per_page How many.
	 * @return array{rows: list<array<string, string|null>>, total: int}
	 */
	protected function found( int $page, int $per_page ): array {
		return $this->log_search->query( $this->filters, $page, $per_page );
	}

	/**
	 * What came of a call.
	 *
	 * @param array<string, string|null> $item A row.
	 * @return array{result: string|null, error: string|null}
	 */
	protected function outcome( array $item ): array {
		return array(
			'result' => $item['result'],
			'error'  => $item['error'],
		);
	}

	/**
	 * Whether the user may do something with a call.
	 *
	 * @param string                     $action `undo` or `retry`.
	 * @param array<string, string|null> $item   A row.
	 */
	protected function allows( string $action, array $item ): bool {
		return $this->access->allows( 'approve' );
	}
}
