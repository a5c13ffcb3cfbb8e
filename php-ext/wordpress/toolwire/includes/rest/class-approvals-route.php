<?php
/**
 * The routes for those who decide.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\WordPress\Approvals;
use WP_Error;
use WP_REST_Request;
use WP_REST_Response;

/**
 * `GET /approvals` lists what waits, `POST /approvals/ID` decides and goes on with the call.
 */
final class Approvals_Route {

	/**
	 * What a decision is.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	public static function arguments(): array {
		return array(
			'granted' => array(
				'type'     => 'boolean',
				'required' => true,
			),
			'reason'  => array(
				'type'      => 'string',
				'maxLength' => 2000,
				'default'   => '',
			),
			'seen'    => array(
				'description' => 'The fingerprint of the changes that the person was shown.',
				'type'        => 'string',
				'default'     => '',
			),
		);
	}

	/**
	 * Lists the pending requests.
	 */
	public static function list(): WP_REST_Response {
		$list = array();
		foreach ( Approvals::pending() as $waiting ) {
			$request = $waiting['request'];
			$changes = array_map(
				static fn ( array $change ): array => array( 'label' => $change['label'] ) + $change['diff']->toArray(),
				$waiting['changes'] ?? array()
			);
			$list[]  = array(
				'id'          => $request->id,
				'message'     => $request->message,
				'created_at'  => $request->createdAt, // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
				'expires_at'  => $request->expiresAt, // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
				'call'        => Call_View::of( $waiting['call'] ),
				'changes'     => $changes,
				'fingerprint' => Approvals::fingerprint( $waiting['changes'] ),
				'can_approve' => ! Approvals::is_own( $waiting['call'] ),
			);
		}
		return new WP_REST_Response( $list );
	}

	/**
	 * Takes a decision.
	 *
	 * @param WP_REST_Request $request With `id` and what arguments() says.
	 * @return WP_REST_Response|WP_Error
	 */
	public static function decide( WP_REST_Request $request ) {
		$row = Approvals::decide( Routes::id( $request ), $request['granted'], $request['reason'], $request['seen'] );
		return is_wp_error( $row ) ? $row : new WP_REST_Response( Call_View::of( $row ) );
	}
}
