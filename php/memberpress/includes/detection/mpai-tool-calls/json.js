/*
 * JSON inside of a text, found by its grammar, in linear time.
 * Part of Toolwire, under MIT or Apache-2.0, as you like. See docs/dropins.md there.
 */
var mpaiToolwire = mpaiToolwire || {};

mpaiToolwire.json = ( function () {
	'use strict';

	const MAX_DEPTH = 128;
	const SPACE = /[ \t\n\f\r]*/y;
	const SCALAR = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)/y;

	const isObject = ( value ) =>
		typeof value === 'object' && value !== null && ! Array.isArray( value );

	/** The end of a match of a sticky pattern at an offset; the offset itself without a match. */
	function behind( pattern, text, at ) {
		pattern.lastIndex = at;
		return pattern.test( text ) ? pattern.lastIndex : at;
	}

	/* Whether JSON that was read last ends only because the text does. */
	let cut = false;

	/* No JSON: -1, and a note whether the text ends there. */
	function none( text, at ) {
		cut = cut || at >= text.length;
		return -1;
	}

	/** The offset behind a JSON string; -1 if there is none. */
	function stringEnd( text, at ) {
		for ( let i = at + 1; i < text.length; i++ ) {
			const code = text.charCodeAt( i );
			if ( code === 34 ) {
				return i + 1;
			}
			if ( code < 32 ) {
				return -1;
			}
			if ( code === 92 ) {
				i++;
			}
		}
		return none( text, text.length );
	}

	/** The offset behind a whole JSON array or object; -1 if there is none. */
	function containerEnd( text, at, depth, large ) {
		const object = text[ at ] === '{';
		const close = object ? '}' : ']';
		let i = behind( SPACE, text, at + 1 );
		if ( depth >= MAX_DEPTH ) {
			return -1;
		}
		if ( text[ i ] === close ) {
			return i + 1;
		}
		for ( ;; ) {
			if ( object ) {
				const key = text[ i ] === '"' ? stringEnd( text, i ) : none( text, i );
				const colon = key < 0 ? -1 : behind( SPACE, text, key );
				if ( colon < 0 || text[ colon ] !== ':' ) {
					return colon < 0 ? -1 : none( text, colon );
				}
				i = behind( SPACE, text, colon + 1 );
			}
			const end = valueEnd( text, i, depth + 1, large );
			if ( end < 0 ) {
				return -1;
			}
			i = behind( SPACE, text, end );
			if ( text[ i ] === close ) {
				return i + 1;
			}
			if ( text[ i ] !== ',' ) {
				return none( text, i );
			}
			i = behind( SPACE, text, i + 1 );
		}
	}

	/** The offset behind a JSON value, or -1; `large` collects integers beyond a number's range. */
	function valueEnd( text, at, depth, large ) {
		if ( text[ at ] === '{' || text[ at ] === '[' ) {
			return containerEnd( text, at, depth, large );
		}
		if ( text[ at ] === '"' ) {
			return stringEnd( text, at );
		}
		const end = behind( SCALAR, text, at );
		const digits = text.slice( at, end );
		const whole = end - at > 15 && /^-?[0-9]+$/.test( digits );
		if ( whole && ! Number.isSafeInteger( Number( digits ) ) ) {
			large.push( [ at, end ] );
		}
		return end > at ? end : none( text, behind( /[a-z]*/y, text, at ) );
	}

	/** Whether JSON at an offset ends only because the text does. */
	function isCut( text, at ) {
		cut = false;
		const end = valueEnd( text, at, 0, [] );
		return end < 0 ? cut : end === text.length && ! /["\]}]/.test( text[ end - 1 ] );
	}

	/** The JSON array or object at an offset, with the offset behind it; null if there is none. */
	function read( text, at ) {
		const large = [];
		const end = /[{[]/.test( text[ at ] || '' ) ? containerEnd( text, at, 0, large ) : -1;
		if ( end < 0 ) {
			return null;
		}
		let source = '';
		let from = at;
		for ( const [ start, stop ] of large ) {
			source += text.slice( from, start ) + '"' + text.slice( start, stop ) + '"';
			from = stop;
		}
		try {
			return { end, value: JSON.parse( source + text.slice( from, end ) ) };
		} catch ( error ) {
			return null;
		}
	}

	/** Arguments as an object: an object, `[]` (PHP's `{}`), or the JSON text of these. */
	function argumentsOf( value ) {
		if ( typeof value === 'string' ) {
			const start = behind( SPACE, value, 0 );
			const inner = read( value, start );
			const whole = inner && behind( SPACE, value, inner.end ) === value.length;
			return whole ? argumentsOf( inner.value ) : null;
		}
		if ( Array.isArray( value ) ) {
			return value.length === 0 ? {} : null;
		}
		return isObject( value ) ? value : null;
	}

	return { SPACE, isObject, behind, read, isCut, containerEnd, argumentsOf };
} )();
