<?php
/**
 * The agents of conversations.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Closure;
use Toolwire\Tools\Agent;
use Toolwire\Tools\AgentLimits;
use Toolwire\Tools\Exception\AgentException;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\ToolOutput;
use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Found_Calls;
use Toolwire\WordPress\Host;
use Toolwire\WordPress\Secrets;
use WP_Error;

/**
 * Makes the extension's agent for a conversation: the site's model, the site's tools, the plugin's
 * record of calls.
 */
final class Agents {

	/**
	 * How much one message of a user may cause.
	 */
	const LIMITS = array(
		'characters'        => 20000,
		'texts'             => 200,
		'steps'             => 8,
		'calls'             => 50,
		'result_bytes'      => 16384,
		'texts_per_minute'  => 10,
		'texts_per_day'     => 200,
		'seconds_a_request' => 20,
		'at_once'           => 2,
		'at_once_on_site'   => 3,
	);

	/**
	 * The agent's name for the model. A conversation goes on when the settings name another one of
	 * the same API.
	 */
	const MODEL = 'assistant';

	/**
	 * Takes its parts.
	 *
	 * @param Engines           $engines       The engine of each site.
	 * @param Found_Calls       $found_calls   Knows how calls in texts are read.
	 * @param Secrets           $secrets       Masks secrets.
	 * @param Model             $model         What answers.
	 * @param Conversation_Runs $runs          Runs calls.
	 * @param Refused_Calls     $refused_calls Names calls.
	 * @param Offered_Tools     $offered       Knows which tools a conversation has.
	 */
	public function __construct(
		private Engines $engines,
		private Found_Calls $found_calls,
		private Secrets $secrets,
		private Model $model,
		private Conversation_Runs $runs,
		private Refused_Calls $refused_calls,
		private Offered_Tools $offered,
	) {
	}

	/**
	 * The limits for a user.
	 *
	 * @param int $user The user's id.
	 * @return array<string, int>
	 */
	public function limits( int $user ): array {
		/**
		 * Filters how much users may cause in conversations.
		 *
		 * @param array<string, int> $limits What Agents::LIMITS names.
		 * @param int                $user   The user's id.
		 */
		$limits = (array) apply_filters( 'toolwire_conversation_limits', self::LIMITS, $user );
		$known  = array_filter( array_intersect_key( $limits, self::LIMITS ), 'is_numeric' );
		$least  = static fn ( $most ): int => max( 0, (int) $most );
		return array_map( $least, $known ) + self::LIMITS;
	}

	/**
	 * An agent that asks the model and runs the calls of a conversation.
	 *
	 * @param array<string, string|null> $row     The conversation.
	 * @param Closure(?int): void        $before  Is called before the model is asked, with the
	 *                                            number of messages, and before a call runs. It
	 *                                            throws when nothing more is to be done.
	 * @param bool                       $streams Whether the answer is wanted in pieces.
	 */
	public function speaking( array $row, Closure $before, bool $streams ): Agent {
		$run   = function ( string $name, string $arguments, string $uuid, string $place ) use (
			$row,
			$before,
		) {
			$before( null );
			$id    = $this->run_id( $row, $place );
			$takes = $this->offered->has( $row, $name ) || $this->refused_calls->has_begun( $id );
			if ( ! $takes ) {
				return ToolOutput::fail( "There is no tool $name in this conversation any more." );
			}
			return $this->runs->run(
				$id,
				$name,
				$arguments,
				$uuid,
				$place,
				$this->reason( $row, $place )
			);
		};
		$ask   = $this->asking( $row, $before );
		$tools = $this->offered->registry( $row );
		return $this->agent( $row, $ask, $run, $tools, $streams && $this->model->streams() );
	}

	/**
	 * An agent that asks the model and runs nothing, for a test.
	 *
	 * @param string             $uuid   A conversation that there is not.
	 * @param Closure(?int): void $before As for speaking().
	 */
	public function trying( string $uuid, Closure $before ): Agent {
		$row   = array(
			'uuid'    => $uuid,
			'user_id' => (string) get_current_user_id(),
			'state'   => 'thinking',
			'title'   => '',
			'api'     => $this->model->api(),
		);
		$run   = static fn (): ToolOutput => ToolOutput::fail( 'This is a test: nothing runs.' );
		$ask   = $this->asking( $row, $before );
		$tools = $this->offered->registry( $row );
		return $this->agent( $row, $ask, $run, $tools, $this->model->streams() );
	}

