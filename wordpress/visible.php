<?php
/**
 * Writes toolwire/assets/visible.js, with classes of characters from what Toolwire\Text::visible()
 * does; --check says whether it is there. It needs the extension: php -d extension=toolwire.so ….
 *
 * @package Toolwire
 */

// A character stands alone in a line, or inside of what would make a harmless sequence of it.
$classes = array(
	'HIDDEN'  => array( '', '' ),
	'JOINED'  => array( "\u{200C}", '%s' ),
	'PICTURE' => array( "\u{FE0F}", '' ),
);
$characters = array_merge( range( 1, 9 ), range( 11, 0xD7FF ), range( 0xE000, 0x10FFFF ) );
$letters    = array_map( 'mb_chr', $characters );

/**
 * Code points as the inside of a class of a regular expression.
 *
 * @param list<int> $codes The code points, in their order.
 */
function ranges( array $codes ): string {
	$ranges = array();
	foreach ( $codes as $code ) {
		$last = count( $ranges ) - 1;
		if ( $last >= 0 && $ranges[ $last ][1] + 1 === $code ) {
			$ranges[ $last ][1] = $code;
		} else {
			$ranges[] = array( $code, $code );
		}
	}
	$written = '';
	foreach ( $ranges as list( $first, $end ) ) {
		$written .= sprintf( $first === $end ? '\\u{%X}' : '\\u{%X}-\\u{%X}', $first, $end );
	}
	return $written;
}

$found = array();
foreach ( $classes as $name => list( $behind, $again ) ) {
	// A carriage return is harmless before a line feed; so a full stop stands between them.
	$line   = static fn ( string $letter ): string =>
		$letter . $behind . sprintf( $again, $letter ) . '.';
	$lines  = array_map( $line, $letters );
	$shown  = explode( "\n", Toolwire\Text::visible( implode( "\n", $lines ) ) );
	$marked = 'HIDDEN' === $name;
	$codes  = array();
	foreach ( $lines as $number => $line ) {
		if ( ( $shown[ $number ] !== $line ) === $marked ) {
			$codes[] = $characters[ $number ];
		}
	}
	$found[ $name ] = $codes;
}
// NUL, and halves of pairs, which only JavaScript's strings can hold.
array_unshift( $found['HIDDEN'], 0 );
$found['HIDDEN'] = array_merge( $found['HIDDEN'], range( 0xD800, 0xDFFF ) );
sort( $found['HIDDEN'] );
$script = <<<'JS'
/**
 * Shows characters that nobody sees as marks such as ⟨U+202E⟩. The site marks the texts that it
 * sends; this is for texts that only the page has. visible.php writes this file from what the
 * extension does.
 */
( function () {
	'use strict';

	const HIDDEN =
		'%HIDDEN%';
	const JOINED =
		'%JOINED%';
	const PICTURE =
		'%PICTURE%';
	const TONE = '\\u{1F3FB}-\\u{1F3FF}';
	// What shows as what it is, and then what does not.
	const sequence = new RegExp(
		'\\r\\n|[0-9#*]\\uFE0F\\u20E3' +
			'|\\u{1F3F4}\\u{E0067}\\u{E0062}' +
			'(?:\\u{E0065}\\u{E006E}\\u{E0067}|\\u{E0073}\\u{E0063}\\u{E0074}' +
			'|\\u{E0077}\\u{E006C}\\u{E0073})\\u{E007F}' +
			`|[${ PICTURE }][\\uFE0E\\uFE0F${ TONE }]?` +
			`(?:\\u200D[${ PICTURE }][\\uFE0F${ TONE }]?)*` +
			`|[${ JOINED }](?:[\\u200C\\u200D][${ JOINED }])+` +
			`|([${ HIDDEN }])`,
		'gu'
	);
	const hex = ( character ) => character.codePointAt( 0 ).toString( 16 ).toUpperCase();
	const mark = ( whole, hidden ) =>
		hidden ? `⟨U+${ hex( hidden ).padStart( 4, '0' ) }⟩` : whole;

	/**
	 * A text as people are to see it.
	 *
	 * @param {string} text The text.
	 * @return {string} The text with marks, to be escaped.
	 */
	window.toolwireVisible = ( text ) => String( text ).replace( sequence, mark );
} )();

JS;
foreach ( $found as $name => $codes ) {
	$pieces = preg_split( '/(?<=\})(?=\\\\)/', str_replace( '\\', '\\\\', ranges( $codes ) ) );
	$rows   = array( '' );
	foreach ( $pieces as $piece ) {
		if ( strlen( end( $rows ) ) + strlen( $piece ) > 90 ) {
			$rows[] = '';
		}
		$rows[ count( $rows ) - 1 ] .= $piece;
	}
	$script = str_replace( "%$name%", implode( "' +\n\t\t'", $rows ), $script );
}
$file = __DIR__ . '/toolwire/assets/visible.js';
if ( '--check' !== ( $argv[1] ?? '' ) ) {
	file_put_contents( $file, $script );
} elseif ( ! is_readable( $file ) || file_get_contents( $file ) !== $script ) {
	fwrite( STDERR, "visible.php: run it, the extension shows other characters as marks\n" );
	exit( 1 );
}
