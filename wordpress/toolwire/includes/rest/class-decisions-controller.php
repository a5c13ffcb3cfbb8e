<?php
/**
 * The route for several decisions at once.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Decisions;
use Toolwire\WordPress\Engines;
use WP_Error;
use WP_REST_Request;
use WP_REST_Response;

/**
 * `POST /approvals/decide` takes several decisions, each by the fingerprint of what was shown, and
 * answers with an outcome for each.
 */
final class Decisions_Controller extends Controller {

	/**
	 * Takes its parts.
	 *
	 * @param Access    $access    Who may do what.
	 * @param Engines   $engines   The engine of each site.
	 * @param Decisions $decisions Takes decisions.
	 * @param Call_View $call_view Tells of calls.
	 */
	public function __construct(
		Access $access,
		Engines $engines,
		private Decisions $decisions,
		private Call_View $call_view,
	) {
		parent::__construct( 'approvals/decide', $access, $engines );
	}

	/**
	 * Registers the route.
	 */
	public function register_routes() {
		$this->route(
			'',
			array( $this->handler( 'POST', 'create_item', 'approve', $this->arguments() ) )
		);
	}

	/**
	 * Takes the decisions.
	 *
	 * @param WP_REST_Request $request With `decisions`.
	 * @return WP_REST_Response
	 */
	public function create_item( $request ) {
		$sent = array_values( $request['decisions'] );
		return $this->prepare_item_for_response(
			array(
				'ids'      => array_column( $sent, 'id' ),
				'outcomes' => $this->decisions->take( $sent ),
			),
			$request
		);
	}

	/**
	 * The outcomes for the client.
	 *
	 * @param array{ids: list<string>, outcomes: list<mixed>} $item    The ids of the requests, and
	 *                                                                 what came of each.
	 * @param WP_REST_Request                                 $request The request.
	 * @return WP_REST_Response
	 */
	public function prepare_item_for_response( $item, $request ) {
		$counts = $this->decisions->count( $item['outcomes'] );
		return new WP_REST_Response(
			array(
				'outcomes' => array_map(
					array( $this, 'outcome' ),
					$item['ids'],
					$item['outcomes']
				),
				'good'     => $this->decisions->went_well( $counts ),
				'message'  => $this->decisions->words( $counts ),
			)
		);
	}

	/**
	 * The schema of the answer.
	 *
	 * @return array<string, mixed>
	 */
	protected function schema(): array {
		$text   = static fn ( string $description ): array => array(
			'description' => $description,
			'type'        => 'string',
		);
		$error  = array(
			'code'    => $text( 'The code of the reason.' ),
			'message' => $text( 'The reason in words.' ),
			'status'  => array(
				'description' => 'The status that `POST /approvals/ID` would have.',
				'type'        => 'integer',
			),
		);
		$called = $this->call_view->schema();
		return array(
			'title'                => 'toolwire-outcomes',
			'type'                 => 'object',
			'properties'           => array(
				'outcomes' => array(
					'description' => 'What came of each decision, in their order.',
					'type'        => 'array',
					'items'       => array(
						'type'                 => 'object',
						'properties'           => array(
							'id'    => $text( 'The id of the request.' ),
							'call'  => array( 'type' => array( 'object', 'null' ) ) + $called,
							'error' => array(
								'description'          => 'Why the decision was not taken.',
								'type'                 => array( 'object', 'null' ),
								'properties'           => $error,
								'additionalProperties' => false,
							),
						),
						'additionalProperties' => false,
					),
				),
				'good'     => array(
					'description' => 'Whether all that was decided has come to pass.',
					'type'        => 'boolean',
				),
				'message'  => $text( 'The outcomes in words, for people.' ),
			),
			'additionalProperties' => false,
		);
	}

	/**
	 * What the route takes.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	private function arguments(): array {
		$decision = array(
			'id'      => array(
				'description' => 'The id of the request.',
				'type'        => 'string',
				'required'    => true,
			),
			'granted' => array(
				'type'     => 'boolean',
				'required' => true,
			),
			'reason'  => array(
				'type'      => 'string',
				'maxLength' => 2000,
			),
			'seen'    => array(
				'description' => 'The fingerprint of the request as the person was shown it. '
					. 'A decision without it is refused.',
				'type'        => 'string',
			),
		);
		return array(
			'decisions' => array(
				'description' => 'What is decided. Each is taken alone.',
				'type'        => 'array',
				'required'    => true,
				'minItems'    => 1,
				'maxItems'    => Decisions::MOST,
				'items'       => array(
					'type'                 => 'object',
					'properties'           => $decision,
					'additionalProperties' => false,
				),
			),
		);
	}

	/**
	 * What came of a decision.
	 *
	 * @param string                              $id      The id of the request.
	 * @param array<string, string|null>|WP_Error $outcome The call's row in the log, or why the
	 *                                                     decision was not taken.
	 * @return array<string, mixed>
	 */
	private function outcome( string $id, $outcome ): array {
		if ( ! is_wp_error( $outcome ) ) {
			return array(
				'id'    => $id,
				'call'  => $this->call_view->of( $outcome ),
				'error' => null,
			);
		}
		return array(
			'id'    => $id,
			'call'  => null,
			'error' => array(
				'code'    => (string) $outcome->get_error_code(),
				'message' => $outcome->get_error_message(),
				'status'  => (int) ( $outcome->get_error_data()['status'] ?? 500 ),
			),
		);
	}
}
