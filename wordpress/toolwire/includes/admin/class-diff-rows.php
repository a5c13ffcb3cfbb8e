<?php
/**
 * The rows of a diff's table.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Secrets;

/**
 * Reads rows from the text of a unified diff. Lines end at the same characters as in the extension,
 * not only at `\n`. The class reads text because one object for each line would need more memory
 * than a request has.
 *
 * Secrets are searched in the whole text, since some span many lines, but removed from each line
 * separately. So the text behind a secret keeps its line and its sign.
 */
final class Diff_Rows {

	/**
	 * The most lines that become rows.
	 */
	const LINES = 500;

	/**
	 * The line ends of the extension.
	 */
	const ENDS = '~(\r\n|[\n-\r\x1c-\x1e]|\xc2\x85|\xe2\x80[\xa8\xa9])~';

	/**
	 * The rest of a secret at the start of a line, when the secret began on an earlier line.
	 */
	const INSIDE = '~^[\s>"\'+,|*#-]*[A-Za-z0-9+/]+={0,2}~';

	/**
	 * Lines inside of such a secret.
	 */
	const FURTHER = '~^(?:[\s>"\'+,|*#-]*[A-Za-z0-9+/]{16,}={0,2}\s)+~';

	const TYPES = array(
		' ' => 'equal',
		'+' => 'add',
		'-' => 'remove',
	);

	/**
	 * Takes its parts.
	 *
	 * @param Secrets $secrets Masks secrets.
	 */
	public function __construct(
		private Secrets $secrets,
	) {
	}

	/**
	 * The rows of the first lines, and the rest as text. A row is `add`, `remove` or `equal` with
	 * its number and text, a `note` with its text, or a `gap`.
	 *
	 * @param string $diff A unified diff.
	 * @return array{rows: list<array{type: string, number: int, text: string}>, rest: string}
	 */
	public function of( string $diff ): array {
		$diff  = mb_scrub( $diff, 'UTF-8' );
		$kept  = array_flip( $this->split( $this->secrets->text( $diff ) ) );
		$parts = $this->split( $diff );
		$rest  = count( $parts ) > 2 * self::LINES ? (string) array_pop( $parts ) : '';
		$cut   = false;
		foreach ( $parts as $at => $line ) {
			$cut = 0 === $at % 2 ? ! isset( $kept[ $line ] ) : $cut;
			if ( 0 !== $at % 2 || ! $cut ) {
				continue;
			}
			$parts[ $at ] = $this->secrets->text( $line );
			$cut          = ! isset( $kept[ $parts[ $at ] ] );
			if ( $cut ) {
				$parts[ $at ] = $this->without_inside( $parts[ $at ] );
			}
		}
		$rest = $this->secrets->text( $rest );
		return array(
			'rows' => $this->rows( $parts ),
			'rest' => $cut ? (string) preg_replace( self::FURTHER, "[redacted]\n", $rest ) : $rest,
		);
	}

	/**
	 * The first lines of a text, each followed by its line end; the rest of the text is last.
	 *
	 * @param string $text The text.
	 * @return list<string>
	 */
	private function split( string $text ): array {
		return preg_split( self::ENDS, $text, self::LINES + 1, PREG_SPLIT_DELIM_CAPTURE );
	}

	/**
	 * A line without the part of a secret that began on an earlier line.
	 *
	 * @param string $line The line behind its sign.
	 */
	private function without_inside( string $line ): string {
		return substr( $line, 0, 1 )
			. preg_replace( self::INSIDE, '[redacted]', substr( $line, 1 ) );
	}

	/**
	 * The rows of lines.
	 *
	 * @param list<string> $parts Lines by turns with their ends.
	 * @return list<array{type: string, number: int, text: string}>
	 */
	private function rows( array $parts ): array {
		$lines = array();
		$ends  = array();
		$old   = 0;
		$new   = 0;
		foreach ( array_chunk( $parts, 2 ) as $part ) {
			$line = $part[0];
			$type = self::TYPES[ substr( $line, 0, 1 ) ] ?? 'note';
			if ( preg_match( '~^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@~', $line, $found ) ) {
				if ( $old + $new > 0 ) {
					$lines[] = $this->row( 'gap' );
				}
				$old = max( 1, (int) $found[1] );
				$new = max( 1, (int) $found[2] );
			} elseif ( 0 === $old || '' === $line ) {
				continue;
			} elseif ( 'note' === $type ) {
				$lines[] = $this->row( 'note', 0, ltrim( $line, '\\ ' ) );
			} else {
				$end          = $part[1] ?? '';
				$ends[ $end ] = true;
				$lines[]      = $this->row(
					$type,
					'remove' === $type ? $old : $new,
					substr( $line, 1 ) . rtrim( $end, "\n" )
				);
				$old         += 'add' === $type ? 0 : 1;
				$new         += 'remove' === $type ? 0 : 1;
			}
		}
		if ( array( "\r\n" ) === array_keys( $ends ) ) {
			// The kind of line end is not shown when all lines have the same.
			$lines = array_map(
				fn ( array $line ): array => $this->row(
					$line['type'],
					$line['number'],
					rtrim( $line['text'], "\r" )
				),
				$lines
			);
		}
		return $lines;
	}

	/**
	 * A row.
	 *
	 * @param string $type   As of() says.
	 * @param int    $number The line's number.
	 * @param string $text   What it says.
	 * @return array{type: string, number: int, text: string}
	 */
	private function row( string $type, int $number = 0, string $text = '' ): array {
		return array(
			'type'   => $type,
			'number' => $number,
			'text'   => $text,
		);
	}
}
