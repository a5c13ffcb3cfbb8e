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
 * message so far, whose number is the event's id, `step` when something else has happened, and at
 * last `end` or `failed`. A page must not rely on them: a proxy may hold them back until the end.
 * So the words are also kept for pages that ask.
 */
final class Live_Answer {

	/**
	 * The least seconds between two pieces.
	 */
	const PAUSE = 0.15;

	/**
	 * The least seconds after which the words are kept again.
	 */
	const KEEP = 1.0;

	/**
	 * How many bytes Apache collects before it sends what PHP-FPM has given it, whatever PHP says.
	 */
	const APACHE_COLLECTS = 4096;

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
	 * When the words were kept last.
	 *
	 * @var float
	 */
	private float $kept_at = 0.0;

	/**
	 * Takes its parts.
	 *
	 * @param Conversation_View $view   Tells of conversations.
	 * @param Coming_Words      $coming Keeps the words for pages that ask.
	 */
	public function __construct(
		private Conversation_View $view,
		private Coming_Words $coming,
	) {
	}

	/**
	 * Takes a step and sends what happens. Ends the request.
	 *
	 * @param string                $uuid  The conversation.
	 * @param Closure(Closure): mixed $step  Takes the step, and a listener.
	 * @param Closure(array): array $shown The conversation for the client.
	 */
	public function send( string $uuid, Closure $step, Closure $shown ): never {
		$this->begin();
		$listener = function ( string $type, array $data ) use ( $uuid ): void {
			$this->hear( $uuid, $type, $data );
		};
		$row      = $step( $listener );
		if ( $this->kept_at > 0.0 ) {
			$this->coming->forget( $uuid );
		}
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
	 * Begins the answer, and asks everything between the site and the browser to pass it on at
	 * once: the buffers of PHP and WordPress, compression, and proxies.
	 */
	private function begin(): void {
		// What other code has printed is no event. A buffer that cannot be ended stays.
		while ( ob_get_level() > 0 && ob_end_clean() ) {
			continue;
		}
		if ( ! headers_sent() ) {
			// phpcs:ignore WordPress.PHP.IniSet.Risky -- PHP would hold the events back.
			ini_set( 'zlib.output_compression', '0' );
			header( 'Content-Type: text/event-stream; charset=UTF-8' );
			header( 'Cache-Control: no-store, no-transform' );
			// mod_deflate and gzip of nginx leave alone what has an encoding, and browsers ignore
			// one that they do not know. They compress what is `identity`.
			header( 'Content-Encoding: none' );
			header( 'X-Accel-Buffering: no' );
			header( 'X-Content-Type-Options: nosniff' );
		}
		$this->event( 'open', array() );
	}

	/**
	 * Hears what happens in the conversation.
	 *
	 * @param string               $uuid The conversation.
	 * @param string               $type What happened.
	 * @param array<string, mixed> $data What is known of it.
	 */
	private function hear( string $uuid, string $type, array $data ): void {
		switch ( $type ) {
			case 'reasoning':
			case 'text':
				$this->said[ $type ] .= $data['text'];
				$this->pass_on( $uuid, $data['message'] );
				break;
			case 'retracted':
				$this->forget();
				$this->event( 'said', array(), $data['message'] );
				break;
			case 'usage':
				$this->event( 'said', $this->view->said( $this->said ), $data['message'] );
				$this->forget();
				break;
			default:
				$this->event( 'step', array( 'type' => $type ) );
		}
	}

	/**
	 * Sends and keeps the words, each not too often.
	 *
	 * @param string $uuid    The conversation.
	 * @param int    $message The number of the message.
	 */
	private function pass_on( string $uuid, int $message ): void {
		$now = microtime( true );
		if ( $now - $this->sent_at >= self::PAUSE ) {
			$this->event( 'said', $this->view->said( $this->said ), $message );
		}
		if ( $now - $this->kept_at >= self::KEEP ) {
			$this->kept_at = $now;
			$this->coming->keep( $uuid, $message, $this->said );
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
	 * @param string       $type    What happened.
	 * @param array<mixed> $data    What is known of it.
	 * @param ?int         $message The number of the message that it is about.
	 */
	private function event( string $type, array $data, ?int $message = null ): void {
		$this->sent_at = microtime( true );
		$json          = wp_json_encode( $data, JSON_HEX_TAG | JSON_HEX_AMP );
		$id            = null === $message ? '' : "id: $message\n";
		// phpcs:ignore WordPress.Security.EscapeOutput -- JSON without markup, and no page.
		echo "event: $type\n{$id}data: $json\n\n{$this->padding()}";
		flush();
	}

	/**
	 * A comment that is long enough for Apache before PHP-FPM, where it is needed.
	 */
	private function padding(): string {
		$server = sanitize_text_field( wp_unslash( $_SERVER['SERVER_SOFTWARE'] ?? '' ) );
		return 'fpm-fcgi' === PHP_SAPI && str_starts_with( $server, 'Apache' )
			? ':' . str_repeat( ' ', self::APACHE_COLLECTS ) . "\n\n"
			: '';
	}
}
