<?php
/**
 * The calls that stand in a text.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Detection;
use Toolwire\Detector;
use Toolwire\Plain\CutMark;
use Toolwire\Provider;
use Toolwire\Text;
use Toolwire\ToolCall;

/**
 * Finds calls for the current user and records them as seen. Calls in a reply of the site's
 * assistant are bound to the reply. Calls in another text are not bound: anybody may have written
 * it.
 */
final class Found_Calls {

	/**
	 * The forms of the setting that reads no others.
	 */
	const SEED = array( 'tag', 'json', 'html' );

	/**
	 * The most bytes of a text that are searched.
	 */
	const MOST_BYTES = 2097152;

	/**
	 * How many bytes the mark of a family has at most.
	 */
	const LONGEST_MARK = 64;

	/**
	 * Takes its parts.
	 *
	 * @param Settings      $settings      The settings.
	 * @param Bindings      $bindings      Binds calls to replies.
	 * @param Engines       $engines       The engine of each site.
	 * @param Call_Log      $call_log      The log.
	 * @param Message_Parts $message_parts Tells the parts of a message.
	 */
	public function __construct(
		private Settings $settings,
		private Bindings $bindings,
		private Engines $engines,
		private Call_Log $call_log,
		private Message_Parts $message_parts,
	) {
	}

	/**
	 * What stands in a reply of the assistant, as the script's `processReply()` takes it.
	 *
	 * @param string $reply        What the assistant wrote to the current user.
	 * @param string $conversation What the client calls the conversation.
	 * @param bool   $by_model     Whether the site's model wrote it, whose name the settings have.
	 * @return array<string, mixed>
	 */
	public function in_reply(
		string $reply,
		string $conversation = '',
		bool $by_model = true,
	): array {
		$set       = $by_model ? (string) $this->settings->get( 'model' ) : '';
		$detection = $this->detect( $reply, $set, 'assistant' );
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
		$view = $this->view(
			$detection,
			$reply,
			$calls,
			'hidden' !== $this->settings->get( 'reasoning' )
		);
		return array( 'reply' => $this->message_parts->text( $view['segments'] ) ) + $view;
	}

	/**
	 * What a model is told of the calls in its reply that were refused, if none was found: the
	 * code, the place and how its form is written.
	 *
	 * @param string $reply What the assistant wrote.
	 * @return list<string>
	 */
	public function refusals( string $reply ): array {
		$detection = $this->detect( $reply, (string) $this->settings->get( 'model' ), 'assistant' );
		if ( $detection->calls ) {
			return array();
		}
		// What was only thought or shown was not meant to run.
		$parts = $this->message_parts->of( $detection, $reply, false );
		$codes = array_column( $parts, 'code' );
		$meant = array_filter(
			$detection->rejections,
			static fn ( $rejection ): bool => in_array( $rejection->code, $codes, true )
		);
		$told  = static fn ( $one ): string => Provider::refusal( $one, 'openai' )['content'];
		return array_map( $told, array_slice( array_values( $meant ), 0, 5 ) );
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
		$detection = $this->detect( $text, '', 'text' );
		$message   = '' === $message ? wp_generate_uuid4() : $message;
		$client    = $this->engines->get()->ids->client();
		$calls     = array();
		foreach ( $detection->calls as $call ) {
			$id      = "$message:$call->index";
			$calls[] = $this->call( $call, $id, $conversation, 'text', $client );
		}
		return $this->view( $detection, $text, $calls, true );
	}

	/**
	 * Looks for calls of the site's tools. A model that is not known is read like any other.
	 *
	 * @param string $text   The text.
	 * @param string $model  The name of the model that wrote it; empty when that is not known.
	 * @param string $origin One of Call_Log::ORIGINS.
	 */
	private function detect( string $text, string $model, string $origin ): Detection {
		/**
		 * Filters the name of the model that wrote a text. Its family writes reasoning and calls in
		 * its own way.
		 *
		 * @param string $model  The name in the settings; empty for a text of unknown origin.
		 * @param string $origin `assistant` for a reply of the site's assistant, else `text`.
		 */
		$model = (string) apply_filters( 'toolwire_model', $model, $origin );
		return $this->detector( $model )->detect( $text );
	}

