<?php
/**
 * The form that changes the arguments of a call.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Engines;
use WP_Error;

/**
 * Prints the form, and reads what it sent. It sends to the screen that shows it: nothing is kept of
 * a change before it is approved. The form is never beside the buttons that decide, so that nobody
 * approves the call as it was asked for, and takes it for what the form says.
 */
final class Change_Form {

	/**
	 * Takes its parts.
	 *
	 * @param Engines         $engines         The engine of each site.
	 * @param Argument_Fields $argument_fields Chooses fields.
	 * @param Sent_Fields     $sent_fields     Reads fields.
	 * @param Field_View      $field_view      Prints fields.
	 * @param Request_View    $request_view    Knows the address of the screen.
	 */
	public function __construct(
		private Engines $engines,
		private Argument_Fields $argument_fields,
		private Sent_Fields $sent_fields,
		private Field_View $field_view,
		private Request_View $request_view,
	) {
	}

	/**
	 * The change that was sent: `arguments` (JSON text), `seen`, `fields` (what stands in them, by
	 * name), `again` (whether the person goes on with it) and `error`; null when none was sent.
	 *
	 * @param string $id The request's id.
	 * @return array<string, mixed>|null
	 */
	public function sent( string $id ): ?array {
		// The nonce is checked below, texts are escaped where they are shown.
		// phpcs:disable WordPress.Security.NonceVerification, WordPress.Security.ValidatedSanitizedInput
		$form = isset( $_POST['toolwire_change'] ) && is_array( $_POST['toolwire_change'] )
			? wp_unslash( $_POST['toolwire_change'] )
			: null;
		// phpcs:enable
		if ( null === $form ) {
			return null;
		}
		$texts = array_filter( $form, 'is_string' );
		$again = $texts['again'] ?? null;
		$read  = $this->sent_fields->read( (array) ( $form['fields'] ?? array() ) );
		return array(
			'arguments' => $again ?? $read['json'],
			'fields'    => $read['fields'],
			'seen'      => $texts['seen'] ?? '',
			'again'     => null !== $again,
			'error'     => wp_verify_nonce( $texts['nonce'] ?? '', "toolwire_change_$id" )
				? $this->broken( $read['broken'] )
				: new WP_Error(
					'toolwire_old_form',
					__( 'The form is too old. Send it once more.', 'toolwire' )
				),
		);
	}

	/**
	 * Whether the address asks for the form.
	 */
	public function is_asked_for(): bool {
		// It chooses what is shown, no more.
		return isset( $_GET['change'] ); // phpcs:ignore WordPress.Security.NonceVerification
	}

	/**
	 * Prints the way to the form.
	 *
	 * @param array<string, mixed> $own     What Approvals::look() returned.
	 * @param string|null          $changed The arguments as the person has changed them before.
	 */
	public function way( array $own, ?string $changed ): void {
		$id = (string) $own['item']['id'];
		if ( null === $changed ) {
			printf(
				'<p class="toolwire-change"><a class="button" href="%s">%s</a></p>',
				esc_url( add_query_arg( 'change', '1', $this->request_view->address( $id ) ) ),
				esc_html__( 'Change the arguments', 'toolwire' )
			);
			return;
		}
		$this->open( $own, array( 'again' => $changed ) );
		printf(
			'<p><button type="submit" class="button">%s</button></p></form>',
			esc_html__( 'Change again', 'toolwire' )
		);
	}

	/**
	 * Prints the form.
	 *
	 * @param array<string, mixed>      $own   What Approvals::look() returned.
	 * @param array<string, mixed>|null $sent  What sent() returned.
	 * @param WP_Error|null             $error Why the change that was sent was not taken.
	 */
	public function show( array $own, ?array $sent, ?WP_Error $error ): void {
		$tools = $this->engines->get()->tools;
		$tool  = $tools->registry->get( (string) $own['call']['tool'] );
		// What the person wrote, not what is shown of it: a new secret must not become the old one.
		$arguments = $sent['again'] ?? false ? $sent['arguments'] : $own['arguments'];
		$fields    = $this->argument_fields->of( $tool?->inputSchema ?? array(), $arguments );
		if ( null !== $sent ) {
			$fields = $this->argument_fields->filled( $fields, $sent['fields'] );
		}
		$this->open( $own, array() );
		$problems = $this->problems( $error );
		foreach ( $fields as $number => $field ) {
			$this->field_view->show( $number, $field, $problems[ $field['name'] ] ?? '' );
		}
		printf(
			'<p><button type="submit" class="button button-primary">%s</button> '
				. '<a class="button" href="%s">%s</a></p></form>',
			esc_html__( 'Show what would change', 'toolwire' ),
			esc_url( $this->request_view->address( (string) $own['item']['id'] ) ),
			esc_html__( 'Back to the call as it was asked for', 'toolwire' )
		);
	}

	/**
	 * Opens a form that sends a change.
	 *
	 * @param array<string, mixed>  $own    What Approvals::look() returned.
	 * @param array<string, string> $hidden What it sends besides.
	 */
	private function open( array $own, array $hidden ): void {
		$id = (string) $own['item']['id'];
		printf(
			'<form method="post" action="%s" class="toolwire-change">',
			esc_url( $this->request_view->address( $id ) )
		);
		$hidden += array(
			'seen'  => $own['fingerprint'],
			'nonce' => wp_create_nonce( "toolwire_change_$id" ),
		);
		foreach ( $hidden as $name => $value ) {
			printf(
				'<input type="hidden" name="toolwire_change[%s]" value="%s">',
				esc_attr( $name ),
				esc_textarea( $value )
			);
		}
	}

	/**
	 * What is wrong with each argument, by its name.
	 *
	 * @param WP_Error|null $error What Approvals::change() said.
	 * @return array<string, string>
	 */
	private function problems( ?WP_Error $error ): array {
		$found = array();
		foreach ( $error?->get_error_data()['problems'] ?? array() as $problem ) {
			$path  = explode( '/', (string) $problem['path'], 3 );
			$name  = str_replace( array( '~1', '~0' ), array( '/', '~' ), $path[1] ?? '' );
			$place = isset( $path[2] ) ? "/$path[2]: " : '';

			$found[ $name ] = ( isset( $found[ $name ] ) ? "{$found[ $name ]} " : '' )
				. $place . $problem['message'];
		}
		return $found;
	}

	/**
	 * The error of fields that hold no JSON.
	 *
	 * @param list<string> $names Their names.
	 */
	private function broken( array $names ): ?WP_Error {
		$problem = static fn ( string $name ): array => array(
			'path'    => '/' . str_replace( array( '~', '/' ), array( '~0', '~1' ), $name ),
			'message' => __( 'This is not JSON.', 'toolwire' ),
		);
		return $names ? new WP_Error(
			'toolwire_bad_json',
			__( 'Some fields are not JSON.', 'toolwire' ),
			array( 'problems' => array_map( $problem, $names ) )
		) : null;
	}
}
