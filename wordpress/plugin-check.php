<?php
/**
 * Checks what the plugin "Plugin Check" of wordpress.org refuses: output that no function escapes
 * right where it is printed, and texts with placeholders that no comment explains to translators.
 *
 * The sniffs that Plugin Check runs, WordPress.Security.EscapeOutput and WordPress.WP.I18n, are in
 * no package of Debian. This file needs PHP alone, and is a little stricter. Where those standards
 * are installed, `make lint` runs them too.
 *
 * Usage: php plugin-check.php FOLDER...
 *
 * @package Toolwire
 */

/** Functions whose results may be printed. */
const ESCAPES = array(
	'esc_html',
	'esc_html__',
	'esc_html_e',
	'esc_html_x',
	'esc_attr',
	'esc_attr__',
	'esc_attr_e',
	'esc_attr_x',
	'esc_textarea',
	'esc_url',
	'esc_js',
	'esc_xml',
	'wp_kses',
	'wp_kses_post',
	'wp_nonce_field',
	'wp_json_encode',
	'absint',
	'intval',
	'floatval',
	'checked',
	'selected',
	'disabled',
	'submit_button',
);

/** Functions that print their arguments. */
const PRINTS = array( 'printf', 'vprintf', 'wp_die', '_e', '_ex', 'trigger_error' );

/** Functions that translate, each with the number of its texts. */
const TRANSLATES = array(
	'__'         => 1,
	'_e'         => 1,
	'_x'         => 1,
	'_n'         => 2,
	'_nx'        => 2,
	'esc_html__' => 1,
	'esc_html_e' => 1,
	'esc_html_x' => 1,
	'esc_attr__' => 1,
	'esc_attr_e' => 1,
	'esc_attr_x' => 1,
);

const CASTS = array( T_INT_CAST, T_DOUBLE_CAST, T_BOOL_CAST );

/**
 * The tokens of a file that mean something, and the lines on which comments end.
 *
 * @param string $code The file.
 * @return array{list<PhpToken>, array<int, string>}
 */
function read( string $code ): array {
	$tokens   = array();
	$comments = array();
	foreach ( PhpToken::tokenize( $code ) as $token ) {
		if ( $token->is( array( T_COMMENT, T_DOC_COMMENT ) ) ) {
			$last              = $token->line + substr_count( rtrim( $token->text ), "\n" );
			$comments[ $last ] = ( $comments[ $last ] ?? '' ) . $token->text;
		} elseif ( ! $token->is( T_WHITESPACE ) ) {
			$tokens[] = $token;
		}
	}
	return array( $tokens, $comments );
}

/**
 * The number of the token that closes a bracket.
 *
 * @param list<PhpToken> $tokens The tokens.
 * @param int            $at     The number of the token that opens it.
 */
function closing( array $tokens, int $at ): int {
	$open = 0;
	for ( $last = count( $tokens ) - 1; $at < $last; ++$at ) {
		$open += $tokens[ $at ]->is( array( '(', '[', '{', T_CURLY_OPEN ) ) ? 1 : 0;
		$open -= $tokens[ $at ]->is( array( ')', ']', '}' ) ) ? 1 : 0;
		if ( 0 === $open ) {
			return $at;
		}
	}
	return $last;
}

/**
 * Whether a token names a function that is called.
 *
 * @param list<PhpToken> $tokens The tokens.
 * @param int            $at     The token's number.
 */
function is_call( array $tokens, int $at ): bool {
	$before = $tokens[ $at - 1 ] ?? null;
	return $tokens[ $at ]->is( T_STRING )
		&& ( $tokens[ $at + 1 ] ?? null )?->text === '('
		&& ! $before?->is( array( T_FUNCTION, T_OBJECT_OPERATOR, T_DOUBLE_COLON, T_NEW ) );
}

/**
 * The numbers of the tokens that print something that no function escapes.
 *
 * @param list<PhpToken> $tokens The tokens.
 * @param int            $from   The first token of what is printed.
 * @param int            $to     The token behind it.
 * @return list<int>
 */
function unescaped( array $tokens, int $from, int $to ): array {
	$found = array();
	$first = 0;
	for ( $at = $from; $at < $to; ++$at ) {
		$token = $tokens[ $at ];
		if ( $token->is( CASTS ) ) {
			// A number, up to the end of the expression.
			for ( ++$at; $at < $to && ! $tokens[ $at ]->is( array( ',', '.', ';' ) ); ++$at ) {
				$at = $tokens[ $at ]->is( array( '(', '[' ) ) ? closing( $tokens, $at ) : $at;
			}
		} elseif ( is_call( $tokens, $at ) && in_array( $token->text, ESCAPES, true ) ) {
			$at = closing( $tokens, $at + 1 );
		} elseif ( is_call( $tokens, $at ) && 'sprintf' !== $token->text ) {
			$found[] = $at;
			$at      = closing( $tokens, $at + 1 );
		} elseif ( $token->is( array( ',', '.' ) ) ) {
			$first = count( $found );
		} elseif ( $token->is( '?' ) ) {
			// The condition is not printed.
			$found = array_slice( $found, 0, $first );
		} elseif ( $token->is( T_VARIABLE ) ) {
			$found[] = $at;
		}
	}
	return $found;
}

