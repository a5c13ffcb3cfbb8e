<?php
/**
 * Messages in the shape of WordPress' AI client.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use stdClass;
use WordPress\AiClient\Messages\DTO\Message;
use WordPress\AiClient\Messages\DTO\MessagePart;
use WordPress\AiClient\Messages\DTO\ModelMessage;
use WordPress\AiClient\Messages\DTO\UserMessage;
use WordPress\AiClient\Results\DTO\GenerativeAiResult;
use WordPress\AiClient\Tools\DTO\FunctionCall;
use WordPress\AiClient\Tools\DTO\FunctionDeclaration;
use WordPress\AiClient\Tools\DTO\FunctionResponse;

/**
 * Turns messages of chat completions, which a conversation has, into those of WordPress' AI client,
 * and what its providers answer into an answer of chat completions.
 */
final class Ai_Messages {

	/**
	 * The tools, as functions that a model may call.
	 *
	 * @param Tool_List $tools The tools.
	 * @return list<FunctionDeclaration>
	 */
	public function functions( Tool_List $tools ): array {
		$functions = array();
		foreach ( $tools->to( 'openai' ) as $tool ) {
			$schema = (array) ( $tool['function']['parameters'] ?? array() );
			if ( function_exists( 'wp_prepare_json_schema_for_client' ) ) {
				$schema = wp_prepare_json_schema_for_client( $schema );
			}
			$functions[] = new FunctionDeclaration(
				(string) $tool['function']['name'],
				(string) ( $tool['function']['description'] ?? '' ),
				$schema ? $schema : null
			);
		}
		return $functions;
	}

	/**
	 * What the model is told before all else; empty where it is told nothing.
	 *
	 * @param list<array<string, mixed>> $messages The messages of a conversation.
	 */
	public function system( array $messages ): string {
		$is_system = 'system' === ( $messages[0]['role'] ?? '' );
		return $is_system ? (string) $messages[0]['content'] : '';
	}

	/**
	 * What was said so far. Each call is a message of its own, and its result follows at once: no
	 * other order is taken by all providers. The Responses API of OpenAI wants one call a message,
	 * chat completions want the result behind the call, Gemini as many results as calls.
	 *
	 * @param list<array<string, mixed>> $messages The messages of a conversation.
	 * @return list<Message>
	 */
	public function history( array $messages ): array {
		$history = array();
		foreach ( $messages as $at => $message ) {
			$role = $message['role'] ?? '';
			$text = $message['content'] ?? '';
			if ( is_string( $text ) && '' !== $text && 'user' === $role ) {
				$history[] = new UserMessage( array( new MessagePart( $text ) ) );
			} elseif ( is_string( $text ) && '' !== $text && 'assistant' === $role ) {
				$history[] = new ModelMessage( array( new MessagePart( $text ) ) );
			}
			if ( 'assistant' === $role && ! empty( $message['tool_calls'] ) ) {
				$results = $this->results( array_slice( $messages, $at + 1 ) );
				foreach ( $message['tool_calls'] as $call ) {
					array_push( $history, ...$this->call( (array) $call, $results ) );
				}
			}
		}
		return $history;
	}

	/**
	 * The results that follow a message, by the ids of its calls.
	 *
	 * @param list<array<string, mixed>> $messages What was said after the message.
	 * @return array<string, mixed>
	 */
	private function results( array $messages ): array {
		$results = array();
		foreach ( $messages as $message ) {
			if ( 'tool' !== ( $message['role'] ?? '' ) ) {
				break;
			}
			$text   = (string) ( $message['content'] ?? '' );
			$result = json_decode( $text );

			$results[ (string) ( $message['tool_call_id'] ?? '' ) ] =
				JSON_ERROR_NONE === json_last_error() ? $result : $text;
		}
		return $results;
	}

	/**
	 * A call and its result.
	 *
	 * @param array<string, mixed> $call    The call of chat completions.
	 * @param array<string, mixed> $results The results by id.
	 * @return array{ModelMessage, UserMessage}
	 */
	private function call( array $call, array $results ): array {
		$id       = (string) ( $call['id'] ?? '' );
		$name     = (string) ( $call['function']['name'] ?? '' );
		$given    = json_decode( (string) ( $call['function']['arguments'] ?? '' ) );
		$wanted   = $call['extra_content']['google']['thought_signature'] ?? null;
		$called   = new MessagePart( new FunctionCall( $id, $name, $given ), null, $wanted );
		$answered = new FunctionResponse( $id, $name, $results[ $id ] ?? null );
		return array(
			new ModelMessage( array( $called ) ),
			new UserMessage( array( new MessagePart( $answered ) ) ),
		);
	}

