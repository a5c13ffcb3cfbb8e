<?php
/**
 * Mail to those who may approve.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Throwable;
use Toolwire\WordPress\Admin\Words;
use WP_User;

/**
 * Tells those who may approve that calls wait: who, what, why, until when, and where to decide. The
 * request that makes a call only leaves an event of WP-Cron; the event sends. A reader gets at most
 * one mail in five minutes, and each call is told once.
 */
final class Approval_Mail {

	const EVENT = 'toolwire_mail';

	/**
	 * The option that says for each reader when the last mail was sent, and which of the requests
	 * that still wait it has told.
	 */
	const OPTION = 'toolwire_mailed';

	/**
	 * The least number of seconds between two mails to a reader.
	 */
	const PAUSE = 300;

	/**
	 * After how many seconds a mail that was not taken is tried again, while its calls wait.
	 */
	const RETRY = 3600;

	/**
	 * How many readers are told, and how many calls are looked at, from the newest.
	 */
	const READERS = 50;
	const CALLS   = 200;

	/**
	 * How many calls a mail tells of. The others are counted.
	 */
	const TOLD = 20;

	/**
	 * What one process holds while it sends, and for how many seconds at most.
	 */
	private const KEY   = 'wordpress/mail';
	private const LEASE = 900;

	/**
	 * Takes its parts.
	 *
	 * @param Settings   $settings   The settings.
	 * @param Access     $access     Who may do what.
	 * @param Engines    $engines    The engine of each site.
	 * @param Log_Search $log_search Searches the log.
	 * @param Approvals  $approvals  What waits for a person.
	 * @param Words      $words      Words for people.
	 */
	public function __construct(
		private Settings $settings,
		private Access $access,
		private Engines $engines,
		private Log_Search $log_search,
		private Approvals $approvals,
		private Words $words,
	) {
	}

	/**
	 * Leaves an event that sends mail, once a call waits. A failure does not reach the call.
	 */
	public function plan(): void {
		$delays = array(
			'once'   => 0,
			// A call that waits for an hour only is told before the hour is over.
			'hourly' => min( 1, $this->settings->get( 'approval_hours' ) / 2 ) * HOUR_IN_SECONDS,
		);
		$delay  = $delays[ $this->settings->get( 'mail' ) ] ?? null;
		if ( null === $delay ) {
			return;
		}
		try {
			$this->schedule( time() + (int) $delay );
		} catch ( Throwable $thrown ) {
			Report::failure( 'could not send mail about calls', $thrown );
		}
	}

	/**
	 * Answers the event: sends each reader what waits and was not told yet.
	 */
	public function send(): void {
		if ( 'off' === $this->settings->get( 'mail' ) ) {
			return;
		}
		// A slow server of mail may outlast the lock of WP-Cron.
		$store = $this->engines->get()->store;
		$now   = $store->now();
		$until = $now + self::LEASE * 1000000;
		if ( null === $store->put( self::KEY, '', 0, $until, $now ) ) {
			$this->schedule( time() + self::PAUSE );
			return;
		}
		try {
			$this->send_all();
		} finally {
			$store->delete( self::KEY, null, $store->now() );
		}
	}

	/**
	 * Sends each reader what waits and was not told yet. No other process does at this moment.
	 */
	private function send_all(): void {
		$waiting = $this->waiting();
		$mailed  = $this->pruned( (array) get_option( self::OPTION, array() ), $waiting );
		$again   = array();
		foreach ( $this->readers() as $reader ) {
			$last = $mailed[ $reader->ID ] ?? array(
				'at'  => 0,
				'ids' => array(),
			);
			$new  = array_diff_key(
				$this->for_reader( $reader, $waiting ),
				array_flip( $last['ids'] )
			);
			if ( ! $new ) {
				continue;
			}
			if ( time() < $last['at'] + self::PAUSE ) {
				$again[] = self::PAUSE;
				continue;
			}
			// A request that ends while it sends must not send the same mail again at once.
			$mailed[ $reader->ID ] = array( 'at' => time() ) + $last;
			update_option( self::OPTION, $mailed, false );
			if ( $this->mail( $reader, $new ) ) {
				$mailed[ $reader->ID ]['ids'] = array( ...$last['ids'], ...array_keys( $new ) );
			} else {
				$again[] = self::RETRY;
			}
		}
		update_option( self::OPTION, $mailed, false );
		if ( $again ) {
			$this->schedule( time() + min( $again ) );
		}
	}

	/**
	 * Leaves an event, unless one is due by then.
	 *
	 * @param int $due When.
	 */
	private function schedule( int $due ): void {
		$next = wp_next_scheduled( self::EVENT );
		if ( false !== $next && $next <= $due ) {
			return;
		}
		if ( false !== $next ) {
			wp_unschedule_event( $next, self::EVENT );
		}
		wp_schedule_single_event( $due, self::EVENT );
	}

	/**
	 * The calls that wait, by the ids of their requests.
	 *
	 * @return array<string, array<string, string|null>> Rows of the log.
	 */
	private function waiting(): array {
		$rows = $this->log_search->query( array( 'state' => 'waiting' ), 1, self::CALLS )['rows'];
		return array_filter(
			array_column( array_reverse( $rows ), null, 'approval_id' ),
			fn ( array $row ): bool => $this->is_pending( (string) $row['approval_id'] )
		);
	}

