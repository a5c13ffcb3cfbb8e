<?php
/**
 * The notices after a form was sent.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Decisions;
use WP_Error;

/**
 * Passes an outcome from the form's handler to the screen by its code, never by its text.
 */
final class Notices {

	/**
	 * Takes its parts.
	 *
	 * @param Decisions $decisions Says what came of several decisions.
	 */
	public function __construct( private Decisions $decisions ) {
	}

	/**
	 * The texts by code; the first half of each is whether it went well.
	 *
	 * @return array<string, array{bool, string}>
	 */
	private function texts(): array {
		return array(
			'completed'        => array( true, __( 'Approved. The call has run.', 'toolwire' ) ),
			'failed'           => array(
				false,
				__( 'Approved, but the call failed. The log says why.', 'toolwire' ),
			),
			'running'          => array( true, __( 'Approved. The call runs.', 'toolwire' ) ),
			'denied'           => array( true, __( 'Denied. The call has not run.', 'toolwire' ) ),
			'refused'          => array(
				false,
				__(
					'Approved, but the call was refused and has not run. The log says why.',
					'toolwire'
				),
			),
			'overtaken'        => array(
				false,
				__(
					// phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
					'Approved, but by then the call would have changed something else. It has not run.',
					'toolwire'
				),
			),
			'too_many'         => array(
				false,
				__( 'Too many calls were chosen at once. Nothing was decided.', 'toolwire' ),
			),
			'undone'           => array( true, __( 'Undone.', 'toolwire' ) ),
			'retried'          => array( true, __( 'The call has run once more.', 'toolwire' ) ),
			'tried'            => array(
				false,
				__( 'The call was tried once more. The log says what came of it.', 'toolwire' ),
			),
			'interrupted'      => array(
				false,
				__(
					'The tool ended the request. Nobody knows what it did; the log says more.',
					'toolwire'
				),
			),
			'not_interrupted'  => array(
				false,
				__( 'The call is not interrupted any more. Nothing has run.', 'toolwire' ),
			),
			'arguments_gone'   => array(
				false,
				__(
					'The arguments are not kept any more, so the call cannot run again.',
					'toolwire'
				),
			),
			'unknown_run'      => array(
				false,
				__( 'The store has no run of this call any more. Nothing has run.', 'toolwire' ),
			),
			'unknown_approval' => array(
				false,
				__( 'There is no such request for approval.', 'toolwire' ),
			),
			'already_decided'  => array( false, __( 'Somebody has decided already.', 'toolwire' ) ),
			'approval_expired' => array( false, __( 'The request has expired.', 'toolwire' ) ),
			'approval_cancelled' => array( false, __( 'The request was taken back.', 'toolwire' ) ),
			'not_waiting'      => array(
				false,
				__( 'The call does not wait any more.', 'toolwire' ),
			),
			'not_taken'        => array(
				false,
				__( 'That was refused. Nothing was done.', 'toolwire' ),
			),
			'changed_since'    => array(
				false,
				__(
					// phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
					'What the call would change is not what you were shown. Nothing was decided; look again.',
					'toolwire'
				),
			),
			'fingerprint_missing' => array(
				false,
				__(
					'The form did not say what you were shown. Nothing was decided; look again.',
					'toolwire'
				),
			),
			'held'             => array(
				false,
				__(
					'The tool says that the call must not run now. Nothing was decided; it waits.',
					'toolwire'
				),
			),
			'own_call'         => array(
				false,
				__(
					'Nobody approves a call of their own on this site. Somebody else must.',
					'toolwire'
				),
			),
			'nothing_to_undo'  => array(
				false,
				__(
					'There is nothing to undo: the call was undone, cannot be, or is too old.',
					'toolwire'
				),
			),
			'permission_denied' => array(
				false,
				__( 'You are not allowed to use this tool.', 'toolwire' ),
			),
			'undo_failed'      => array(
				false,
				__(
					'The call could not be undone. Somebody may have changed the same thing since.',
					'toolwire'
				),
			),
		);
	}

	/**
	 * The texts for the script, which has the refusals from the site.
	 *
	 * @return array<string, string> By the state of the call after a decision.
	 */
	public function words(): array {
		$ends   = array( 'completed', 'failed', 'running', 'denied', 'interrupted' );
		$states = array_fill_keys( $ends, true );
		return array_map(
			static fn ( array $text ): string => $text[1],
			array_intersect_key( $this->texts(), $states )
		);
	}

	/**
	 * Goes back to a screen with an outcome.
	 *
	 * @param string                               $page    The screen's slug.
	 * @param array<string, mixed>|WP_Error|string $outcome A row of the log after a decision, an
	 *                                                      error, or the code of a text.
	 * @return never
	 */
	public function go( string $page, $outcome ): void {
		if ( is_wp_error( $outcome ) ) {
			$code = isset( $outcome->get_error_data()['hold'] )
				? 'held'
				: str_replace( 'toolwire_', '', (string) $outcome->get_error_code() );
			$code = isset( $this->texts()[ $code ] ) ? $code : 'not_taken';
		} else {
			$code = is_string( $outcome ) ? $outcome : $this->code( $outcome );
		}
		$this->redirect( $page, array( 'said' => rawurlencode( $code ) ) );
	}

	/**
	 * Goes back to a screen with what came of several decisions.
	 *
	 * @param string             $page   The screen's slug.
	 * @param array<string, int> $counts What {@see Decisions::count()} returned.
	 * @return never
	 */
	public function go_with_counts( string $page, array $counts ): void {
		// An address without counts would say nothing.
		$this->redirect( $page, array( 'counts' => $counts ? $counts : array( 'none' => 0 ) ) );
	}

	/**
	 * Goes to a screen and ends the request.
	 *
	 * @param string               $page  The screen's slug.
	 * @param array<string, mixed> $query What the address says besides.
	 * @return never
	 */
	private function redirect( string $page, array $query ): void {
		wp_safe_redirect(
			add_query_arg( array( 'page' => $page ) + $query, admin_url( 'admin.php' ) )
		);
		exit;
	}

	/**
	 * The code of the outcome of a call after a decision.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 */
	private function code( array $row ): string {
		if ( 'denied' !== $row['state'] || 'approved' !== $row['decision'] ) {
			return (string) $row['state'];
		}
		return 'changed_since' === $row['error_code'] ? 'overtaken' : 'refused';
	}

	/**
	 * Prints the outcome that the address names.
	 */
	public function show(): void {
		// It chooses a text and numbers in it, no more.
		// phpcs:disable WordPress.Security.NonceVerification
		$code   = isset( $_GET['said'] ) && is_string( $_GET['said'] )
			? sanitize_key( $_GET['said'] )
			: '';
		$counts = isset( $_GET['counts'] ) && is_array( $_GET['counts'] )
			? array_map( 'absint', array_filter( $_GET['counts'], 'is_scalar' ) )
			: null;
		// phpcs:enable
		$said = $this->texts()[ $code ] ?? null;
		if ( null !== $counts ) {
			$said = array(
				array_filter( $counts ) && $this->decisions->went_well( $counts ),
				$this->decisions->words( $counts ),
			);
		}
		if ( null !== $said ) {
			printf(
				'<div class="notice %s is-dismissible" role="status"><p>%s</p></div>',
				$said[0] ? 'notice-success' : 'notice-error',
				esc_html( $said[1] )
			);
		}
	}
}
