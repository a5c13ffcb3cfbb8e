<?php
/**
 * Limits on what waits for approval.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\ToolCall;
use WP_Error;

/**
 * Limits how large a waiting call is, and how many calls of a user wait, so that people can review
 * them.
 */
final class Waiting_Limits {

	const MOST_BYTES = 524288;

	const MOST_CALLS = 50;

	/**
	 * For how many seconds a call waits for the lock while other calls of the same user are
	 * counted.
	 */
	const LOCK_SECONDS = 10;

	/**
	 * Takes its parts.
	 *
	 * @param Locks    $locks    The locks of the database.
	 * @param Engines  $engines  The engine of each site.
	 * @param Call_Log $call_log The log.
	 */
	public function __construct(
		private Locks $locks,
		private Engines $engines,
		private Call_Log $call_log,
	) {
	}

	/**
	 * Takes a step that may leave a call waiting, unless too many calls wait already. Returns the
	 * result of the step, or the refusal.
	 *
	 * Calls of one user are counted and recorded one after the other, so that no two of them see
	 * the same number. A lock of the database fits better than a conditional insert: whether a call
	 * waits is known only after the extension has validated it, and a statement that counts and
	 * inserts at once depends on the isolation level.
	 *
	 * @param ToolCall $call The call, whose id is that of the action.
	 * @param callable $step The step.
	 * @return mixed
	 */
	public function within( ToolCall $call, callable $step ) {
		$tool = $this->engines->get()->tools->registry->get( $call->name );
		if ( null === $tool || ! $tool->requiresApproval ) {
			return $step();
		}
		$lock = 'waiting/' . get_current_user_id();
		if ( ! $this->locks->take( $lock, self::LOCK_SECONDS ) ) {
			$message = __( 'Other calls of yours are being recorded. Try again.', 'toolwire' );
			return new WP_Error( 'toolwire_busy', $message, array( 'status' => 503 ) );
		}
		try {
			return $this->refuse( $call ) ?? $step();
		} finally {
			$this->locks->release( $lock );
		}
	}

	/**
	 * Why a call may not wait for approval; null when it may.
	 *
	 * @param ToolCall $call The call, whose id is that of the action.
	 */
	private function refuse( ToolCall $call ): ?WP_Error {
		if ( $this->call_log->has_begun( $this->call_log->find( $call->id ) ) ) {
			return null;
		}
		return $this->refuse_size(
			strlen( $call->argumentsRaw ),
			$call->name
		) ?? $this->refuse_number( get_current_user_id() );
	}

	/**
	 * Refuses arguments that are too large to be read.
	 *
	 * @param int    $bytes How many bytes they have.
	 * @param string $tool  The tool's name.
	 */
	private function refuse_size( int $bytes, string $tool ): ?WP_Error {
		/**
		 * Filters how many bytes of arguments a call that needs approval may have.
		 *
		 * @param int    $most How many bytes.
		 * @param string $tool The tool's name.
		 */
		$most = (int) apply_filters( 'toolwire_most_argument_bytes', self::MOST_BYTES, $tool );
		if ( $bytes <= $most ) {
			return null;
		}
		$message = sprintf(
			/* translators: 1: a size, such as 600 KB, 2: another size. */
			__( 'The arguments are too large to be approved: %1$s. At most %2$s can wait for approval.', 'toolwire' ), // phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
			size_format( $bytes ),
			size_format( $most )
		);
		return new WP_Error( 'toolwire_arguments_too_large', $message, array( 'status' => 413 ) );
	}

	/**
	 * Refuses a call of a user who has too many waiting calls.
	 *
	 * @param int $user The user's id.
	 */
	private function refuse_number( int $user ): ?WP_Error {
		/**
		 * Filters how many calls of a user may wait for approval at a time.
		 *
		 * @param int $most How many calls.
		 * @param int $user The user's id.
		 */
		$most = (int) apply_filters( 'toolwire_most_waiting_calls', self::MOST_CALLS, $user );
		if ( $this->call_log->count( 'waiting', $user ) < $most ) {
			return null;
		}
		$message = __(
			'Too many of your calls wait for approval. Somebody must decide on some of them first.',
			'toolwire'
		);
		return new WP_Error( 'toolwire_too_many_waiting', $message, array( 'status' => 429 ) );
	}
}
