<?php
/**
 * A tool as it is registered.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Closure;
use InvalidArgumentException;
use ReflectionFunction;
use ReflectionNamedType;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;
use Toolwire\Tools\UndoMetadata;
use WP_Error;

/**
 * A tool in the words of WordPress, and the extension's definition made from it.
 */
final class Tool {

	/**
	 * The arguments that are code.
	 */
	const CALLBACKS = array(
		'callback',
		'permission_callback',
		'preview_callback',
		'hold_callback',
		'undo_callback',
	);

	const ARGUMENTS = array(
		'description'         => '',
		'input_schema'        => array(),
		'capability'          => '',
		'permission_callback' => null,
		'callback'            => null,
		'preview_callback'    => null,
		'hold_callback'       => null,
		'undo_callback'       => null,
		'approval'            => true,
		'rate_limit'          => null,
		'timeout_seconds'     => null,
		'aliases'             => array(),
		'log_result'          => true,
		'annotations'         => array(),
		'offered'             => true,
	);

	/**
	 * The tool's name.
	 *
	 * @var string
	 */
	public readonly string $name;

	/**
	 * Whether the log keeps the tool's results.
	 *
	 * @var bool
	 */
	public readonly bool $logs_result;

	/**
	 * Whether models and programs may call it by its name.
	 *
	 * @var bool
	 */
	public readonly bool $is_offered;

	/**
	 * The arguments of its registration, with defaults.
	 *
	 * @var array<string, mixed>
	 */
	private array $arguments;

	/**
	 * What refusal() tells.
	 *
	 * @var array{code?: string, status?: int}
	 */
	private array $refusal = array();

	/**
	 * Takes a tool.
	 *
	 * @param string               $name      Its name.
	 * @param array<string, mixed> $arguments What Tools::register() says.
	 * @throws InvalidArgumentException When something is missing, unknown or of another type.
	 */
	public function __construct( string $name, array $arguments ) {
		$unknown = array_diff_key( $arguments, self::ARGUMENTS );
		if ( $unknown ) {
			throw new InvalidArgumentException(
				esc_html( 'unknown arguments: ' . implode( ', ', array_keys( $unknown ) ) )
			);
		}
		if ( 1 !== preg_match( '~^[A-Za-z0-9_.:/-]{1,128}$~D', $name ) ) {
			// phpcs:ignore WordPress.Security.EscapeOutput -- escaped where it is shown.
			throw new InvalidArgumentException( "no model can call a tool by the name \"$name\"" );
		}
		$this->name      = $name;
		$this->arguments = array_merge( self::ARGUMENTS, $arguments );
		foreach ( self::CALLBACKS as $key ) {
			$optional = 'callback' !== $key && null === $this->arguments[ $key ];
			if ( ! $optional && ! is_callable( $this->arguments[ $key ] ) ) {
				// phpcs:ignore WordPress.Security.EscapeOutput -- escaped where it is shown.
				throw new InvalidArgumentException( "$key must be callable" );
			}
		}
		if (
			'' === $this->arguments['capability']
			&& null === $this->arguments['permission_callback']
		) {
			throw new InvalidArgumentException(
				'a tool needs a capability or a permission_callback'
			);
		}
		$this->logs_result = (bool) $this->arguments['log_result'];
		$this->is_offered  = (bool) $this->arguments['offered'];
	}

	/**
	 * The extension's definition.
	 *
	 * @param bool $all_need_approval Whether the site's owner wants to see every call.
	 */
	public function definition( bool $all_need_approval ): ToolDefinition {
		$approval = $this->arguments['approval'];
		$undo     = $this->arguments['undo_callback'];
		/**
		 * Filters whether a person must approve a call of a tool.
		 *
		 * @param bool   $needed Whether the tool, or the site's owner, wants it.
		 * @param string $name   The tool's name.
		 */
		$needed = (bool) apply_filters(
			'toolwire_requires_approval',
			$all_need_approval || (bool) $approval,
			$this->name
		);
		return new ToolDefinition(
			name: $this->name,
			id: $this->name,
			handler: fn ( ToolInput $input ): ToolOutput => $this->call( $input ),
			description: (string) $this->arguments['description'],
			inputSchema: (array) $this->arguments['input_schema'],
			requiresApproval: $needed,
			approvalMessage: is_string( $approval ) ? $approval : null,
			undoable: null !== $undo,
			undoHandler: null === $undo ? null : fn ( UndoMetadata $metadata ) =>
				$this->refuse_error( $undo( $metadata->undoData ) ),
			aliases: array_values( (array) $this->arguments['aliases'] ),
			rateLimit: $this->arguments['rate_limit'],
			timeoutSeconds: $this->arguments['timeout_seconds'],
			readOnly: true === ( $this->annotations()['readonly'] ?? null ) ? true : null,
		);
	}

