<?php
/**
 * A request for approval on the screens.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

/**
 * Prints what a list and the screen of one request have in common.
 */
final class Request_View {

	/**
	 * Takes its parts.
	 *
	 * @param Words    $words    Words for people.
	 * @param Verbatim $verbatim Shows texts as they are.
	 */
	public function __construct(
		private Words $words,
		private Verbatim $verbatim,
	) {
	}

	/**
	 * The address of the screen.
	 *
	 * @param string $request The id of the request to show; all when empty.
	 */
	public function address( string $request = '' ): string {
		$query = array( 'page' => 'toolwire' );
		if ( '' !== $request ) {
			$query['request'] = rawurlencode( $request );
		}
		return add_query_arg( $query, admin_url( 'admin.php' ) );
	}

	/**
	 * Opens the article of a request: its heading, who wants it, when and why. The caller closes
	 * the article.
	 *
	 * @param array<string, mixed> $item `message`, `created_at`, `expires_at`, and `call`, the
	 *                                   call's row in the log.
	 */
	public function open( array $item ): void {
		$call    = $item['call'];
		$heading = 'toolwire-' . $call['action_id'];
		printf(
			'<article class="toolwire-request card" aria-labelledby="%s">',
			esc_attr( $heading )
		);
		printf(
			'<h2 id="%s"><code>%s</code></h2>',
			esc_attr( $heading ),
			esc_textarea( $this->verbatim->text( (string) $call['tool'] ) )
		);
		if ( '' !== $item['message'] ) {
			printf(
				'<p class="toolwire-question">%s</p>',
				esc_textarea( $this->verbatim->text( $item['message'] ) )
			);
		}
		/* translators: 1: a time, 2: until when a person can decide. */
		$times = __( '%1$s, to be decided before %2$s', 'toolwire' );
		$facts = array(
			__( 'Who', 'toolwire' )       => $this->words->user( (int) $call['user_id'] ),
			__( 'Came from', 'toolwire' ) => $this->words->origin( (string) $call['origin'] ),
			__( 'When', 'toolwire' )      => sprintf(
				$times,
				$this->words->time( $item['created_at'] ),
				$this->words->time( $item['expires_at'] )
			),
			__( 'Why', 'toolwire' )       => '' === (string) $call['reason'] ? __(
				'The assistant gave no reason.',
				'toolwire'
			) : $call['reason'],
		);
		echo '<dl>';
		foreach ( $facts as $name => $fact ) {
			printf(
				'<dt>%s</dt><dd>%s</dd>',
				esc_html( $name ),
				esc_textarea( $this->verbatim->text( $fact ) )
			);
		}
		echo '</dl>';
	}
}
