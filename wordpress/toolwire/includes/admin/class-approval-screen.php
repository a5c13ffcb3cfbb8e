<?php
/**
 * The screen on which a call is decided.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Approvals;
use Toolwire\WordPress\Json_Text;
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
	 * @param Change_Form  $change_form  Changes arguments.
	 */
	public function __construct(
		private Approvals $approvals,
		private Folded_Text $folded_text,
		private Diff_View $diff_view,
		private Notices $notices,
		private Request_View $request_view,
		private Verbatim $verbatim,
		private Change_Form $change_form,
	) {
	}

	/**
	 * Prints the screen.
	 *
	 * @param string $id The request's id.
	 */
	public function show( string $id ): void {
		$own     = $this->approvals->look( $id );
		$sent    = $this->change_form->sent( $id );
		$changed = is_wp_error( $own ) || null === $sent ? null : $this->changed( $id, $sent );
		$error   = is_wp_error( $changed ) ? $changed : null;
		printf( '<h1>%s</h1>', esc_html__( 'Decide on a tool call', 'toolwire' ) );
		$this->notices->show();
		printf(
			'<p><a href="%s">%s</a></p>',
			esc_url( $this->request_view->address() ),
			esc_html__( 'All calls that wait', 'toolwire' )
		);
		$this->error( is_wp_error( $own ) ? $own : $error );
		if ( is_wp_error( $own ) ) {
			return;
		}
		$is_own = $this->approvals->is_own( $own['call'] );
		$writes = null === $sent
			? $this->change_form->is_asked_for()
			: null !== $error || $sent['again'];
		$shown  = null === $changed || null !== $error ? $own : $changed;
		$this->what( $shown );
		if ( $writes && ! $is_own ) {
			$this->change_form->show( $own, $sent, $error );
		} else {
			$this->form( $shown, $is_own, $sent['arguments'] ?? '' );
		}
		if ( ! $writes && ! $is_own ) {
			$is_changed = isset( $shown['arguments_before'] );
			$this->change_form->way( $own, $is_changed ? $sent['arguments'] : null );
		}
		echo '</article>';
	}

	/**
	 * What the call would be as a person has changed it; null while the person goes on with it.
	 *
	 * @param string               $id   The request's id.
	 * @param array<string, mixed> $sent What the form sent.
	 * @return array<string, mixed>|WP_Error|null
	 */
	private function changed( string $id, array $sent ) {
		if ( null !== $sent['error'] || $sent['again'] ) {
			return $sent['error'];
		}
		return $this->approvals->change( $id, $sent['arguments'], $sent['seen'] );
	}

	/**
	 * Prints what would run, and what it would change. The caller closes the section.
	 *
	 * @param array<string, mixed> $shown What is shown.
	 */
	private function what( array $shown ): void {
		$this->request_view->open( $shown['item'] );
		$this->is_changed( $shown );
		$this->hold( $shown['hold'] );
		$this->changes( $shown['changes'] );
		$this->arguments( $shown );
	}

	/**
	 * Prints why there is nothing to decide, or why a change was not taken.
	 *
	 * @param WP_Error|null $error Why; null when nothing is wrong.
	 */
	private function error( ?WP_Error $error ): void {
		if ( null !== $error ) {
			printf(
				'<div class="notice notice-error inline" role="alert"><p>%s</p></div>',
				esc_textarea( $this->verbatim->text( $error->get_error_message() ) )
			);
		}
	}

	/**
	 * Prints that what follows is the call with other arguments than its own.
	 *
	 * @param array<string, mixed> $shown What is shown.
	 */
	private function is_changed( array $shown ): void {
		if ( isset( $shown['arguments_before'] ) ) {
			printf(
				'<p class="toolwire-warning" role="status">%s <a href="%s">%s</a></p>',
				esc_html__(
					'You have changed the arguments. Nothing is kept of that until you approve it.',
					'toolwire'
				),
				esc_url( $this->request_view->address( (string) $shown['item']['id'] ) ),
				esc_html__( 'Back to the call as it was asked for', 'toolwire' )
			);
		}
	}

	/**
	 * Prints the arguments, and those of the call if they were changed.
	 *
	 * @param array<string, mixed> $shown What is shown.
	 */
	private function arguments( array $shown ): void {
		printf(
			'<h3>%s</h3>',
			esc_html(
				sprintf(
					/* translators: %s: a size, such as 3 KB. */
					__( 'Arguments (%s), without secrets', 'toolwire' ),
					size_format( (int) ( $shown['bytes'] ?? $shown['item']['bytes'] ) )
				)
			)
		);
		$this->folded_text->show( $this->pretty( $shown['arguments'] ) );
		if ( isset( $shown['arguments_before'] ) ) {
			printf( '<h3>%s</h3>', esc_html__( 'Before your change', 'toolwire' ) );
			$this->folded_text->show( $this->pretty( $shown['arguments_before'] ) );
		}
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
	 * JSON indented for people, unless it is long.
	 *
	 * @param string $json The JSON.
	 */
	private function pretty( string $json ): string {
		return strlen( $json ) > self::MOST_PRETTY ? $json : Json_Text::indented( $json );
	}

	/**
	 * Prints the form.
	 *
	 * @param array<string, mixed> $shown What is shown.
	 * @param bool                 $own   Whether the call is the user's own and somebody else must
	 *                                    approve it.
	 * @param string               $sent  The arguments as the person changed them.
	 */
	private function form( array $shown, bool $own, string $sent ): void {
		$id     = (string) $shown['item']['id'];
		$fields = array(
			'action' => 'toolwire_decide',
			'id'     => $id,
			'seen'   => $shown['fingerprint'],
		);
		if ( isset( $shown['arguments_before'] ) ) {
			$fields['arguments'] = $sent;
		}
		printf(
			'<form method="post" action="%s" class="toolwire-decide" data-id="%s">',
			esc_url( admin_url( 'admin-post.php' ) ),
			esc_attr( $id )
		);
		foreach ( $fields as $name => $value ) {
			printf(
				'<input type="hidden" name="%s" value="%s">',
				esc_attr( $name ),
				esc_textarea( $value )
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