	/**
	 * The definition with which arguments are tried: a call stops at the question to a person.
	 */
	public function trial(): ToolDefinition {
		return new ToolDefinition(
			name: $this->name,
			id: $this->name,
			handler: static fn (): ToolOutput => ToolOutput::fail( 'A trial runs nothing.' ),
			inputSchema: (array) $this->arguments['input_schema'],
			requiresApproval: true,
		);
	}

	/**
	 * Returns true when the current user may call the tool with these arguments, else the reason.
	 *
	 * The executor asks when the arguments match the schema, and again when a call runs after
	 * waiting: the user's rights may have changed.
	 *
	 * @param array<mixed> $arguments The call's arguments, which fit the schema.
	 * @return true|string
	 */
	public function permits( array $arguments ) {
		$this->refusal = array();
		if ( ! $this->is_for_user() ) {
			return __( 'You are not allowed to use this tool.', 'toolwire' );
		}
		$callback      = $this->arguments['permission_callback'];
		$answer        = null === $callback ? true : $callback( $arguments );
		$this->refusal = is_wp_error( $answer ) ? $this->told( $answer ) : array();
		if ( is_wp_error( $answer ) ) {
			return (string) $answer->get_error_message();
		}
		return true === $answer
			? true
			: __( 'You are not allowed to use this tool in this way.', 'toolwire' );
	}

	/**
	 * The code and the status of the WP_Error with which the tool last denied a call.
	 *
	 * @return array{code?: string, status?: int}
	 */
	public function refusal(): array {
		return $this->refusal;
	}

	/**
	 * Whether the current user has the tool's capability.
	 */
	public function is_for_user(): bool {
		$capability = (string) $this->arguments['capability'];
		return '' === $capability || current_user_can( $capability );
	}

	/**
	 * What the tool does to the site, in the words of abilities: `readonly`, `destructive`,
	 * `idempotent`.
	 *
	 * @return array<string, mixed>
	 */
	public function annotations(): array {
		return (array) $this->arguments['annotations'];
	}

	/**
	 * What a call would change, for the person who decides.
	 *
	 * @param array<mixed> $arguments The call's arguments.
	 * @return list<array{label: string, diff: \Toolwire\DiffResult}>
	 */
	public function preview( array $arguments ): array {
		$callback = $this->arguments['preview_callback'];
		return null === $callback ? array() : array_values( (array) $callback( $arguments ) );
	}

	/**
	 * Why nobody should approve a call right now, for example because somebody works on the same
	 * thing; null when nothing holds it up.
	 *
	 * @param array<mixed> $arguments The call's arguments.
	 */
	public function hold( array $arguments ): ?WP_Error {
		$callback = $this->arguments['hold_callback'];
		$answer   = null === $callback ? null : $callback( $arguments );
		return is_wp_error( $answer ) ? $answer : null;
	}

	/**
	 * Calls the tool's own code.
	 *
	 * @param ToolInput $input The call's arguments, and what is known of its run.
	 */
	private function call( ToolInput $input ): ToolOutput {
		$callback = $this->arguments['callback'];
		// Other callbacks may have a second parameter of their own.
		$given = $this->takes_input( $callback )
			? $callback( $input->payload, $input )
			: $callback( $input->payload );
		if ( $given instanceof ToolOutput ) {
			return $given;
		}
		if ( is_wp_error( $given ) ) {
			return ToolOutput::fail(
				(string) $given->get_error_message(),
				array( 'wp_error' => $this->told( $given ) )
			);
		}
		return ToolOutput::ok(
			is_array( $given ) || null === $given ? $given : array( 'value' => $given )
		);
	}

	/**
	 * Whether the second parameter of a callback is the input of a run: it has that type.
	 *
	 * @param callable $callback The callback.
	 */
	private function takes_input( callable $callback ): bool {
		$function = new ReflectionFunction( Closure::fromCallable( $callback ) );
		$second   = $function->getParameters()[1] ?? null;
		$type     = null === $second ? null : $second->getType();
		return $type instanceof ReflectionNamedType && ToolInput::class === $type->getName();
	}

	/**
	 * The code of an error, and the status that it has.
	 *
	 * @param WP_Error $error The error.
	 * @return array{code: string, status?: int}
	 */
	private function told( WP_Error $error ): array {
		$told   = array( 'code' => (string) $error->get_error_code() );
		$data   = $error->get_error_data();
		$status = is_array( $data ) ? $data['status'] ?? null : null;
		return is_numeric( $status ) ? $told + array( 'status' => (int) $status ) : $told;
	}

	/**
	 * Turns an error into an exception.
	 *
	 * @param mixed $given What a callback returned.
	 * @throws Refused With the error's message.
	 */
	private function refuse_error( $given ): void {
		if ( is_wp_error( $given ) ) {
			// phpcs:ignore WordPress.Security.EscapeOutput -- escaped where it is shown.
			throw new Refused( (string) $given->get_error_message(), $this->told( $given ) );
		}
	}
}
