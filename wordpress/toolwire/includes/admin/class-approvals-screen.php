<?php
/**
 * The screen of the calls that wait.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Approvals;

/**
 * Lists by pages who wants what and why. A small call is shown as a whole and has a box, so that
 * several can be decided at once. Any other call is decided on its own screen, where all of it is
 * shown.
 */
final class Approvals_Screen {

	const PER_PAGE = 20;

	/**
	 * The most characters of a call's arguments in the list.
	 */
	const MOST_CHARACTERS = 300;

	/**
	 * For how many seconds a page asks tools what their calls would change. The calls behind have
	 * no boxes.
	 */
	const LOOK_SECONDS = 3.0;

	/**
	 * Takes its parts.
	 *
	 * @param Access          $access          Who may do what.
	 * @param Approvals       $approvals       What waits for a person.
	 * @param Words           $words           Words for people.
	 * @param Verbatim        $verbatim        Shows texts as they are.
	 * @param Notices         $notices         Says what came of a form.
	 * @param Request_View    $request_view    Shows requests.
	 * @param Brief_View      $brief_view      Shows small calls as a whole.
	 * @param Approval_Screen $approval_screen The screen of one call.
	 */
	public function __construct(
		private Access $access,
		private Approvals $approvals,
		private Words $words,
		private Verbatim $verbatim,
		private Notices $notices,
		private Request_View $request_view,
		private Brief_View $brief_view,
		private Approval_Screen $approval_screen,
	) {
	}

	/**
	 * Prints the screen, or that of the call that the address names.
	 */
	public function show(): void {
		if ( ! $this->access->allows( 'approve' ) ) {
			wp_die(
				esc_html__( 'You are not allowed to do that.', 'toolwire' ),
				'',
				array( 'response' => 403 )
			);
		}
		echo '<div class="wrap toolwire">';
		$id = $this->asked( 'request' );
		if ( '' !== $id ) {
			$this->approval_screen->show( $id );
		} else {
			$this->list( max( 1, (int) $this->asked( 'paged' ) ) );
		}
		echo '</div>';
	}

	/**
	 * Prints a page of the list.
	 *
	 * @param int $page From 1.
	 */
	private function list( int $page ): void {
		$found = $this->approvals->page( $page, self::PER_PAGE );
		$pages = max( 1, (int) ceil( $found['total'] / self::PER_PAGE ) );
		if ( $page > $pages ) {
			$page  = $pages;
			$found = $this->approvals->page( $page, self::PER_PAGE );
		}
		printf( '<h1>%s</h1>', esc_html__( 'Tool calls that wait for approval', 'toolwire' ) );
		$this->notices->show();
		if ( ! $found['waiting'] ) {
			printf( '<p>%s</p>', esc_html__( 'Nothing waits for you.', 'toolwire' ) );
			return;
		}
		$where = sprintf(
			/* translators: 1: a number of calls, 2: a page's number, 3: the number of pages. */
			_n( '%1$s call waits. Page %2$s of %3$s.', '%1$s calls wait. Page %2$s of %3$s.', $found['total'], 'toolwire' ), // phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
			number_format_i18n( $found['total'] ),
			number_format_i18n( $page ),
			number_format_i18n( $pages )
		);
		printf( '<p>%s</p>', esc_html( $where ) );
		$this->items( $found['waiting'] );
		$this->pages( $page, $pages );
	}

	/**
	 * Prints requests, in a form where one of them can be decided here.
	 *
	 * @param list<array<string, mixed>> $items Items of {@see Approvals::page()}.
	 */
	private function items( array $items ): void {
		$until = microtime( true ) + self::LOOK_SECONDS;
		$whole = array();
		foreach ( $items as $item ) {
			$whole[ $item['id'] ] = microtime( true ) < $until
				? $this->brief_view->whole( $item )
				: null;
		}
		$several = array() !== array_filter( $whole );
		if ( $several ) {
			printf(
				'<form method="post" action="%s" class="toolwire-several">'
					. '<input type="hidden" name="action" value="toolwire_decide_several">',
				esc_url( admin_url( 'admin-post.php' ) )
			);
			wp_nonce_field( 'toolwire_decide_several' );
			// Enter in a field presses the first button of a form: this one, which decides nothing.
			echo '<button type="submit" name="granted" value="" hidden></button>';
		}
		foreach ( $items as $item ) {
			$this->item( $item, $whole[ $item['id'] ] );
		}
		if ( $several ) {
			$this->buttons();
			echo '</form>';
		}
	}

