<?php
/**
 * The calls of a conversation on a host that only reads.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Reading;

use Toolwire\Plain\ReadOnlyCall;
use Toolwire\Plain\ReadOnlyCalls;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;
use Toolwire\WordPress\Assistant\Conversation_Runs;
use Toolwire\WordPress\Assistant\Refused_Calls;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Call_States;
use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Events;
use Toolwire\WordPress\Left_Calls;
use Toolwire\WordPress\Remains;
use Toolwire\WordPress\Rest\Call_View;
use Toolwire\WordPress\Silence;

/**
 * Runs calls of tools that only read: each is checked as any call, runs once, in this request, and
 * has its row in the log.
 */
final class Read_Only_Calls implements Conversation_Runs {

	/**
	 * Takes its parts.
	 *
	 * @param Engines       $engines       The engine of each site.
	 * @param Call_Log      $call_log      The log.
	 * @param Call_View     $call_view     Tells of calls.
	 * @param Refused_Calls $refused_calls Records calls that are not taken.
	 * @param Left_Calls    $left_calls    Records calls that end their request.
	 * @param Silence       $silence       Keeps what tools print apart.
	 * @param Events        $events        Tells of events.
	 * @param Remains       $remains       What the store keeps of calls.
	 */
	public function __construct(
		private Engines $engines,
		private Call_Log $call_log,
		private Call_View $call_view,
		private Refused_Calls $refused_calls,
		private Left_Calls $left_calls,
		private Silence $silence,
		private Events $events,
		private Remains $remains,
	) {
	}

	/**
	 * Runs a call as the current user. One that has begun before does not run again.
	 *
	 * @param string $id           What Refused_Calls::run_id() says.
	 * @param string $name         The tool's name.
	 * @param string $arguments    Its arguments as JSON.
	 * @param string $conversation The conversation.
	 * @param string $place        The call's place in it, `MESSAGE:INDEX`.
	 * @param string $reason       What the model said beside the call.
	 */
	public function run(
		string $id,
		string $name,
		string $arguments,
		string $conversation,
		string $place,
		string $reason,
	): ToolOutput {
		$row = $this->call_log->find( $id );
		if ( $this->call_log->has_begun( $row ) ) {
			return $this->of_row( $row );
		}
		if ( ! $this->call_log->start( $id, $place, $name, $reason, 'assistant' ) ) {
			return ToolOutput::fail( 'The call could not be recorded, so it has not run.' );
		}
		$this->call_log->change( $id, array( 'conversation' => $conversation ) );
		$call = $this->left_calls->during(
			$id,
			fn (): ReadOnlyCall => $this->silence->during(
				$id,
				fn (): ReadOnlyCall => $this->ran( $id, $name, $arguments )
			)
		);
		$this->call_log->change( $id, $this->columns( $name, $call ), array( 'running' ) );
		$this->tell_end( $id, $name, $call );
		return $this->told( $call );
	}

	/**
	 * Ends a call that has not run. One that waits since the extension was there is taken back, so
	 * that nobody approves it later.
	 *
	 * @param string $id As in run().
	 */
	public function stop( string $id ): ToolOutput {
		$row = $this->call_log->find( $id );
		if ( null !== $row && Call_States::waits( $row['state'] ) ) {
			$this->remains->forget( $id, (string) $row['approval_id'] );
			$columns = array(
				'state'       => 'denied',
				'error_code'  => 'approval_cancelled',
				'error'       => __( 'The request was taken back.', 'toolwire' ),
				'finished_at' => gmdate( 'Y-m-d H:i:s' ),
			);
			$this->call_log->change( $id, $columns, Call_States::WAITING );
			return ToolOutput::fail( 'The user stopped this before it ran.' );
		}
		return $this->call_log->has_begun( $row )
			? $this->of_row( $row )
			: ToolOutput::fail( 'The user stopped this before it ran.' );
	}

