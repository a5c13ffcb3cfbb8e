<?php
/**
 * What the forms of the screens send.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Approvals;
use Toolwire\WordPress\Assistant\Model_Test;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Decisions;
use Toolwire\WordPress\Runs;
use Toolwire\WordPress\Undoing;

/**
 * Answers the forms. A user without the right or without the nonce is refused.
 */
final class Forms {

	/**
	 * Takes its parts.
	 *
	 * @param Access    $access    Who may do what.
	 * @param Call_Log  $call_log  The log.
	 * @param Runs      $runner    Runs calls.
	 * @param Undoing   $undoing   Undoes calls.
	 * @param Approvals $approvals What waits for a person.
	 * @param Decisions $decisions Takes several decisions.
	 * @param Notices   $notices   Says what came of a form.
	 * @param Model_Test $model_test Tests the model.
	 */
	public function __construct(
		private Access $access,
		private Call_Log $call_log,
		private Runs $runner,
		private Undoing $undoing,
		private Approvals $approvals,
		private Decisions $decisions,
		private Notices $notices,
		private Model_Test $model_test,
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
	 * Takes the same decision on several calls. The form sends the fingerprint of each that was
	 * chosen, by the id of its request.
	 */
	public function decide_several(): void {
		$this->demand( 'approve', 'toolwire_decide_several' );
		// demand() checks the nonce; decisions compare fingerprints, and escape nothing.
		// phpcs:disable WordPress.Security.NonceVerification, WordPress.Security.ValidatedSanitizedInput
		$seen = isset( $_POST['seen'] ) && is_array( $_POST['seen'] )
			? array_filter( wp_unslash( $_POST['seen'] ), 'is_string' )
			: array();
		// phpcs:enable
		$granted = $this->sent( 'granted' );
		if ( '0' !== $granted && '1' !== $granted ) {
			$seen = array(); // No button was pressed: Enter in a field decides nothing.
		}
		if ( count( $seen ) > Decisions::MOST ) {
			$this->notices->go( 'toolwire', 'too_many' );
		}
		$decisions = array();
		foreach ( $seen as $id => $fingerprint ) {
			$decisions[] = array(
				'id'      => (string) $id,
				'granted' => '1' === $granted,
				'reason'  => sanitize_textarea_field( $this->sent( 'reason' ) ),
				'seen'    => $fingerprint,
			);
		}
		$this->notices->go_with_counts(
			'toolwire',
			$this->decisions->count( $this->decisions->take( $decisions ) )
		);
	}

	/**
	 * Undoes a call: one's own, or anybody's for those who decide.
	 */
	public function undo(): void {
		$id  = $this->sent( 'id' );
		$row = $this->call_log->find( $id );
		$own = null !== $row && get_current_user_id() === (int) $row['user_id'];
		$this->demand( $own ? 'use' : 'approve', "toolwire_undo_$id" );
		$undone = $this->undoing->undo( $id );
		$this->notices->go(
			$this->access->allows( 'log' ) ? 'toolwire-log' : 'toolwire-mine',
			true === $undone ? 'undone' : $undone
		);
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
	 * Tests the model of the settings; its screen says what came of it.
	 */
	public function test_model(): void {
		$this->demand( 'settings', 'toolwire_test_model' );
		$this->model_test->run();
		wp_safe_redirect( admin_url( 'admin.php?page=toolwire-settings#toolwire-model-test' ) );
		exit;
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
