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

	/**
	 * The tag of reasoning at an offset; else null. An opening with capitals or blanks counts where
	 * it begins its line.
	 */
	function tagAt( text, over, at ) {
		const exact = /<(\/?)(think|thinking)>/y;
		exact.lastIndex = at;
		const head = exact.exec( text );
		if ( head ) {
			return { closes: head[ 1 ] === '/', name: head[ 2 ], end: exact.lastIndex };
		}
		const near = /< ?([a-z][a-z _-]{4,30})>/iy;
		near.lastIndex = at;
		const found = near.exec( text );
		const name = found && found[ 1 ].replace( /[ _-]/g, '' ).toLowerCase();
		const opens = OWN.includes( name ) && beginsLine( text, over, at );
		return opens ? { closes: false, name, end: near.lastIndex } : null;
	}

	/**
	 * The offset behind the tag that ends reasoning, or -1. It may have capitals, blanks, a second
	 * or an escaped slash; that of another style ends its line, and nothing has opened it.
	 */
	function endBehind( text, { name, end: start } ) {
		const tag = /<([/\\ ]{1,3})([a-z:_]{1,16})[ \t]{0,16}(>?)/gi;
		const lineEnd = /[ \t]{0,15}(?:[\r\n]|$)/y;
		tag.lastIndex = start;
		for ( let found = tag.exec( text ); found; found = tag.exec( text ) ) {
			const word = found[ 2 ].toLowerCase();
			const isEnd = found[ 1 ].includes( '/' );
			lineEnd.lastIndex = tag.lastIndex;
			if ( isEnd && word === name && ( found[ 3 ] || /[\r\n]/.test( text[ tag.lastIndex ] ) ) ) {
				return tag.lastIndex;
			}
			if ( isEnd && found[ 3 ] && NAMES.includes( word ) && lineEnd.test( text ) ) {
				const from = Math.max( start, found.index - LOOK_BACK );
				if ( ! text.slice( from, found.index ).includes( `<${ found[ 2 ] }` ) ) {
					return tag.lastIndex;
				}
			}
			tag.lastIndex = found.index + 1;
		}
		return -1;
	}

	return { tagAt, endBehind };
} )();
