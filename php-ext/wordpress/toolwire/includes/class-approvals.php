<?php
/**
 * What waits for a person.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Exception\InvalidArgument;
use Toolwire\Tools\ApprovalRequest;
use Toolwire\Tools\Exception\ApprovalException;
use WP_Error;

/**
 * Lists the requests for approval by pages, shows one with all that its call says and would change, and takes
 * decisions on what was shown.
 */
final class Approvals {

	/**
	 * How often a page is read anew because calls on it did not wait any more.
	 */
	const ROUNDS = 3;

	const STATUSES = array(
		'fingerprint_missing' => 400,
		'own_call'            => 403,
		'unknown_approval'    => 404,
		'already_decided'     => 409,
		'changed_since'       => 409,
		'approval_cancelled'  => 409,
		'approval_expired'    => 410,
	);

	/**
	 * A page of the pending requests, oldest first, without what they hold that may be large.
	 *
	 * @param int $page     From 1.
	 * @param int $per_page How many.
	 * @return array{waiting: list<array{id: string, message: string, created_at: string, expires_at: string|null, bytes: int|null, call: array<string, string|null>}>, total: int}
	 */
	public static function page( int $page, int $per_page ): array {
		Crash_Guard::reap();
		for ( $round = 1; $round <= self::ROUNDS; $round++ ) {
			$rows    = Call_Log::waiting( $page, $per_page );
			$waiting = array_values( array_filter( array_map( array( self::class, 'item' ), $rows ) ) );
			if ( count( $waiting ) === count( $rows ) ) {
				break;
			}
		}
		return array(
			'waiting' => $waiting,
			'total'   => Call_Log::count( 'pending' ),
		);
	}

	/**
	 * A pending request with all that the person sees who decides.
	 *
	 * @param string $id The request's id.
	 * @return array{request: ApprovalRequest, call: array<string, string|null>, arguments: string, changes: list<array{label: string, diff: \Toolwire\DiffResult}>|null, fingerprint: string}|WP_Error
	 */
	public static function look( string $id ) {
		$engine  = Engine::get();
		$request = $engine->approvals->get( $id );
		$call    = null === $request ? null : Call_Log::find( $request->actionId ); // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
		if ( null === $call ) {
			return self::refusal( self::ended( $id ) );
		}
		$call = Runner::resume( (string) $call['action_id'] ) ?? $call;
		if ( 'pending' !== $call['state'] ) {
			return self::refusal( self::ended( $id ) );
		}
		$action = (string) $call['action_id'];
		try {
			$fingerprint = Acting_User::during( (int) $call['user_id'], static fn (): ?string => $engine->executor->fingerprint( $action ) );
		} catch ( InvalidArgument $gone ) {
			// The tool is not registered any more. The call can still be denied; one that is approved fails.
			$fingerprint = $request->fingerprint;
		}
		if ( null === $fingerprint ) {
			return self::refusal( 'already_decided' );
		}
		return array(
			'request'     => $request,
			'call'        => $call,
			'arguments'   => (string) $engine->approvals->arguments( $id ),
			'changes'     => $engine->changes->of( $action ),
			'fingerprint' => $fingerprint,
		);
	}

	/**
	 * Takes a decision and goes on with the call; its row in the log.
	 *
	 * @param string $id      The request's id.
	 * @param bool   $granted Whether the call may run.
	 * @param string $reason  Why, may be empty.
	 * @param string $seen    The fingerprint of what the person was shown.
	 * @return array<string, string|null>|WP_Error
	 */
	public static function decide( string $id, bool $granted, string $reason, string $seen ) {
		if ( '' === $seen ) {
			return self::refusal( 'fingerprint_missing' );
		}
		$shown = self::look( $id );
		if ( is_wp_error( $shown ) ) {
			return $shown;
		}
		if ( $granted && self::is_own( $shown['call'] ) ) {
			return self::refusal( 'own_call' );
		}
		if ( $granted && $seen !== $shown['fingerprint'] ) {
			return self::refusal( 'changed_since' );
		}
		try {
			Engine::get()->approvals->decide(
				$id,
				$granted,
				decidedBy: 'user:' . get_current_user_id(),
				reason: '' === $reason ? null : $reason,
				fingerprint: $seen,
				present: $shown['fingerprint'],
			);
		} catch ( ApprovalException $refused ) {
			return self::refusal( $refused->getKind() );
		}
		return Runner::resume( (string) $shown['call']['action_id'] );
	}

