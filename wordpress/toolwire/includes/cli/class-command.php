<?php
/**
 * What all commands have in common.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Cli;

use Throwable;
use Toolwire\WordPress\Access;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Rest\Call_View;
use WP_Error;

/**
 * Checks who gives a command, and writes calls. A command returns its exit code: 0, or 1 when
 * anything failed.
 */
abstract class Command {

	/**
	 * How many rows a list has unless the options say otherwise, and at most.
	 */
	const LIMIT = 100;
	const MOST  = 1000;

	/**
	 * The fields of calls in lists.
	 */
	const FIELDS = array( 'id', 'created_at', 'tool', 'user', 'state', 'origin', 'error' );

	/**
	 * Takes its parts.
	 *
	 * @param Output    $output    The console.
	 * @param Access    $access    Who may do what.
	 * @param Call_Log  $call_log  The log.
	 * @param Call_View $call_view Tells of calls.
	 */
	public function __construct(
		protected Output $output,
		protected Access $access,
		protected Call_Log $call_log,
		private Call_View $call_view,
	) {
	}

	/**
	 * Whether the user of the command may do this; says why not.
	 *
	 * @param string $what One of the keys of Access::DEFAULTS.
	 */
	protected function permits( string $what ): bool {
		if ( 0 === get_current_user_id() ) {
			$this->output->error(
				__( 'Say who you are: --user=NAME. The rights are those of this user.', 'toolwire' )
			);
			return false;
		}
		if ( ! $this->access->allows( $what ) ) {
			$this->output->error( __( 'You are not allowed to do that.', 'toolwire' ) );
			return false;
		}
		return true;
	}

	/**
	 * Which part of a list the options ask for.
	 *
	 * @param array<string, string> $options `page` and `limit`.
	 * @return array{int, int} The page, from 1, and how many rows it has.
	 */
	protected function window( array $options ): array {
		$limit = (int) ( $options['limit'] ?? self::LIMIT );
		return array(
			max( 1, (int) ( $options['page'] ?? 1 ) ),
			max( 1, min( self::MOST, $limit ) ),
		);
	}

	/**
	 * Writes a page of a list. The format `count` writes how many there are on all pages.
	 *
	 * @param list<array<string, mixed>> $rows    The page.
	 * @param int                        $total   How many there are.
	 * @param list<string>               $fields  The fields that are shown.
	 * @param array<string, string>      $options The options.
	 */
	protected function write( array $rows, int $total, array $fields, array $options ): void {
		if ( 'count' === ( $options['format'] ?? '' ) ) {
			$this->output->line( (string) $total );
			return;
		}
		$this->output->rows( $rows, $fields, $options );
		list( $page, $limit ) = $this->window( $options );
		if ( 'table' === ( $options['format'] ?? 'table' ) && $total > $page * $limit ) {
			$this->output->line(
				sprintf(
					/* translators: 1: a number of rows, 2: the number of the next page. */
					__( 'There are %1$d. The next ones: --page=%2$d', 'toolwire' ),
					$total,
					$page + 1
				)
			);
		}
	}

	/**
	 * A call as a row of a list.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 * @return array<string, mixed>
	 */
	protected function row( array $row ): array {
		$view = $this->call_view->of( $row );
		unset( $view['html'] );
		return array( 'user' => $this->user( (int) $row['user_id'] ) ) + $view;
	}

	/**
	 * Why a call has failed, as far as the user of the command may know.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 */
	protected function why( array $row ): string {
		return (string) ( $this->call_view->of( $row )['error']['message'] ?? '' );
	}

	/**
	 * Does something with one of several ids. What it throws does not hold up the others.
	 *
	 * @param callable $act What is done.
	 * @return mixed What it returns; a WP_Error for what it throws.
	 */
	protected function attempt( callable $act ) {
		try {
			return $act();
		} catch ( Throwable $thrown ) {
			return new WP_Error( 'toolwire_not_done', $thrown->getMessage() );
		}
	}

	/**
	 * The name by which a user signs in; the id of a user who is gone.
	 *
	 * @param int $id The user's id.
	 */
	protected function user( int $id ): string {
		$user = get_userdata( $id );
		return $user ? $user->user_login : (string) $id;
	}

	/**
	 * Writes a name and a text. Each line of the text is indented, so that none passes for a line
	 * of the command.
	 *
	 * @param string $name The name.
	 * @param string $text The text.
	 */
	protected function tell( string $name, string $text ): void {
		$text = mb_scrub( $text, 'UTF-8' );
		if ( 1 !== preg_match( '~\R~u', $text ) ) {
			$this->output->line( "$name: $text" );
			return;
		}
		$this->output->line( "$name:" );
		foreach ( preg_split( '~\R~u', rtrim( $text ) ) as $line ) {
			$this->output->line( "    $line" );
		}
	}
}
