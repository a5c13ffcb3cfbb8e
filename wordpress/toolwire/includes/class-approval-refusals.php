<?php
/**
 * Why decisions are not taken.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use WP_Error;

/**
 * Says in words, and with a status of HTTP, why a decision was not taken, or why there is nothing
 * to decide.
 */
final class Approval_Refusals {

	const STATUSES = array(
		'fingerprint_missing' => 400,
		'own_call'            => 403,
		'not_waiting'         => 409,
		'unknown_approval'    => 404,
		'already_decided'     => 409,
		'changed_since'       => 409,
		'approval_cancelled'  => 409,
		'approval_expired'    => 410,
	);

	/**
	 * Why a decision was not taken, or there is nothing to decide.
	 *
	 * @param string $kind The code of the reason.
	 */
	public function of( string $kind ): WP_Error {
		$messages = array(
			'unknown_approval'    => __( 'There is no such request for approval.', 'toolwire' ),
			'already_decided'     => __( 'Somebody has decided already.', 'toolwire' ),
			'approval_expired'    => __( 'The request has expired.', 'toolwire' ),
			'approval_cancelled'  => __( 'The request was taken back.', 'toolwire' ),
			'not_waiting'         => __( 'The call does not wait any more.', 'toolwire' ),
			'changed_since'       => __(
				'The call would change something else by now. Look again.',
				'toolwire'
			),
			'own_call'            => __(
				'Nobody approves a call of their own on this site. Somebody else must.',
				'toolwire'
			),
			'fingerprint_missing' => __(
				'A decision must say what was seen: the fingerprint of the request.',
				'toolwire'
			),
		);
		return new WP_Error(
			"toolwire_$kind",
			$messages[ $kind ] ?? __( 'The decision was not taken.', 'toolwire' ),
			array( 'status' => self::STATUSES[ $kind ] ?? 500 )
		);
	}
}
