<?php
/**
 * The tools of the site.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Throwable;
use Toolwire\Plain\ReadOnlyCalls;
use Toolwire\Tools\Registry;
use Toolwire\Tools\ToolDefinition;
use WP_Error;

/**
 * Collects the tools that the hook `toolwire_register_tools` gives, when they are first asked for.
 */
final class Tools {

	/**
	 * The extension's registry.
	 *
	 * @var Registry
	 */
	public readonly Registry $registry;

	/**
	 * The tools by name.
	 *
	 * @var array<string, Tool>
	 */
	private array $tools = array();

	/**
	 * Asks for the tools.
	 *
	 * @param Settings $settings The settings.
	 */
	public function __construct( private Settings $settings ) {
		$this->registry = new Registry();
		/**
		 * Fires when the tools are needed. Register yours with `$tools->register()`.
		 *
		 * @param Tools $tools The tools of the site.
		 */
		do_action( 'toolwire_register_tools', $this );
	}

	/**
	 * Adds a tool, or replaces the tool of the same name. An invalid registration is reported with
	 * WordPress' `_doing_it_wrong()`.
	 *
	 * @param string               $name      Letters, digits and `_.:/-`, 128 at most.
	 * @param array<string, mixed> $arguments {
	 *     What the tool is and may.
	 *
	 *     @type string        $description         For the model.
	 *     @type array         $input_schema        A JSON Schema that the arguments must match.
	 *     @type string        $capability          What the user must be allowed to do.
	 *     @type callable      $permission_callback Takes the arguments, which match the schema.
	 *                                              Returns true, false or a WP_Error. It is asked
	 *                                              again when an approved call runs.
	 *     @type callable      $callback            Takes the arguments. Returns an array, a value,
	 *                                              a WP_Error, or a Toolwire\Tools\ToolOutput
	 *                                              (with undo data).
	 *     @type callable      $preview_callback    Takes the arguments, and runs as the user whose
	 *                                              call it is. Returns a list of `label` and
	 *                                              `diff`: what the call would change. An approved
	 *                                              call runs only while the diffs stay the same.
	 *     @type callable      $hold_callback       Takes the arguments, and runs as the user whose
	 *                                              call it is. Returns a WP_Error while nobody
	 *                                              should approve the call, else null. The call
	 *                                              goes on waiting.
	 *     @type callable      $undo_callback       Takes the undo data. Returns a WP_Error or
	 *                                              throws when it cannot undo. It checks itself
	 *                                              what the user may do.
	 *     @type bool|string   $approval            Whether a person must approve, or the question
	 *                                              to ask. Default true.
	 *     @type array         $rate_limit          So many calls in so many seconds, for each user.
	 *     @type int|float     $timeout_seconds     For how many seconds a call may work; PHP's own
	 *                                              limit is set to it meanwhile.
	 *     @type list<string>  $aliases             Other names that find it.
	 *     @type bool          $log_result          Whether the log keeps the result. Default true.
	 *     @type array         $annotations         `readonly`, `destructive` and `idempotent`, as
	 *                                              abilities have them.
	 *     @type bool          $offered             Whether models and programs may call it by its
	 *                                              name. Default true. Else it serves the gate.
	 * }
	 * @return bool Whether it was added.
	 */
	public function register( string $name, array $arguments ): bool {
		try {
			$arguments = $this->with_schema( $name, $arguments );
			$tool      = new Tool( $name, $arguments );
			$this->registry->register(
				$tool->definition( 'all' === $this->settings->get( 'approval' ) )
			);
		} catch ( Throwable $refused ) {
			$message = sprintf(
				/* translators: 1: name of a tool, 2: what is wrong with it. */
				__( 'The tool "%1$s" was not registered: %2$s', 'toolwire' ),
				$name,
				$refused->getMessage()
			);
			_doing_it_wrong( __METHOD__, esc_html( $message ), '0.1.0' );
			return false;
		}
		$this->tools[ $name ] = $tool;
		return true;
	}