	/**
	 * Checks a call and runs its tool.
	 *
	 * @param string $id        The call's id.
	 * @param string $name      The tool's name.
	 * @param string $arguments Its arguments as JSON.
	 */
	private function ran( string $id, string $name, string $arguments ): ReadOnlyCall {
		$engine = $this->engines->get();
		$calls  = new ReadOnlyCalls(
			$engine->tools->offered(),
			fn ( ToolInput $input, ToolDefinition $tool ) => $engine->permits( $input, $tool ),
			$engine->store
		);
		return $calls->run(
			$name,
			$arguments,
			$id,
			'user:' . get_current_user_id(),
			function ( $value ) use ( $id, $name ): void {
				$columns = array( 'arguments' => $this->call_log->json( $value ) );
				$this->call_log->change( $id, $columns );
				$this->tell( 'tool.invoked', $id, $name );
			},
			fn () => $this->tell( 'tool.started', $id, $name )
		);
	}

	/**
	 * The columns for what became of a call.
	 *
	 * @param string       $name The tool's name.
	 * @param ReadOnlyCall $call What became of it.
	 * @return array<string, string|null>
	 */
	private function columns( string $name, ReadOnlyCall $call ): array {
		$tool    = $this->engines->get()->tools->get( $name );
		$columns = array(
			'state'       => $call->state,
			'error_code'  => $call->code,
			'error'       => '' === $call->code
				? null
				: $this->call_log->text( $call->message, 1000 ),
			'finished_at' => gmdate( 'Y-m-d H:i:s' ),
		);
		if ( null !== $call->milliseconds ) {
			$columns['duration_ms'] = (string) $call->milliseconds;
		}
		$data    = $call->output?->data;
		$is_told = is_array( $data ) && isset( $data['wp_error'] );
		$details = $call->details;
		if ( 'permission_denied' === $call->code && $tool?->refusal() ) {
			$details['wp_error'] = $tool->refusal();
		}
		if ( null !== $call->output && ( $tool?->logs_result || $is_told ) ) {
			$columns['result'] = $this->call_log->json( $data );
		} elseif ( $details ) {
			$columns['result'] = $this->call_log->json( $details );
		}
		return $columns;
	}

	/**
	 * What the model is told of a call. Why a tool broke is for the log alone.
	 *
	 * @param ReadOnlyCall $call What became of it.
	 */
	private function told( ReadOnlyCall $call ): ToolOutput {
		if ( null !== $call->output ) {
			return $call->output;
		}
		return ToolOutput::fail( 'raised' === $call->code ? 'The tool failed.' : $call->message );
	}

	/**
	 * The output of a call that has begun in another request.
	 *
	 * @param array<string, string|null> $row Its row in the log.
	 */
	private function of_row( array $row ): ToolOutput {
		$view = $this->call_view->of( $row );
		if ( Call_States::is_open( $row['state'] ) ) {
			return ToolOutput::fail( 'It is not known what this gave. You may ask once more.' );
		}
		return null === $view['error']
			? ToolOutput::ok( $view['result'] )
			: ToolOutput::fail( (string) $view['error']['message'], $view['result'] );
	}

	/**
	 * Tells others how a call ended, by the extension's events: a tool that gives an error has
	 * completed, and one that throws has failed.
	 *
	 * @param string       $id   The call's id.
	 * @param string       $name The tool's name.
	 * @param ReadOnlyCall $call What became of it.
	 */
	private function tell_end( string $id, string $name, ReadOnlyCall $call ): void {
		$facts = array( 'duration_ms' => $call->milliseconds );
		if ( null !== $call->output ) {
			$facts['output_summary'] = array( 'success' => $call->output->success );
			$this->tell( 'tool.completed', $id, $name, $facts );
		} elseif ( 'failed' === $call->state ) {
			$facts['error_message'] = $this->call_log->text( $call->message, 1000 );
			$this->tell( 'tool.failed', $id, $name, $facts );
		} elseif ( 'denied' === $call->state ) {
			$this->tell( 'tool.denied', $id, $name, array( 'reason' => $call->code ) );
		}
	}

	/**
	 * Tells others of a call.
	 *
	 * @param string               $type  The event's type.
	 * @param string               $id    The call's id.
	 * @param string               $name  The tool's name.
	 * @param array<string, mixed> $facts What else is told.
	 */
	private function tell( string $type, string $id, string $name, array $facts = array() ): void {
		$data = array(
			'run_id' => $id,
			'tool_name' => $name,
		);
		$this->events->tell( $type, $data + $facts );
	}
}
