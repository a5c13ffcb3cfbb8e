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
final class Agent_Calls implements Conversation_Runs {

	/**
	 * Takes its parts.
	 *
	 * @param Engines    $engines    The engine of each site.
	 * @param Call_Log   $call_log   The log.
	 * @param Sent_Calls $sent_calls Reads and runs calls.
	 * @param Runner     $runner     Knows what this request has run.
	 * @param Call_View  $call_view  Tells of calls.
	 * @param Refused_Calls $refused_calls Records calls that are not taken.
	 */
	public function __construct(
		private Engines $engines,
		private Call_Log $call_log,
		private Sent_Calls $sent_calls,
		private Runner $runner,
		private Call_View $call_view,
		private Refused_Calls $refused_calls,
	) {
	}

	/**
	 * Runs a call as the current user, whose conversation it is, or goes on with it.
	 *
	 * @param string $id           What Refused_Calls::run_id() says.
	 * @param string $name         The tool's name.
	 * @param string $arguments    Its arguments as JSON.
	 * @param string $conversation The conversation.
	 * @param string $place        As in run_id().
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
			$code = (string) $row->get_error_code();
			$this->refused_calls->refuse( $id, $code, $row->get_error_message() );
			return ToolOutput::fail( $row->get_error_message() );
		}
		return $this->told( $row );
	}

	/**
	 * Ends a call that has not run, because the user has stopped the conversation.
	 *
	 * @param string $id What Refused_Calls::run_id() says.
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