	/**
	 * The arguments with a schema in JSON Schema. Code in the schema is left out and reported.
	 *
	 * @param string               $name      The tool's name.
	 * @param array<string, mixed> $arguments What register() takes.
	 * @return array<string, mixed>
	 */
	private function with_schema( string $name, array $arguments ): array {
		if ( ! is_array( $arguments['input_schema'] ?? null ) ) {
			return $arguments;
		}
		$code                      = array();
		$arguments['input_schema'] = ( new Input_Schema() )->standard(
			$arguments['input_schema'],
			$code
		);
		if ( $code ) {
			$message = sprintf(
				/* translators: 1: name of a tool, 2: places in a schema. */
				__( 'The schema of the tool "%1$s" has code that is not called: %2$s', 'toolwire' ),
				$name,
				implode( ', ', $code )
			);
			_doing_it_wrong( __CLASS__ . '::register', esc_html( $message ), '0.1.0' );
		}
		return $arguments;
	}

	/**
	 * A tool by its name or an alias.
	 *
	 * @param string $name The name.
	 */
	public function get( string $name ): ?Tool {
		$definition = $this->registry->get( $name );
		return null === $definition ? null : $this->tools[ $definition->name ] ?? null;
	}

	/**
	 * Every tool that is offered, by its name.
	 *
	 * @return array<string, Tool>
	 */
	public function all(): array {
		return array_filter( $this->tools, array( $this, 'offers' ) );
	}

	/**
	 * Whether a tool is offered here: a host without the extension only reads.
	 *
	 * @param Tool $tool The tool.
	 */
	private function offers( Tool $tool ): bool {
		$definition = $this->registry->getById( $tool->name );
		return $tool->is_offered && null !== $definition
			&& ( ! Host::only_reads() || ReadOnlyCalls::takes( $definition ) );
	}

	/**
	 * The tools that are offered, as the extension has them.
	 *
	 * @param ?list<string> $among The names of those that may be; null for all.
	 */
	public function offered( ?array $among = null ): Registry {
		$offered = new Registry();
		foreach ( $this->registry->list() as $tool ) {
			$is_meant = null === $among || in_array( $tool->name, $among, true );
			if ( $is_meant && $this->offers( $this->tools[ $tool->name ] ) ) {
				$offered->register( $tool );
			}
		}
		return $offered;
	}

	/**
	 * Why a call is not taken: its tool is not offered, and no ability was run. Null when it is.
	 *
	 * @param string $name   The tool's name.
	 * @param string $origin Where the call came from, one of Call_Log::ORIGINS.
	 */
	public function refuse( string $name, string $origin ): ?WP_Error {
		return 'ability' === $origin || false !== $this->get( $name )?->is_offered
			? null
			: new WP_Error(
				'toolwire_tool_not_found',
				__( 'There is no such tool.', 'toolwire' ),
				array( 'status' => 404 )
			);
	}

	/**
	 * The tools in the form that a detector wants. A call of one that is not offered on a host that
	 * only reads is found, so that it is refused by its name.
	 *
	 * @return list<array{name: string, parameters: array<string, mixed>|\stdClass}>
	 */
	public function for_detector(): array {
		$definitions = array_filter(
			$this->registry->list(),
			fn ( ToolDefinition $tool ): bool => $this->tools[ $tool->name ]->is_offered
		);
		return array_map(
			static fn ( ToolDefinition $tool ): array => array(
				'name'       => $tool->name,
				'parameters' => $tool->inputSchema ? $tool->inputSchema : new \stdClass(),
			),
			array_values( $definitions )
		);
	}

	/**
	 * The aliases of the tools, each with the tool's name.
	 *
	 * @return array<string, string>
	 */
	public function aliases(): array {
		$aliases = array();
		foreach ( $this->registry->list() as $tool ) {
			$aliases += array_fill_keys( $tool->aliases, $tool->name );
		}
		return $aliases;
	}
}
