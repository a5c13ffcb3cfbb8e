<?php
/**
 * The calls that stand in a text.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Detection;
use Toolwire\Detector;
use Toolwire\Segment;
use Toolwire\Text;
use Toolwire\ToolCall;

/**
 * Finds calls for the current user and records them as seen. Calls in a reply of the site's
 * assistant are bound to the reply. Calls in another text are not bound: anybody may have written
 * it.
 */
final class Found_Calls {

	/**
	 * The most bytes of a text that are searched.
	 */
	const MOST_BYTES = 2097152;

	/**
	 * Takes its parts.
	 *
	 * @param Settings $settings The settings.
	 * @param Bindings $bindings Binds calls to replies.
	 * @param Engines  $engines  The engine of each site.
	 * @param Call_Log $call_log The log.
	 */
	public function __construct(
		private Settings $settings,
		private Bindings $bindings,
		private Engines $engines,
		private Call_Log $call_log,
	) {
	}

	/**
	 * What stands in a reply of the assistant, as the script's `processReply()` takes it.
	 *
	 * @param string $reply        What the assistant wrote to the current user.
	 * @param string $conversation What the client calls the conversation.
	 * @return array<string, mixed>
	 */
	public function in_reply( string $reply, string $conversation = '' ): array {
		$detection = $this->detect( $reply );
		// Each reply gets new ids, whatever ids its calls have: a call in an earlier reply must not
		// count as this one.
		$message = wp_generate_uuid4();
		$calls   = array();
		foreach ( $detection->calls as $call ) {
			$id      = "$message:$call->index";
			$binding = $this->bindings->make(
				$conversation,
				$id,
				$call->name,
				$call->argumentsRaw
			);
			$calls[] = $this->call(
				$call,
				$id,
				$conversation,
				'assistant'
			) + array( 'binding' => $binding );
		}
		return array( 'reply' => $reply ) + $this->view( $detection, $calls );
	}

	/**
	 * What stands in any text. A call is named by its message and its place there, whatever id it
	 * has: models use the same ids again. So one message found twice is not run twice.
	 *
	 * @param string $text         The text.
	 * @param string $conversation What the client calls the conversation.
	 * @param string $message      The message's id; a new one when it is empty.
	 * @return array<string, mixed>
	 */
	public function in_text( string $text, string $conversation, string $message ): array {
		$detection = $this->detect( $text );
		$message   = '' === $message ? wp_generate_uuid4() : $message;
		$client    = $this->engines->get()->claims->client();
		$calls     = array();
		foreach ( $detection->calls as $call ) {
			$id      = "$message:$call->index";
			$calls[] = $this->call( $call, $id, $conversation, 'text', $client );
		}
		return $this->view( $detection, $calls );
	}

	/**
	 * Looks for calls of the site's tools.
	 *
	 * @param string $text The text.
	 */
	private function detect( string $text ): Detection {
		$tools    = $this->engines->get()->tools;
		$detector = new Detector(
			formats: 'auto' === $this->settings->get( 'formats' ) ? 'auto' : null,
			tools: $tools->for_detector(),
			aliases: $tools->aliases(),
			maxInput: self::MOST_BYTES,
			maxCalls: 32,
			maxRejections: 100,
		);
		return $detector->detect( $text );
	}

	/**
	 * A call for the client. Its arguments are the text that the model wrote, so that nothing is
	 * lost.
	 *
	 * @param ToolCall $call         The call.
	 * @param string   $id           The id under which it is to be run.
	 * @param string   $conversation What the client calls the conversation.
	 * @param string   $origin       One of Call_Log::ORIGINS.
	 * @param string   $client       The program for which the id counts; empty for all.
	 * @return array<string, mixed>
	 */
	private function call(
		ToolCall $call,
		string $id,
		string $conversation,
		string $origin,
		string $client = '',
	): array {
		$user   = get_current_user_id();
		$claims = $this->engines->get()->claims;
		$action = $claims->action_id( $user, $conversation, $id, '', $client );
		$this->call_log->see( $action, $id, $call->name, $origin );
		return array(
			'id'        => $id,
			'name'      => $call->name,
			'arguments' => $call->argumentsRaw,
			'format'    => $call->format,
			'shown'     => Text::visible( $call->argumentsRaw ),
		);
	}

	/**
	 * The result of a search for the client.
	 *
	 * @param Detection                  $detection What was found.
	 * @param list<array<string, mixed>> $calls     Its calls as they are sent.
	 * @return array<string, mixed>
	 */
	private function view( Detection $detection, array $calls ): array {
		return array(
			'calls'      => $calls,
			'segments'   => array_map( array( $this, 'segment' ), $detection->segments ),
			'rejections' => array_map(
				static fn ( $rejection ): array => $rejection->toArray(),
				$detection->rejections
			),
		);
	}

	/**
	 * A part of the text for the client: once unchanged, and once for people, with marks for
	 * invisible characters.
	 *
	 * @param Segment $segment The part.
	 * @return array<string, mixed>
	 */
	private function segment( Segment $segment ): array {
		return null === $segment->call
			? array(
				'type'  => 'text',
				'text'  => $segment->text,
				'shown' => Text::visible( $segment->text ),
			)
			: array(
				'type'  => 'call',
				'index' => $segment->call->index,
			);
	}
}
