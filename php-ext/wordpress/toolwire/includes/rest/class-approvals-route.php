<?php
/**
 * The routes for those who decide.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\WordPress\Approvals;
use Toolwire\WordPress\Secrets;
use WP_Error;
use WP_REST_Request;
use WP_REST_Response;

/**
 * `GET /approvals` lists what waits, `GET /approvals/ID` shows one request with all that its call says and would
 * change, `POST /approvals/ID` decides on what was shown and goes on with the call.
 */
final class Approvals_Route {

	/**
	 * Which part of the list is asked for.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	public static function window(): array {
		return array(
			'page'     => array(
				'type'    => 'integer',
				'minimum' => 1,
				'default' => 1,
			),
			'per_page' => array(
				'type'    => 'integer',
				'minimum' => 1,
				'maximum' => 100,
				'default' => 20,
			),
		);
	}

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
				'description' => 'The fingerprint of the request as the person was shown it. A decision without it is refused.',
				'type'        => 'string',
				'default'     => '',
			),
		);
	}

	/**
	 * Lists the pending requests.
	 *
	 * @param WP_REST_Request $request With what window() says.
	 */
	public static function list( WP_REST_Request $request ): WP_REST_Response {
		$found  = Approvals::page( $request['page'], $request['per_page'] );
		$list   = array_map(
			static fn ( array $item ): array => array( 'call' => Call_View::of( $item['call'] ) ) + $item + array( 'can_approve' => ! Approvals::is_own( $item['call'] ) ),
			$found['waiting']
		);
		$answer = new WP_REST_Response( $list );
		$answer->header( 'X-WP-Total', (string) $found['total'] );
		$answer->header( 'X-WP-TotalPages', (string) ceil( $found['total'] / $request['per_page'] ) );
		return $answer;
	}

	/**
	 * Shows a pending request.
	 *
	 * @param WP_REST_Request $request With `id`.
	 * @return WP_REST_Response|WP_Error
	 */
	public static function show( WP_REST_Request $request ) {
		$shown = Approvals::look( Routes::id( $request ) );
		if ( is_wp_error( $shown ) ) {
			return $shown;
		}
		$of = $shown['request'];
		return new WP_REST_Response(
			array(
				'id'          => $of->id,
				'message'     => $of->message,
				'created_at'  => $of->createdAt, // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
				'expires_at'  => $of->expiresAt, // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
				'bytes'       => $of->size,
				'call'        => Call_View::of( $shown['call'] ),
				'arguments'   => $shown['arguments'],
				'changes'     => null === $shown['changes'] ? null : array_map( array( self::class, 'change' ), $shown['changes'] ),
				'fingerprint' => $shown['fingerprint'],
				'can_approve' => ! Approvals::is_own( $shown['call'] ),
			)
		);
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

	/**
	 * What would change, as text without secrets: lists of lines take far more memory.
	 *
	 * @param array{label: string, diff: \Toolwire\DiffResult} $change What would change.
	 * @return array<string, mixed>
	 */
	private static function change( array $change ): array {
		$diff = $change['diff'];
		return array(
			'label'       => $change['label'],
			'diff_type'   => $diff->diffType, // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
			'diff_output' => Secrets::text( $diff->diffOutput ), // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
			'additions'   => $diff->additions,
			'deletions'   => $diff->deletions,
			'unchanged'   => $diff->unchanged,
			'similarity'  => $diff->similarity,
		);
	}
}