	/**
	 * Whether nobody has decided on a request, and somebody still can.
	 *
	 * @param string $id The request's id.
	 */
	private function is_pending( string $id ): bool {
		return 'pending' === $this->engines->get()->approvals->status( $id );
	}

	/**
	 * What is kept of the mails: those of the last minutes, and the requests that still wait.
	 *
	 * @param array<int, array{at: int, ids: list<string>}> $mailed  What was kept.
	 * @param array<string, mixed>                          $waiting The calls that wait.
	 * @return array<int, array{at: int, ids: list<string>}>
	 */
	private function pruned( array $mailed, array $waiting ): array {
		foreach ( $mailed as $reader => $last ) {
			$waits = fn ( string $id ): bool =>
				isset( $waiting[ $id ] ) || $this->is_pending( $id );
			$ids   = array_values( array_filter( $last['ids'], $waits ) );
			if ( ! $ids && $last['at'] + self::PAUSE < time() ) {
				unset( $mailed[ $reader ] );
			} else {
				$mailed[ $reader ]['ids'] = $ids;
			}
		}
		return $mailed;
	}

	/**
	 * The users who may approve on this site.
	 *
	 * @return list<WP_User>
	 */
	private function readers(): array {
		$capability = $this->access->capability( 'approve' );
		$users      = get_users(
			array(
				'capability' => $capability,
				'number'     => self::READERS,
				'orderby'    => 'ID',
			)
		);
		$may        = static fn ( WP_User $user ): bool => $user->has_cap( $capability );
		return array_values( array_filter( $users, $may ) );
	}

	/**
	 * The calls on which a reader may decide.
	 *
	 * @param WP_User                                   $reader  The reader.
	 * @param array<string, array<string, string|null>> $waiting The calls that wait.
	 * @return array<string, array<string, string|null>>
	 */
	private function for_reader( WP_User $reader, array $waiting ): array {
		return array_filter(
			$waiting,
			fn ( array $row ): bool => ! $this->approvals->is_own( $row, $reader->ID )
		);
	}

	/**
	 * Sends a mail in the language of its reader, and returns whether it was taken. WordPress tells
	 * why it was not by the action `wp_mail_failed`.
	 *
	 * @param WP_User                                   $reader The reader.
	 * @param array<string, array<string, string|null>> $calls  The calls that are new to the
	 *                                                          reader.
	 */
	private function mail( WP_User $reader, array $calls ): bool {
		$switched = switch_to_locale( get_user_locale( $reader ) );
		try {
			return wp_mail(
				$reader->user_email,
				$this->subject( count( $calls ) ),
				$this->body( $calls )
			);
		} catch ( Throwable $thrown ) {
			Report::failure( 'could not send mail about calls', $thrown );
			return false;
		} finally {
			if ( $switched ) {
				restore_previous_locale();
			}
		}
	}

	/**
	 * The subject of a mail.
	 *
	 * @param int $number How many calls it is about.
	 */
	private function subject( int $number ): string {
		return sprintf(
			/* translators: 1: name of the site, 2: a number. */
			_n( '[%1$s] %2$s tool call waits for approval', '[%1$s] %2$s tool calls wait for approval', $number, 'toolwire' ), // phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
			wp_specialchars_decode( (string) get_option( 'blogname' ), ENT_QUOTES ),
			number_format_i18n( $number )
		);
	}

	/**
	 * The text of a mail.
	 *
	 * @param array<string, array<string, string|null>> $calls The calls.
	 */
	private function body( array $calls ): string {
		$parts  = array_map( array( $this, 'told' ), array_slice( $calls, 0, self::TOLD ) );
		$others = count( $calls ) - count( $parts );
		if ( $others > 0 ) {
			$parts[] = sprintf(
				/* translators: %s: a number. */
				_n( 'And %s more.', 'And %s more.', $others, 'toolwire' ),
				number_format_i18n( $others )
			);
		}
		$parts[] = sprintf(
			/* translators: %s: an address. */
			__( 'Look and decide: %s', 'toolwire' ),
			admin_url( 'admin.php?page=toolwire' )
		);
		$parts[] = __(
			// phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
			'You get this mail because you may approve tool calls on this site. The settings for tool calls turn it off.',
			'toolwire'
		);
		return implode( "\n\n", $parts ) . "\n";
	}

	/**
	 * What a mail tells of a call. Its arguments are for the screen alone.
	 *
	 * @param array<string, string|null> $call The call's row in the log.
	 */
	private function told( array $call ): string {
		$request = $this->engines->get()->approvals->get( (string) $call['approval_id'] );
		$facts   = array(
			__( 'What', 'toolwire' )  => (string) $call['tool'],
			__( 'Who', 'toolwire' )   => $this->words->user( (int) $call['user_id'] ),
			__( 'Why', 'toolwire' )   => (string) $call['reason'],
			__( 'Until', 'toolwire' ) => $this->words->time( $request?->expiresAt ),
		);
		$lines   = array();
		foreach ( array_filter( $facts, 'strlen' ) as $name => $fact ) {
			$lines[] = "$name: " . $this->words->plain( $fact, 200 );
		}
		return implode( "\n", $lines );
	}
}
