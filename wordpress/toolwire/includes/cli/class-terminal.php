<?php
/**
 * The console of WP-CLI.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Cli;

use Toolwire\WordPress\Admin\Verbatim;
use WP_CLI;
use WP_CLI\Formatter;

/**
 * Writes by WP-CLI. Control characters are marks such as `⟨U+001B⟩`, so that no text of a call
 * steers the terminal. JSON writes them as escapes, so its texts stay as they are.
 */
final class Terminal implements Output {

	/**
	 * Takes its parts.
	 *
	 * @param Verbatim $verbatim Shows texts as they are.
	 */
	public function __construct( private Verbatim $verbatim ) {
	}

	/**
	 * Writes a list.
	 *
	 * @param list<array<string, mixed>> $rows    As {@see Output::rows()} says.
	 * @param list<string>               $fields  As above.
	 * @param array<string, string>      $options As above.
	 */
	public function rows( array $rows, array $fields, array $options ): void {
		$options += array( 'format' => 'table' );
		$format   = $options['format'];
		if ( 'ids' === $format ) {
			WP_CLI::line( implode( ' ', array_column( $rows, 'id' ) ) );
			return;
		}
		if ( 'json' !== $format ) {
			$one_line = 'yaml' !== $format;
			$rows     = array_map( fn ( $row ) => $this->marked( $row, $one_line ), $rows );
		}
		( new Formatter( $options, $fields ) )->display_items( $rows );
	}

	/**
	 * Writes a line.
	 *
	 * @param string $text The line.
	 */
	public function line( string $text ): void {
		WP_CLI::line( $this->verbatim->text( $text ) );
	}

	/**
	 * Writes why something failed.
	 *
	 * @param string $text Why.
	 */
	public function error( string $text ): void {
		WP_CLI::error( $this->verbatim->text( $text ), false );
	}

	/**
	 * Asks the person. Input that has ended is no yes.
	 *
	 * @param string $question The question.
	 */
	public function asks( string $question ): bool {
		WP_CLI::out( $this->verbatim->text( $question ) . ' [y/n] ' );
		// phpcs:ignore WordPress.WP.AlternativeFunctions -- the input of a console is no file.
		return 'y' === strtolower( trim( (string) fgets( STDIN ) ) );
	}

	/**
	 * A value of a list with marks for what is invisible, in its names too.
	 *
	 * @param mixed $value    The value.
	 * @param bool  $one_line Whether line ends are marked too: a cell of a table is one line.
	 * @return mixed
	 */
	private function marked( $value, bool $one_line ) {
		if ( is_array( $value ) || is_object( $value ) ) {
			$marked = array();
			foreach ( (array) $value as $name => $part ) {
				$name            = is_int( $name ) ? $name : $this->verbatim->text( $name );
				$marked[ $name ] = $this->marked( $part, $one_line );
			}
			return $marked;
		}
		if ( ! is_string( $value ) ) {
			return $value;
		}
		$text = $this->verbatim->text( $value );
		return $one_line ? str_replace( array( "\r\n", "\n" ), '⏎', $text ) : $text;
	}
}
