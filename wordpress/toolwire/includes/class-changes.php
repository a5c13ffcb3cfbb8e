<?php
/**
 * What calls would change.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Throwable;
use Toolwire\DiffResult;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use UnexpectedValueException;

/**
 * Asks tools what a call of the current user would change now. The extension puts the answer into
 * the call's fingerprint, and people are shown the same answer.
 */
final class Changes {

	/**
	 * The last answer for each action; null when the tool could not say.
	 *
	 * @var array<string, list<array{label: string, diff: DiffResult}>|null>
	 */
	private array $told = array();

	/**
	 * The only answer that is taken now; false for any.
	 *
	 * @var list<string>|false|null
	 */
	private $expected = false;

	/**
	 * Takes its parts.
	 *
	 * @param Tools     $tools     The tools of the site.
	 * @param Json_Text $json_text Tells objects from lists.
	 */
	public function __construct(
		private Tools $tools,
		private Json_Text $json_text,
	) {
	}

	/**
	 * The part of a call's fingerprint that stands for its changes: a hash of each diff. Labels are
	 * left out: they depend on the language of the user.
	 *
	 * @param ToolInput      $input What the call gives its tool.
	 * @param ToolDefinition $tool  The tool.
	 * @return list<string>|null
	 * @throws Tools\Changed_Since During expecting(), when it is not what is expected.
	 */
	public function fingerprint( ToolInput $input, ToolDefinition $tool ): ?array {
		$this->told[ $input->runId ] = $this->ask( $input, $tool->name );
		$hashes                      = $this->hashes( $input->runId );
		if ( false !== $this->expected && $this->expected !== $hashes ) {
			throw new Tools\Changed_Since( 'the call would change something else by now' );
		}
		return $hashes;
	}

	/**
	 * What fingerprint() last returned for an action.
	 *
	 * @param string $run_id The run's id.
	 * @return list<string>|null
	 */
	public function hashes( string $run_id ): ?array {
		$changes = $this->of( $run_id );
		return null === $changes ? null : array_map(
			static fn ( array $change ): string => hash( 'sha256', $change['diff']->diffOutput ),
			$changes
		);
	}

	/**
	 * Does something during which a call may change nothing else than a person was shown, and
	 * returns its result.
	 *
	 * @param list<string>|null $hashes What fingerprint() returned when the person was shown it.
	 * @param callable          $act    What is done.
	 * @return mixed
	 */
	public function expecting( ?array $hashes, callable $act ) {
		$before         = $this->expected;
		$this->expected = $hashes;
		try {
			return $act();
		} finally {
			$this->expected = $before;
		}
	}

	/**
	 * What a call would change, as in its last fingerprint; null when the tool could not say.
	 *
	 * @param string $run_id The run's id.
	 * @return list<array{label: string, diff: DiffResult}>|null
	 */
	public function of( string $run_id ): ?array {
		return $this->told[ $run_id ] ?? null;
	}

	/**
	 * Asks a tool.
	 *
	 * @param ToolInput $input What the call gives its tool.
	 * @param string    $name  The tool's name.
	 * @return list<array{label: string, diff: DiffResult}>|null
	 */
	private function ask( ToolInput $input, string $name ): ?array {
		try {
			$changes = $this->tools->get( $name )?->preview(
				$this->json_text->without_objects( $input->payload )
			);
			foreach ( $changes ?? array() as $change ) {
				if (
					! is_string( $change['label'] ?? null )
					|| ! ( $change['diff'] ?? null ) instanceof DiffResult
				) {
					throw new UnexpectedValueException( 'it gave no labels with diffs' );
				}
			}
			return $changes;
		} catch ( Throwable $thrown ) {
			Report::failure( "could not ask what a call of $name would change", $thrown );
			return null;
		}
	}
}
