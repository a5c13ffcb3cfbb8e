<?php
/**
 * What a program is told of the call of a gated ability.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Gate;

use Toolwire\WordPress\Admin\Request_View;
use Toolwire\WordPress\Rest\Call_View;
use Toolwire\WordPress\Rest\Calls_Controller;
use WP_Error;

/**
 * An error that says why there is no result, or none yet. An ability promises the form of its
 * results, so nothing but an error can say so.
 */
final class Answer {

	/**
	 * The statuses of HTTP besides those of `POST /calls`.
	 */
	const STATUSES = array(
		'approval_denied'  => 403,
		'changed_since'    => 409,
		'approval_timeout' => 410,
		'rate_limited'     => 429,
	);

	/**
	 * What an error says besides its code and its message.
	 */
	const MORE = array( 'problems', 'retry_after', 'reason', 'tool_code' );

	/**
	 * Takes its parts.
	 *
	 * @param Call_View    $call_view    Tells of calls.
	 * @param Request_View $request_view Knows where people decide.
	 */
	public function __construct(
		private Call_View $call_view,
		private Request_View $request_view,
	) {
	}

	/**
	 * How a call without a result stands.
	 *
	 * @param array<string, string|null> $row Its row in the log.
	 */
	public function of( array $row ): WP_Error {
		$id = (string) $row['action_id'];
		switch ( $row['state'] ) {
			case 'waiting':
				return $this->waiting( $id, (string) $row['approval_id'] );
			case 'running':
			case 'approved':
				$message = __( 'The call runs now. Send the same request again.', 'toolwire' );
				return $this->error( 'running', $message, array( 202, $id ) );
			case 'undone':
				$message = __( 'The call has run, and was undone.', 'toolwire' );
				return $this->error( 'undone', $message, array( 409, $id ) );
			case 'completed':
				$message = __( 'The call has run, but its result could not be kept.', 'toolwire' );
				return $this->error( 'result_not_kept', $message, array( 410, $id ) );
		}
		return $this->failure( $row );
	}

	/**
	 * That a person must decide. Clients of MCP see nothing but the message.
	 *
	 * @param string $id       The call's id.
	 * @param string $approval The id of its request for approval.
	 */
	private function waiting( string $id, string $approval ): WP_Error {
		$address = $this->request_view->address( $approval );
		$message = sprintf(
			/* translators: 1: id of a call, 2: address of a screen. */
			__(
				'A person must approve this call. It has not run. Send the same request again later: if it was approved, you get its result. Call %1$s, decided at %2$s', // phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
				'toolwire'
			),
			$id,
			$address
		);
		$more = array( 'decide_at' => $address );
		return $this->error( 'waiting', $message, array( 202, $id ), $more );
	}

	/**
	 * Why a call has ended without a result.
	 *
	 * @param array<string, string|null> $row Its row in the log.
	 */
	private function failure( array $row ): WP_Error {
		$view   = $this->call_view->of( $row );
		$code   = (string) $row['error_code'];
		$status = $this->call_view->status( $view )
			?? self::STATUSES[ $code ]
			?? Calls_Controller::STATUSES[ $code ]
			?? 500;
		$more   = array_intersect_key( $view['error'], array_flip( self::MORE ) );
		return $this->error(
			$code,
			(string) $view['error']['message'],
			array( $status, $view['id'] ),
			$more
		);
	}

	/**
	 * An error.
	 *
	 * @param string               $code    Its code, without the prefix.
	 * @param string               $message What it says.
	 * @param array{int, string}   $named   Its status of HTTP, and the call's id.
	 * @param array<string, mixed> $more    What its data has besides.
	 */
	private function error(
		string $code,
		string $message,
		array $named,
		array $more = array()
	): WP_Error {
		$data = array_combine( array( 'status', 'call' ), $named );
		return new WP_Error( "toolwire_$code", $message, $data + $more );
	}
}
