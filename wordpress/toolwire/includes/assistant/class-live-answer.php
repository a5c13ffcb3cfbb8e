<?php
/**
 * Answers that are sent while they are made.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Closure;
use WP_Error;

/**
 * Sends what happens in a step as server-sent events: `open`, then `said` with the parts of the
 * message so far, `step` when something else has happened, and at last `end` or `failed`.
 * A page must not rely on them: a proxy may hold them back until the end.
 */
final class Live_Answer {

	/**
	 * The least seconds between two pieces.
	 */
	const PAUSE = 0.15;

	/**
	 * The words of the message that comes, by their kind.
	 *
	 * @var array{reasoning: string, text: string}
	 */
	private array $said = array(
		'reasoning' => '',
		'text'      => '',
	);

	/**
	 * When the last piece was sent.
	 *
	 * @var float
	 */
	private float $sent_at = 0.0;

	/**
	 * Takes a step and sends what happens. Ends the request.
	 *
	 * @param Conversation_View               $view  Tells of conversations.
	 * @param Closure(Closure): mixed         $step  Takes the step, and a listener.
	 * @param Closure(array): array           $shown The conversation for the client.
	 */
	public function send( Conversation_View $view, Closure $step, Closure $shown ): never {
		$this->begin();
		$listener = function ( string $type, array $data ) use ( $view ): void {
			$this->hear( $view, $type, $data );
		};
		$row      = $step( $listener );
		if ( $row instanceof WP_Error ) {
			$this->event(
				'failed',
				array(
					'code'    => $row->get_error_code(),
					'message' => $row->get_error_message(),
				)
			);
		} else {
			$this->event( 'end', $shown( $row ) );
		}
		exit;
	}

	/**
	 * Begins the answer. WordPress and servers keep pieces back in their buffers otherwise.
	 */
	private function begin(): void {
		while ( ob_get_level() > 0 && ob_end_flush() ) {
			continue;
		}
		header( 'Content-Type: text/event-stream; charset=UTF-8' );
		header( 'Cache-Control: no-store' );
		header( 'X-Accel-Buffering: no' );
		header( 'X-Content-Type-Options: nosniff' );
		$this->event( 'open', array() );
	}

	/**
	 * Hears what happens in the conversation.
	 *
	 * @param Conversation_View    $view Tells of conversations.
	 * @param string               $type What happened.
	 * @param array<string, mixed> $data What is known of it.
	 */
	private function hear( Conversation_View $view, string $type, array $data ): void {
		switch ( $type ) {
			case 'reasoning':
			case 'text':
				$this->said[ $type ] .= $data['text'];
				if ( microtime( true ) - $this->sent_at >= self::PAUSE ) {
					$this->event( 'said', $view->said( $this->said ) );
				}
				break;
			case 'retracted':
				$this->forget();
				$this->event( 'said', array() );
				break;
			case 'usage':
				$this->event( 'said', $view->said( $this->said ) );
				$this->forget();
				break;
			default:
				$this->event( 'step', array( 'type' => $type ) );
		}
	}

	/**
	 * Forgets the words of the message.
	 */
	private function forget(): void {
		$this->said = array(
			'reasoning' => '',
			'text'      => '',
		);
	}

	/**
	 * Sends an event.
	 *
	 * @param string       $type What happened.
	 * @param array<mixed> $data What is known of it.
	 */
	private function event( string $type, array $data ): void {
		$this->sent_at = microtime( true );
		$json          = wp_json_encode( $data, JSON_HEX_TAG | JSON_HEX_AMP );
		// phpcs:ignore WordPress.Security.EscapeOutput -- JSON without markup, and no page.
		echo "event: $type\ndata: $json\n\n";
		flush();
	}
}
