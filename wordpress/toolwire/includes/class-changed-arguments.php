<?php
/**
 * Arguments that the approving person changes.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Throwable;
use Toolwire\ToolCall;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Exception\ToolException;
use Toolwire\Tools\Execution;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use WP_Error;

/**
 * Checks arguments in place of those of a call that waits, and shows what they would change.
 *
 * The extension takes changed arguments together with the decision, and tells nothing of them
 * before. So the call is tried with them in an executor of its own, whose store is forgotten at
 * once and whose tool never runs. It makes the checks and the fingerprint of the decision.
 */
final class Changed_Arguments {

	const STATUSES = array(
		'permission_denied' => 403,
		'raised'            => 500,
	);

	/**
	 * Takes its parts.
	 *
	 * @param Engines        $engines        The engine of each site.
	 * @param Sent_Calls     $sent_calls     Reads calls.
	 * @param Waiting_Limits $waiting_limits How much may wait.
	 * @param Masked_Values  $masked_values  Puts secrets back.
	 * @param Json_Text      $json_text      Reads and writes JSON.
	 * @param Secrets        $secrets        Masks secrets.
	 * @param Acting_User    $acting_user    Who acts.
	 * @param Silence        $silence        Keeps what tools print apart.
	 * @param Outcome        $outcome        What the log keeps.
	 */
	public function __construct(
		private Engines $engines,
		private Sent_Calls $sent_calls,
		private Waiting_Limits $waiting_limits,
		private Masked_Values $masked_values,
		private Json_Text $json_text,
		private Secrets $secrets,
		private Acting_User $acting_user,
		private Silence $silence,
		private Outcome $outcome,
	) {
	}

	/**
	 * What a call would be with other arguments; null when they are its own. It has `arguments`
	 * (JSON text without secrets), `bytes`, `changes` and `fingerprint`, as a person is shown them,
	 * and for the decision `payload` (the arguments), `hashes` (of the changes) and `logged` (the
	 * arguments as the log has them).
	 *
	 * @param array<string, string|null> $call  The call's row in the log.
	 * @param string                     $shown Its arguments as they were shown: JSON text without
	 *                                          secrets.
	 * @param string                     $json  The changed arguments as JSON text; where it has the
	 *                                          mask of a secret as it was shown, the secret stays.
	 * @return array<string, mixed>|WP_Error|null
	 */
	public function check( array $call, string $shown, string $json ) {
		$tool = $this->engines->get()->tools->get( (string) $call['tool'] );
		if ( null === $tool ) {
			$message = __( 'There is no such tool.', 'toolwire' );
			return $this->refusal( 'tool_not_found', $message, 404 );
		}
		$own     = (string) $this->engines->get()->executor->input( $call['action_id'] )?->json();
		$changed = $this->read( $call, array( $shown, $own ), $json );
		if ( is_wp_error( $changed ) || $this->is_same( $changed->argumentsRaw, $own ) ) {
			return is_wp_error( $changed ) ? $changed : null;
		}
		$store    = new Memory();
		$registry = new Registry();
		$changes  = new Changes( $this->engines->get()->tools, $this->json_text );
		$registry->register( $tool->trial() );
		$executor = new Executor(
			$registry,
			$store,
			permission: $this->permission( get_current_user_id() ),
			redact: $this->secrets->redaction(),
			changes: array( $changes, 'fingerprint' ),
		);
		try {
			$run = $this->run( $executor, $call, $changed );
		} catch ( Throwable $thrown ) {
			return $this->failure( $thrown );
		}
		if ( 'waiting' !== $run->state ) {
			return $this->refused( $run->error );
		}
		$approvals = new ApprovalService( $store );
		$request   = $approvals->get( (string) $run->approvalId );
		return array(
			'arguments'   => (string) $approvals->arguments( (string) $run->approvalId ),
			'bytes'       => $request->size,
			'changes'     => $changes->of( $run->id ),
			'fingerprint' => (string) $request->fingerprint,
			'payload'     => (array) $changed->argumentsObject(),
			'hashes'      => $changes->hashes( $run->id ),
			'logged'      => $this->logged( $run, $changed ),
		);
	}

	/**
	 * Reads changed arguments, with the secrets that stay.
	 *
	 * @param array<string, string|null> $call  As in check().
	 * @param array{string, string}      $known The arguments as they were shown, and as they are.
	 * @param string                     $json  As in check().
	 * @return ToolCall|WP_Error
	 */
	private function read( array $call, array $known, string $json ) {
		list( $shown, $own ) = $known;

		$tool = (string) $call['tool'];
		$read = $this->waiting_limits->refuse_size( strlen( $json ), $tool )
			?? $this->sent_calls->read( $tool, $json, (string) $call['action_id'] );
		if ( is_wp_error( $read ) || $own === $shown ) {
			return $read;
		}
		$restored = $this->masked_values->restore(
			$this->json_text->value( $read->argumentsRaw ),
			$this->json_text->value( $shown ),
			$this->json_text->value( $own )
		);
		if ( $restored['unknown'] ) {
			return $this->unknown_masks( $restored['unknown'] );
		}
		$whole = (string) $this->json_text->of( $restored['value'] );
		return $this->waiting_limits->refuse_size( strlen( $whole ), $tool )
			?? $this->sent_calls->read( $tool, $whole, (string) $call['action_id'] );
	}

