<?php
/**
 * The steps of conversations.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Closure;
use Throwable;
use Toolwire\Tools\AgentAnswer;
use Toolwire\Tools\Exception\AgentException;
use Toolwire\WordPress\Acting_User;
use Toolwire\WordPress\Host;
use WP_Error;

/**
 * Goes on with a conversation: asks the model and runs its calls until it answers, calls wait for a
 * person, or the request has worked long enough. One process at a time goes on with a conversation.
 */
final class Steps {

	/**
	 * How many seconds of a claim are left when an answer came as late as it may.
	 */
	const RESERVE = 60;

	/**
	 * After how many processes that died in a step no other one tries it by itself: a host may
	 * kill what takes long, and each try asks the model anew.
	 */
	const DEATHS = 3;

	/**
	 * After how many seconds a step is tried again for which the site had no process to spare.
	 */
	const LATER = 5;

	/**
	 * Takes its parts.
	 *
	 * @param Conversation_Table $table       The conversations.
	 * @param Agents             $agents      Makes agents.
	 * @param Model              $model       What answers.
	 * @param Acting_User        $acting_user Who acts.
	 * @param Refused_Calls      $refused_calls Records calls that were refused.
	 * @param Token_Budget       $budget      Counts tokens.
	 */
	public function __construct(
		private Conversation_Table $table,
		private Agents $agents,
		private Model $model,
		private Acting_User $acting_user,
		private Refused_Calls $refused_calls,
		private Token_Budget $budget,
	) {
	}

	/**
	 * Takes a step as the current user, whose conversation it is. Returns the conversation as it
	 * then stands, or why no step was taken.
	 *
	 * @param array<string, string|null> $row      The conversation.
	 * @param ?Closure                   $listener Is told what happens, as an agent's listener is.
	 * @return array<string, string|null>|WP_Error
	 */
	public function take( array $row, ?Closure $listener = null ) {
		if ( Host::only_reads() && 'waiting' === $row['state'] ) {
			return $row; // It waits since the extension was there, and until it is back.
		}
		$uuid  = (string) $row['uuid'];
		$claim = wp_generate_uuid4();
		if ( ! $this->table->claim( $uuid, $claim, $this->claimed_seconds() ) ) {
			$row = $this->table->find( $uuid ) ?? $row;
			return in_array( $row['state'], array( 'thinking', 'waiting' ), true )
				? $this->busy()
				: $row;
		}
		$row     = $this->table->find( $uuid ) ?? $row;
		$refusal = $this->no_process_to_spare( $row, $claim );
		if ( null !== $refusal ) {
			return $refusal;
		}
		$this->prepare();
		$tokens  = 0;
		$failure = null;
		try {
			$this->mind_deaths( $row );
			$before  = $this->before( $row, $claim );
			$agent   = $this->agents->speaking( $row, $before, null !== $listener );
			$heard   = $this->recording( $row, $listener, $tokens );
			$outcome = $this->outcome( $agent->run( conversation: $uuid, listener: $heard ) );
		} catch ( Step_Over $over ) {
			$outcome = array( 'thinking', '' );
		} catch ( Throwable $thrown ) {
			$failure = $this->failure( $thrown );
			$code    = substr( (string) $failure->get_error_code(), strlen( 'toolwire_' ) );
			$outcome = array( 'failed', $code );
		}
		if ( 'conversation_busy' === $outcome[1] ) {
			// Another process has added to it; the next step goes on from there.
			$failure = null;
			$outcome = array( 'thinking', '' );
		}
		$this->budget->add( $tokens );
		$this->table->release( $uuid, $claim, $outcome[0], $outcome[1], $tokens );
		return $this->ended( $row, $failure );
	}

