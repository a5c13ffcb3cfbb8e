<?php
/**
 * Where a command writes.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Cli;

/**
 * What a command needs of the console.
 */
interface Output {

	/**
	 * Writes a list in the format that the options name.
	 *
	 * @param list<array<string, mixed>> $rows    What is listed. Each has an `id`.
	 * @param list<string>               $fields  The fields that are shown unless the options name
	 *                                            others.
	 * @param array<string, string>      $options `format`, `fields`, `field`.
	 */
	public function rows( array $rows, array $fields, array $options ): void;

	/**
	 * Writes a line.
	 *
	 * @param string $text The line. What comes from strangers is shown as marks where it is
	 *                     invisible or controls a terminal.
	 */
	public function line( string $text ): void;

	/**
	 * Writes why something failed, where errors go. The command goes on.
	 *
	 * @param string $text Why.
	 */
	public function error( string $text ): void;

	/**
	 * Asks the person.
	 *
	 * @param string $question The question.
	 * @return bool Whether the answer is yes.
	 */
	public function asks( string $question ): bool;
}
