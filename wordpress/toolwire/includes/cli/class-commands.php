<?php
/**
 * The commands of WP-CLI.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Cli;

use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Plugin;
use WP_CLI;

/**
 * Registers `wp toolwire`: what each command is for, what it takes, and which part does it.
 */
final class Commands {

	/**
	 * The formats of lists.
	 */
	const FORMATS = array( 'table', 'json', 'csv', 'yaml', 'ids', 'count' );

	/**
	 * Takes the parts of the plugin.
	 *
	 * @param Plugin $plugin The parts of the plugin.
	 */
	public function __construct( private Plugin $plugin ) {
	}

	/**
	 * Answers the hook `cli_init`.
	 */
	public function register(): void {
		foreach ( $this->all() as $name => list( $class, $method, $words, $takes ) ) {
			WP_CLI::add_command(
				"toolwire $name",
				function ( array $ids, array $options ) use ( $class, $method ): void {
					$this->plugin->schema()->ensure();
					$code = $this->command( $class )->$method( $ids, $options );
					if ( 0 !== $code ) {
						WP_CLI::halt( $code );
					}
				},
				array(
					'shortdesc' => $words,
					'synopsis'  => $takes,
				)
			);
		}
	}

	/**
	 * The commands: class, method, words, and what they take.
	 *
	 * @return array<string, array{class-string<Command>, string, string, list<array>}>
	 */
	private function all(): array {
		$ids = array(
			'type'      => 'positional',
			'name'      => 'id',
			'repeating' => true,
		);
		$yes = array(
			'type'     => 'flag',
			'name'     => 'yes',
			'optional' => true,
		);
		return $this->approvals( $ids, $yes ) + $this->runs( $ids, $yes ) + $this->log( $ids );
	}

	/**
	 * The commands for those who decide.
	 *
	 * @param array<string, mixed> $ids What names requests.
	 * @param array<string, mixed> $yes The option to be asked nothing.
	 * @return array<string, array{class-string<Command>, string, string, list<array>}>
	 */
	private function approvals( array $ids, array $yes ): array {
		$decision = array( $ids, $this->option( 'reason' ), $this->option( 'seen' ), $yes );
		return array(
			'approvals list'    => array(
				Approvals_Command::class,
				'list',
				__( 'Lists the calls that wait for approval.', 'toolwire' ),
				$this->of_list(),
			),
			'approvals show'    => array(
				Approvals_Command::class,
				'show',
				__( 'Shows what calls say and would change, with fingerprints.', 'toolwire' ),
				array( $ids, $this->option( 'format', array( 'json', 'yaml' ) ) ),
			),
			'approvals approve' => array(
				Approvals_Command::class,
				'approve',
				__( 'Shows calls, asks, approves and runs them.', 'toolwire' ),
				$decision,
			),
			'approvals deny'    => array(
				Approvals_Command::class,
				'deny',
				__( 'Shows calls, asks, and denies them.', 'toolwire' ),
				$decision,
			),
		);
	}

	/**
	 * The commands for calls that have not ended.
	 *
	 * @param array<string, mixed> $ids What names calls.
	 * @param array<string, mixed> $yes The option to be asked nothing.
	 * @return array<string, array{class-string<Command>, string, string, list<array>}>
	 */
	private function runs( array $ids, array $yes ): array {
		return array(
			'runs list'     => array(
				Runs_Command::class,
				'list',
				__( 'Lists the calls that have not ended.', 'toolwire' ),
				$this->of_list(),
			),
			'runs show'     => array(
				Runs_Command::class,
				'show',
				__( 'Shows calls.', 'toolwire' ),
				array( $ids, $this->option( 'format', array( 'json', 'yaml' ) ) ),
			),
			'runs continue' => array(
				Runs_Command::class,
				'continue',
				__( 'Goes on with decided calls, and with interrupted ones.', 'toolwire' ),
				array( $ids, $yes ),
			),
		);
	}

	/**
	 * The commands of the log.
	 *
	 * @param array<string, mixed> $ids What names calls.
	 * @return array<string, array{class-string<Command>, string, string, list<array>}>
	 */
	private function log( array $ids ): array {
		$filters = array(
			$this->option( 'tool' ),
			$this->option( 'state', Call_Log::STATES ),
			$this->option( 'origin', Call_Log::ORIGINS ),
			$this->option( 'by' ),
			$this->option( 'from' ),
			$this->option( 'to' ),
			$this->option( 'search' ),
		);
		return array(
			'log list' => array(
				Log_Command::class,
				'list',
				__( 'Lists calls of the log.', 'toolwire' ),
				array( ...$filters, ...$this->of_list() ),
			),
			'undo'     => array(
				Log_Command::class,
				'undo',
				__( 'Undoes calls.', 'toolwire' ),
				array( $ids ),
			),
		);
	}

	/**
	 * What a list takes.
	 *
	 * @return list<array<string, mixed>>
	 */
	private function of_list(): array {
		return array(
			$this->option( 'format', self::FORMATS ),
			$this->option( 'fields' ),
			$this->option( 'field' ),
			$this->option( 'limit' ),
			$this->option( 'page' ),
		);
	}

	/**
	 * An option with a value.
	 *
	 * @param string       $name   Its name.
	 * @param list<string> $values The values that it may have; any when empty.
	 * @return array<string, mixed>
	 */
	private function option( string $name, array $values = array() ): array {
		$option = array(
			'type'     => 'assoc',
			'name'     => $name,
			'optional' => true,
		);
		return $values ? $option + array( 'options' => $values ) : $option;
	}

	/**
	 * Makes the part that does a command.
	 *
	 * @param class-string<Command> $name Its class.
	 */
	private function command( string $name ): Command {
		$shared = array(
			new Terminal( $this->plugin->admin()->verbatim() ),
			$this->plugin->access(),
			$this->plugin->call_log(),
			$this->plugin->call_view(),
		);
		if ( Approvals_Command::class === $name ) {
			return new Approvals_Command(
				...$shared,
				approvals: $this->plugin->approvals(),
				decisions: $this->plugin->decisions(),
				secrets: $this->plugin->secrets(),
			);
		}
		array_push( $shared, $this->plugin->log_search(), $this->plugin->runner() );
		return Log_Command::class === $name
			? new Log_Command( ...$shared, undoing: $this->plugin->undoing() )
			: new $name( ...$shared );
	}
}
