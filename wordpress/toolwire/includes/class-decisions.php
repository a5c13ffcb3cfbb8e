<?php
/**
 * Several decisions at once.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Throwable;
use WP_Error;

/**
 * Takes several decisions, one after the other, each by the fingerprint of what the person was
 * shown. A decision that is refused does not stop those behind it. The outcomes are counted by
 * kind, and a sentence says them to people.
 */
final class Decisions {

	/**
	 * The most decisions at once.
	 */
	const MOST = 50;

	/**
	 * The kinds of outcomes, in the order in which they are said.
	 */
	const KINDS = array(
		'approved',
		'failed',
		'refused',
		'denied',
		'changed',
		'held',
		'own',
		'over',
		'not_taken',
	);

	/**
	 * The kinds of the refusals; any other refusal is `not_taken`.
	 */
	const REFUSALS = array(
		'toolwire_changed_since'      => 'changed',
		'toolwire_own_call'           => 'own',
		'toolwire_already_decided'    => 'over',
		'toolwire_approval_expired'   => 'over',
		'toolwire_approval_cancelled' => 'over',
		'toolwire_unknown_approval'   => 'over',
	);

	/**
	 * Takes what decides one call.
	 *
	 * @param Approvals $approvals The calls that wait.
	 */
	public function __construct( private Approvals $approvals ) {
	}

	/**
	 * Takes decisions in their order. They are not all taken first and run then: a call may change
	 * what the next one would do, and the next one must then be looked at again.
	 *
	 * @param list<array{id: string, granted: bool, reason?: string, seen?: string}> $decisions At
	 *     most MOST of them, with the arguments of {@see Approvals::decide()}.
	 * @return list<array<string, string|null>|WP_Error> The call's row in the log for each, or why
	 *     the decision was not taken.
	 */
	public function take( array $decisions ): array {
		return array_map( array( $this, 'one' ), $decisions );
	}

	/**
	 * How many outcomes there are of each kind that occurs.
	 *
	 * @param list<array<string, string|null>|WP_Error> $outcomes What take() returned.
	 * @return array<string, int>
	 */
	public function count( array $outcomes ): array {
		return array_count_values( array_map( array( $this, 'kind' ), $outcomes ) );
	}

	/**
	 * Whether all that was decided has come to pass.
	 *
	 * @param array<string, int> $counts What count() returned.
	 */
	public function went_well( array $counts ): bool {
		return ! array_diff_key( $counts, array_flip( array( 'approved', 'denied' ) ) );
	}

	/**
	 * The counts in words, such as "2 approved. 1 has changed: look again."
	 *
	 * @param array<string, int> $counts What count() returned.
	 */
	public function words( array $counts ): string {
		$said = array();
		foreach ( self::KINDS as $kind ) {
			if ( ( $counts[ $kind ] ?? 0 ) > 0 ) {
				$said[] = sprintf(
					$this->form( $kind, $counts[ $kind ] ),
					number_format_i18n( $counts[ $kind ] )
				);
			}
		}
		return $said
			? implode( ' ', $said )
			: __( 'Nothing was decided. Choose calls, and press a button.', 'toolwire' );
	}

	/**
	 * Takes a decision. An exception of the store belongs to this decision alone.
	 *
	 * @param array{id: string, granted: bool, reason?: string, seen?: string} $decision What was
	 *     decided.
	 * @return array<string, string|null>|WP_Error
	 */
	private function one( array $decision ) {
		try {
			return $this->approvals->decide(
				$decision['id'],
				$decision['granted'],
				$decision['reason'] ?? '',
				$decision['seen'] ?? ''
			);
		} catch ( Throwable $thrown ) {
			Report::failure( 'could not take a decision', $thrown );
			return new WP_Error(
				'toolwire_not_decided',
				__( 'The decision was not taken. Try again.', 'toolwire' ),
				array( 'status' => 500 )
			);
		}
	}

	/**
	 * The kind of an outcome.
	 *
	 * @param array<string, string|null>|WP_Error $outcome The row of a call, or a refusal.
	 */
	private function kind( $outcome ): string {
		if ( is_wp_error( $outcome ) ) {
			$is_held = isset( $outcome->get_error_data()['hold'] );
			return $is_held ? 'held' : self::REFUSALS[ $outcome->get_error_code() ] ?? 'not_taken';
		}
		if ( 'denied' === $outcome['state'] ) {
			return 'approved' === $outcome['decision'] ? 'refused' : 'denied';
		}
		return in_array( $outcome['state'], array( 'failed', 'interrupted' ), true )
			? 'failed'
			: 'approved';
	}

	/**
	 * The sentence for a number of outcomes of a kind.
	 *
	 * @param string $kind   One of KINDS.
	 * @param int    $number How many.
	 */
	private function form( string $kind, int $number ): string {
		// phpcs:disable Generic.Files.LineLength -- a text to translate is one literal.
		// phpcs:disable WordPress.WP.I18n.MissingTranslatorsComment -- here for all of them.
		/* translators: %s: a number of calls. */
		$forms = array(
			'approved'  => _n_noop( '%s approved.', '%s approved.', 'toolwire' ),
			'failed'    => _n_noop( '%s approved, but it failed. The log says why.', '%s approved, but they failed. The log says why.', 'toolwire' ),
			'refused'   => _n_noop( '%s approved, but refused when it was about to run. The log says why.', '%s approved, but refused when they were about to run. The log says why.', 'toolwire' ),
			'denied'    => _n_noop( '%s denied.', '%s denied.', 'toolwire' ),
			'changed'   => _n_noop( '%s has changed: look again.', '%s have changed: look again.', 'toolwire' ),
			'held'      => _n_noop( '%s is held up for now: look why.', '%s are held up for now: look why.', 'toolwire' ),
			'own'       => _n_noop( '%s is your own: somebody else must approve it.', '%s are your own: somebody else must approve them.', 'toolwire' ),
			'over'      => _n_noop( '%s waits no longer: it was decided, taken back, or is too old.', '%s wait no longer: they were decided, taken back, or are too old.', 'toolwire' ),
			'not_taken' => _n_noop( '%s was not decided. Try again.', '%s were not decided. Try again.', 'toolwire' ),
		);
		// phpcs:enable
		return translate_nooped_plural( $forms[ $kind ], $number, 'toolwire' );
	}
}
