/*
 * The tags of a model's reasoning, as the PHP side reads them.
 * Part of Toolwire, under MIT or Apache-2.0, as you like. See docs/dropins.md there.
 */
var mpaiToolwire = mpaiToolwire || {};

mpaiToolwire.reasoning = ( function () {
	'use strict';

	const OWN = [ 'think', 'thinking' ];
	const NAMES = [
		...OWN, 'thought', 'thoughts', 'reasoning', 'mm:think', 'seed:think', 'antml:thinking',
	];
	const LOOK_BACK = 4096;

	/* Whether only blanks stand in front of an offset in its line, or behind what is over. */
	function beginsLine( text, over, at ) {
		let i = at;
		while ( i > over && ( text[ i - 1 ] === ' ' || text[ i - 1 ] === '\t' ) ) {
			i--;
		}
		return i <= over || text[ i - 1 ] === '\n';
	}

	/* Whether a tag with this name opened something near in front of an offset. */
	function isOpened( text, from, at, name ) {
		return text.slice( Math.max( from, at - LOOK_BACK ), at ).includes( `<${ name }` );
	}

	/* Whether only blanks stand in the rest of a line. */
	function endsLine( text, at ) {
		const rest = /[ \t]{0,15}(?:[\r\n]|$)/y;
		rest.lastIndex = at;
		return rest.test( text );
	}

	/**
	 * The tag of reasoning at an offset; else null. One that is written in another way counts where
	 * it begins its line. One that closes what nothing has opened may end it too.
	 */
	function tagAt( text, over, at ) {
		const exact = /<(\/?)(think|thinking)>/y;
		exact.lastIndex = at;
		const head = exact.exec( text );
		if ( head ) {
			return { closes: head[ 1 ] === '/', name: head[ 2 ], end: exact.lastIndex };
		}
		return wayAt( /<(\\?\/?)(think(?:ing)?) ?>/iy, text, over, at )
			|| wayAt( /<(\/)(think(?:ing)?)(?=\n)/y, text, over, at );
	}

	/* The tag that is written as a pattern says, if it is a tag at the offset. */
	function wayAt( pattern, text, over, at ) {
		pattern.lastIndex = at;
		const found = pattern.exec( text );
		if ( ! found || ! isWay( found ) ) {
			return null;
		}
		const [ , front, name ] = found;
		const end = pattern.lastIndex;
		const closes = front.includes( '/' );
		const begins = beginsLine( text, over, at );
		const counts = closes
			? ( begins || endsLine( text, end ) ) && ! isOpened( text, 0, at, name )
			: begins;
		return counts ? { closes, name: name.toLowerCase(), end } : null;
	}

	/* Whether models write a tag so: few have more than one thing that is unusual. */
	function isWay( [ tag, front, name ] ) {
		const lower = name.toLowerCase();
		const capital = lower[ 0 ].toUpperCase() + lower.slice( 1 );
		const hasBlank = tag.endsWith( ' >' );
		if ( front.startsWith( '\\' ) ) {
			return front === '\\/' && name === lower && ! hasBlank;
		}
		return name === lower || ! hasBlank && [ capital, lower.toUpperCase() ].includes( name );
	}

	/**
	 * The offset behind the tag that ends reasoning, or -1. It may have capitals, blanks, a second
	 * or an escaped slash; that of another style ends its line, and nothing has opened it.
	 */
	function endBehind( text, { name, end: start } ) {
		const tag = /<([/\\ ]{1,3})([a-z:_]{1,16})[ \t]{0,16}(>?)/gi;
		tag.lastIndex = start;
		for ( let found = tag.exec( text ); found; found = tag.exec( text ) ) {
			const word = found[ 2 ].toLowerCase();
			const isEnd = found[ 1 ].includes( '/' );
			if ( isEnd && word === name && ( found[ 3 ] || /[\r\n]/.test( text[ tag.lastIndex ] ) ) ) {
				return tag.lastIndex;
			}
			if ( isEnd && found[ 3 ] && NAMES.includes( word ) && endsLine( text, tag.lastIndex )
				&& ! isOpened( text, start, found.index, found[ 2 ] ) ) {
				return tag.lastIndex;
			}
			tag.lastIndex = found.index + 1;
		}
		return -1;
	}

	return { tagAt, endBehind };
} )();