	/**
	 * Prints a request, with the way to the screen on which it is decided.
	 *
	 * @param array<string, mixed>      $item  An item of {@see Approvals::page()}.
	 * @param array<string, mixed>|null $whole All of it, when it can be decided here.
	 */
	private function item( array $item, ?array $whole ): void {
		$this->request_view->open( $item );
		$of = sprintf(
			/* translators: 1: name of a tool, 2: name of a user. */
			__( '(%1$s for %2$s)', 'toolwire' ),
			$item['call']['tool'],
			$this->words->user( (int) $item['call']['user_id'] )
		);
		if ( null === $whole ) {
			$this->beginning( $item );
		} else {
			$this->brief_view->show( $whole );
			printf(
				'<p><label class="toolwire-choose"><input type="checkbox" name="seen[%s]" '
					. 'value="%s"> %s<span class="screen-reader-text"> %s</span></label></p>',
				esc_attr( $item['id'] ),
				esc_attr( $whole['fingerprint'] ),
				esc_html__( 'Choose this call', 'toolwire' ),
				esc_html( $of )
			);
		}
		printf(
			'<p><a class="button%s" href="%s">%s'
				. '<span class="screen-reader-text"> %s</span></a></p></article>',
			null === $whole ? ' button-primary' : '',
			esc_url( $this->request_view->address( $item['id'] ) ),
			esc_html__( 'Look and decide', 'toolwire' ),
			esc_html( $of )
		);
	}

	/**
	 * Prints the size of a large call, and the beginning of its arguments.
	 *
	 * @param array<string, mixed> $item An item of {@see Approvals::page()}.
	 */
	private function beginning( array $item ): void {
		printf(
			'<p>%s</p>',
			esc_html(
				sprintf(
					/* translators: %s: a size, such as 12 KB. */
					__( 'Arguments: %s. Look at the whole call to decide.', 'toolwire' ),
					(string) size_format( (int) $item['bytes'] )
				)
			)
		);
		$arguments = mb_strimwidth(
			mb_scrub( (string) $item['call']['arguments'], 'UTF-8' ),
			0,
			self::MOST_CHARACTERS,
			'…',
			'UTF-8'
		);
		printf( '<pre>%s</pre>', esc_textarea( $this->verbatim->text( $arguments ) ) );
	}

	/**
	 * Prints the buttons that decide on all calls that are chosen. The script puts their number
	 * into the labels.
	 */
	private function buttons(): void {
		printf(
			'<div class="toolwire-bar" role="group" aria-label="%s">'
				. '<label>%s <input type="text" name="reason" maxlength="2000"></label> '
				. '<button type="submit" name="granted" value="1" class="button button-primary">%s'
				. '</button> <button type="submit" name="granted" value="0" class="button">%s'
				. '</button></div>',
			esc_attr__( 'Decide on the chosen calls', 'toolwire' ),
			esc_html__( 'Reason (optional)', 'toolwire' ),
			esc_html__( 'Approve the chosen', 'toolwire' ),
			esc_html__( 'Deny the chosen', 'toolwire' )
		);
	}

	/**
	 * Prints the ways to other pages.
	 *
	 * @param int $page  The present page.
	 * @param int $pages How many there are.
	 */
	private function pages( int $page, int $pages ): void {
		$links = paginate_links(
			array(
				'base'      => add_query_arg( 'paged', '%#%', $this->request_view->address() ),
				'format'    => '',
				'current'   => $page,
				'total'     => $pages,
				'prev_text' => __( 'Previous page', 'toolwire' ),
				'next_text' => __( 'Next page', 'toolwire' ),
			)
		);
		if ( $links ) {
			printf(
				'<nav class="toolwire-pages" aria-label="%s">%s</nav>',
				esc_attr__( 'Pages of the calls that wait', 'toolwire' ),
				wp_kses_post( $links )
			);
		}
	}

	/**
	 * A part of the address, as text.
	 *
	 * @param string $name Its name.
	 */
	private function asked( string $name ): string {
		// It chooses what is shown, no more.
		// phpcs:disable WordPress.Security.NonceVerification
		return isset( $_GET[ $name ] ) && is_string( $_GET[ $name ] )
			? sanitize_text_field( wp_unslash( $_GET[ $name ] ) )
			: '';
		// phpcs:enable
	}
}
