<?php
/**
 * What waits for a person.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Exception\InvalidArgument;
use Toolwire\Tools\ApprovalRequest;
use Toolwire\Tools\Exception\ApprovalException;
use WP_Error;

/**
 * Lists the requests for approval by pages, shows one request with everything that its call says
 * and would change, and takes decisions on what was shown.
 */
final class Approvals {

	/**
	 * How often a page is read again because calls on it no longer waited.
	 */
	const ROUNDS = 3;

	/**
	 * Takes its parts.
	 *
	 * @param Settings           $settings           The settings.
	 * @param Engines            $engines            The engine of each site.
	 * @param Call_Log           $call_log           The log.
	 * @param Acting_User        $acting_user        Who acts.
	 * @param Runs               $runner             Runs calls.
	 * @param Silence            $silence            Keeps what tools print apart.
	 * @param Hold               $hold               What holds calls up.
	 * @param Json_Text          $json_text          Tells objects from lists.
	 * @param Changed_Arguments  $changed_arguments  Checks changed arguments.
	 * @param Proposed_Arguments $proposed_arguments Keeps them for the log.
	 * @param Approval_Refusals  $refusals           Says why something was refused.
	 */
	public function __construct(
		private Settings $settings,
		private Engines $engines,
		private Call_Log $call_log,
		private Acting_User $acting_user,
		private Runs $runner,
		private Silence $silence,
		private Hold $hold,
		private Json_Text $json_text,
		private Changed_Arguments $changed_arguments,
		private Proposed_Arguments $proposed_arguments,
		private Approval_Refusals $refusals,
	) {
	}

	/**
	 * A page of the pending requests, oldest first, without arguments and changes, which may be
	 * large.
	 *
	 * @param int $page     From 1.
	 * @param int $per_page How many.
	 * @return array{waiting: list<array<string, mixed>>, total: int} Each with `id`, `message`,
	 *     `created_at`, `expires_at`, `bytes`, and `call`, the call's row in the log.
	 */
	public function page( int $page, int $per_page ): array {
		$this->runner->look();
		for ( $round = 1; $round <= self::ROUNDS; $round++ ) {
			$rows    = $this->call_log->waiting( $page, $per_page );
			$waiting = array_values( array_filter( array_map( array( $this, 'item' ), $rows ) ) );
			if ( count( $waiting ) === count( $rows ) ) {
				break;
			}
		}
		return array(
			'waiting' => $waiting,
			'total'   => $this->call_log->count( 'waiting' ),
		);
	}

	/**
	 * A pending request with everything that the deciding person sees.
	 *
	 * @param string $id The request's id.
	 * @return array<string, mixed>|WP_Error With `item` (as page() lists it), `call` (its row in
	 *     the log), `arguments` (JSON text), `changes` (a list of `label` and `diff`, or null),
	 *     `fingerprint`, and `hold` (why it must not be approved now, or null).
	 */
	public function look( string $id ) {
		$engine  = $this->engines->get();
		$request = $engine->approvals->get( $id );
		$call    = null === $request ? null : $this->call_log->find( $request->runId );
		if ( null === $call ) {
			return $this->refusals->of( $this->ended( $id ) );
		}
		$call = $this->runner->resume( (string) $call['action_id'] ) ?? $call;
		if ( 'waiting' !== $call['state'] ) {
			return $this->refusals->of( $this->ended( $id ) );
		}
		$action = (string) $call['action_id'];
		try {
			$fingerprint = $this->acting_user->during(
				(int) $call['user_id'],
				fn (): ?string => $this->silence->during(
					$action,
					static fn (): ?string => $engine->executor->fingerprint( $action )
				)
			);
		} catch ( InvalidArgument $gone ) {
			// The tool is not registered any more. The call can still be denied; one that is
			// approved fails.
			$fingerprint = $request->fingerprint;
		}
		if ( null === $fingerprint ) {
			return $this->refusals->of( 'already_decided' );
		}
		return array(
			'item'        => $this->listed( $request, $call ),
			'call'        => $call,
			'arguments'   => (string) $engine->approvals->arguments( $id ),
			'changes'     => $engine->changes->of( $action ),
			'fingerprint' => $fingerprint,
			'hold'        => $this->hold->of( $call, $this->payload( $action ) ),
		);
	}

