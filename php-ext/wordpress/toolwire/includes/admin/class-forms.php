<?php
/**
 * What the forms of the screens send.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Approvals;
use Toolwire\WordPress\Runner;

/**
 * Answers the forms: who may not is refused, whoever has no nonce too.
 */
final class Forms {

	/**
	 * Takes a decision.
	 */
	public static function decide(): void {
		$id = self::sent( 'id' );
		self::demand( 'approve', "toolwire_decide_$id" );
		Notices::go( 'toolwire', Approvals::decide( $id, '1' === self::sent( 'granted' ), sanitize_textarea_field( self::sent( 'reason' ) ), self::sent( 'seen' ) ) );
	}

	/**
	 * Undoes a call.
	 */
	public static function undo(): void {
		$id = self::sent( 'id' );
		self::demand( 'approve', "toolwire_undo_$id" );
		Notices::go( 'toolwire-log', Runner::undo( $id ) );
	}

	/**
	 * Ends the request unless the user may do this and has the form's nonce.
	 *
	 * @param string $access What the user must be allowed to do.
	 * @param string $nonce  What the nonce is for.
	 */
	private static function demand( string $access, string $nonce ): void {
		if ( ! Access::allows( $access ) ) {
			wp_die( esc_html__( 'You are not allowed to do that.', 'toolwire' ), '', array( 'response' => 403 ) );
		}
		// WordPress takes what was sent for a text.
		if ( '' === self::sent( '_wpnonce' ) ) {
			wp_nonce_ays( $nonce );
		}
		check_admin_referer( $nonce );
	}

	/**
	 * A field that was sent, as text.
	 *
	 * @param string $name Its name.
	 */
	private static function sent( string $name ): string {
		// phpcs:ignore WordPress.Security -- demand() checks the nonce that holds the id; texts are escaped where they are shown.
		return isset( $_POST[ $name ] ) && is_string( $_POST[ $name ] ) ? wp_unslash( $_POST[ $name ] ) : '';
	}
}
