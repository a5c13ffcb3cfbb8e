/*
 * Calls inside of a call that cannot be read, which are data.
 * Part of Toolwire, under MIT or Apache-2.0, as you like. See docs/dropins.md there.
 */
var mpaiToolwire = mpaiToolwire || {};

mpaiToolwire.broken = ( function () {
	'use strict';

	const FURTHEST = 1024;

	/**
	 * A call whose arguments cannot be read: calls inside of it are data. Nobody knows which quotes
	 * are of its JSON, so its braces tell where it ends, or its end tag.
	 */
	class BrokenCall {
		constructor( start, marks, toEnd ) {
			this.pos = start;
			this.marks = marks;
			this.toEnd = toEnd;
			this.braces = this.parens = this.nested = 0;
			this.opened = false;
		}

		/* Whether a place stands inside of it; null where it has ended before. */
		holds( text, place ) {
			if ( this.toEnd ) {
				return true;
			}
			const next = /[{}()\n]|<\/tool>|<tool:/g;
			next.lastIndex = this.pos;
			for ( let found = next.exec( text ); found; found = next.exec( text ) ) {
				if ( found.index >= place ) {
					break;
				}
				if ( this.endsAt( found[ 0 ] ) ) {
					return null;
				}
			}
			this.pos = Math.max( this.pos, place );
			return this.braces > 0 || this.parens > 0;
		}

		endsAt( mark ) {
			if ( mark.length > 1 ) {
				this.nested += this.marks && mark[ 1 ] === 't' ? 1 : 0;
				const closes = this.marks && mark[ 1 ] === '/';
				this.nested -= closes && this.nested > 0 ? 1 : 0;
				return closes && this.nested === 0;
			}
			if ( mark === '\n' ) {
				return ! this.opened;
			}
			if ( mark === '{' || mark === '}' ) {
				this.braces = Math.max( 0, this.braces + ( mark === '{' ? 1 : -1 ) );
			} else if ( this.braces === 0 ) {
				this.parens = Math.max( 0, this.parens + ( mark === '(' ? 1 : -1 ) );
			}
			const any = this.braces > 0 || this.parens > 0;
			this.opened = this.opened || any;
			return this.opened && ! any;
		}
	}

	/** Whether a place stands in another object that began in its line. */
	function isInObject( text, line, at ) {
		const begins = /\{[ \t\n\f\r]*"/g;
		begins.lastIndex = Math.max( line, at - FURTHEST );
		const found = begins.exec( text.slice( 0, at ) );
		return found !== null && new BrokenCall( found.index, false, false ).holds( text, at ) === true;
	}

	return { BrokenCall, isInObject };
} )();
