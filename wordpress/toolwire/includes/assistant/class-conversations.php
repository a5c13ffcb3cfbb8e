<?php
/**
 * Conversations with the assistant.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\Tools\Agent;
use Toolwire\Tools\Exception\AgentException;
use Toolwire\Tools\RateLimiter;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Host;
use WP_Error;

/**
 * Begins conversations of the current user, takes what the user says, stops and removes them. A
 * text that is sent twice counts once: the client names it.
 */
final class Conversations {

	/**
	 * The longest title, in characters.
	 */
	const TITLE = 60;

	/**
	 * Takes its parts.
	 *
	 * @param Engines            $engines     The engine of each site.
	 * @param Conversation_Table $table       The conversations.
	 * @param Agents             $agents      Makes agents.
	 * @param Call_Log           $call_log    The log.
	 * @param Token_Budget       $budget      Counts tokens.
	 * @param Model              $model       What answers.
	 * @param Coming_Words       $coming      The words of messages that are being written.
	 */
	public function __construct(
		private Engines $engines,
		private Conversation_Table $table,
		private Agents $agents,
		private Call_Log $call_log,
		private Token_Budget $budget,
		private Model $model,
		private Coming_Words $coming,
	) {
	}

	/**
	 * Begins a conversation. Returns its row; the one that there is, if the client begins it again.
	 *
	 * @param string $text      What the user says.
	 * @param string $client_id The client's name for the text; may be empty.
	 * @return array<string, string|null>|WP_Error
	 */
	public function begin( string $text, string $client_id ) {
		$user = get_current_user_id();
		$uuid = $this->engines->get()->ids->run_id( $user, 'conversation', $client_id );
		$row  = $this->table->find( $uuid );
		if ( null === $row ) {
			$refusal = $this->refusal( $text ) ?? $this->too_soon();
			if ( null !== $refusal ) {
				return $refusal;
			}
			$title = $this->title( $text );
			$this->table->begin( $uuid, $user, $title, $client_id, $this->model->api() );
			$row = $this->table->find( $uuid );
			/**
			 * Fires when a user begins a conversation.
			 *
			 * @param array<string, string> $conversation Its `uuid`, `user_id`, `state`, `title`.
			 */
			do_action(
				'toolwire_conversation_started',
				array_intersect_key(
					(array) $row,
					array_flip( array( 'uuid', 'user_id', 'state', 'title' ) )
				)
			);
		}
		return $this->said( (array) $row, $text );
	}

	/**
	 * Takes what the user says in a conversation.
	 *
	 * @param array<string, string|null> $row       The conversation.
	 * @param string                     $text      What the user says.
	 * @param string                     $client_id The client's name for the text; may be empty.
	 * @return array<string, string|null>|WP_Error
	 */
	public function say( array $row, string $text, string $client_id ) {
		if ( '' !== $client_id && $client_id === $row['client_id'] ) {
			return $this->said( $row, $text );
		}
		$most    = $this->agents->limits( (int) $row['user_id'] )['texts'];
		$refusal = $this->refusal( $text );
		if ( null === $refusal && (int) $row['texts'] >= $most ) {
			$refusal = new WP_Error(
				'toolwire_conversation_too_long',
				__( 'This conversation is too long. Begin a new one.', 'toolwire' ),
				array( 'status' => 409 )
			);
		}
		$refusal ??= $this->too_soon();
		if ( null !== $refusal ) {
			return $refusal;
		}
		if ( ! $this->table->say( $row, $client_id ) ) {
			$row = $this->find( (string) $row['uuid'] ) ?? $row;
			return $this->not_taken( $row, $text, $client_id );
		}
		return $this->said( (array) $this->table->find( (string) $row['uuid'] ), $text );
	}

