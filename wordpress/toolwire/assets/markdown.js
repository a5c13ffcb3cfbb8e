/**
 * Shows the Markdown that models write. It makes nodes and never HTML, so nothing that a model
 * writes becomes markup or code. An image becomes a link: loading it could send data to its
 * address. Each construct looks a bounded number of characters ahead, so the time is linear.
 */
( function () {
	'use strict';

	const AHEAD = 1000;
	const MOST_DEPTH = 6;
	// No tick stands behind a fence of ticks on its line: else it is code within a line.
	const FENCE = /^ {0,3}(\x60{3,}(?=[^\x60]*$)|~{3,})/;
	const HEADING = /^ {0,3}#{1,6}[ \t]+(?=\S)/;
	const ITEM = /^( {0,12})(?:[-*+]|(\d{1,9})[.)])[ \t]+(.*)$/;
	const QUOTED = /^ {0,3}> ?(.*)$/;
	const RULE = /^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$/;
	const DELIMITER = /^:?-+:?$/;
	const SCHEMES = [ 'http:', 'https:', 'mailto:' ];
	const BARE = /https?:\/\/[^\s<>\x22\x27\x60]{1,500}/y;
	const TICK = '\x60';
	const PUNCTUATION = /[!-\/:-@[-\x60{-~]/;
	const WORD = /[\p{L}\p{N}]/u;

	function element( name, nodes, attributes = {} ) {
		const made = document.createElement( name );
		// One after the other: there may be more than a function takes arguments.
		for ( const node of nodes ) {
			made.append( node );
		}
		for ( const [ attribute, value ] of Object.entries( attributes ) ) {
			made.setAttribute( attribute, value );
		}
		return made;
	}

	/** A link, whose host is always shown. Null for what is no address, or leads nowhere safe. */
	function link( words, address ) {
		let url;
		try {
			url = new URL( address );
		} catch ( error ) {
			return null;
		}
		if ( ! SCHEMES.includes( url.protocol ) ) {
			return null;
		}
		const made = element( 'a', words.length ? words : [ url.href ], {
			href: url.href,
			rel: 'noopener noreferrer nofollow',
			target: '_blank',
		} );
		const place = url.host || url.pathname;
		return made.textContent.includes( place )
			? made
			: element( 'span', [ made, ` (${ place })` ] );
	}

	/** Where a mark ends a construct that begins at a place; -1 if it does not soon. */
	function close( text, mark, from ) {
		const found = text.slice( from, from + AHEAD ).indexOf( mark );
		return found < 0 ? -1 : from + found;
	}

	function code( text, at ) {
		const mark = /\x60+/y;
		mark.lastIndex = at;
		const ticks = mark.exec( text )[ 0 ];
		const from = at + ticks.length;
		let end = close( text, ticks, from );
		while ( end >= 0 && text[ end + ticks.length ] === TICK ) {
			const beyond = text.slice( end, end + AHEAD ).match( /^\x60+/ )[ 0 ].length;
			end = beyond === ticks.length ? end : close( text, ticks, end + beyond );
		}
		if ( end < 0 ) {
			return { node: document.createTextNode( ticks ), end: from };
		}
		return { node: element( 'code', [ text.slice( from, end ) ] ), end: end + ticks.length };
	}

	function emphasis( text, at, depth ) {
		const one = text[ at ];
		const mark = text[ at + 1 ] === one ? one + one : one;
		const from = at + mark.length;
		const inWord = one === '_' && WORD.test( text[ at - 1 ] || ' ' );
		const end = /\S/.test( text[ from ] || ' ' ) && ! inWord ? close( text, mark, from ) : -1;
		if ( end <= from || /\s/.test( text[ end - 1 ] ) ) {
			return null;
		}
		const nodes = inline( text.slice( from, end ), depth + 1 );
		return {
			node: element( mark.length === 2 ? 'strong' : 'em', nodes ),
			end: end + mark.length,
		};
	}

	function bracket( text, at, depth ) {
		const middle = close( text, '](', at + 1 );
		const end = middle < 0 ? -1 : close( text, ')', middle + 2 );
		if ( end < 0 || text.slice( at + 1, middle ).includes( '[' ) ) {
			return null;
		}
		const address = text.slice( middle + 2, end ).trim().split( /\s/ )[ 0 ];
		const node = link( inline( text.slice( at + 1, middle ), depth + 1 ), address );
		return node && { node, end: end + 1 };
	}

	function bare( text, at ) {
		BARE.lastIndex = at;
		const found = WORD.test( text[ at - 1 ] || ' ' ) ? null : BARE.exec( text );
		const address = found && found[ 0 ].replace( /[.,;:!?)\]]+$/, '' );
		const node = address && link( [ address ], address );
		return node ? { node, end: at + address.length } : null;
	}

	/** The construct that begins at a place, and where it ends; null if none does. */
	function construct( text, at, depth ) {
		switch ( text[ at ] ) {
			case '\\':
				return PUNCTUATION.test( text[ at + 1 ] || '' )
					? { node: document.createTextNode( text[ at + 1 ] ), end: at + 2 }
					: null;
			case TICK:
				return code( text, at );
			case '*':
			case '_':
				return emphasis( text, at, depth );
			case '!':
				return text[ at + 1 ] === '[' ? bracket( text, at + 1, depth ) : null;
			case '[':
				return bracket( text, at, depth );
			case 'h':
				return bare( text, at );
			default:
				return null;
		}
	}

	/** The nodes of a line or a paragraph. */
	function inline( text, depth = 0 ) {
		const nodes = [];
		let from = 0;
		for ( let at = 0; at < text.length; ) {
			const found = depth < MOST_DEPTH ? construct( text, at, depth ) : null;
			if ( found ) {
				nodes.push( text.slice( from, at ), found.node );
				from = found.end;
			}
			at = found ? found.end : at + 1;
		}
		nodes.push( text.slice( from ) );
		return nodes.filter( ( node ) => node !== '' );
	}

	/** The lines from a place on that are alike. */
	function run( lines, at, isAlike ) {
		let end = at;
		while ( end < lines.length && isAlike( lines[ end ], end ) ) {
			end++;
		}
		return lines.slice( at, end );
	}

	function fenced( lines, at ) {
		const mark = FENCE.exec( lines[ at ] )[ 1 ];
		const body = run( lines, at + 1, ( line ) => {
			const end = FENCE.exec( line );
			return ! end || ! end[ 1 ].startsWith( mark ) || line.trim() !== end[ 1 ];
		} );
		const made = element( 'pre', [ element( 'code', [ body.join( '\n' ) ] ) ], { tabindex: 0 } );
		return { node: made, end: at + body.length + 2 };
	}

	function quoted( lines, at, depth ) {
		const own = run( lines, at, ( line ) => QUOTED.test( line ) );
		const within = own.map( ( line ) => QUOTED.exec( line )[ 1 ] );
		return { node: element( 'blockquote', blocks( within, depth + 1 ) ), end: at + own.length };
	}

	function list( lines, at, depth ) {
		const indent = ITEM.exec( lines[ at ] )[ 1 ].length;
		const first = ITEM.exec( lines[ at ] )[ 2 ];
		const items = [];
		let end = at;
		for ( ; end < lines.length; end++ ) {
			const item = ITEM.exec( lines[ end ] );
			const isOne = item && item[ 1 ].length <= indent + 1 && ! RULE.test( lines[ end ] );
			if ( isOne && ( item[ 2 ] === undefined ) !== ( first === undefined ) ) {
				break;
			} else if ( isOne && item[ 1 ].length >= indent ) {
				items.push( [ item[ 3 ] ] );
			} else if ( /^\s+\S/.test( lines[ end ] ) && ! isOne ) {
				const within = /^\s*/.exec( lines[ end ].slice( 0, indent + 2 ) )[ 0 ].length;
				items[ items.length - 1 ].push( lines[ end ].slice( within ) );
			} else if ( lines[ end ].trim() !== '' || ! ITEM.test( lines[ end + 1 ] || '' ) ) {
				break;
			}
		}
		const made = items.map( ( own ) => element( 'li', blocks( own, depth + 1, true ) ) );
		const start = first === undefined || first === '1' ? {} : { start: Number( first ) };
		return { node: element( first === undefined ? 'ul' : 'ol', made, start ), end };
	}

	const cells = ( line ) =>
		line.trim().replace( /^\|/, '' ).replace( /\|$/, '' ).split( '|' )
			.map( ( cell ) => cell.trim() );

	function table( lines, at ) {
		const own = run( lines, at + 2, ( line ) => line.includes( '|' ) );
		const row = ( line, name ) =>
			element( 'tr', cells( line ).map( ( cell ) => element( name, inline( cell ) ) ) );
		const made = element( 'table', [
			element( 'thead', [ row( lines[ at ], 'th' ) ] ),
			element( 'tbody', own.map( ( line ) => row( line, 'td' ) ) ),
		] );
		return {
			node: element( 'div', [ made ], { class: 'toolwire-table', tabindex: 0 } ),
			end: at + 2 + own.length,
		};
	}

	const isTable = ( lines, at ) =>
		lines[ at ].includes( '|' ) &&
		cells( lines[ at + 1 ] || '' ).every( ( cell ) => DELIMITER.test( cell ) );
	const begins = ( line ) =>
		FENCE.test( line ) || HEADING.test( line ) || QUOTED.test( line ) || ITEM.test( line );

	/** The block that begins at a line, and the line behind it. */
	function block( lines, at, depth, isTight ) {
		const line = lines[ at ];
		if ( FENCE.test( line ) ) {
			return fenced( lines, at );
		} else if ( HEADING.test( line ) ) {
			const words = line.trimEnd().slice( HEADING.exec( line )[ 0 ].length );
			return { node: element( 'h4', inline( words ) ), end: at + 1 };
		} else if ( RULE.test( line ) ) {
			return { node: document.createElement( 'hr' ), end: at + 1 };
		} else if ( QUOTED.test( line ) && depth < MOST_DEPTH ) {
			return quoted( lines, at, depth );
		} else if ( ITEM.test( line ) && depth < MOST_DEPTH ) {
			return list( lines, at, depth );
		} else if ( isTable( lines, at ) ) {
			return table( lines, at );
		}
		const own = run( lines, at, ( one, place ) =>
			one.trim() !== '' && ( place === at || ! begins( one ) )
		);
		const nodes = own.flatMap( ( one, place ) =>
			place ? [ document.createElement( 'br' ), ...inline( one ) ] : inline( one )
		);
		const isAlone = isTight && at === 0;
		return {
			node: isAlone ? element( 'span', nodes ) : element( 'p', nodes ),
			end: at + own.length,
		};
	}

	function blocks( lines, depth = 0, isTight = false ) {
		const nodes = [];
		for ( let at = 0; at < lines.length; ) {
			if ( lines[ at ].trim() === '' ) {
				at++;
				continue;
			}
			const made = block( lines, at, depth, isTight );
			nodes.push( made.node );
			at = made.end;
		}
		return nodes;
	}

	/**
	 * The nodes of a text in Markdown.
	 *
	 * @param {string} text The text.
	 * @return {Node[]} The nodes.
	 */
	window.toolwireMarkdown = ( text ) => blocks( String( text ).split( /\r?\n/ ) );
} )();
