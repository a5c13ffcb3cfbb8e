<?php
/**
 * The screen on which a call is decided.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Approvals;
use WP_Error;

/**
 * Shows everything that a call says and would change, with the form to decide. The form sends the
 * fingerprint of what is shown, so that nobody approves something unseen.
 */
final class Approval_Screen {

	/**
	 * The most bytes of JSON that is indented for people.
	 */
	const MOST_PRETTY = 65536;

	/**
	 * Takes its parts.
	 *
	 * @param Approvals    $approvals    What waits for a person.
	 * @param Folded_Text  $folded_text  Shows long texts.
	 * @param Diff_View    $diff_view    Shows diffs.
	 * @param Notices      $notices      Says what came of a form.
	 * @param Request_View $request_view Shows requests.
	 * @param Verbatim     $verbatim     Shows texts as they are.
	 */
	public function __construct(
		private Approvals $approvals,
		private Folded_Text $folded_text,
		private Diff_View $diff_view,
		private Notices $notices,
		private Request_View $request_view,
		private Verbatim $verbatim,
	) {
	}

	/**
	 * Prints the screen.
	 *
	 * @param string $id The request's id.
	 */
	public function show( string $id ): void {
		$shown = $this->approvals->look( $id );
		printf( '<h1>%s</h1>', esc_html__( 'Decide on a tool call', 'toolwire' ) );
		$this->notices->show();
		printf(
			'<p><a href="%s">%s</a></p>',
			esc_url( $this->request_view->address() ),
			esc_html__( 'All calls that wait', 'toolwire' )
		);
		if ( is_wp_error( $shown ) ) {
			printf(
				'<div class="notice notice-error inline"><p>%s</p></div>',
				esc_html( $shown->get_error_message() )
			);
			return;
		}
		$request = $shown['request'];
		$call    = $shown['call'];
		$this->request_view->open(
			array(
				'message'    => $request->message,
				'created_at' => $request->createdAt,
				'expires_at' => $request->expiresAt,
				'call'       => $call,
			)
		);
		$this->hold( $shown['hold'] );
		$this->changes( $shown['changes'] );
		printf(
			'<h3>%s</h3>',
			esc_html(
				sprintf(
					/* translators: %s: a size, such as 3 KB. */
					__( 'Arguments (%s), without secrets', 'toolwire' ),
					size_format( (int) $request->size )
				)
			)
		);
		$this->folded_text->show( $this->pretty( $shown['arguments'] ) );
		$this->form(
			(string) $request->id,
			$shown['fingerprint'],
			$this->approvals->is_own( $call )
		);
		echo '</section>';
	}

	/**
	 * Prints why the call must not be approved now.
	 *
	 * @param WP_Error|null $hold Why; null when nothing holds it up.
	 */
	private function hold( ?WP_Error $hold ): void {
		if ( null !== $hold ) {
			printf(
				'<p class="toolwire-warning">%s %s</p>',
				esc_textarea( $this->verbatim->text( $hold->get_error_message() ) ),
				esc_html__( 'It cannot be approved until that has ended.', 'toolwire' )
			);
		}
	}

	/**
	 * Prints what a call would change.
	 *
	 * @param list<array{label: string, diff: \Toolwire\DiffResult}>|null $changes What it would
	 *     change.
	 */
	private function changes( ?array $changes ): void {
		printf( '<h3>%s</h3>', esc_html__( 'What will change', 'toolwire' ) );
		if ( null === $changes ) {
			printf(
				'<p class="toolwire-warning">%s</p>',
				esc_html__( 'The tool could not say what it would change.', 'toolwire' )
			);
		} elseif ( ! $changes ) {
			printf(
				'<p>%s</p>',
				esc_html__( 'This tool does not say beforehand what it changes.', 'toolwire' )
			);
		}
		foreach ( $changes ?? array() as $change ) {
			$this->diff_view->show( $change['label'], $change['diff'] );
		}
	}

	/**
	 * JSON indented for people, if only white space changes; else the JSON as it is.
	 *
	 * @param string $json The JSON.
	 */
	private function pretty( string $json ): string {
		$flags = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION;
		$value = strlen( $json ) > self::MOST_PRETTY ? null : json_decode( $json );
		if ( null === $value || wp_json_encode( $value, $flags ) !== $json ) {
			return $json;
		}
		return (string) wp_json_encode( $value, $flags | JSON_PRETTY_PRINT );
	}

	/**
	 * Prints the form.
	 *
	 * @param string $id   The request's id.
	 * @param string $seen The fingerprint of what is shown.
	 * @param bool   $own  Whether the call is the user's own and somebody else must approve it.
	 */
	private function form( string $id, string $seen, bool $own ): void {
		printf(
			'<form method="post" action="%s" class="toolwire-decide" data-id="%s">',
			esc_url( admin_url( 'admin-post.php' ) ),
			esc_attr( $id )
		);
		foreach ( array(
			'action' => 'toolwire_decide',
			'id'     => $id,
			'seen'   => $seen,
		) as $name => $value ) {
			printf(
				'<input type="hidden" name="%s" value="%s">',
				esc_attr( $name ),
				esc_attr( $value )
			);
		}
		wp_nonce_field( "toolwire_decide_$id", '_wpnonce', true, true );
		printf(
			'<p><label for="%1$s">%2$s</label> <input type="text" class="regular-text" '
				. 'name="reason" id="%1$s" maxlength="2000"></p>',
			esc_attr( "toolwire-reason-$id" ),
			esc_html__( 'Reason (optional)', 'toolwire' )
		);
		if ( $own ) {
			printf(
				'<p>%s</p>',
				esc_html__( 'This call is your own. Somebody else must approve it.', 'toolwire' )
			);
		}
		printf(
			'<p>%s<button type="submit" name="granted" value="0" class="button">%s</button></p>'
				. '</form>',
			$own ? '' : sprintf(
				'<button type="submit" name="granted" value="1" '
					. 'class="button button-primary">%s</button> ',
				esc_html__( 'Approve', 'toolwire' )
			),
			esc_html__( 'Deny', 'toolwire' )
		);
	}
}