	/**
	 * What a provider answered, as an answer of chat completions. Some providers give each thing
	 * that a model said as a candidate of its own; only one answer is ever asked for, so they
	 * belong together.
	 *
	 * @param GenerativeAiResult        $result    What it answered.
	 * @param list<FunctionDeclaration> $functions What the model could call.
	 * @return array<string, mixed>
	 */
	public function answer( GenerativeAiResult $result, array $functions ): array {
		$schemas = array();
		foreach ( $functions as $function ) {
			$schemas[ $function->getName() ] = $function->getParameters();
		}
		$message = array( 'role' => 'assistant' );
		$reasons = array();
		foreach ( $result->getCandidates() as $candidate ) {
			$reasons[] = $candidate->getFinishReason()->value;
			foreach ( $candidate->getMessage()->getParts() as $part ) {
				$message = $this->with_part( $message, $part, $schemas );
			}
		}
		$ends   = array_intersect( array( 'error', 'content_filter', 'length' ), $reasons );
		$ended  = isset( $message['tool_calls'] ) ? 'tool_calls' : 'stop';
		$tokens = $result->getTokenUsage();
		return array(
			'choices' => array(
				array(
					'index'         => 0,
					'message'       => $message + array( 'content' => null ),
					'finish_reason' => $ends ? reset( $ends ) : $ended,
				),
			),
			'usage'   => array(
				'prompt_tokens'     => $tokens->getPromptTokens(),
				'completion_tokens' => $tokens->getCompletionTokens(),
				'total_tokens'      => $tokens->getTotalTokens(),
			),
		);
	}

	/**
	 * A message with one more part of what the model said. A file is none: nobody asked for one.
	 *
	 * @param array<string, mixed> $message The message of chat completions so far.
	 * @param MessagePart          $part    The part.
	 * @param array<string, mixed> $schemas The schemas of the functions, by name.
	 * @return array<string, mixed>
	 */
	private function with_part( array $message, MessagePart $part, array $schemas ): array {
		$call = $part->getFunctionCall();
		if ( null !== $call ) {
			$called = $this->called( $call, count( $message['tool_calls'] ?? array() ), $schemas );
			$wanted = method_exists( $part, 'getThoughtSignature' )
				? $part->getThoughtSignature()
				: null;
			if ( null !== $wanted ) {
				// The member in which Google's own chat completions have it.
				$called['extra_content']['google']['thought_signature'] = $wanted;
			}
			$message['tool_calls'][] = $called;
		} elseif ( null !== $part->getText() ) {
			$name             = $part->getChannel()->isThought() ? 'reasoning_content' : 'content';
			$message[ $name ] = ( $message[ $name ] ?? '' ) . $part->getText();
		}
		return $message;
	}

	/**
	 * A call that the model has written. Providers say null where there are no arguments.
	 *
	 * @param FunctionCall         $call    The call.
	 * @param int                  $index   Its place; not every provider gives calls an id.
	 * @param array<string, mixed> $schemas The schemas of the functions, by name.
	 * @return array<string, mixed>
	 */
	private function called( FunctionCall $call, int $index, array $schemas ): array {
		$name      = (string) $call->getName();
		$arguments = $call->getArgs();
		$is_none   = null === $arguments || array() === $arguments;
		$shaped    = $this->shaped( $arguments, $schemas[ $name ] ?? array() );
		$json      = $is_none ? '{}' : wp_json_encode( $shaped );
		return array(
			'id'       => $call->getId() ?? "call_$index",
			'type'     => 'function',
			'function' => array(
				'name'      => $name,
				// What JSON cannot hold must not pass for no arguments, as null does.
				// A list is refused.
				'arguments' => false === $json ? '[null]' : $json,
			),
		);
	}

	/**
	 * A value in which an empty object is one again, where the schema wants an object: providers
	 * decode arguments, after which it is an empty list.
	 *
	 * @param mixed $value  The value.
	 * @param mixed $schema Its schema.
	 * @return mixed
	 */
	private function shaped( $value, $schema ) {
		$schema = (array) $schema;
		if ( ! is_array( $value ) ) {
			return $value;
		}
		if ( array() === $value ) {
			$types = (array) ( $schema['type'] ?? array() );
			return in_array( 'object', $types, true ) ? new stdClass() : $value;
		}
		$parts = (array) ( $schema['properties'] ?? array() );
		foreach ( $value as $name => $part ) {
			$of = array_is_list( $value ) ? $schema['items'] ?? null : $parts[ $name ] ?? null;

			$value[ $name ] = $this->shaped( $part, $of );
		}
		return $value;
	}
}