	/**
	 * The whole arguments of a call that waits.
	 *
	 * @param string $run_id The run's id.
	 * @return array<mixed>
	 */
	private function payload( string $run_id ): array {
		try {
			$input = $this->engines->get()->executor->input( $run_id );
		} catch ( InvalidArgument $gone ) {
			return array(); // The tool is not registered any more, so nothing is asked of it.
		}
		return null === $input ? array() : $this->json_text->without_objects( $input->payload );
	}

	/**
	 * Shows what a call would be with other arguments. Nothing is kept of them: a decision carries
	 * them once more, with the fingerprint of what is shown here.
	 *
	 * @param string $id        The request's id.
	 * @param string $arguments The changed arguments as JSON text. Where it has the mask of a
	 *                          secret as it was shown, the secret stays.
	 * @param string $seen      The fingerprint of the request as the person was shown it.
	 * @return array<string, mixed>|WP_Error As look() returns, and `arguments_before`, `bytes` and
	 *     what Changed_Arguments::check() has for the decision.
	 */
	public function change( string $id, string $arguments, string $seen ) {
		$shown = '' === $seen ? $this->refusals->of( 'fingerprint_missing' ) : $this->look( $id );
		if ( is_wp_error( $shown ) ) {
			return $shown;
		}
		if ( $seen !== $shown['fingerprint'] ) {
			return $this->refusals->of( 'changed_since' );
		}
		return $this->is_own( $shown['call'] )
			? $this->refusals->of( 'own_call' )
			: $this->changed( $shown, $arguments );
	}

	/**
	 * Takes a decision, goes on with the call, and returns its row in the log.
	 *
	 * @param string      $id        The request's id.
	 * @param bool        $granted   Whether the call may run.
	 * @param string      $reason    Why, may be empty.
	 * @param string      $seen      The fingerprint of what the person was shown.
	 * @param string|null $arguments The arguments with which it shall run, as change() takes them;
	 *                               null for those of the call.
	 * @return array<string, string|null>|WP_Error
	 */
	public function decide(
		string $id,
		bool $granted,
		string $reason,
		string $seen,
		?string $arguments = null,
	) {
		$shown = '' === $seen ? $this->refusals->of( 'fingerprint_missing' ) : $this->look( $id );
		if ( is_wp_error( $shown ) ) {
			return $shown;
		}
		if ( $granted ) {
			$shown = $this->approvable( $shown, $seen, $arguments );
			if ( is_wp_error( $shown ) ) {
				return $shown;
			}
		}
		try {
			$this->take( $id, $granted, $reason, $seen, $shown );
		} catch ( ApprovalException $refused ) {
			// What changed arguments were refused for was not there when they were checked.
			$kind = $refused->getKind();
			return $this->refusals->of( 'arguments_refused' === $kind ? 'changed_since' : $kind );
		}
		$row = $this->runner->resume( (string) $shown['call']['action_id'] );
		// Another request may be about to record the end of the denied call, which runs no more.
		if ( ! $granted && 'running' === ( $row['state'] ?? null ) ) {
			$row['state'] = 'denied';
		}
		return $row;
	}

	/**
	 * What would be approved, or why it cannot be.
	 *
	 * @param array<string, mixed> $shown     What look() returned.
	 * @param string               $seen      As in decide().
	 * @param string|null          $arguments As in decide().
	 * @return array<string, mixed>|WP_Error
	 */
	private function approvable( array $shown, string $seen, ?string $arguments ) {
		if ( $this->is_own( $shown['call'] ) ) {
			return $this->refusals->of( 'own_call' );
		}
		$wanted = null === $arguments ? $shown : $this->changed( $shown, $arguments );
		if ( is_wp_error( $wanted ) ) {
			return $wanted;
		}
		return $seen === $wanted['fingerprint']
			? $wanted['hold'] ?? $wanted
			: $this->refusals->of( 'changed_since' );
	}