	/**
	 * What reads the texts of a model. One that is not known is read like any other.
	 *
	 * @param string $model The model's name; empty when it is not known.
	 */
	public function detector( string $model ): Detector {
		$known   = '' !== $model && null !== Detector::profileFor( $model );
		$tools   = $this->engines->get()->tools;
		$formats = 'auto' === $this->settings->get( 'formats' ) ? 'auto' : self::SEED;
		if ( Host::only_reads() && 'auto' !== $formats ) {
			// A server without tools is told the form of Hermes.
			$formats = array( ...self::SEED, 'hermes' );
		}
		return new Detector(
			formats: $known ? $this->formats_of( $model ) : $formats,
			tools: $tools->for_detector(),
			aliases: $tools->aliases(),
			maxInput: self::MOST_BYTES,
			maxCalls: 32,
			maxRejections: 100,
			model: $known ? $model : null,
		);
	}

	/**
	 * The forms of a known model: null for those of its family. Where a server without tools may be
	 * told the form of Hermes, that one too.
	 *
	 * @param string $model The model's name.
	 * @return list<string>|null
	 */
	private function formats_of( string $model ): ?array {
		$own = (array) Detector::profileFor( $model )?->formats;
		return Host::only_reads()
			? array_values( array_unique( array( ...$own, 'hermes' ) ) )
			: null;
	}

	/**
	 * The parts of a text of the assistant out of which its calls were taken: text, and markup that
	 * was refused. It is read as one of an unknown model, since a model's own text may begin with
	 * reasoning that nothing marks.
	 *
	 * @param string $text      The text.
	 * @param bool   $reasoning Whether reasoning is told.
	 * @return list<array<string, mixed>>
	 */
	public function parts( string $text, bool $reasoning ): array {
		$detector = new Detector( formats: 'auto', maxInput: self::MOST_BYTES, maxRejections: 100 );
		$text     = Host::only_reads()
			? CutMark::without( $text )
			: $this->without_cut_mark( $text, $detector );
		return $this->message_parts->of( $detector->detect( $text ), $text, $reasoning );
	}

	/**
	 * A text without the beginning of a mark that stands at its end: the model was cut off there,
	 * or is still writing it.
	 *
	 * @param string   $text     The text.
	 * @param Detector $detector Knows the marks.
	 */
	private function without_cut_mark( string $text, Detector $detector ): string {
		$end  = substr( $text, -self::LONGEST_MARK );
		$told = '';
		foreach ( $detector->stream()->feed( $end ) as $event ) {
			if ( 'text' !== $event->type ) {
				return $text;
			}
			$told .= $event->text;
		}
		$mark = ltrim( substr( $end, strlen( $told ) ) );
		if ( 1 === preg_match( '/^[<\[]./s', $mark ) ) {
			return substr( $text, 0, -strlen( $mark ) );
		}
		// The end of a part whose beginning was taken out before.
		return (string) preg_replace( '~</[a-z_]*\z~', '', $text );
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
		$ids    = $this->engines->get()->ids;
		$action = $ids->run_id( $user, $conversation, $id, '', $client );
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
	 * @param string                     $text      In which text.
	 * @param list<array<string, mixed>> $calls     Its calls as they are sent.
	 * @param bool                       $reasoning Whether reasoning is told.
	 * @return array<string, mixed>
	 */
	private function view(
		Detection $detection,
		string $text,
		array $calls,
		bool $reasoning,
	): array {
		return array(
			'calls'      => $calls,
			'segments'   => $this->message_parts->of( $detection, $text, $reasoning ),
			'rejections' => array_map(
				static fn ( $rejection ): array => $rejection->toArray(),
				$detection->rejections
			),
		);
	}
}
