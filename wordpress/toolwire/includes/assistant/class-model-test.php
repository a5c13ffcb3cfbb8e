<?php
/**
 * A test of the model.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Closure;
use Throwable;
use Toolwire\Tools\Exception\AgentException;
use Toolwire\Tools\RateLimiter;
use Toolwire\WordPress\Engines;
use WP_Error;

/**
 * Asks the model once, as a conversation does, with the site's tools, none of which runs. Tells how
 * long it took and whether the answer comes in pieces, or why there is none.
 */
final class Model_Test {

	/**
	 * What is asked. The answer is long enough to come in pieces, and costs little.
	 */
	const TEXT = 'This is a test. Write the numbers from one to twenty as words, and nothing else.';

	/**
	 * How often a user may test in a minute.
	 */
	const A_MINUTE = 5;

	/**
	 * After how many seconds nothing is tried again.
	 */
	const PATIENCE = 10;

	/**
	 * The least seconds between the first and the last piece of an answer that comes live.
	 */
	const LIVE = 0.05;

	/**
	 * For how many seconds an outcome is kept for the screen.
	 */
	const KEPT = 5 * MINUTE_IN_SECONDS;

	/**
	 * Takes its parts.
	 *
	 * @param Agents       $agents    Makes agents.
	 * @param Model        $model     What answers.
	 * @param Ai_Client    $ai_client Knows what is connected to WordPress.
	 * @param Token_Budget $budget    Counts tokens.
	 * @param Engines      $engines   The engine of each site.
	 */
	public function __construct(
		private Agents $agents,
		private Model $model,
		private Ai_Client $ai_client,
		private Token_Budget $budget,
		private Engines $engines,
	) {
	}

	/**
	 * Tests, and keeps the outcome for the current user's screen.
	 */
	public function run(): void {
		$this->ai_client->forget();
		$refusal = $this->refusal();
		$outcome = null === $refusal ? $this->tried() : array( 'failure' => $refusal );
		set_transient( $this->place(), $outcome, self::KEPT );
	}

	/**
	 * The outcome for the current user, once: `name`, `seconds` and `is_live`; or `failure`, a
	 * code, with `details` for who sets the model up. Null when there was no test.
	 *
	 * @return array<string, mixed>|null
	 */
	public function outcome(): ?array {
		$outcome = get_transient( $this->place() );
		if ( ! is_array( $outcome ) ) {
			return null;
		}
		delete_transient( $this->place() );
		return $outcome;
	}

	/**
	 * What answers, for the screen; empty when its name is not known.
	 */
	public function name(): string {
		$name = $this->model->name();
		return 'wordpress' === $this->model->source() && '' === $name
			? implode( ', ', $this->ai_client->providers() )
			: $name;
	}

	/**
	 * Why nothing is asked; null if it is.
	 */
	private function refusal(): ?string {
		if ( ! $this->model->is_connected() ) {
			return 'no_model';
		}
		if ( $this->budget->is_spent() ) {
			return 'tokens_spent';
		}
		$limiter = new RateLimiter( $this->engines->get()->store, self::A_MINUTE, 60.0 );
		$checked = $limiter->check( 'model_test', 'user:' . get_current_user_id() );
		return $checked['allowed'] ? null : 'rate_limited';
	}

	/**
	 * Asks the model.
	 *
	 * @return array<string, mixed>
	 */
	private function tried(): array {
		$began   = microtime( true );
		$uuid    = 'test ' . wp_generate_uuid4();
		$agent   = $this->agents->trying( $uuid, $this->before( $began ) );
		$heard   = array();
		$tokens  = 0;
		$outcome = array();
		try {
			$agent->run(
				self::TEXT,
				$uuid,
				listener: function ( string $type, array $data ) use ( &$heard, &$tokens ): void {
					$heard[ $type ][] = microtime( true );
					if ( 'usage' === $type ) {
						$tokens += $data['input_tokens'] + $data['output_tokens'];
					}
				}
			);
		} catch ( Step_Over $over ) {
			$outcome = array(); // The model has called a tool, which is an answer.
		} catch ( Throwable $thrown ) {
			$outcome = $this->failure( $thrown );
		}
		$agent->forget( $uuid );
		$this->budget->add( $tokens );
		$times = array_merge( $heard['reasoning'] ?? array(), $heard['text'] ?? array() );
		return $outcome + array(
			'name'    => $this->name(),
			'seconds' => microtime( true ) - $began,
			'is_live' => $times && max( $times ) - min( $times ) >= self::LIVE,
		);
	}

	/**
	 * Why the model gave no answer.
	 *
	 * @param Throwable $thrown What was thrown.
	 * @return array{failure: string, details: string}
	 */
	private function failure( Throwable $thrown ): array {
		$code = match ( true ) {
			$thrown instanceof AgentException => $thrown->getKind(),
			$thrown instanceof Model_Failure  => (string) $thrown->error->get_error_code(),
			default                           => 'failed',
		};
		return array(
			'failure' => $code,
			'details' => $this->model->told( $thrown->getMessage() ),
		);
	}

	/**
	 * What is done each time before the model is asked: a failure that takes long is not tried
	 * again, and the model is not told that its calls did not run.
	 *
	 * @param float $began When the test began.
	 * @return Closure(?int): void
	 */
	private function before( float $began ): Closure {
		$asked = null;
		return function ( ?int $said ) use ( $began, &$asked ): void {
			if ( null !== $asked && null !== $said && $said !== $asked ) {
				throw new Step_Over( 'it has called' );
			}
			if ( null !== $asked && microtime( true ) - $began >= self::PATIENCE ) {
				throw new Model_Failure( new WP_Error( 'too_slow', 'no answer in time' ) );
			}
			$asked = $said ?? $asked;
			if ( function_exists( 'set_time_limit' ) ) {
				set_time_limit( $this->model->seconds() + Steps::RESERVE ); // phpcs:ignore -- the model is waited for that long.
			}
		};
	}

	/**
	 * Where the outcome of the current user is.
	 */
	private function place(): string {
		return 'toolwire_model_test_' . get_current_user_id();
	}
}
