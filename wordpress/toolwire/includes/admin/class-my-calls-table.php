<?php
/**
 * The table of a user's own calls.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Own_Calls;
use Toolwire\WordPress\Rest\Call_View;

/**
 * The calls of the current user, with what the routes tell the user of a call. The user may undo
 * them.
 */
final class My_Calls_Table extends Calls_Table {

	/**
	 * Takes its parts.
	 *
	 * @param Call_Log  $call_log  The log.
	 * @param Own_Calls $own_calls The calls of the current user.
	 * @param Call_View $call_view Tells of calls.
	 * @param Verbatim  $verbatim  Shows texts as they are.
	 * @param Words     $words     Words for people.
	 */
	public function __construct(
		Call_Log $call_log,
		private Own_Calls $own_calls,
		private Call_View $call_view,
		Verbatim $verbatim,
		Words $words,
	) {
		parent::__construct( $call_log, $verbatim, $words );
	}

	/**
	 * A page of the user's calls.
	 *
	 * @param int $page     From 1.
	 * @param int $per_page How many.
	 * @return array{rows: list<array<string, string|null>>, total: int}
	 */
	protected function found( int $page, int $per_page ): array {
		return $this->own_calls->page( $page, $per_page );
	}

	/**
	 * What came of a call, without the messages that only readers of the log may see.
	 *
	 * @param array<string, string|null> $item A row.
	 * @return array{result: string|null, error: string|null}
	 */
	protected function outcome( array $item ): array {
		$view = $this->call_view->of( $item );
		return array(
			'result' => null === $view['result'] ? null : $item['result'],
			'error'  => $view['error']['message'] ?? null,
		);
	}

	/**
	 * Whether the user may do something with a call.
	 *
	 * @param string                     $action `undo` or `retry`.
	 * @param array<string, string|null> $item   A row.
	 */
	protected function allows( string $action, array $item ): bool {
		return 'undo' === $action;
	}
}