	/**
	 * A conversation of the current user; null for any other.
	 *
	 * @param string $uuid The id.
	 * @return array<string, string|null>|null
	 */
	public function find( string $uuid ): ?array {
		$row = $this->table->find( $uuid );
		return null !== $row && get_current_user_id() === (int) $row['user_id'] ? $row : null;
	}

	/**
	 * What happened in a conversation so far, as the agent tells it.
	 *
	 * @param array<string, string|null> $row The conversation.
	 * @return list<array{type: string, data: array<string, mixed>}>
	 */
	public function events( array $row ): array {
		try {
			return $this->agents->stopping( $row )->events( (string) $row['uuid'] );
		} catch ( AgentException $unread ) {
			// The extension has held it in the form of another provider.
			if ( Host::only_reads() && 'other_model' === $unread->getKind() ) {
				return array();
			}
			throw $unread;
		}
	}

	/**
	 * Has a step be tried again that failed. It counts as a text: each try asks the model.
	 *
	 * @param array<string, string|null> $row The conversation.
	 * @return array<string, string|null>|WP_Error
	 */
	public function retry( array $row ) {
		$refusal = 'failed' === $row['state'] ? $this->too_soon() : null;
		if ( null !== $refusal ) {
			return $refusal;
		}
		$this->table->move( (string) $row['uuid'], array( 'failed' ), 'thinking' );
		return $this->table->find( (string) $row['uuid'] ) ?? $row;
	}

	/**
	 * Stops a conversation: the model is not asked any more, and calls that wait are taken back. A
	 * tool that runs right now ends.
	 *
	 * @param array<string, string|null> $row The conversation.
	 * @return array<string, string|null>
	 */
	public function stop( array $row ): array {
		$uuid = (string) $row['uuid'];
		if ( $this->table->move( $uuid, array( 'thinking', 'waiting', 'failed' ), 'stopped' ) ) {
			$this->agents->end_calls( $row );
		}
		return $this->table->find( $uuid ) ?? $row;
	}

	/**
	 * Removes a conversation with all that was said. Calls that wait are taken back first; the log
	 * keeps its calls.
	 *
	 * @param array<string, string|null> $row The conversation.
	 */
	public function delete( array $row ): bool {
		$this->stop( $row );
		$this->agents->stopping( $row )->forget( (string) $row['uuid'] );
		// A process that was killed while the model wrote has left them.
		$this->coming->forget( (string) $row['uuid'] );
		return $this->table->delete( (string) $row['uuid'] );
	}

	/**
	 * The title of a conversation that begins with a text.
	 *
	 * @param string $text The text.
	 */
	private function title( string $text ): string {
		$line = trim( (string) preg_replace( '/\s+/u', ' ', mb_scrub( $text, 'UTF-8' ) ) );
		return $this->call_log->text( mb_strimwidth( $line, 0, self::TITLE, '…' ), 200 );
	}

	/**
	 * Sees to it that the store has the newest text: the process that recorded it may have died.
	 *
	 * @param array<string, string|null> $row  The conversation.
	 * @param string                     $text The newest text.
	 * @return array<string, string|null>|WP_Error
	 */
	private function said( array $row, string $text ) {
		$uuid  = (string) $row['uuid'];
		$agent = $this->agents->stopping( $row );
		$types = array_count_values( array_column( $agent->events( $uuid ), 'type' ) );
		if ( ( $types['user'] ?? 0 ) >= (int) $row['texts'] ) {
			return $row;
		}
		try {
			$this->say_once( $agent, $row, $text );
		} catch ( AgentException $refused ) {
			// Else the same text came twice at the same moment.
			if ( 'conversation_busy' !== $refused->getKind() ) {
				return $this->busy();
			}
		}
		return $row;
	}