	/**
	 * Whether two JSON texts say the same. PHP writes some numbers in another way than a call.
	 *
	 * @param string $one     The one.
	 * @param string $another The other.
	 */
	private function is_same( string $one, string $another ): bool {
		return $this->json_text->of( $this->json_text->value( $one ) )
			=== $this->json_text->of( $this->json_text->value( $another ) );
	}

	/**
	 * Begins the call with changed arguments, up to the question to a person.
	 *
	 * @param Executor                   $executor What runs it.
	 * @param array<string, string|null> $call     The call's row in the log.
	 * @param ToolCall                   $changed  The call with the arguments.
	 */
	private function run( Executor $executor, array $call, ToolCall $changed ): Execution {
		$action = array(
			'id'      => $call['action_id'],
			'type'    => $this->engines->get()->tools->get( (string) $call['tool'] )->name,
			// The extension takes the arguments of a decision in this form too.
			'payload' => (array) $changed->argumentsObject(),
		);
		$start  = static fn (): Execution => $executor->start( $action );
		return $this->acting_user->during(
			(int) $call['user_id'],
			fn (): Execution => $this->silence->during( (string) $call['action_id'], $start )
		);
	}

	/**
	 * The check of rights: the user who made the call may make it with these arguments, and so may
	 * the person who wrote them. Who approves gets no rights of others by it.
	 *
	 * @param int $writer The id of the person who changes the arguments.
	 * @return callable(ToolInput, ToolDefinition): (bool|string)
	 */
	private function permission( int $writer ): callable {
		$engine = $this->engines->get();
		return function ( ToolInput $input, ToolDefinition $tool ) use ( $engine, $writer ) {
			$allowed = $engine->permits( $input, $tool );
			if ( true !== $allowed ) {
				return $allowed;
			}
			$own = $this->acting_user->during(
				$writer,
				static fn () => $engine->permits( $input, $tool )
			);
			return true === $own ? true : __(
				'You may not make this call yourself, so you may not write its arguments.',
				'toolwire'
			);
		};
	}

	/**
	 * The arguments as the log will have them: long texts cut, without secrets.
	 *
	 * @param Execution $run     The run that was tried.
	 * @param ToolCall  $changed The call with the arguments.
	 */
	private function logged( Execution $run, ToolCall $changed ): string {
		$told    = array_column( $run->events, 'data', 'type' )['tool.invoked'] ?? array();
		$columns = $this->outcome->arguments( $told['payload_summary'] ?? array(), $changed );
		return $columns['arguments'];
	}

	/**
	 * Why arguments did not pass the checks.
	 *
	 * @param ToolException|null $error What the extension says.
	 */
	private function refused( ?ToolException $error ): WP_Error {
		$kind = $error?->getKind() ?? 'raised';
		if ( 'raised' === $kind ) {
			return $this->failure( $error );
		}
		$problems = $error->toArray()['problems'] ?? array();
		$reason   = $error->toArray()['reason'] ?? $error->getMessage();
		return $this->refusal(
			$kind,
			$this->secrets->text( $reason ),
			self::STATUSES[ $kind ] ?? 400,
			$this->secrets->masked( $problems )
		);
	}

	/**
	 * The refusal of masks that stand for no secret of the call.
	 *
	 * @param list<string> $paths Where they are, as JSON Pointers.
	 */
	private function unknown_masks( array $paths ): WP_Error {
		$message = __(
			// phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
			'A value with a secret that is not shown must stay as it is, or all of it must be written anew.',
			'toolwire'
		);
		$problem = static fn ( string $path ): array => array(
			'path'    => $path,
			'message' => $message,
		);
		return $this->refusal( 'invalid_input', $message, 400, array_map( $problem, $paths ) );
	}

	/**
	 * The refusal when code of the tool threw. The site's administrator is told why, nobody else.
	 *
	 * @param Throwable|null $thrown What it threw.
	 */
	private function failure( ?Throwable $thrown ): WP_Error {
		if ( null !== $thrown ) {
			Report::failure( 'could not check changed arguments', $thrown );
		}
		$message = __( 'The tool could not check these arguments.', 'toolwire' );
		return $this->refusal( 'raised', $message, 500 );
	}

	/**
	 * A refusal.
	 *
	 * @param string      $code     The code of the reason.
	 * @param string      $message  The reason in words.
	 * @param int         $status   The status of HTTP.
	 * @param list<array> $problems Where the arguments are wrong.
	 */
	private function refusal(
		string $code,
		string $message,
		int $status,
		array $problems = array(),
	): WP_Error {
		$data = array( 'status' => $status );
		if ( $problems ) {
			$data['problems'] = $problems;
		}
		return new WP_Error( "toolwire_$code", $message, $data );
	}
}
