<?php
/**
 * The calls of a conversation.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\Tools\Execution;
use Toolwire\Tools\ToolOutput;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Call_States;
use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Rest\Call_View;
use Toolwire\WordPress\Runner;
use Toolwire\WordPress\Sent_Calls;

/**
 * Runs a call of a conversation as any other call of the site: with its limits, its approval and
 * its row in the log. Tells the model what came of it.
 */
final class Agent_Calls {

	/**
	 * Takes its parts.
	 *
	 * @param Engines    $engines    The engine of each site.
	 * @param Call_Log   $call_log   The log.
	 * @param Sent_Calls $sent_calls Reads and runs calls.
	 * @param Runner     $runner     Knows what this request has run.
	 * @param Call_View  $call_view  Tells of calls.
	 */
	public function __construct(
		private Engines $engines,
		private Call_Log $call_log,
		private Sent_Calls $sent_calls,
		private Runner $runner,
		private Call_View $call_view,
	) {
	}

	/**
	 * The id under which a call runs.
	 *
	 * @param int    $user         Whose conversation it is.
	 * @param string $conversation The conversation.
	 * @param string $place        The call's place in it, `MESSAGE:INDEX`.
	 */
	public function action_id( int $user, string $conversation, string $place ): string {
		return $this->engines->get()->ids->action_id( $user, "assistant:$conversation", $place );
	}

	/**
	 * Whether a call has begun.
	 *
	 * @param string $id What action_id() says.
	 */
	public function has_begun( string $id ): bool {
		return $this->call_log->has_begun( $this->call_log->find( $id ) );
	}

	/**
	 * Runs a call as the current user, whose conversation it is, or goes on with it.
	 *
	 * @param string $id           What action_id() says.
	 * @param string $name         The tool's name.
	 * @param string $arguments    Its arguments as JSON.
	 * @param string $conversation The conversation.
	 * @param string $place        As in action_id().
	 * @param string $reason       What the model said beside the call.
	 */
	public function run(
		string $id,
		string $name,
		string $arguments,
		string $conversation,
		string $place,
		string $reason,
	): Execution|ToolOutput {
		$row = $this->call_log->find( $id );
		if ( $this->call_log->has_begun( $row ) && 'running' !== $row['state'] ) {
			$row = $this->sent_calls->resume( $row );
		} else {
			$call = $this->sent_calls->read( $name, $arguments, $id );
			$this->call_log->see( $id, $place, $name, 'assistant' );
			$this->call_log->change( $id, array( 'conversation' => $conversation ) );
			$row = is_wp_error( $call )
				? $call
				: $this->sent_calls->run( $call, $place, $reason, 'assistant' );
		}
		if ( is_wp_error( $row ) ) {
			$this->refuse( $id, (string) $row->get_error_code(), $row->get_error_message() );
			return ToolOutput::fail( $row->get_error_message() );
		}
		return $this->told( $row );
	}

	/**
	 * Records that a call which was seen is not taken.
	 *
	 * @param string $id   What action_id() says.
	 * @param string $code Why, as a code.
	 * @param string $why  The same in words.
	 */
	private function refuse( string $id, string $code, string $why ): void {
		$columns = array(
			'state'       => 'refused',
			'error_code'  => (string) preg_replace( '/^toolwire_/', '', $code ),
			'error'       => $this->call_log->text( $why, 1000 ),
			'finished_at' => gmdate( 'Y-m-d H:i:s' ),
		);
		$this->call_log->change( $id, $columns, array( 'seen' ) );
	}

	/**
	 * Ends a call that has not run, because the user has stopped the conversation.
	 *
	 * @param string $id What action_id() says.
	 */
	public function stop( string $id ): Execution|ToolOutput {
		$row = $this->call_log->find( $id );
		if ( null !== $row && Call_States::waits( $row['state'] ) ) {
			$this->engines->get()->approvals->cancel( (string) $row['approval_id'] );
			$row = $this->sent_calls->resume( $row );
		}
		return $this->call_log->has_begun( $row )
			? $this->told( $row )
			: ToolOutput::fail( 'The user stopped this before it ran.' );
	}

	/**
	 * Records a call that was refused before it was one: it could not be read, or names no tool.
	 * The model is told why, and visitors that nothing was run.
	 *
	 * @param array<string, string|null> $row  The conversation.
	 * @param string                     $type What the agent told of: `rejected` or `result`.
	 * @param array<string, mixed>       $data What it told.
	 */
	public function record_refusal( array $row, string $type, array $data ): void {
		$is_result = 'result' === $type;
		if ( $is_result && false !== $data['success'] ) {
			return;
		}
		$uuid  = (string) $row['uuid'];
		$why   = (string) ( $is_result ? $data['error'] : $data['reason'] );
		$place = ( $data['call_message'] ?? $data['message'] ) . ':'
			. ( $data['index'] ?? 'text ' . md5( $why ) );
		$id    = $this->action_id( (int) $row['user_id'], $uuid, $place );
		if ( null !== $this->call_log->find( $id ) ) {
			return;
		}
		$this->call_log->see( $id, $place, (string) ( $data['name'] ?? '' ), 'assistant' );
		$this->call_log->change( $id, array( 'conversation' => $uuid ) );
		$this->refuse( $id, $is_result ? 'tool_not_found' : 'unreadable', $why );
	}

	/**
	 * What the model is told of a call: its run while it has no result, else what it gave, and that
	 * a person has changed the arguments.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 */
	private function told( array $row ): Execution|ToolOutput {
		$given   = $this->given( $row );
		$changed = Call_States::is_open( $row['state'] )
			? null
			: $this->call_view->of( $row )['changed'];
		if ( null === $changed ) {
			return $given;
		}
		$output = $given instanceof Execution ? $given->output : $given;
		$note   = array(
			'note'      => $changed['message'],
			'arguments' => $this->call_view->of( $row )['arguments'],
		);
		if ( true === $output?->success ) {
			return ToolOutput::ok( $note + array( 'result' => $output->data ) );
		}
		$failure = $output?->error
			?? ( $given instanceof Execution ? $given->error?->getMessage() : null );
		return ToolOutput::fail( (string) $failure, $note );
	}

	/**
	 * The run of a call while it has no result, else what it gave.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 */
	private function given( array $row ): Execution|ToolOutput {
		$id  = (string) $row['action_id'];
		$run = $this->runner->run_of_this_request( $id );
		if ( Call_States::is_open( $row['state'] ) ) {
			$run = $this->engines->get()->executor->run( $id );
		}
		if ( null !== $run ) {
			return $run;
		}
		$view  = $this->call_view->of( $row );
		$error = $view['error'];
		return null === $error
			? ToolOutput::ok( $view['result'] )
			: ToolOutput::fail( $this->failure( $error ), $view['result'] );
	}

	/**
	 * Why a call gave nothing, for the model.
	 *
	 * @param array<string, mixed> $error What Call_View says.
	 */
	private function failure( array $error ): string {
		$reason = isset( $error['reason'] ) ? " ({$error['reason']})" : '';
		$places = isset( $error['problems'] ) ? ' ' . wp_json_encode( $error['problems'] ) : '';
		return "{$error['message']}$reason$places";
	}
}
