<?php
/**
 * The route that finds calls in a text.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Found_Calls;
use WP_REST_Request;
use WP_REST_Response;

/**
 * `POST /detect`: the calls in a text, and the text between them. Each call is recorded as seen.
 * Nothing says who wrote the text, so the calls are bound to nothing.
 */
final class Detect_Controller extends Controller {

	/**
	 * Takes its parts.
	 *
	 * @param Access             $access      Who may do what.
	 * @param Engines            $engines     The engine of each site.
	 * @param Found_Calls        $found_calls Finds calls in texts.
	 * @param Found_Calls_Schema $found       The schema of what was found.
	 */
	public function __construct(
		Access $access,
		Engines $engines,
		private Found_Calls $found_calls,
		private Found_Calls_Schema $found,
	) {
		parent::__construct( 'detect', $access, $engines );
	}

	/**
	 * Registers the route.
	 */
	public function register_routes() {
		$id = array(
			'type'      => 'string',
			'maxLength' => 200,
			'default'   => '',
		);
		$this->route(
			'',
			array(
				$this->handler(
					'POST',
					'create_item',
					'use',
					array(
						'text'         => array(
							'type'     => 'string',
							'required' => true,
						),
						'conversation' => $id,
						'message'      => $id,
					),
					'detect'
				),
			)
		);
	}

	/**
	 * Finds the calls in a text.
	 *
	 * @param WP_REST_Request $request With `text` and perhaps `conversation` and `message`, the
	 *                                 message's id.
	 * @return WP_REST_Response
	 */
	public function create_item( $request ) {
		$found = $this->found_calls->in_text(
			$request['text'],
			$request['conversation'],
			$request['message']
		);
		return $this->prepare_item_for_response( $found, $request );
	}

	/**
	 * The result of a search, for the client.
	 *
	 * @param array<string, mixed> $item    What was found.
	 * @param WP_REST_Request      $request The request.
	 * @return WP_REST_Response
	 */
	public function prepare_item_for_response( $item, $request ) {
		return new WP_REST_Response( $item );
	}

	/**
	 * The schema of what is found.
	 *
	 * @return array<string, mixed>
	 */
	protected function schema(): array {
		return array(
			'title'                => 'toolwire-found-calls',
			'type'                 => 'object',
			'properties'           => $this->found->properties(),
			'additionalProperties' => false,
		);
	}
}
