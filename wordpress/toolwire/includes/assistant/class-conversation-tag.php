<?php
/**
 * The names of states of conversations.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Settings;
use WP_REST_Request;

use const Toolwire\WordPress\VERSION;

/**
 * Names what a user sees of a conversation right now, without reading it: while the name is the
 * same, so is the answer. It is the `ETag` of the route.
 */
final class Conversation_Tag {

	/**
	 * Takes its parts.
	 *
	 * @param Settings           $settings The settings.
	 * @param Engines            $engines  The engine of each site.
	 * @param Call_Standings     $calls    How calls stand.
	 * @param Coming_Words       $coming   The words of messages that are being written.
	 * @param Model              $model    What answers.
	 */
	public function __construct(
		private Settings $settings,
		private Engines $engines,
		private Call_Standings $calls,
		private Coming_Words $coming,
		private Model $model,
	) {
	}

	/**
	 * The name, 32 hexadecimal digits.
	 *
	 * @param array<string, string|null> $row The conversation.
	 */
	public function of( array $row ): string {
		$uuid = (string) $row['uuid'];
		// The agent only adds messages, each under the next number.
		$newest = $this->engines->get()->store->newest( "agent/message/$uuid/" );
		$coming = 'thinking' === $row['state'] ? $this->coming->find( $uuid ) : null;
		return md5(
			(string) wp_json_encode(
				array(
					array( $uuid, $row['state'], $row['version'], $row['error_code'] ),
					$newest,
					$coming,
					$this->calls->tag( $this->calls->of( $uuid ) ),
					$this->settings->get( 'reasoning' ),
					$this->model->name(),
					$this->model->is_connected(),
					determine_locale(),
					VERSION,
				)
			)
		);
	}

	/**
	 * Whether a client has what has this name. Servers that compress an answer change its `ETag`:
	 * to `W/"…"`, to `"…-gzip"`.
	 *
	 * @param WP_REST_Request $request The request.
	 * @param string          $tag     What of() says.
	 */
	public function is_known( WP_REST_Request $request, string $tag ): bool {
		$header = (string) $request->get_header( 'if_none_match' );
		preg_match_all( '/"([0-9a-f]{32})/', $header, $known );
		return in_array( $tag, $known[1], true );
	}
}