	/**
	 * Gives a claim back, if too many steps are taken at once: each has a process of PHP to itself
	 * while the model writes, and the site needs some of them.
	 *
	 * @param array<string, string|null> $row   The conversation.
	 * @param string                     $claim What names this process.
	 */
	private function no_process_to_spare( array $row, string $claim ): ?WP_Error {
		$user    = (int) $row['user_id'];
		$limits  = $this->agents->limits( $user );
		$working = $this->table->working( $user );
		if (
			$working['user'] <= max( 1, $limits['at_once'] )
			&& $working['all'] <= max( 1, $limits['at_once_on_site'] )
		) {
			return null;
		}
		$this->table->unclaim( (string) $row['uuid'], $claim );
		return new WP_Error(
			'toolwire_assistant_full',
			__( 'The assistant answers others right now. It comes to this soon.', 'toolwire' ),
			array(
				'status'      => 429,
				'retry_after' => self::LATER,
			)
		);
	}

	/**
	 * Prepares the request for a long wait.
	 */
	private function prepare(): void {
		// The answer is for the conversation, whether or not the page is still open.
		ignore_user_abort( true );
		// Else the other requests of the user wait for a session that a plugin has opened.
		if ( PHP_SESSION_ACTIVE === session_status() ) {
			session_write_close();
		}
	}

	/**
	 * Fails where the processes before this one have died.
	 *
	 * @param array<string, string|null> $row The conversation.
	 * @throws Model_Failure When there were too many.
	 */
	private function mind_deaths( array $row ): void {
		if ( (int) $row['deaths'] >= self::DEATHS ) {
			$why = 'PHP was ended before the model had answered, three times. See '
				. 'request_terminate_timeout of PHP-FPM.';
			// phpcs:ignore WordPress.Security.EscapeOutput -- not shown to visitors.
			throw new Model_Failure( new WP_Error( 'toolwire_died', $why ) );
		}
	}

	/**
	 * Ends what a step has left: the open calls of a conversation that was stopped meanwhile. Tells
	 * other plugins what has changed, and returns the conversation as it stands.
	 *
	 * @param array<string, string|null> $row     The conversation as it was before.
	 * @param ?WP_Error                  $failure Why the step failed.
	 * @return array<string, string|null>
	 */
	private function ended( array $row, ?WP_Error $failure ): array {
		$now = $this->table->find( (string) $row['uuid'] ) ?? $row;
		if ( 'stopped' === $now['state'] && '' === $now['error_code'] ) {
			$this->agents->end_calls( $now );
		}
		if ( $now['state'] !== $row['state'] ) {
			$this->tell( $now, $failure );
		}
		$this->model->remember_failure( $failure );
		return $now;
	}

	/**
	 * Takes a step as the user whose conversation it is, whoever the current user is: an event of
	 * WordPress goes on with it. Returns what take() returns.
	 *
	 * @param array<string, string|null> $row The conversation.
	 * @return array<string, string|null>|WP_Error
	 */
	public function take_as_its_user( array $row ) {
		$user = (int) $row['user_id'];
		if ( $this->acting_user->has_gone( $user ) ) {
			$this->table->move( (string) $row['uuid'], array( 'thinking', 'waiting' ), 'stopped' );
			return $row;
		}
		return $this->acting_user->during( $user, fn () => $this->take( $row ) );
	}

	/**
	 * For how long a step has a conversation for itself.
	 */
	public function claimed_seconds(): int {
		return $this->model->seconds() + self::RESERVE;
	}

	/**
	 * A listener that counts tokens, records refused calls, and tells the given one.
	 *
	 * @param array<string, string|null> $row      The conversation.
	 * @param ?Closure                   $listener The one that was given.
	 * @param int                        $tokens   Counts tokens.
	 * @return Closure(string, array<string, mixed>): void
	 */
	private function recording( array $row, ?Closure $listener, int &$tokens ): Closure {
		return function ( string $type, array $data ) use ( $row, $listener, &$tokens ): void {
			if ( 'usage' === $type ) {
				$tokens += $data['input_tokens'] + $data['output_tokens'];
			}
			if ( 'rejected' === $type || 'result' === $type ) {
				$this->refused_calls->record( $row, $type, $data );
			}
			if ( null !== $listener ) {
				$listener( $type, $data );
			}
		};
	}

