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
 * Makes the store, the tools and the executor when a request first needs them.
 */
final class Engine {

	/**
	 * The engines of this request by the site's id: code that goes through a network may use one for each site.
	 *
	 * @var array<int, Engine>
	 */
	private static array $engines = array();

	/**
	 * Where state lives.
	 *
	 * @var Store
	 */
	public readonly Store $store;

	/**
	 * The tools of the site.
	 *
	 * @var Tools
	 */
	public readonly Tools $tools;

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
	 * Makes everything.
	 */
	private function __construct() {
		$timeout         = (float) Settings::get( 'approval_hours' ) * HOUR_IN_SECONDS;
		$this->store     = new Store();
		$this->tools     = new Tools();
		$this->changes   = new Changes( $this->tools );
		$this->approvals = new ApprovalService( $this->store, $timeout );
		$this->executor  = new Executor(
			$this->tools->registry,
			$this->store,
			permission: fn ( ToolInput $input, ToolDefinition $tool ) => $this->tools->get( $tool->name )?->permits( $input->payload ) ?? false,
			approvalTimeout: $timeout,
			undoTtl: self::undo_seconds(),
			redact: Secrets::redaction(),
			changes: array( $this->changes, 'fingerprint' ),
		);
		$this->executor->listen( array( self::class, 'tell' ) );
	}

	/**
	 * The engine of the current site.
	 */
	public static function get(): self {
		self::$engines[ get_current_blog_id() ] ??= new self();
		return self::$engines[ get_current_blog_id() ];
	}

	/**
	 * Forgets the engines, so that the next use asks for the tools and the settings again.
	 */
	public static function reset(): void {
		self::$engines = array();
	}

	/**
	 * For how long a call can be undone.
	 */
	public static function undo_seconds(): float {
		return (float) Settings::get( 'undo_hours' ) * HOUR_IN_SECONDS;
	}

	/**
	 * Counts a request of the current user; the seconds to wait, 0 when it may go on.
	 *
	 * @param string $what What is counted: `calls`, `detect`, `assistant`.
	 */
	public function wait( string $what ): int {
		$limiter = new RateLimiter( $this->store, (int) Settings::get( 'calls_per_minute' ), 60.0 );
		$checked = $limiter->check( "route:$what", 'user:' . get_current_user_id() );
		return $checked['allowed'] ? 0 : max( 1, (int) ceil( $checked['retry_after'] ) );
	}

	/**
	 * Makes an action of an event: `tool.completed` becomes `toolwire_tool_completed`.
	 *
	 * @param string               $type The event's type.
	 * @param array<string, mixed> $data What it tells, without secrets.
	 */
	public static function tell( string $type, array $data ): void {
		/**
		 * Fires when something becomes of a call: `toolwire_tool_invoked`, `_started`, `_completed`, `_failed`,
		 * `_denied`, `_undone`, `_undo_failed`, `_undo_store_failed`, `toolwire_approval_requested`, `_decided`.
		 *
		 * @param array<string, mixed> $data What the event tells; `action_id` and `tool_name` are always there.
		 */
		do_action( 'toolwire_' . str_replace( '.', '_', $type ), $data ); // phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals -- it begins with the prefix.
	}
}
