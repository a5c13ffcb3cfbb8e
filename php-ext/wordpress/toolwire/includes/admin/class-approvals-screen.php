<?php
/**
 * The screen of the calls that wait.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\Text;
use Toolwire\WordPress\Access;
use Toolwire\WordPress\Approvals;

/**
 * Lists by pages who wants what and why. Each call is decided on its own screen, where all of it is shown.
 */
final class Approvals_Screen {

	const PER_PAGE = 20;

	/**
	 * The most characters of a call's arguments in the list.
	 */
	const MOST_CHARACTERS = 300;

	/**
	 * Prints the screen, or that of the call that the address names.
	 */
	public static function show(): void {
		if ( ! Access::allows( 'approve' ) ) {
			wp_die( esc_html__( 'You are not allowed to do that.', 'toolwire' ), '', array( 'response' => 403 ) );
		}
		echo '<div class="wrap toolwire">';
		$id = self::asked( 'request' );
		if ( '' !== $id ) {
			Approval_Screen::show( $id );
		} else {
			self::list( max( 1, (int) self::asked( 'paged' ) ) );
		}
		echo '</div>';
	}

	/**
	 * The address of the screen.
	 *
	 * @param string $request The id of the request to show; all when empty.
	 */
	public static function address( string $request = '' ): string {
		$query = array( 'page' => 'toolwire' ) + ( '' === $request ? array() : array( 'request' => rawurlencode( $request ) ) );
		return add_query_arg( $query, admin_url( 'admin.php' ) );
	}

	/**
	 * Prints a page of the list.
	 *
	 * @param int $page From 1.
	 */
	private static function list( int $page ): void {
		$found = Approvals::page( $page, self::PER_PAGE );
		$pages = max( 1, (int) ceil( $found['total'] / self::PER_PAGE ) );
		if ( $page > $pages ) {
			$page  = $pages;
			$found = Approvals::page( $page, self::PER_PAGE );
		}
		printf( '<h1>%s</h1>', esc_html__( 'Tool calls that wait for approval', 'toolwire' ) );
		Notices::show();
		if ( ! $found['waiting'] ) {
			printf( '<p>%s</p>', esc_html__( 'Nothing waits for you.', 'toolwire' ) );
			return;
		}
		/* translators: 1: a number of calls, 2: the number of a page, 3: how many pages there are. */
		$where = sprintf( _n( '%1$s call waits. Page %2$s of %3$s.', '%1$s calls wait. Page %2$s of %3$s.', $found['total'], 'toolwire' ), number_format_i18n( $found['total'] ), number_format_i18n( $page ), number_format_i18n( $pages ) );
		printf( '<p>%s</p>', esc_html( $where ) );
		foreach ( $found['waiting'] as $item ) {
			self::item( $item );
		}
		self::pages( $page, $pages );
	}

	/**
	 * Prints a request, with the way to the screen on which it is decided.
	 *
	 * @param array{id: string, message: string, created_at: string, expires_at: string|null, call: array<string, string|null>} $item What the list tells.
	 */
	private static function item( array $item ): void {
		$call    = $item['call'];
		$heading = 'toolwire-' . $call['action_id'];
		printf( '<section class="toolwire-request card" aria-labelledby="%s">', esc_attr( $heading ) );
		printf( '<h2 id="%s"><code>%s</code></h2>', esc_attr( $heading ), Verbatim::html( (string) $call['tool'] ) );
		self::facts( $item );
		$arguments = mb_strimwidth( mb_scrub( (string) $call['arguments'], 'UTF-8' ), 0, self::MOST_CHARACTERS, '…', 'UTF-8' );
		printf( '<pre>%s</pre>', Verbatim::html( $arguments ) );
		printf(
			'<p><a class="button button-primary" href="%s">%s<span class="screen-reader-text"> %s</span></a></p></section>',
			esc_url( self::address( $item['id'] ) ),
			esc_html__( 'Look and decide', 'toolwire' ),
			/* translators: 1: name of a tool, 2: name of a user. */
			esc_html( sprintf( __( 'on %1$s for %2$s', 'toolwire' ), $call['tool'], self::user( (int) $call['user_id'] ) ) )
		);
	}

	/**
	 * Prints who wants it, when and why.
	 *
	 * @param array{message: string, created_at: string|null, expires_at: string|null, call: array<string, string|null>} $item What is known.
	 */
	public static function facts( array $item ): void {
		$call = $item['call'];
		if ( '' !== $item['message'] ) {
			printf( '<p class="toolwire-question">%s</p>', Verbatim::html( $item['message'] ) );
		}
		$times = __( '%1$s, to be decided before %2$s', 'toolwire' ); // phpcs:ignore WordPress.WP.I18n.MissingTranslatorsComment -- two times.
		$facts = array(
			__( 'Who', 'toolwire' )       => self::user( (int) $call['user_id'] ),
			__( 'Came from', 'toolwire' ) => Origin::words( (string) $call['origin'] ),
			__( 'When', 'toolwire' )      => sprintf( $times, self::time( $item['created_at'] ), self::time( $item['expires_at'] ) ),
			__( 'Why', 'toolwire' )       => '' === (string) $call['reason'] ? __( 'The assistant gave no reason.', 'toolwire' ) : $call['reason'],
		);
		echo '<dl>';
		foreach ( $facts as $name => $fact ) {
			printf( '<dt>%s</dt><dd>%s</dd>', esc_html( $name ), Verbatim::html( $fact ) );
		}
		echo '</dl>';
	}

	/**
	 * Prints the ways to other pages.
	 *
	 * @param int $page  The present page.
	 * @param int $pages How many there are.
	 */
	private static function pages( int $page, int $pages ): void {
		$links = paginate_links(
			array(
				'base'      => add_query_arg( 'paged', '%#%', self::address() ),
				'format'    => '',
				'current'   => $page,
				'total'     => $pages,
				'prev_text' => __( 'Previous page', 'toolwire' ),
				'next_text' => __( 'Next page', 'toolwire' ),
			)
		);
		if ( $links ) {
			printf( '<nav class="toolwire-pages" aria-label="%s">%s</nav>', esc_attr__( 'Pages of the calls that wait', 'toolwire' ), wp_kses_post( $links ) );
		}
	}

	/**
	 * A part of the address, as text.
	 *
	 * @param string $name Its name.
	 */
	private static function asked( string $name ): string {
		return isset( $_GET[ $name ] ) && is_string( $_GET[ $name ] ) ? sanitize_text_field( wp_unslash( $_GET[ $name ] ) ) : ''; // phpcs:ignore WordPress.Security.NonceVerification -- it chooses what is shown, no more.
	}

	/**
	 * A user's name, as it is shown.
	 *
	 * @param int $id The user's id.
	 */
	public static function user( int $id ): string {
		$user = get_userdata( $id );
		/* translators: %d: id of a user. */
		return $user ? Text::visible( $user->display_name ) : sprintf( __( 'user %d, who is gone', 'toolwire' ), $id );
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
