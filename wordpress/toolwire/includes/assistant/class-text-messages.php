<?php
/**
 * Messages for servers that take no tools.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\Detector;
use Toolwire\WordPress\Host;
use Toolwire\WordPress\Json_Text;

/**
 * Writes the messages of chat completions without calls and results as such.
 */
final class Text_Messages {

	/**
	 * Takes the model, which says how calls are written.
	 *
	 * @param string $model The model's name; may be empty.
	 */
	public function __construct( private string $model ) {
	}

	/**
	 * The messages: roles `system`, `user` and `assistant` alone, each with a text.
	 *
	 * @param list<array<string, mixed>> $messages The messages of chat completions.
	 * @param string                     $tools    What the model is told of its tools.
	 * @return list<array{role: string, content: string}>
	 */
	public function of( array $messages, string $tools ): array {
		$names   = array();
		$written = array();
		foreach ( $messages as $message ) {
			foreach ( (array) ( $message['tool_calls'] ?? array() ) as $call ) {
				$names[ (string) $call['id'] ] = (string) $call['function']['name'];
			}
			$role    = (string) ( $message['role'] ?? 'user' );
			$content = (string) ( $message['content'] ?? '' );
			if ( 'tool' === $role ) {
				$name    = $names[ (string) ( $message['tool_call_id'] ?? '' ) ] ?? '';
				$role    = 'user';
				$content = "Result of the tool $name:\n$content";
			}
			$calls     = $this->calls( (array) ( $message['tool_calls'] ?? array() ) );
			$written[] = array(
				'role'    => $role,
				'content' => trim( "$content\n$calls" ),
			);
		}
		if ( 'system' === ( $written[0]['role'] ?? '' ) ) {
			$written[0]['content'] .= "\n\n$tools";
			return $this->joined( $written );
		}
		$system = array(
			'role'    => 'system',
			'content' => $tools,
		);
		return $this->joined( array( $system, ...$written ) );
	}

	/**
	 * Calls as the model writes them.
	 *
	 * @param list<array<string, mixed>> $calls The calls of chat completions.
	 */
	private function calls( array $calls ): string {
		$told      = array();
		$json_text = new Json_Text();
		foreach ( $calls as $call ) {
			$arguments = $json_text->value( (string) $call['function']['arguments'] );
			// A call whose arguments cannot be read is not shown as one without arguments.
			if ( is_object( $arguments ) || is_array( $arguments ) ) {
				$told[] = array(
					'name'      => (string) $call['function']['name'],
					'arguments' => $arguments,
				);
			}
		}
		if ( ! $told ) {
			return '';
		}
		if ( Host::only_reads() ) {
			return ( new Hermes_Form() )->calls( $told );
		}
		$profile = '' === $this->model ? null : Detector::profileFor( $this->model );
		return Detector::renderCalls( $told, $profile?->formats[0] ?? 'hermes' );
	}

	/**
	 * The messages with those joined that one role says one after the other: the templates of some
	 * models refuse these.
	 *
	 * @param list<array{role: string, content: string}> $messages The messages.
	 * @return list<array{role: string, content: string}>
	 */
	private function joined( array $messages ): array {
		$joined = array();
		foreach ( $messages as $message ) {
			$last = count( $joined ) - 1;
			if ( $last >= 0 && $joined[ $last ]['role'] === $message['role'] ) {
				$joined[ $last ]['content'] .= "\n\n" . $message['content'];
			} else {
				$joined[] = $message;
			}
		}
		return $joined;
	}
}
