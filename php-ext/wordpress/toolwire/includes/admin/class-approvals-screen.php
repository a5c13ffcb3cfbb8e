<?php
/**
 * The screen of the calls that wait.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\Tools\ApprovalRequest;
use Toolwire\WordPress\Access;
use Toolwire\WordPress\Approvals;
use Toolwire\WordPress\Call_Log;

/**
 * Shows who wants what, why, and what it would change, with a form to decide each.
 */
final class Approvals_Screen {

	/**
	 * Prints the screen.
	 */
	public static function show(): void {
		if ( ! Access::allows( 'approve' ) ) {
			wp_die( esc_html__( 'You are not allowed to do that.', 'toolwire' ), '', array( 'response' => 403 ) );
		}
		$pending = Approvals::pending();
		printf( '<div class="wrap toolwire"><h1>%s</h1>', esc_html__( 'Tool calls that wait for approval', 'toolwire' ) );
		Notices::show();
		if ( ! $pending ) {
			printf( '<p>%s</p>', esc_html__( 'Nothing waits for you.', 'toolwire' ) );
		}
		foreach ( $pending as $waiting ) {
			self::request( $waiting['request'], $waiting['call'], $waiting['changes'] );
		}
		$more = Call_Log::count( 'pending' ) - count( $pending );
		if ( $more > 0 ) {
			/* translators: %s: a number. */
			printf( '<p>%s</p>', esc_html( sprintf( _n( '%s more call waits.', '%s more calls wait.', $more, 'toolwire' ), number_format_i18n( $more ) ) ) );
		}
		echo '</div>';
	}

	/**
	 * Prints a request.
	 *
	 * @param ApprovalRequest                                              $request The request.
	 * @param array<string, string|null>                                   $call    The call's row in the log.
	 * @param list<array{label: string, diff: \Toolwire\DiffResult}>|null $changes What it would change.
	 */
	private static function request( ApprovalRequest $request, array $call, ?array $changes ): void {
		$heading = 'toolwire-' . $call['action_id'];
		printf( '<section class="toolwire-request card" aria-labelledby="%s">', esc_attr( $heading ) );
		printf( '<h2 id="%s"><code>%s</code></h2>', esc_attr( $heading ), esc_html( $call['tool'] ) );
		if ( '' !== $request->message ) {
			printf( '<p class="toolwire-question">%s</p>', esc_html( $request->message ) );
		}
		$times = __( '%1$s, to be decided before %2$s', 'toolwire' ); // phpcs:ignore WordPress.WP.I18n.MissingTranslatorsComment -- two times.
		$facts = array(
			__( 'Who', 'toolwire' )       => self::user( (int) $call['user_id'] ),
			__( 'Came from', 'toolwire' ) => Origin::words( (string) $call['origin'] ),
			__( 'When', 'toolwire' )      => sprintf( $times, self::time( $request->createdAt ), self::time( $request->expiresAt ) ), // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
			__( 'Why', 'toolwire' )       => '' === (string) $call['reason'] ? __( 'The assistant gave no reason.', 'toolwire' ) : $call['reason'],
		);
		echo '<dl>';
		foreach ( $facts as $name => $fact ) {
			printf( '<dt>%s</dt><dd>%s</dd>', esc_html( $name ), esc_html( $fact ) );
		}
		echo '</dl>';
		self::changes( $changes );
		printf(
			'<details%s><summary>%s</summary><pre>%s</pre></details>',
			$changes ? '' : ' open',
			esc_html__( 'Arguments', 'toolwire' ),
			esc_html( (string) wp_json_encode( $request->payload, JSON_PRETTY_PRINT | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES ) )
		);
		self::form( (string) $request->id, Approvals::fingerprint( $changes ), Approvals::is_own( $call ) );
		echo '</section>';
	}

	/**
	 * Prints what a call would change.
	 *
	 * @param list<array{label: string, diff: \Toolwire\DiffResult}>|null $changes What it would change.
	 */
	private static function changes( ?array $changes ): void {
		if ( ! $changes ) {
			printf( '<p>%s</p>', esc_html__( 'This tool does not say beforehand what it changes.', 'toolwire' ) );
			return;
		}
		printf( '<h3>%s</h3>', esc_html__( 'What will change', 'toolwire' ) );
		foreach ( $changes as $change ) {
			Diff_View::show( $change['label'], $change['diff'] );
		}
	}

	/**
	 * Prints the form.
	 *
	 * @param string $id   The request's id.
	 * @param string $seen The fingerprint of what is shown.
	 * @param bool   $own  Whether the call is the user's own and somebody else must approve it.
	 */
	private static function form( string $id, string $seen, bool $own ): void {
		printf( '<form method="post" action="%s" class="toolwire-decide" data-id="%s">', esc_url( admin_url( 'admin-post.php' ) ), esc_attr( $id ) );
		foreach ( array(
			'action' => 'toolwire_decide',
			'id'     => $id,
			'seen'   => $seen,
		) as $name => $value ) {
			printf( '<input type="hidden" name="%s" value="%s">', esc_attr( $name ), esc_attr( $value ) );
		}
		wp_nonce_field( "toolwire_decide_$id", '_wpnonce', true, true );
		printf(
			'<p><label for="%1$s">%2$s</label> <input type="text" class="regular-text" name="reason" id="%1$s" maxlength="2000"></p>',
			esc_attr( "toolwire-reason-$id" ),
			esc_html__( 'Reason (optional)', 'toolwire' )
		);
		if ( $own ) {
			printf( '<p>%s</p>', esc_html__( 'This call is your own. Somebody else must approve it.', 'toolwire' ) );
		}
		printf(
			'<p>%s<button type="submit" name="granted" value="0" class="button">%s</button></p></form>',
			$own ? '' : sprintf( '<button type="submit" name="granted" value="1" class="button button-primary">%s</button> ', esc_html__( 'Approve', 'toolwire' ) ),
			esc_html__( 'Deny', 'toolwire' )
		);
	}

	/**
	 * A user's name.
	 *
	 * @param int $id The user's id.
	 */
	public static function user( int $id ): string {
		$user = get_userdata( $id );
		/* translators: %d: id of a user. */
		return $user ? $user->display_name : sprintf( __( 'user %d, who is gone', 'toolwire' ), $id );
	}

	/**
	 * A time as the site shows times.
	 *
	 * @param string|null $time The time, in UTC.
	 */
	public static function time( ?string $time ): string {
		$stamp = null === $time ? false : strtotime( $time . ( str_contains( $time, 'T' ) ? '' : ' UTC' ) );
		return false === $stamp ? '' : (string) wp_date( get_option( 'date_format' ) . ' ' . get_option( 'time_format' ), $stamp );
	}
}
