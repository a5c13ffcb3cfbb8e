<?php
/**
 * Calls whose request ended before they did.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Holds a lock of the database while a call runs. A fatal error is recorded as the request ends; where PHP itself was
 * killed, the database lets the lock go, and the next request that looks sees a call that runs without one.
 */
final class Crash_Guard {

	/**
	 * The calls that run in this request.
	 *
	 * @var array<string, true>
	 */
	private static array $running = array();

	/**
	 * Whether the end of the request is watched.
	 *
	 * @var bool
	 */
	private static bool $watching = false;

	/**
	 * Marks a call as running in this request.
	 *
	 * @param string $action_id The action's id.
	 */
	public static function hold( string $action_id ): void {
		global $wpdb;
		if ( ! self::$watching ) {
			self::$watching = true;
			register_shutdown_function( array( self::class, 'record_fatal' ) );
		}
		self::$running[ $action_id ] = true;
		$wpdb->get_var( $wpdb->prepare( 'SELECT GET_LOCK(%s, 0)', self::name( $action_id ) ) ); // phpcs:ignore WordPress.DB -- locks are not cached.
	}

	/**
	 * Marks a call as done.
	 *
	 * @param string $action_id The action's id.
	 */
	public static function release( string $action_id ): void {
		global $wpdb;
		unset( self::$running[ $action_id ] );
		$wpdb->get_var( $wpdb->prepare( 'SELECT RELEASE_LOCK(%s)', self::name( $action_id ) ) ); // phpcs:ignore WordPress.DB -- locks are not cached.
	}

	/**
	 * Records the calls that a fatal error, or a tool that ended the request, left running.
	 */
	public static function record_fatal(): void {
		$last = error_get_last();
		// PHP also keeps the last notice, which ended nothing.
		$fatal   = null !== $last && 0 !== ( $last['type'] & ( E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_RECOVERABLE_ERROR | E_USER_ERROR ) );
		$message = ! $fatal ? __( 'The tool ended the request.', 'toolwire' ) : $last['message'];
		foreach ( array_keys( self::$running ) as $action_id ) {
			self::record( $action_id, $message );
		}
		self::$running = array();
	}

	/**
	 * Records the calls that run without a lock: their process is gone.
	 */
	public static function reap(): void {
		global $wpdb;
		foreach ( Call_Log::in_state( 'running' ) as $action_id ) {
			$free = $wpdb->get_var( $wpdb->prepare( 'SELECT IS_FREE_LOCK(%s)', self::name( $action_id ) ) ); // phpcs:ignore WordPress.DB -- locks are not cached.
			if ( '1' === (string) $free ) {
				self::record( $action_id, __( 'The process ended while the tool ran.', 'toolwire' ) );
			}
		}
	}

	/**
	 * Records a call as failed.
	 *
	 * @param string $action_id The action's id.
	 * @param string $message   Why.
	 */
	private static function record( string $action_id, string $message ): void {
		$columns = array(
			'state'       => 'failed',
			'error_code'  => 'died',
			'error'       => Call_Log::text( $message, 1000 ),
			'finished_at' => gmdate( 'Y-m-d H:i:s' ),
		);
		if ( Call_Log::change( $action_id, $columns, array( 'running' ) ) ) {
			$row = Call_Log::find( $action_id );
			Remains::forget_arguments( $action_id, (string) ( $row['approval_id'] ?? '' ) );
			Engine::tell(
				'tool.failed',
				array(
					'action_id'  => $action_id,
					'tool_name'  => (string) ( $row['tool'] ?? '' ),
					'error_code' => 'died',
				)
			);
		}
	}

	/**
	 * The lock's name: the database's locks are those of all sites, and have 64 characters.
	 *
	 * @param string $action_id The action's id.
	 */
	private static function name( string $action_id ): string {
		return 'toolwire_' . md5( DB_NAME . '/' . Schema::calls_table() . '/' . $action_id );
	}
}
