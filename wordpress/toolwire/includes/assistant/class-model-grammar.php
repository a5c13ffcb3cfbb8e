<?php
/**
 * The grammar to which the model's server holds the model.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\Exception\ToolwireThrowable;
use Toolwire\WordPress\Host;
use Toolwire\WordPress\Settings;
use WP_Error;

/**
 * Makes the grammar that the settings ask for, for servers that take one. Such a server must get no
 * tools beside it, so the text names them.
 */
final class Model_Grammar {

	/**
	 * Takes the settings.
	 *
	 * @param Settings $settings The settings.
	 */
	public function __construct( private Settings $settings ) {
	}

	/**
	 * Whether requests get a grammar. Only the extension makes one.
	 */
	public function is_set(): bool {
		return ! Host::only_reads() && 'none' !== $this->settings->get( 'grammar' );
	}

	/**
	 * A request that has no tools, with the grammar.
	 *
	 * @param callable(?string): array<string, mixed> $textual  Gives the request that names the
	 *                                                          tools in its text, by the format of
	 *                                                          their calls.
	 * @param Tool_List                               $tools    The tools.
	 * @param bool                                    $may_call Whether the model may write calls.
	 * @return array<string, mixed>
	 * @throws Model_Failure When there is no grammar for the model or its tools.
	 */
	public function holding( callable $textual, Tool_List $tools, bool $may_call ): array {
		$backend = (string) $this->settings->get( 'grammar' );
		try {
			$calling    = $tools->constraint( $backend );
			$constraint = $may_call ? $calling : $tools->constraint( $backend, false );
			$request    = $textual( $calling->format );
		} catch ( ToolwireThrowable $fault ) {
			$error = new WP_Error( 'toolwire_no_grammar', $fault->getMessage() );
			// phpcs:ignore WordPress.Security.EscapeOutput -- not shown to visitors.
			throw new Model_Failure( $error );
		}
		return $constraint->request + $request;
	}
}
