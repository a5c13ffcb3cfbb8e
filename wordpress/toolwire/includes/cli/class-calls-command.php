<?php
/**
 * What the commands for calls have in common.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Cli;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Log_Search;
use Toolwire\WordPress\Rest\Call_View;
use Toolwire\WordPress\Runner;

/**
 * Lists calls of the log.
 */
abstract class Calls_Command extends Command {

	/**
	 * Takes its parts.
	 *
	 * @param Output     $output     The console.
	 * @param Access     $access     Who may do what.
	 * @param Call_Log   $call_log   The log.
	 * @param Call_View  $call_view  Tells of calls.
	 * @param Log_Search $log_search Searches the log.
	 * @param Runner     $runner     Runs calls.
	 */
	public function __construct(
		Output $output,
		Access $access,
		Call_Log $call_log,
		Call_View $call_view,
		protected Log_Search $log_search,
		protected Runner $runner,
	) {
		parent::__construct( $output, $access, $call_log, $call_view );
	}

	/**
	 * Writes a page of the calls that filters find, newest first.
	 *
	 * @param array<string, mixed>  $filters What Log_Search::query() takes.
	 * @param array<string, string> $options The options of a list.
	 */
	protected function write_calls( array $filters, array $options ): void {
		$this->runner->look();
		$found = $this->log_search->query( $filters, ...$this->window( $options ) );
		$rows  = array_map( fn ( array $row ): array => $this->row( $row ), $found['rows'] );
		$this->write( $rows, $found['total'], self::FIELDS, $options );
	}
}
