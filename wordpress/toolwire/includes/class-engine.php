<?php
/**
 * The extension's objects, as this site needs them.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Executor;
use Toolwire\Tools\RateLimiter;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;

/**
 * Joins the store, the tools and the executor of one site.
 */
final class Engine {

	/**
	 * What runs them.
	 *
	 * @var Executor
	 */
	public readonly Executor $executor;

	/**
	 * What calls would change.
	 *
	 * @var Changes
	 */
	public readonly Changes $changes;

	/**
	 * The requests for approval.
	 *
	 * @var ApprovalService
	 */
	public readonly ApprovalService $approvals;

	/**
	 * The names of calls.
	 *
	 * @var Call_Ids
	 */
	public readonly Call_Ids $ids;

	/**
	 * Makes everything.
	 *
	 * @param Store       $store     Where state lives.
	 * @param Tools       $tools     The tools of the site.
	 * @param Settings    $settings  The settings.
	 * @param Secrets     $secrets   What masks secrets.
	 * @param Events      $events    What tells of events.
	 * @param Acting_User $acting    Who acts.
	 * @param Json_Text   $json_text Tells objects from lists.
	 */
	public function __construct(
		public readonly Store $store,
		public readonly Tools $tools,
		private Settings $settings,
		Secrets $secrets,
		Events $events,
		private Acting_User $acting,
		private Json_Text $json_text,
	) {
		$this->ids = new Call_Ids( $store, $settings );
		if ( Host::only_reads() ) {
			return; // Runs and approvals need the extension.
		}
		$timeout         = (float) $settings->get( 'approval_hours' ) * HOUR_IN_SECONDS;
		$this->changes   = new Changes( $tools, $this->json_text );
		$this->approvals = new ApprovalService( $store, $timeout );
		$this->executor  = new Executor(
			$tools->registry,
			$store,
			permission: array( $this, 'permits' ),
			approvalTimeout: $timeout,
			undoTtl: $this->undo_seconds(),
			redact: $secrets->redaction(),
			changes: array( $this->changes, 'fingerprint' ),
			// The log keeps what tools give, masked; the store keeps that a call has run.
			runRetention: (float) $settings->get( 'retention_days' ) * DAY_IN_SECONDS + $timeout,
			keepOutputs: false,
		);
		$this->executor->listen( array( $events, 'tell' ) );
	}

	/**
	 * Whether the acting user may make a call: true, or why not.
	 *
	 * @param ToolInput      $input What the call gives its tool; it fits the schema.
	 * @param ToolDefinition $tool  The tool.
	 * @return bool|string
	 */
	public function permits( ToolInput $input, ToolDefinition $tool ) {
		if ( $this->acting->is_gone() ) {
			return __( 'The user who made the call is gone. Nothing has run.', 'toolwire' );
		}
		$arguments = $this->json_text->without_objects( $input->payload );
		return $this->tools->get( $tool->name )?->permits( $arguments ) ?? false;
	}

	/**
	 * For how long a call can be undone.
	 */
	public function undo_seconds(): float {
		return (float) $this->settings->get( 'undo_hours' ) * HOUR_IN_SECONDS;
	}

	/**
	 * Counts a request of the current user; the seconds to wait, 0 when it may go on.
	 *
	 * @param string $what What is counted: `calls`, `detect`, `assistant`.
	 */
	public function wait( string $what ): int {
		$limiter = new RateLimiter(
			$this->store,
			(int) $this->settings->get( 'calls_per_minute' ),
			60.0
		);
		$checked = $limiter->check( "route:$what", 'user:' . get_current_user_id() );
		return $checked['allowed'] ? 0 : max( 1, (int) ceil( $checked['retry_after'] ) );
	}
}
