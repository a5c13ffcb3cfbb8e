<?php
/**
 * What waits for a person.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Throwable;
use Toolwire\Tools\ApprovalRequest;
use Toolwire\Tools\Exception\ApprovalException;
use WP_Error;

/**
 * Lists the requests for approval with what they would change, and takes decisions.
 */
final class Approvals {

	/**
	 * How many requests are looked at, at once.
	 */
	const MOST = 50;

	const STATUSES = array(
		'unknown_approval'   => 404,
		'already_decided'    => 409,
		'approval_cancelled' => 409,
		'approval_expired'   => 410,
	);

	/**
	 * The pending requests, oldest first; the first MOST of them.
	 *
	 * @return list<array{request: ApprovalRequest, call: array<string, string|null>, changes: list<array{label: string, diff: \Toolwire\DiffResult}>|null}>
	 */
	public static function pending(): array {
		Crash_Guard::reap();
		Runner::settle();
		$waiting = array();
		foreach ( array_slice( Engine::get()->approvals->pending(), 0, self::MOST ) as $request ) {
			$call = Call_Log::find( $request->actionId ); // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
			if ( null !== $call ) {
				$waiting[] = array(
					'request' => $request,
					'call'    => $call,
					'changes' => self::changes( $call ),
				);
			}
		}
		return $waiting;
	}

	/**
	 * Takes a decision and goes on with the call; its row in the log.
	 *
	 * @param string $id      The request's id.
	 * @param bool   $granted Whether the call may run.
	 * @param string $reason  Why, may be empty.
	 * @param string $seen    The fingerprint() of what the person was shown; empty when that does not matter.
	 * @return array<string, string|null>|WP_Error
	 */
	public static function decide( string $id, bool $granted, string $reason, string $seen = '' ) {
		$engine  = Engine::get();
		$user    = wp_get_current_user();
		$request = $engine->approvals->get( $id );
		$call    = null === $request ? null : Call_Log::find( $request->actionId ); // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
		if ( null === $call ) {
			return new WP_Error( 'toolwire_unknown_approval', __( 'There is no such request for approval.', 'toolwire' ), array( 'status' => 404 ) );
		}
		if ( $granted && '' !== $seen && self::fingerprint( self::changes( $call ) ) !== $seen ) {
			return new WP_Error( 'toolwire_changed_since', __( 'The call would change something else by now. Look again.', 'toolwire' ), array( 'status' => 409 ) );
		}
		if ( $granted && self::is_own( $call ) ) {
			return new WP_Error( 'toolwire_own_call', __( 'Nobody approves a call of their own on this site. Somebody else must.', 'toolwire' ), array( 'status' => 403 ) );
		}
		try {
			$engine->approvals->decide( $id, $granted, 'user:' . $user->ID, '' === $reason ? null : $reason );
		} catch ( ApprovalException $refused ) {
			return self::refusal( $refused );
		}
		$columns = array(
			'decided_by'      => $user->ID,
			'decision'        => $granted ? 'approved' : 'denied',
			'decision_reason' => Call_Log::text( $reason, 2000 ),
		);
		Call_Log::change( $call['action_id'], $columns );
		return Runner::resume( $call['action_id'] );
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
	 * Tells whether two lists of changes are the same.
	 *
	 * @param list<array{label: string, diff: \Toolwire\DiffResult}>|null $changes What a call would change.
	 */
	public static function fingerprint( ?array $changes ): string {
		$texts = array_map( static fn ( array $change ): string => $change['diff']->diffOutput, $changes ?? array() ); // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
		return hash( 'sha256', (string) wp_json_encode( $texts ) );
	}

	/**
	 * Why a decision was not taken.
	 *
	 * @param ApprovalException $refused What the extension says.
	 */
	private static function refusal( ApprovalException $refused ): WP_Error {
		$messages = array(
			'unknown_approval'   => __( 'There is no such request for approval.', 'toolwire' ),
			'already_decided'    => __( 'Somebody has decided already.', 'toolwire' ),
			'approval_expired'   => __( 'The request has expired.', 'toolwire' ),
			'approval_cancelled' => __( 'The request was taken back.', 'toolwire' ),
		);
		$kind     = $refused->getKind();
		return new WP_Error(
			"toolwire_$kind",
			$messages[ $kind ] ?? __( 'The decision was not taken.', 'toolwire' ),
			array( 'status' => self::STATUSES[ $kind ] ?? 500 )
		);
	}

	/**
	 * What a call would change; null when its tool cannot say.
	 *
	 * @param array<string, string|null> $call The call's row in the log.
	 * @return list<array{label: string, diff: \Toolwire\DiffResult}>|null
	 */
	private static function changes( array $call ): ?array {
		$engine    = Engine::get();
		$arguments = ( new Claims( $engine->store ) )->arguments( (string) $call['action_id'] );
		$tool      = $engine->tools->get( (string) $call['tool'] );
		if ( null === $arguments || null === $tool ) {
			return null;
		}
		try {
			return Acting_User::during( (int) $call['user_id'], static fn (): array => $tool->preview( $arguments ) );
		} catch ( Throwable $thrown ) {
			return null;
		}
	}
}
