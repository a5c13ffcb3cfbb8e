<?php
/**
 * Calls that were sent from outside.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Throwable;
use Toolwire\Provider;
use Toolwire\ToolCall;
use WP_Error;

/**
 * Reads a call that a request or an ability names, and runs it.
 */
final class Sent_Calls {

	/**
	 * Takes its parts.
	 *
	 * @param Engines     $engines     The engine of each site.
	 * @param Runner      $runner      Runs calls.
	 */
	public function __construct(
		private Engines $engines,
		private Runner $runner,
	) {
	}

	/**
	 * The call, as the extension reads it.
	 *
	 * @param string $name         The tool's name.
	 * @param string $arguments    The arguments as JSON text.
	 * @param string $id        What Call_Ids::run_id() says; a new one when it is empty.
	 * @return ToolCall|WP_Error
	 */
	public function read( string $name, string $arguments, string $id = '' ) {
		$ids   = $this->engines->get()->ids;
		$sent  = array(
			'id'       => '' === $id ? $ids->run_id( get_current_user_id(), '', '' ) : $id,
			'type'     => 'function',
			'function' => array(
				'name'      => $name,
				'arguments' => $arguments,
			),
		);
		$found = Provider::parse( $sent, 'openai' );
		$call  = $found->calls[0] ?? null;
		if ( null === $call ) {
			return $this->refusal( $found->rejections[0]->code ?? 'bad_shape' );
		}
		$code = in_array( 'big_number', array_column( $call->diagnostics, 'code' ), true )
			? 'bad_number'
			: $this->lost_in_php( $call->arguments );
		return null === $code ? $call : $this->refusal( $code );
	}

	/**
	 * Why something that was sent is no call.
	 *
	 * @param string $code The code of the reason.
	 */
	public function refusal( string $code ): WP_Error {
		return new WP_Error(
			"toolwire_$code",
			/* translators: %s: code of a rejection. */
			sprintf( __( 'This is not a tool call: %s.', 'toolwire' ), $code ),
			array( 'status' => 400 )
		);
	}

	/**
	 * Why no tool would get arguments whole: a name begins with NUL, which objects of PHP cannot
	 * have. Null when tools get all of them.
	 *
	 * @param array<mixed> $values The arguments, or a part of them.
	 */
	private function lost_in_php( array $values ): ?string {
		foreach ( $values as $name => $value ) {
			if ( str_starts_with( (string) $name, "\0" ) ) {
				return 'nul_in_name';
			}
			$code = is_array( $value ) ? $this->lost_in_php( $value ) : null;
			if ( null !== $code ) {
				return $code;
			}
		}
		return null;
	}

	/**
	 * Runs the call as the current user. Returns its row in the log, or why it was not taken.
	 *
	 * @param ToolCall $call     What read() returned.
	 * @param string   $given_id The id that the client gave.
	 * @param string   $reason   Why, in the model's words.
	 * @param string   $origin   One of Call_Log::ORIGINS.
	 * @param bool     $again    Whether it begins once more if it was denied or has expired.
	 * @return array<string, string|null>|WP_Error
	 */
	public function run(
		ToolCall $call,
		string $given_id,
		string $reason,
		string $origin,
		bool $again = false
	) {
		$this->runner->look();
		try {
			$row = $this->runner->run( $call, $given_id, $reason, $origin, $again );
		} catch ( Throwable $thrown ) {
			Report::failure( "could not run a call of {$call->name}", $thrown );
			return new WP_Error(
				'toolwire_not_run',
				__( 'The call could not be run.', 'toolwire' ),
				array( 'status' => 500 )
			);
		}
		return $row ?? new WP_Error(
			'toolwire_conflict',
			__( 'This id belongs to another call.', 'toolwire' ),
			array( 'status' => 409 )
		);
	}

	/**
	 * Goes on with a call that waits, if somebody has decided, and returns its row in the log.
	 *
	 * @param array<string, string|null> $row Its row.
	 * @return array<string, string|null>
	 */
	public function resume( array $row ): array {
		$this->runner->look();
		return $this->runner->resume( (string) $row['action_id'] ) ?? $row;
	}
}