	/**
	 * What a call would be with other arguments.
	 *
	 * @param array<string, mixed> $shown     What look() returned.
	 * @param string               $arguments As in change().
	 * @return array<string, mixed>|WP_Error
	 */
	private function changed( array $shown, string $arguments ) {
		$call    = $shown['call'];
		$changed = $this->changed_arguments->check( $call, $shown['arguments'], $arguments );
		if ( is_wp_error( $changed ) ) {
			return $changed;
		}
		if ( null === $changed || $changed['fingerprint'] === $shown['fingerprint'] ) {
			return $shown;
		}
		$payload = $this->json_text->without_objects( $changed['payload'] );
		return array(
			'arguments_before' => $shown['arguments'],
			'hold'             => $this->hold->of( $call, $payload ),
		) + $changed + $shown;
	}

	/**
	 * Takes a decision on what was checked.
	 *
	 * @param string               $id      As in decide().
	 * @param bool                 $granted As in decide().
	 * @param string               $reason  As in decide().
	 * @param string               $seen    As in decide().
	 * @param array<string, mixed> $wanted  What is decided on.
	 * @throws ApprovalException When it is not taken.
	 */
	private function take(
		string $id,
		bool $granted,
		string $reason,
		string $seen,
		array $wanted,
	): void {
		$engine = $this->engines->get();
		$reason = '' === $reason ? null : $reason;
		$by     = 'user:' . get_current_user_id();
		if ( ! isset( $wanted['payload'] ) ) {
			$engine->approvals->decide(
				$id,
				$granted,
				decidedBy: $by,
				reason: $reason,
				fingerprint: $seen,
				present: $wanted['fingerprint'],
			);
			return;
		}
		$this->proposed_arguments->keep( $id, $seen, $wanted['logged'] );
		$action  = (string) $wanted['call']['action_id'];
		$approve = static fn () => $engine->executor->approve(
			$id,
			$wanted['payload'],
			decidedBy: $by,
			reason: $reason
		);
		// The extension asks once more what would change: that must be what the person was shown.
		$engine->changes->expecting(
			$wanted['hashes'],
			fn () => $this->acting_user->during(
				(int) $wanted['call']['user_id'],
				fn () => $this->silence->during( $action, $approve )
			)
		);
	}

	/**
	 * Whether a user may not approve a call because it is the user's own and the site wants
	 * somebody else to approve it.
	 *
	 * @param array<string, string|null> $call The call's row in the log.
	 * @param int|null                   $user The user's id; the current user when null.
	 */
	public function is_own( array $call, ?int $user = null ): bool {
		return $this->settings->get( 'others_approve' )
			&& ( $user ?? get_current_user_id() ) === (int) $call['user_id'];
	}

	/**
	 * What a list tells about a call that waits. Null when the call no longer waits: somebody has
	 * decided, or nobody can.
	 *
	 * @param array<string, string|null> $call The call's row in the log.
	 * @return array<string, mixed>|null As {@see Approvals::page()} lists them.
	 */
	private function item( array $call ): ?array {
		$call    = $this->runner->resume( (string) $call['action_id'] ) ?? $call;
		$request = 'waiting' === $call['state']
			? $this->engines->get()->approvals->get( (string) $call['approval_id'] )
			: null;
		return null === $request ? null : $this->listed( $request, $call );
	}

	/**
	 * What lists and screens tell about a request.
	 *
	 * @param ApprovalRequest            $request The request.
	 * @param array<string, string|null> $call    The call's row in the log.
	 * @return array<string, mixed>
	 */
	private function listed( ApprovalRequest $request, array $call ): array {
		return array(
			'id'         => (string) $request->id,
			'message'    => $request->message,
			'created_at' => $request->createdAt,
			'expires_at' => $request->expiresAt,
			'bytes'      => $request->size,
			'call'       => $call,
		);
	}

	/**
	 * Reads from the log why there is nothing to decide: the store forgets a request once its call
	 * has ended.
	 *
	 * @param string $id The request's id.
	 */
	private function ended( string $id ): string {
		$row = $this->call_log->find_by_approval( $id );
		if ( null === $row ) {
			return 'unknown_approval';
		}
		if ( 'approval_timeout' === $row['error_code'] ) {
			return 'approval_expired';
		}
		return '' === $row['decision'] && 'denied' === $row['state']
			? 'approval_cancelled'
			: 'already_decided';
	}
}