/**
 * The number of the token that ends a statement.
 *
 * @param list<PhpToken> $tokens The tokens.
 * @param int            $at     The number of a token in it.
 */
function statement_end( array $tokens, int $at ): int {
	while ( isset( $tokens[ $at ] ) && ! $tokens[ $at ]->is( array( ';', T_CLOSE_TAG ) ) ) {
		$at = $tokens[ $at ]->is( array( '(', '[' ) ) ? closing( $tokens, $at ) + 1 : $at + 1;
	}
	return $at;
}

/**
 * Output that is not escaped, by line.
 *
 * @param list<PhpToken> $tokens The tokens.
 * @return array<int, string>
 */
function unescaped_output( array $tokens ): array {
	$faults = array();
	foreach ( $tokens as $at => $token ) {
		if ( $token->is( array( T_ECHO, T_PRINT, T_OPEN_TAG_WITH_ECHO ) ) ) {
			$from = $at + 1;
			$to   = statement_end( $tokens, $from );
		} elseif ( is_call( $tokens, $at ) && in_array( $token->text, PRINTS, true ) ) {
			$from = $at + 2;
			$to   = closing( $tokens, $at + 1 );
		} elseif (
			$token->is( T_NEW )
			&& $tokens[ $at - 1 ]->is( T_THROW )
			&& '(' === $tokens[ $at + 2 ]->text
		) {
			$from = $at + 3;
			$to   = closing( $tokens, $at + 2 );
		} else {
			continue;
		}
		foreach ( unescaped( $tokens, $from, $to ) as $fault ) {
			$name                              = $tokens[ $fault ]->text;
			$faults[ $tokens[ $fault ]->line ] = "not escaped where it is printed: $name";
		}
	}
	return $faults;
}

/**
 * Texts with placeholders and without a comment for translators, by line.
 *
 * @param list<PhpToken>     $tokens   The tokens.
 * @param array<int, string> $comments The comments by line.
 * @return array<int, string>
 */
function unexplained_texts( array $tokens, array $comments ): array {
	$faults = array();
	foreach ( $tokens as $at => $token ) {
		if ( ! is_call( $tokens, $at ) || ! isset( TRANSLATES[ $token->text ] ) ) {
			continue;
		}
		$texts = array_filter(
			array_slice( $tokens, $at + 2, 2 * TRANSLATES[ $token->text ] ),
			static fn ( PhpToken $part ): bool => $part->is( T_CONSTANT_ENCAPSED_STRING )
				&& 1 === preg_match( '/(?<!%)%(?:\d+\$)?[bcdeEfFgGosuxX]/', $part->text )
		);
		$near  = ( $comments[ $token->line - 1 ] ?? '' ) . ( $comments[ $token->line ] ?? '' );
		if ( $texts && ! str_contains( $near, 'translators:' ) ) {
			$faults[ $token->line ] = 'no comment "translators:" explains the placeholders';
		}
	}
	return $faults;
}

/**
 * The faults of a file, by line; those that a comment excuses are left out.
 *
 * @param string $code The file.
 * @return array<int, string>
 */
function faults( string $code ): array {
	list( $tokens, $comments ) = read( $code );
	$faults                    = unescaped_output( $tokens );
	foreach ( array_keys( $faults ) as $line ) {
		$near = ( $comments[ $line ] ?? '' ) . ( $comments[ $line - 1 ] ?? '' );
		if ( str_contains( $near, 'phpcs:ignore WordPress.Security.EscapeOutput' ) ) {
			unset( $faults[ $line ] );
		}
	}
	$faults += unexplained_texts( $tokens, $comments );
	ksort( $faults );
	return $faults;
}

$count = 0;
foreach ( array_slice( $argv, 1 ) as $folder ) {
	$all = new RecursiveDirectoryIterator( $folder, FilesystemIterator::SKIP_DOTS );
	foreach ( new RecursiveIteratorIterator( $all ) as $file ) {
		if ( 'php' !== $file->getExtension() ) {
			continue;
		}
		$code = (string) file_get_contents( (string) $file );
		foreach ( faults( $code ) as $line => $fault ) {
			printf( "%s:%d: %s\n", $file, $line, $fault );
			++$count;
		}
	}
}
exit( $count > 0 ? 1 : 0 );
