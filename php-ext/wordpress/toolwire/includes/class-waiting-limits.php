<?php
/**
 * How much may wait for approval.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\ToolCall;
use WP_Error;

/**
 * Keeps what people must look at within bounds: how large a call is, and how many of a user's calls wait.
 */
final class Waiting_Limits {

	const MOST_BYTES = 524288;

	const MOST_CALLS = 50;

	/**
	 * Why a call may not wait for approval; null when it may, or need not.
	 *
	 * @param ToolCall $call The call, whose id is that of the action.
	 */
	public static function refuse( ToolCall $call ): ?WP_Error {
		$tool = Engine::get()->tools->registry->get( $call->name );
		if ( null === $tool || ! $tool->requiresApproval ) { // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
			return null;
		}
		$row = Call_Log::find( $call->id );
		if ( null !== $row && 'seen' !== $row['state'] ) {
			return null;
		}
		return self::refuse_size( strlen( $call->argumentsRaw ), $call->name ) ?? self::refuse_number( get_current_user_id() ); // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
	}

	/**
	 * Refuses arguments that nobody would read.
	 *
	 * @param int    $bytes How many bytes they have.
	 * @param string $tool  The tool's name.
	 */
	private static function refuse_size( int $bytes, string $tool ): ?WP_Error {
		/**
		 * Filters how many bytes of arguments a call may have that needs approval.
		 *
		 * @param int    $most How many bytes.
		 * @param string $tool The tool's name.
		 */
		$most = (int) apply_filters( 'toolwire_most_argument_bytes', self::MOST_BYTES, $tool );
		if ( $bytes <= $most ) {
			return null;
		}
		/* translators: 1: a size, such as 600 KB, 2: another size. */
		$message = sprintf( __( 'The arguments are too large to be approved: %1$s. At most %2$s can wait for approval.', 'toolwire' ), size_format( $bytes ), size_format( $most ) );
		return new WP_Error( 'toolwire_arguments_too_large', $message, array( 'status' => 413 ) );
	}

	/**
	 * Refuses a call of a user of whom enough wait.
	 *
	 * @param int $user The user's id.
	 */
	private static function refuse_number( int $user ): ?WP_Error {
		/**
		 * Filters how many calls of a user may wait for approval at a time.
		 *
		 * @param int $most How many calls.
		 * @param int $user The user's id.
		 */
		$most = (int) apply_filters( 'toolwire_most_waiting_calls', self::MOST_CALLS, $user );
		if ( Call_Log::count( 'pending', $user ) < $most ) {
			return null;
		}
		$message = __( 'Too many of your calls wait for approval. Somebody must decide on some of them first.', 'toolwire' );
		return new WP_Error( 'toolwire_too_many_waiting', $message, array( 'status' => 429 ) );
	}
}
