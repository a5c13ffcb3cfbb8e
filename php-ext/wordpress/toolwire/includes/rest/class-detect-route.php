<?php
/**
 * The route that finds calls in a text.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\Detector;
use Toolwire\Segment;
use Toolwire\ToolCall;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Claims;
use Toolwire\WordPress\Engine;
use Toolwire\WordPress\Settings;
use WP_REST_Request;

/**
 * `POST /detect`: the calls in what an assistant wrote, and the text between them. Each call is recorded as seen.
 */
final class Detect_Route {

	/**
	 * What `POST /detect` takes.
	 *
	 * @return array<string, array<string, mixed>>
	 */
	public static function arguments(): array {
		$id = array(
			'type'      => 'string',
			'maxLength' => 200,
			'default'   => '',
		);
		return array(
			'text'         => array(
				'type'     => 'string',
				'required' => true,
			),
			'conversation' => $id,
			'message'      => $id,
		);
	}

	/**
	 * Answers.
	 *
	 * A call without an id of its own gets one from the message's, so that one message found twice is not run twice.
	 *
	 * @param WP_REST_Request $request With `text` and perhaps `conversation` and `message`, the message's id.
	 * @return array<string, mixed>
	 */
	public static function detect( WP_REST_Request $request ): array {
		$tools     = Engine::get()->tools;
		$detector  = new Detector(
			formats: 'auto' === Settings::get( 'formats' ) ? 'auto' : null,
			tools: $tools->for_detector(),
			aliases: $tools->aliases(),
			maxInput: Routes::MOST_BYTES,
			maxCalls: 32,
			maxRejections: 100,
		);
		$detection = $detector->detect( $request['text'] );
		$calls     = array();
		foreach ( $detection->calls as $call ) {
			$given   = $call->idGiven || '' === $request['message'] ? $call->id : $request['message'] . ":$call->index"; // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
			$calls[] = self::call( $call, $given );
			Call_Log::see( Claims::action_id( get_current_user_id(), $request['conversation'], $given ), $given, $call->name, 'text' );
		}
		return array(
			'calls'      => $calls,
			'segments'   => array_map( array( self::class, 'segment' ), $detection->segments ),
			'rejections' => array_map( static fn ( $rejection ): array => $rejection->toArray(), $detection->rejections ),
		);
	}

	/**
	 * A call as it is sent: its arguments as the text that the model wrote, so that nothing of them is lost.
	 *
	 * @param ToolCall $call The call.
	 * @param string   $id   The id under which it is to be run.
	 * @return array<string, mixed>
	 */
	private static function call( ToolCall $call, string $id ): array {
		return array(
			'id'        => $id,
			'name'      => $call->name,
			'arguments' => $call->argumentsRaw, // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
			'format'    => $call->format,
		);
	}

	/**
	 * A part of the text as it is sent.
	 *
	 * @param Segment $segment The part.
	 * @return array<string, mixed>
	 */
	private static function segment( Segment $segment ): array {
		return null === $segment->call
			? array(
				'type' => 'text',
				'text' => $segment->text,
			)
			: array(
				'type'  => 'call',
				'index' => $segment->call->index,
			);
	}
}
