/*
 * HTML tags and their offsets in a text. No page is built from them, so nothing is loaded.
 * Part of Toolwire, under MIT or Apache-2.0, as you like. See docs/dropins.md there.
 */
var mpaiToolwire = mpaiToolwire || {};

mpaiToolwire.html = ( function () {
	'use strict';

	const { SPACE, behind } = mpaiToolwire.json;
	const HIDDEN = [ 'script', 'style', 'textarea', 'title' ];
	const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/;
	const ENTITIES = { quot: '"', apos: '\'', amp: '&', lt: '<', gt: '>' };
	const ESCAPED = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\'': '&#39;' };
	const REFERENCE = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z][a-z0-9]*));/gi;
	const TAG_NAME = /[A-Za-z][^ \t\n\f\r/>]*/y;
	const BETWEEN = /[ \t\n\f\r/]*/y;
	const ATTRIBUTE = /=?[^ \t\n\f\r/>=]*/y;
	const UNQUOTED = /[^ \t\n\f\r>]*/y;

	const escape = ( value ) => String( value ).replace( /[&<>"']/g, ( sign ) => ESCAPED[ sign ] );

	/** The character of a code point; nothing for a code point that HTML replaces. */
	function character( code ) {
		const control = code < 32 || ( code > 126 && code < 160 );
		const surrogate = code > 0xd7ff && code < 0xe000;
		return control || surrogate || code > 0x10ffff ? '' : String.fromCodePoint( code );
	}

	/** An attribute's value with its character references decoded; null if one is not known. */
	function decode( value ) {
		if ( ! value.includes( '&' ) ) {
			return value;
		}
		if ( typeof DOMParser === 'function' ) {
			const html = `<i title="${ value.replace( /"/g, '&quot;' ) }"></i>`;
			const page = new DOMParser().parseFromString( html, 'text/html' );
			return page.body.firstChild.getAttribute( 'title' );
		}
		let sound = true;
		const decoded = value.replace( REFERENCE, ( all, hex, ten, name ) => {
			const code = hex ? parseInt( hex, 16 ) : parseInt( ten, 10 );
			const sign = name ? ENTITIES[ name ] : character( code );
			sound = sound && Boolean( sign );
			return sign || '';
		} );
		return sound ? decoded : null;
	}

	/** The value behind an attribute's name, as written, and the offset behind it; null if cut. */
	function valueAt( text, at ) {
		const equals = behind( SPACE, text, at );
		if ( text[ equals ] !== '=' ) {
			return { value: '', end: equals };
		}
		const start = behind( SPACE, text, equals + 1 );
		if ( text[ start ] !== '"' && text[ start ] !== '\'' ) {
			const end = behind( UNQUOTED, text, start );
			return { value: text.slice( start, end ), end };
		}
		const end = text.indexOf( text[ start ], start + 1 );
		return end < 0 ? null : { value: text.slice( start + 1, end ), end: end + 1 };
	}

	/** The start or end tag at a `<`; null if the text ends in it. */
	function tagAt( text, at ) {
		const closing = text[ at + 1 ] === '/';
		const start = at + ( closing ? 2 : 1 );
		const attributes = new Map();
		let i = behind( TAG_NAME, text, start );
		const name = text.slice( start, i ).toLowerCase();
		for ( i = behind( BETWEEN, text, i ); i < text.length; i = behind( BETWEEN, text, i ) ) {
			if ( text[ i ] === '>' ) {
				return { closing, name, attributes, start: at, end: i + 1 };
			}
			const end = behind( ATTRIBUTE, text, i );
			const word = text.slice( i, end ).toLowerCase();
			const found = valueAt( text, end );
			if ( ! found ) {
				return null;
			}
			if ( ! attributes.has( word ) ) {
				attributes.set( word, found.value );
			}
			i = found.end;
		}
		return null;
	}

	/** Reads the tags of one text. */
	class Reader {
		constructor( text ) {
			this.text = text;
			this.ends = null;
		}

		/** Whether the pass over the elements saw no tag at an offset. */
		hides( at ) {
			return this.ends !== null && ! this.ends.has( at );
		}

		/** The tag at a `<`; null if there is none or if the text ends in it. */
		tag( at ) {
			return this.opensTag( at ) ? tagAt( this.text, at ) : null;
		}

		/** Whether a tag begins at a `<`. */
		opensTag( at ) {
			return /[A-Za-z]/.test( this.text[ at + ( this.text[ at + 1 ] === '/' ? 2 : 1 ) ] || '' );
		}

		/** The offset behind a comment or the like at a `<`; -1 if there is none. */
		passed( at ) {
			const mark = this.text[ at + 1 ];
			if ( mark !== '!' && mark !== '?' ) {
				return -1;
			}
			const comment = mark === '!' && this.text.startsWith( '--', at + 2 );
			const end = this.text.indexOf( comment ? '-->' : '>', at + 2 );
			return end < 0 ? this.text.length : end + ( comment ? 3 : 1 );
		}

		/** The offset behind a tag and the text that belongs to it, such as that of a script. */
		rawEnd( tag ) {
			if ( tag.closing || ! HIDDEN.includes( tag.name ) ) {
				return tag.end;
			}
			const close = new RegExp( `</${ tag.name }(?=[ \\t\\n\\f\\r/>])`, 'gi' );
			close.lastIndex = tag.end;
			const found = close.exec( this.text );
			return found ? found.index : this.text.length;
		}

		/** The offset behind an element's end tag; without one, behind its start tag. */
		elementEnd( tag ) {
			if ( VOID.test( tag.name ) ) {
				return tag.end;
			}
			this.ends = this.ends || this.endsFrom( tag.start );
			return this.ends.get( tag.start ) || tag.end;
		}

		/* The ends of the elements behind an offset, by their starts; 0 where an end is missing. */
		endsFrom( from ) {
			const ends = new Map();
			const open = new Map();
			for ( let at = from; at >= 0; ) {
				let next = this.passed( at );
				const tag = next < 0 ? this.tag( at ) : null;
				if ( ! tag && this.opensTag( at ) ) {
					break;
				}
				if ( tag ) {
					const starts = open.get( tag.name ) || [];
					if ( ! tag.closing ) {
						ends.set( at, 0 );
						starts.push( at );
					} else if ( starts.length > 0 ) {
						ends.set( starts.pop(), tag.end );
					}
					open.set( tag.name, starts );
					next = this.rawEnd( tag );
				}
				at = this.text.indexOf( '<', next < 0 ? at + 1 : next );
			}
			return ends;
		}
	}

	return { Reader, decode, escape };
} )();