	/**
	 * What is done each time before the model is asked or a call runs. A request that was tried
	 * before is tried again however late it is: else a slow failure would never be one.
	 *
	 * @param array<string, string|null> $row   The conversation.
	 * @param string                     $claim What names this process.
	 * @return Closure(?int): void
	 */
	private function before( array $row, string $claim ): Closure {
		$began = microtime( true );
		$asked = null;
		$most  = $this->agents->limits( (int) $row['user_id'] )['seconds_a_request'];
		return function ( ?int $said ) use ( $row, $claim, $began, $most, &$asked ): void {
			$is_next = null !== $said && null !== $asked && $said !== $asked;
			$is_late = $is_next && microtime( true ) - $began >= $most;
			if (
				$is_late
				|| ! $this->table->renew( (string) $row['uuid'], $claim, $this->claimed_seconds() )
			) {
				throw new Step_Over( 'over' );
			}
			$asked = $said ?? $asked;
			if ( null !== $said && function_exists( 'set_time_limit' ) ) {
				set_time_limit( $this->claimed_seconds() ); // phpcs:ignore -- the model is waited for that long.
			}
		};
	}

	/**
	 * How a conversation stands after an answer: its state, and why it was stopped.
	 *
	 * @param AgentAnswer $answer What the agent gave.
	 * @return array{string, string}
	 */
	private function outcome( AgentAnswer $answer ): array {
		$states = array(
			'done'    => 'idle',
			'waiting' => 'waiting',
			'stopped' => 'stopped',
		);
		return array(
			$states[ $answer->state ],
			null === $answer->reason ? '' : "limit_$answer->reason",
		);
	}

	/**
	 * Why a step failed, for the site and not for visitors.
	 *
	 * @param Throwable $thrown What was thrown.
	 */
	private function failure( Throwable $thrown ): WP_Error {
		if ( $thrown instanceof Model_Failure ) {
			return new WP_Error(
				'toolwire_model_failed',
				$thrown->error->get_error_message(),
				array( 'given' => $thrown->error )
			);
		}
		$code = $thrown instanceof AgentException ? $thrown->getKind() : 'model_failed';
		return new WP_Error( "toolwire_$code", $thrown->getMessage() );
	}

	/**
	 * Tells other plugins how a conversation stands.
	 *
	 * @param array<string, string|null> $row     The conversation.
	 * @param ?WP_Error                  $failure Why it failed.
	 */
	private function tell( array $row, ?WP_Error $failure ): void {
		$names = array( 'uuid', 'user_id', 'state', 'title' );
		$told  = array_intersect_key( $row, array_flip( $names ) );
		if ( null !== $failure ) {
			/**
			 * Fires when a step of a conversation has failed.
			 *
			 * @param array<string, string> $conversation Its `uuid`, `user_id`, `state`, `title`.
			 * @param WP_Error              $failure      Why.
			 */
			do_action( 'toolwire_conversation_failed', $told, $failure );
		} elseif ( 'waiting' === $row['state'] ) {
			/**
			 * Fires when calls of a conversation wait for a person.
			 *
			 * @param array<string, string> $conversation As above.
			 */
			do_action( 'toolwire_conversation_waiting', $told );
		} elseif ( 'idle' === $row['state'] ) {
			/**
			 * Fires when the assistant has answered.
			 *
			 * @param array<string, string> $conversation As above.
			 */
			do_action( 'toolwire_conversation_answered', $told );
		}
	}

	/**
	 * Refuses a step while another process takes one.
	 */
	private function busy(): WP_Error {
		return new WP_Error(
			'toolwire_conversation_busy',
			__( 'This goes on in another tab.', 'toolwire' ),
			array( 'status' => 409 )
		);
	}
}
