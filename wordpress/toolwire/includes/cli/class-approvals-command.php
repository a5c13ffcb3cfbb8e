<?php
/**
 * The commands for those who decide.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Cli;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Approvals;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Decisions;
use Toolwire\WordPress\Rest\Call_View;
use Toolwire\WordPress\Secrets;

/**
 * `wp toolwire approvals`: lists what waits, shows it, and decides as the user of the command. A
 * decision is made on what was shown: either the command shows it and asks, or `--seen` names its
 * fingerprint.
 */
final class Approvals_Command extends Command {

	const LISTED = array( 'id', 'tool', 'user', 'reason', 'created_at', 'expires_at', 'bytes' );

	/**
	 * Takes its parts.
	 *
	 * @param Output    $output    The console.
	 * @param Access    $access    Who may do what.
	 * @param Call_Log  $call_log  The log.
	 * @param Call_View $call_view Tells of calls.
	 * @param Approvals $approvals What waits for a person.
	 * @param Decisions $decisions Takes decisions.
	 * @param Secrets   $secrets   Masks secrets.
	 */
	public function __construct(
		Output $output,
		Access $access,
		Call_Log $call_log,
		Call_View $call_view,
		private Approvals $approvals,
		private Decisions $decisions,
		private Secrets $secrets,
	) {
		parent::__construct( $output, $access, $call_log, $call_view );
	}

	/**
	 * Lists what waits, oldest first.
	 *
	 * @param list<string>          $ids     Not used.
	 * @param array<string, string> $options The options of a list.
	 */
	public function list( array $ids, array $options ): int {
		if ( ! $this->permits( 'approve' ) ) {
			return 1;
		}
		$found = $this->approvals->page( ...$this->window( $options ) );
		$rows  = array_map(
			fn ( array $item ): array => $this->request( $item ),
			$found['waiting']
		);
		$this->write( $rows, $found['total'], self::LISTED, $options );
		return 0;
	}

	/**
	 * Shows all that calls say and would change, and their fingerprints.
	 *
	 * @param list<string>          $ids     The ids of requests.
	 * @param array<string, string> $options `format`: json or yaml.
	 */
	public function show( array $ids, array $options ): int {
		if ( ! $this->permits( 'approve' ) ) {
			return 1;
		}
		$rows   = array();
		$failed = 0;
		foreach ( $ids as $id ) {
			$shown = $this->look( $id );
			if ( null === $shown ) {
				$failed = 1;
			} elseif ( isset( $options['format'] ) ) {
				$rows[] = $shown;
			} else {
				$this->describe( $shown );
			}
		}
		if ( $rows ) {
			$this->output->rows( $rows, array_keys( $rows[0] ), $options );
		}
		return $failed;
	}

	/**
	 * Approves calls and runs them.
	 *
	 * @param list<string>          $ids     The ids of requests.
	 * @param array<string, string> $options `reason`, `seen`, `yes`.
	 */
	public function approve( array $ids, array $options ): int {
		return $this->decide( $ids, $options, true );
	}

	/**
	 * Denies calls.
	 *
	 * @param list<string>          $ids     The ids of requests.
	 * @param array<string, string> $options `reason`, `seen`, `yes`.
	 */
	public function deny( array $ids, array $options ): int {
		return $this->decide( $ids, $options, false );
	}

