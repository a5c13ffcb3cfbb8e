<?php
/**
 * What a program is told of its call.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Served;

use Toolwire\WordPress\Admin\Request_View;
use Toolwire\WordPress\Rest\Call_View;
use WP_Error;

/**
 * The answer of an ability. It is always an object, since the Model Context Protocol allows nothing
 * else.
 */
final class Answer {

	/**
	 * What an error says besides its code and its message.
	 */
	const MORE = array( 'problems', 'retry_after', 'tool_code', 'status' );

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
	 * How a call stands: `state`, `call` (its id), `tool`, and `result`, `failure` or, while it
	 * waits, `message` and `decide_at`. If a person has changed the arguments, `changed` says so
	 * and `arguments` has those that were approved. The adapter takes an answer with `error` for a
	 * failure of the request.
	 *
	 * @param array<string, string|null> $row Its row in the log.
	 * @return array<string, mixed>
	 */
	public function of( array $row ): array {
		$view   = $this->call_view->of( $row );
		$answer = array(
			'state' => $view['state'],
			'call'  => $view['id'],
			'tool'  => $view['tool'],
		);
		if ( 'waiting' === $view['state'] ) {
			$answer['decide_at'] = $this->request_view->address( (string) $row['approval_id'] );
			$answer['message']   = sprintf(
				/* translators: 1: name of an ability, 2: its name over MCP, 3: id of a call. */
				__(
					'A person must approve this call. It has not run. Ask %1$s (over MCP %2$s) with the call %3$s later.', // phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
					'toolwire'
				),
				Names::STATUS,
				str_replace( '/', '-', Names::STATUS ),
				$view['id']
			);
		} elseif ( null !== $view['error'] ) {
			$answer['failure'] = $view['error'];
		} elseif ( in_array( $view['state'], array( 'completed', 'undone' ), true ) ) {
			$answer['result']   = $view['result'];
			$answer['can_undo'] = $view['can_undo'];
		}
		if ( null !== $view['changed'] ) {
			$answer['changed']   = $view['changed']['message'];
			$answer['arguments'] = $view['arguments'];
		}
		return $answer;
	}

	/**
	 * The answer to a call that was just sent: as above, or an error when the call has ended
	 * without a result.
	 *
	 * @param array<string, string|null> $row Its row in the log.
	 * @return array<string, mixed>|WP_Error
	 */
	public function to_sender( array $row ) {
		$answer = $this->of( $row );
		if ( ! isset( $answer['failure'] ) ) {
			return $answer;
		}
		$error   = $answer['failure'];
		$message = $error['code'] . ': ' . $error['message'];
		$more    = array_intersect_key( $error, array_flip( self::MORE ) );
		if ( $more ) {
			// Clients of MCP see nothing but the message.
			$json     = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES;
			$message .= ' ' . wp_json_encode( $more, $json );
		}
		return new WP_Error(
			'toolwire_' . $error['code'],
			$message,
			array(
				'status' => $this->call_view->status( array( 'error' => $error ) ) ?? 400,
				'call'   => $answer['call'],
			) + array_intersect_key( $error, array( 'tool_code' => true ) )
		);
	}
}