	/**
	 * What the log keeps of a decision: who, what, why, and the fingerprint of what was seen; nothing where nobody
	 * decided.
	 *
	 * @param string $id The request's id.
	 * @return array<string, int|string>
	 */
	public static function decision( string $id ): array {
		$request = Engine::get()->approvals->get( $id );
		if ( null === $request || ! in_array( $request->status, array( 'approved', 'denied' ), true ) ) {
			return array();
		}
		$by = (string) $request->decidedBy; // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
		return array(
			'decided_by'      => str_starts_with( $by, 'user:' ) ? (int) substr( $by, 5 ) : 0,
			'decision'        => $request->status,
			'decision_reason' => Call_Log::text( (string) $request->reason, 2000 ),
			'fingerprint'     => Call_Log::text( (string) $request->decidedFingerprint, 64 ), // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
		);
	}

	/**
	 * Whether the current user may not approve a call because it is the user's own, and the site wants others to.
	 *
	 * @param array<string, string|null> $call The call's row in the log.
	 */
	public static function is_own( array $call ): bool {
		return Settings::get( 'others_approve' ) && get_current_user_id() === (int) $call['user_id'];
	}

	/**
	 * What a list tells of a call that waits; null when it does not wait any more, because somebody has decided or
	 * nobody can.
	 *
	 * @param array<string, string|null> $call The call's row in the log.
	 * @return array{id: string, message: string, created_at: string, expires_at: string|null, bytes: int|null, call: array<string, string|null>}|null
	 */
	private static function item( array $call ): ?array {
		$call    = Runner::resume( (string) $call['action_id'] ) ?? $call;
		$request = 'pending' === $call['state'] ? Engine::get()->approvals->get( (string) $call['approval_id'] ) : null;
		return null === $request ? null : array(
			'id'         => (string) $request->id,
			'message'    => $request->message,
			'created_at' => $request->createdAt, // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
			'expires_at' => $request->expiresAt, // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
			'bytes'      => $request->size,
			'call'       => $call,
		);
	}

	/**
	 * Why there is nothing to decide, from the log: the store forgets a request once its call has ended.
	 *
	 * @param string $id The request's id.
	 */
	private static function ended( string $id ): string {
		$row = Call_Log::find_by_approval( $id );
		if ( null === $row ) {
			return 'unknown_approval';
		}
		if ( 'approval_timeout' === $row['error_code'] ) {
			return 'approval_expired';
		}
		return '' === $row['decision'] && 'denied' === $row['state'] ? 'approval_cancelled' : 'already_decided';
	}

	/**
	 * Why a decision was not taken, or there is nothing to decide.
	 *
	 * @param string $kind The code of the reason.
	 */
	private static function refusal( string $kind ): WP_Error {
		$messages = array(
			'unknown_approval'    => __( 'There is no such request for approval.', 'toolwire' ),
			'already_decided'     => __( 'Somebody has decided already.', 'toolwire' ),
			'approval_expired'    => __( 'The request has expired.', 'toolwire' ),
			'approval_cancelled'  => __( 'The request was taken back.', 'toolwire' ),
			'changed_since'       => __( 'The call would change something else by now. Look again.', 'toolwire' ),
			'own_call'            => __( 'Nobody approves a call of their own on this site. Somebody else must.', 'toolwire' ),
			'fingerprint_missing' => __( 'A decision must say what was seen: the fingerprint of the request.', 'toolwire' ),
		);
		return new WP_Error(
			"toolwire_$kind",
			$messages[ $kind ] ?? __( 'The decision was not taken.', 'toolwire' ),
			array( 'status' => self::STATUSES[ $kind ] ?? 500 )
		);
	}
}
