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
 * Answers the forms. A user without the right or without the nonce is refused.
 */
final class Forms {

	/**
	 * Takes its parts.
	 *
	 * @param Access    $access    Who may do what.
	 * @param Runner    $runner    Runs calls.
	 * @param Approvals $approvals What waits for a person.
	 * @param Notices   $notices   Says what came of a form.
	 */
	public function __construct(
		private Access $access,
		private Runner $runner,
		private Approvals $approvals,
		private Notices $notices,
	) {
	}

	/**
	 * Takes a decision.
	 */
	public function decide(): void {
		$id = $this->sent( 'id' );
		$this->demand( 'approve', "toolwire_decide_$id" );
		$this->notices->go(
			'toolwire',
			$this->approvals->decide(
				$id,
				'1' === $this->sent( 'granted' ),
				sanitize_textarea_field( $this->sent( 'reason' ) ),
				$this->sent( 'seen' ),
				'' === $this->sent( 'arguments' ) ? null : $this->sent( 'arguments' )
			)
		);
	}

	/**
	 * Undoes a call.
	 */
	public function undo(): void {
		$id = $this->sent( 'id' );
		$this->demand( 'approve', "toolwire_undo_$id" );
		$undone = $this->runner->undo( $id );
		$this->notices->go( 'toolwire-log', true === $undone ? 'undone' : $undone );
	}

	/**
	 * Runs an interrupted call once more.
	 */
	public function retry(): void {
		$id = $this->sent( 'id' );
		$this->demand( 'approve', "toolwire_retry_$id" );
		$again = $this->runner->retry( $id );
		if ( ! is_wp_error( $again ) ) {
			$again = 'completed' === $again['state'] ? 'retried' : 'tried';
		}
		$this->notices->go( 'toolwire-log', $again );
	}

	/**
	 * Ends the request unless the user may do this and has the form's nonce.
	 *
	 * @param string $access What the user must be allowed to do.
	 * @param string $nonce  What the nonce is for.
	 */
	private function demand( string $access, string $nonce ): void {
		if ( ! $this->access->allows( $access ) ) {
			wp_die(
				esc_html__( 'You are not allowed to do that.', 'toolwire' ),
				'',
				array( 'response' => 403 )
			);
		}
		// WordPress expects the sent nonce to be a text.
		if ( '' === $this->sent( '_wpnonce' ) ) {
			wp_nonce_ays( $nonce );
		}
		check_admin_referer( $nonce );
	}

	/**
	 * A field that was sent, as text.
	 *
	 * @param string $name Its name.
	 */
	private function sent( string $name ): string {
		// demand() checks the nonce; texts are escaped later.
		// phpcs:disable WordPress.Security.NonceVerification, WordPress.Security.ValidatedSanitizedInput
		return isset( $_POST[ $name ] ) && is_string( $_POST[ $name ] )
			? wp_unslash( $_POST[ $name ] )
			: '';
		// phpcs:enable
	}
}