	/**
	 * Stores a text. If the user has stopped the conversation before all calls had a result, they
	 * get one first.
	 *
	 * @param Agent                      $agent What stores it.
	 * @param array<string, string|null> $row   The conversation.
	 * @param string                     $text  The text.
	 * @throws AgentException When a tool still works, or another process adds to it.
	 */
	private function say_once( Agent $agent, array $row, string $text ): void {
		try {
			$agent->say( $text, (string) $row['uuid'] );
		} catch ( AgentException $refused ) {
			if ( 'conversation_waiting' !== $refused->getKind() ) {
				throw $refused;
			}
			$this->agents->end_calls( $row );
			$agent->say( $text, (string) $row['uuid'] );
		}
	}

	/**
	 * Why a text is not taken that came while another one is answered or a call waits; the
	 * conversation if it is the same text.
	 *
	 * @param array<string, string|null> $row       The conversation as it is by now.
	 * @param string                     $text      The text.
	 * @param string                     $client_id The client's name for it.
	 * @return array<string, string|null>|WP_Error
	 */
	private function not_taken( array $row, string $text, string $client_id ) {
		if ( '' !== $client_id && $client_id === $row['client_id'] ) {
			return $this->said( $row, $text );
		}
		if ( 'waiting' === $row['state'] ) {
			return new WP_Error(
				'toolwire_conversation_waiting',
				__(
					'Something waits for approval here. Wait for it, or stop it first.',
					'toolwire'
				),
				array( 'status' => 409 )
			);
		}
		return $this->busy();
	}

	/**
	 * Refuses a text while another one is answered, or a tool still works.
	 */
	private function busy(): WP_Error {
		return new WP_Error(
			'toolwire_conversation_busy',
			__( 'The assistant is answering. Wait for it, or stop it first.', 'toolwire' ),
			array( 'status' => 409 )
		);
	}

	/**
	 * Why a text cannot be taken: it is empty or too long.
	 *
	 * @param string $text The text.
	 */
	private function refusal( string $text ): ?WP_Error {
		$most = $this->agents->limits( get_current_user_id() )['characters'];
		if ( '' === trim( $text ) ) {
			return new WP_Error(
				'toolwire_no_text',
				__( 'Write a message first.', 'toolwire' ),
				array( 'status' => 400 )
			);
		}
		return mb_strlen( $text ) <= $most ? null : new WP_Error(
			'toolwire_text_too_long',
			sprintf(
				/* translators: %s: a number of characters. */
				__( 'A message may have %s characters.', 'toolwire' ),
				number_format_i18n( $most )
			),
			array( 'status' => 413 )
		);
	}

	/**
	 * Counts a text of the current user; refuses it when there were too many, and when the tokens
	 * of the month are spent.
	 */
	private function too_soon(): ?WP_Error {
		if ( $this->budget->is_spent() ) {
			return new WP_Error(
				'toolwire_tokens_spent',
				__( 'The assistant has said all that it may say this month.', 'toolwire' ),
				array(
					'status'      => 429,
					'retry_after' => $this->budget->seconds_left(),
				)
			);
		}
		$user   = get_current_user_id();
		$limits = $this->agents->limits( $user );
		$store  = $this->engines->get()->store;
		$spans  = array(
			'minute' => array( $limits['texts_per_minute'], MINUTE_IN_SECONDS ),
			'day'    => array( $limits['texts_per_day'], DAY_IN_SECONDS ),
		);
		foreach ( $spans as $span => list( $most, $seconds ) ) {
			$limiter = new RateLimiter( $store, max( 1, $most ), (float) $seconds );
			$checked = $limiter->check( "texts:$span", "user:$user" );
			if ( ! $checked['allowed'] ) {
				$wait = max( 1, (int) ceil( $checked['retry_after'] ) );
				return new WP_Error(
					'toolwire_rate_limited',
					sprintf(
						/* translators: %s: a span of time, such as 40 seconds. */
						__( 'Too many messages. Try again in %s.', 'toolwire' ),
						human_time_diff( time(), time() + $wait )
					),
					array(
						'status'      => 429,
						'retry_after' => $wait,
					)
				);
			}
		}
		return null;
	}
}