	/**
	 * What asks the model.
	 *
	 * @param array<string, string|null> $row    The conversation.
	 * @param Closure(?int): void        $before As for speaking().
	 * @return Closure(array<string, mixed>): mixed
	 */
	private function asking( array $row, Closure $before ): Closure {
		return function ( array $request ) use ( $row, $before ) {
			$model = $this->model->name();
			if ( ! $this->model->streams() ) {
				unset( $request['stream'], $request['stream_options'] );
			}
			$conversation = new Conversation(
				(string) $row['uuid'],
				(int) $row['user_id'],
				$model,
				array( 'model' => $model ) + $request
			);
			$before( count( $conversation->messages() ) );
			if ( $row['api'] !== $this->model->api() ) {
				throw new Model_Failure( new WP_Error( 'toolwire_other_model', 'other API' ) );
			}
			$tools = new Tool_List( $this->offered->registry( $row ), $model );
			return $this->model->ask( $conversation, $tools );
		};
	}

	/**
	 * An agent that asks nothing and runs nothing: calls that have no result end without one.
	 *
	 * @param array<string, string|null> $row The conversation.
	 */
	public function stopping( array $row ): Agent {
		$ask  = static fn () => throw new Step_Over( 'stopped' );
		$stop = fn ( string $name, string $arguments, string $uuid, string $place ) =>
			$this->runs->stop( $this->run_id( $row, $place ) );
		// A call may wait whose tool is not offered any more.
		$tools = $this->engines->get()->tools->registry;
		return $this->agent( $row, $ask, $stop, $tools, false );
	}

	/**
	 * Gives the calls that have no result one that says that they were stopped. A tool that works
	 * right now has none yet.
	 *
	 * @param array<string, string|null> $row The conversation.
	 */
	public function end_calls( array $row ): void {
		try {
			$this->stopping( $row )->run( conversation: (string) $row['uuid'] );
		} catch ( Step_Over $over ) {
			return; // It would ask the model now: nothing is open any more.
		} catch ( AgentException $busy ) {
			return; // A step that works right now ends them itself, or the next text does.
		}
	}

	/**
	 * The id of a call of a conversation.
	 *
	 * @param array<string, string|null> $row   The conversation.
	 * @param string                     $place The call's place, `MESSAGE:INDEX`.
	 */
	private function run_id( array $row, string $place ): string {
		return $this->refused_calls->run_id(
			(int) $row['user_id'],
			(string) $row['uuid'],
			$place
		);
	}

	/**
	 * Makes an agent.
	 *
	 * @param array<string, string|null> $row     The conversation.
	 * @param Closure                    $ask     Asks the model.
	 * @param Closure                    $run     Runs a call.
	 * @param Registry                   $tools   The tools.
	 * @param bool                       $streams Whether the server is asked to stream.
	 */
	private function agent(
		array $row,
		Closure $ask,
		Closure $run,
		Registry $tools,
		bool $streams,
	): Agent {
		$limits = $this->limits( (int) $row['user_id'] );
		return new Agent(
			$ask,
			self::MODEL,
			// It says which tools there are; the site's own executor runs the calls.
			new Executor( $tools, $this->engines->get()->store ),
			$this->system(),
			Host::only_reads() ? 'openai' : (string) $row['api'],
			new AgentLimits( turns: $limits['steps'], calls: $limits['calls'] ),
			$this->found_calls->detector( $this->model->name() ),
			maxBytes: max( 256, $limits['result_bytes'] ),
			redact: $this->secrets->redaction(),
			streams: $streams,
			runCall: $run,
		);
	}

	/**
	 * What the model is told before all else.
	 */
	private function system(): string {
		$name = wp_specialchars_decode( (string) get_bloginfo( 'name' ), ENT_QUOTES );
		$text = "You are the assistant of the website \"$name\". Use the tools to look things up "
			. 'and to change them; never say that something is done before its result says so. '
			. 'Some calls wait for a person who approves them.';
		if ( Host::only_reads() ) {
			$text = "You are the assistant of the website \"$name\". Use the tools to look things "
				. 'up. They only read: on this host nothing can be changed, so say so when you are '
				. 'asked for a change.';
		}
		/**
		 * Filters what the model is told before all else.
		 *
		 * @param string $text The text.
		 */
		return (string) apply_filters( 'toolwire_system_prompt', $text );
	}

	/**
	 * What the model said beside a call, for who decides on it.
	 *
	 * @param array<string, string|null> $row   The conversation.
	 * @param string                     $place The call's place, `MESSAGE:INDEX`.
	 */
	private function reason( array $row, string $place ): string {
		$message = (int) $place;
		$agent   = $this->stopping( $row );
		foreach ( $agent->events( (string) $row['uuid'] ) as $event ) {
			if ( 'text' === $event['type'] && $message === $event['data']['message'] ) {
				return mb_substr( $event['data']['text'], -500 );
			}
		}
		return '';
	}
}
