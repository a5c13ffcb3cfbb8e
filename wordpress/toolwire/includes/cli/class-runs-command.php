<?php
/**
 * The commands for calls that have not ended.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Cli;

use Toolwire\WordPress\Call_States;
use Toolwire\WordPress\Json_Text;
use WP_Error;

/**
 * `wp toolwire runs`: lists the calls that run, wait, or were interrupted, shows any call, and goes
 * on with those that can.
 */
final class Runs_Command extends Calls_Command {

	/**
	 * Lists the calls that have not ended, newest first.
	 *
	 * @param list<string>          $ids     Not used.
	 * @param array<string, string> $options The options of a list.
	 */
	public function list( array $ids, array $options ): int {
		if ( ! $this->permits( 'log' ) ) {
			return 1;
		}
		$this->write_calls( array( 'states' => Call_States::OPEN ), $options );
		return 0;
	}

	/**
	 * Shows calls.
	 *
	 * @param list<string>          $ids     The ids of calls.
	 * @param array<string, string> $options `format`: json or yaml.
	 */
	public function show( array $ids, array $options ): int {
		if ( ! $this->permits( 'log' ) ) {
			return 1;
		}
		$this->runner->look();
		$rows   = array();
		$failed = 0;
		foreach ( $ids as $id ) {
			$row = $this->call_log->find( $id );
			if ( null === $row ) {
				$this->output->error( "$id: " . __( 'There is no such call.', 'toolwire' ) );
				$failed = 1;
			} elseif ( isset( $options['format'] ) ) {
				$rows[] = $this->row( $row );
			} else {
				$this->describe( $this->row( $row ) );
			}
		}
		if ( $rows ) {
			$this->output->rows( $rows, array_keys( $rows[0] ), $options );
		}
		return $failed;
	}

	/**
	 * Goes on with calls: those that were decided, and, after a question, those that were
	 * interrupted, which run once more.
	 *
	 * @param list<string>          $ids     The ids of calls.
	 * @param array<string, string> $options `yes`, to be asked nothing.
	 */
	public function continue( array $ids, array $options ): int {
		if ( ! $this->permits( 'approve' ) ) {
			return 1;
		}
		$this->runner->look();
		$failed = 0;
		foreach ( $ids as $id ) {
			$row = $this->call_log->find( $id );
			if (
				'interrupted' === ( $row['state'] ?? '' )
				&& ! isset( $options['yes'] )
				&& ! $this->output->asks( $this->question( $id ) )
			) {
				continue;
			}
			$after = $this->attempt( fn () => $this->go_on( $id, $row ) );
			if ( is_wp_error( $after ) ) {
				$this->output->error( "$id: " . $after->get_error_message() );
				$failed = 1;
			} elseif ( 'completed' !== $after['state'] ) {
				$this->output->error( "$id: {$after['state']}: " . $this->why( $after ) );
				$failed = 1;
			} else {
				$this->output->line( "$id: {$after['state']}" );
			}
		}
		return $failed;
	}

	/**
	 * The question before an interrupted call runs once more.
	 *
	 * @param string $id The call's id.
	 */
	private function question( string $id ): string {
		return sprintf(
			/* translators: %s: the id of a call. */
			__( '%s: nobody knows what the tool did before. Run it once more?', 'toolwire' ),
			$id
		);
	}

	/**
	 * Goes on with a call.
	 *
	 * @param string                          $id  The call's id.
	 * @param array<string, string|null>|null $row Its row in the log.
	 * @return array<string, string|null>|WP_Error Its row as it then is, or why it does not go on.
	 */
	private function go_on( string $id, ?array $row ) {
		if ( null === $row ) {
			return new WP_Error(
				'toolwire_unknown_call',
				__( 'There is no such call.', 'toolwire' )
			);
		}
		if ( 'interrupted' === $row['state'] ) {
			return $this->runner->retry( $id );
		}
		if ( ! Call_States::waits( $row['state'] ) ) {
			/* translators: %s: a state, such as completed. */
			$ended = __( 'It is %s; there is nothing to go on with.', 'toolwire' );
			return new WP_Error( 'toolwire_not_open', sprintf( $ended, $row['state'] ) );
		}
		$after = $this->runner->resume( $id ) ?? $row;
		return 'waiting' === $after['state']
			? new WP_Error( 'toolwire_waiting', __( 'Nobody has decided on it.', 'toolwire' ) )
			: $after;
	}

	/**
	 * Writes a call for a person.
	 *
	 * @param array<string, mixed> $row What row() returned.
	 */
	private function describe( array $row ): void {
		foreach ( $row as $name => $value ) {
			$json = is_string( $value )
				? $value
				: (string) ( new Json_Text() )->of( $value, JSON_PRETTY_PRINT );
			$this->tell( $name, $json );
		}
	}
}