	/**
	 * Decides on calls, one after the other.
	 *
	 * @param list<string>          $ids     The ids of requests.
	 * @param array<string, string> $options `reason`; `seen`, the fingerprints with commas between
	 *                                       them; `yes`, to be asked nothing.
	 * @param bool                  $granted Whether the calls may run.
	 */
	private function decide( array $ids, array $options, bool $granted ): int {
		if ( ! $this->permits( 'approve' ) ) {
			return 1;
		}
		$seen = isset( $options['seen'] ) ? explode( ',', $options['seen'] ) : array();
		if ( $seen && count( $seen ) !== count( $ids ) ) {
			$this->output->error(
				__( '--seen needs a fingerprint for each request, with commas.', 'toolwire' )
			);
			return 1;
		}
		if ( isset( $options['yes'] ) && ! $seen ) {
			$this->output->error(
				__( '--yes needs --seen: the fingerprints of what was looked at.', 'toolwire' )
			);
			return 1;
		}
		$outcomes = array();
		foreach ( $ids as $at => $id ) {
			$decision = array(
				'id'      => $id,
				'granted' => $granted,
				'reason'  => (string) ( $options['reason'] ?? '' ),
				'seen'    => $seen[ $at ] ?? null,
			);
			if ( ! isset( $options['yes'] ) ) {
				$shown = $this->look( $id );
				if ( null === $shown ) {
					$outcomes[] = false;
					continue;
				}
				$this->describe( $shown );
				$decision['seen'] ??= $shown['fingerprint'];
				if ( ! $this->output->asks( $this->question( $granted ) ) ) {
					continue;
				}
			}
			$outcomes[] = $this->take( $decision );
		}
		return in_array( false, $outcomes, true ) ? 1 : 0;
	}

	/**
	 * The question before a decision.
	 *
	 * @param bool $granted Whether the call may run.
	 */
	private function question( bool $granted ): string {
		return $granted
			? __( 'Approve this call?', 'toolwire' )
			: __( 'Deny this call?', 'toolwire' );
	}

	/**
	 * Takes a decision, and writes what came of it.
	 *
	 * @param array{id: string, granted: bool, reason: string, seen: string} $decision What was
	 *     decided.
	 * @return bool Whether it has come to pass.
	 */
	private function take( array $decision ): bool {
		$outcomes = $this->decisions->take( array( $decision ) );
		$counts   = $this->decisions->count( $outcomes );
		if ( is_wp_error( $outcomes[0] ) ) {
			$this->output->error( "{$decision['id']}: " . $outcomes[0]->get_error_message() );
			return false;
		}
		$row = $outcomes[0];
		if ( ! $this->decisions->went_well( $counts ) ) {
			$why = $this->why( $row );
			$this->output->error( "{$decision['id']}: {$row['state']}: $why" );
			return false;
		}
		$this->output->line( "{$decision['id']}: {$row['state']}" );
		return true;
	}

	/**
	 * A request with all that its call says and would change; writes why there is none.
	 *
	 * @param string $id The request's id.
	 * @return array<string, mixed>|null
	 */
	private function look( string $id ): ?array {
		$shown = $this->approvals->look( $id );
		if ( is_wp_error( $shown ) ) {
			$this->output->error( "$id: " . $shown->get_error_message() );
			return null;
		}
		$changes = null === $shown['changes'] ? null : array_map(
			fn ( array $change ): array => array(
				'label' => $change['label'],
				'diff'  => $this->secrets->text( $change['diff']->diffOutput ),
			),
			$shown['changes']
		);
		return $this->request( $shown['item'] ) + array(
			'arguments'   => $shown['arguments'],
			'changes'     => $changes,
			'fingerprint' => $shown['fingerprint'],
		);
	}

	/**
	 * A request as a row.
	 *
	 * @param array<string, mixed> $item An item of {@see Approvals::page()}.
	 * @return array<string, mixed>
	 */
	private function request( array $item ): array {
		return array(
			'id'         => $item['id'],
			'message'    => $item['message'],
			'tool'       => $item['call']['tool'],
			'user'       => $this->user( (int) $item['call']['user_id'] ),
			'origin'     => $item['call']['origin'],
			'reason'     => (string) $item['call']['reason'],
			'created_at' => $item['created_at'],
			'expires_at' => $item['expires_at'],
			'bytes'      => $item['bytes'],
			'call'       => $item['call']['action_id'],
		);
	}

	/**
	 * Writes a request for a person.
	 *
	 * @param array<string, mixed> $shown What look() returned.
	 */
	private function describe( array $shown ): void {
		foreach ( $shown as $name => $value ) {
			if ( 'changes' !== $name ) {
				$this->tell( $name, (string) $value );
				continue;
			}
			if ( null === $value ) {
				$this->tell(
					$name,
					__( 'The tool could not say what it would change.', 'toolwire' )
				);
			}
			foreach ( $value ?? array() as $change ) {
				$this->tell( $change['label'], $change['diff'] );
			}
		}
	}
}
