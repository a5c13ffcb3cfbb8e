/*
 * Finds tool calls in a model's reply, as the PHP side finds them, in linear time.
 *
 * What PHP ran already is never found again: results, and calls with another status than
 * "processing", are skipped.
 * Part of Toolwire, under MIT or Apache-2.0, as you like. See docs/dropins.md there.
 */
var mpaiToolwire = mpaiToolwire || {};

mpaiToolwire.detect = ( function () {
	'use strict';

	const { SPACE, isObject, behind, read, isCut, containerEnd, argumentsOf } = mpaiToolwire.json;
	const { Reader, decode } = mpaiToolwire.html;
	const { BrokenCall, isInObject } = mpaiToolwire.broken;
	const { tagAt, endBehind } = mpaiToolwire.reasoning;
	const names = typeof mpaiToolNames === 'undefined' ? null : mpaiToolNames;

	const MAX_INPUT = 16777216;
	const MAX_CALLS = 256;
	const LONGEST_RUN = 64;
	const NAME = /^[A-Za-z0-9_.:/-]{1,128}$/;
	const ARGUMENTS = [ 'parameters', 'arguments', 'input', 'args' ];
	const FINISHED = /class\s*=\s*["'][^"'<>]{0,200}\bmpai-tool-call-(?:success|error|pending)\b/;

	const known = ( name ) =>
		NAME.test( name ) && ( ! Array.isArray( names ) || names.includes( name ) );
	const own = ( object, key ) =>
		( Object.prototype.hasOwnProperty.call( object, key ) ? object[ key ] : undefined );

	/** The call in a JSON object; null if the object is no call. */
	function callOf( value ) {
		if ( ! isObject( value ) ) {
			return null;
		}
		const inner = own( value, 'function' );
		const source = isObject( inner ) ? inner : value;
		const isText = ( word ) => typeof own( source, word ) === 'string';
		const key = [ 'name', 'tool', 'function' ].find( isText );
		const name = key && own( source, key ).trim();
		const word = ARGUMENTS.find( ( candidate ) => own( source, candidate ) !== undefined );
		const parameters = word ? argumentsOf( own( source, word ) ) : null;
		if ( ! name || ! parameters || ! known( name ) ) {
			return null;
		}
		return { name, parameters, format: key === 'tool' ? 'json_legacy' : 'json' };
	}

	/** The calls of an object or an array of objects, and the offset behind it; else null. */
	function jsonCalls( text, at ) {
		const found = read( text, at );
		if ( ! found ) {
			return null;
		}
		const calls = [];
		if ( ! Array.isArray( found.value ) ) {
			const call = callOf( found.value );
			return { end: found.end, calls: call ? [ { call, end: found.end } ] : calls };
		}
		let i = at + 1;
		for ( const item of found.value ) {
			const start = behind( SPACE, text, i );
			const end = isObject( item ) ? containerEnd( text, start, 0, [] ) : -1;
			const call = callOf( item );
			if ( end < 0 ) {
				return null;
			}
			if ( call ) {
				calls.push( { call, end } );
			}
			i = behind( SPACE, text, end ) + 1;
		}
		return { end: found.end, calls };
	}

	/** Whether only white space stands between the start of the line and an offset. */
	function atLineStart( text, at ) {
		let i = at;
		while ( i > 0 && ( text[ i - 1 ] === ' ' || text[ i - 1 ] === '\t' ) ) {
			i--;
		}
		const marked = i === 1 && text[ 0 ] === '\uFEFF';
		return i === 0 || marked || text[ i - 1 ] === '\n' || text[ i - 1 ] === '\r';
	}

	/** One search of a text. */
	class Detection {
		constructor( text ) {
			this.text = text;
			this.calls = [];
			this.html = new Reader( text );
			this.htmlFrom = 0;
			this.reasoned = false;
			this.openFrom = Infinity;
			this.line = { start: 0, end: -1 };
			this.unclosed = new Set();
			this.broken = null;
			// The end of the last call or tag of reasoning: what stands in front of it is over.
			this.floor = 0;
		}

		/* Notes a call whose arguments cannot be read. */
		breaks( at, marks, json ) {
			if ( ! this.isInBroken( at ) ) {
				this.broken = new BrokenCall( at, marks, isCut( this.text, json ) );
			}
			return at + 1;
		}

		isInBroken( at ) {
			const holds = this.broken ? this.broken.holds( this.text, at ) : false;
			this.broken = holds === null ? null : this.broken;
			return holds === true;
		}

		/* The line of an offset. Offsets come in order, so each line is looked at once. */
		lineOf( at ) {
			while ( at > this.line.end ) {
				const start = this.line.end + 1;
				const end = this.text.indexOf( '\n', start );
				this.line = { start, end: end < 0 ? this.text.length : end };
			}
			return this.line;
		}

		run() {
			const brackets = { '{': 'bracket', '[': 'bracket' };
			const readers = { '<': 'angle', '`': 'fence', '~': 'fence', ...brackets };
			const next = /[<`~{[]/g;
			while ( this.text.length <= MAX_INPUT && this.calls.length < MAX_CALLS ) {
				const found = next.exec( this.text );
				if ( ! found ) {
					break;
				}
				const end = this[ readers[ found[ 0 ] ] ]( found.index );
				next.lastIndex = Math.max( end, found.index + 1 );
			}
			return this.calls.filter( ( call ) => this.counts( call ) );
		}

		/* In reasoning that nothing closes, calls count with nothing behind them but calls. */
		counts( { span } ) {
			if ( span.start < this.openFrom ) {
				return true;
			}
			const fenced = ( call ) => /^\s*[`~]/.test( call.original );
			let end = span.start;
			for ( const call of this.calls.filter( ( one ) => one.span.start >= end ) ) {
				if ( fenced( call ) || this.text.slice( end, call.span.start ).trim() ) {
					return false;
				}
				end = call.span.end;
			}
			return ! this.text.slice( end ).trim();
		}

		add( { name, parameters, format }, start, end ) {
			if ( this.calls.length < MAX_CALLS && ! this.isInBroken( start ) ) {
				const original = this.text.slice( start, end );
				this.calls.push( { name, parameters, original, format, span: { start, end } } );
				this.floor = end;
			}
			return end;
		}

		/* Adds calls that share the span from `start` to `end`. */
		addShared( calls, start, end ) {
			let from = start;
			calls.forEach( ( item, index ) => {
				from = this.add( item.call, from, index + 1 < calls.length ? item.end : end );
			} );
			return end;
		}

		/* Each of these methods examines an offset, and returns where the search goes on. */

		tool( at ) {
			const open = /<tool:\s*([^\s<>]{1,128})\s*>\s*/y;
			open.lastIndex = at;
			const head = open.exec( this.text );
			const found = head && known( head[ 1 ] ) ? read( this.text, open.lastIndex ) : null;
			const parameters = found && argumentsOf( found.value );
			if ( ! parameters ) {
				return head && known( head[ 1 ] ) ? this.breaks( at, true, open.lastIndex ) : at + 1;
			}
			const end = behind( SPACE, this.text, found.end );
			const marks = [ '</tool>', `</tool:${ head[ 1 ] }>` ];
			const call = { name: head[ 1 ], parameters, format: 'xml' };
			const close = marks.find( ( mark ) => this.text.startsWith( mark, end ) );
			if ( close ) {
				return this.add( call, at, end + close.length );
			}
			// The text may end before the end tag, or in it.
			const rest = this.text.slice( end, end + marks[ 1 ].length );
			const cut = marks.some( ( mark ) => mark.startsWith( rest ) );
			return cut ? this.add( call, at, rest ? this.text.length : found.end ) : at + 1;
		}

		element( tag ) {
			const attribute = ( name ) => decode( tag.attributes.get( name ) || '' ) || '';
			if ( [ ...tag.attributes.keys() ].some( ( name ) => name.includes( '<' ) ) ) {
				return -1;
			}
			const classes = attribute( 'class' ).split( /[ \t\n\f\r]+/ );
			if ( classes.includes( 'mpai-tool-result' ) ) {
				return this.html.elementEnd( tag );
			}
			const name = attribute( 'data-tool-name' ).trim();
			if ( ! classes.includes( 'mpai-tool-call' ) || ! known( name ) ) {
				return -1;
			}
			const json = attribute( 'data-tool-parameters' ).trim();
			const parameters = json[ 0 ] === '{' || json[ 0 ] === '[' ? argumentsOf( json ) : null;
			if ( ! parameters ) {
				return -1;
			}
			const end = this.html.elementEnd( tag );
			if ( end === tag.end && this.doubled( tag ) ) {
				return -1;
			}
			if ( FINISHED.test( this.text.slice( tag.end, end ) ) ) {
				return end;
			}
			return this.add( { name, parameters, format: 'html' }, tag.start, end );
		}

		/* Whether a start tag stands behind itself again. */
		doubled( tag ) {
			const next = behind( SPACE, this.text, tag.end );
			return this.text.startsWith( this.text.slice( tag.start, tag.end ), next );
		}

		angle( at ) {
			const thought = this.reasoning( at );
			if ( thought >= 0 ) {
				return thought;
			}
			const call = this.text.startsWith( '<tool:', at ) ? this.tool( at ) : at + 1;
			if ( call > at + 1 || at < this.htmlFrom || this.html.hides( at ) ) {
				return call;
			}
			const tag = this.html.tag( at );
			const end = tag && ! tag.closing ? this.element( tag ) : -1;
			if ( end < 0 ) {
				// Tools and JSON in a comment, a script or an attribute count, elements do not.
				const cut = ! tag && this.html.opensTag( at );
				const passed = tag ? this.html.rawEnd( tag ) : this.html.passed( at );
				this.htmlFrom = cut ? this.text.length : passed;
			}
			return end < 0 ? at + 1 : end;
		}

		/* A lone end marker shows that all before it was reasoning. */
		reasoning( at ) {
			const tag = at >= this.openFrom ? null : tagAt( this.text, this.floor, at );
			if ( ! tag ) {
				return -1;
			}
			const first = ! this.reasoned;
			this.reasoned = true;
			this.floor = tag.end;
			if ( tag.closes ) {
				this.calls = first ? [] : this.calls;
				return tag.end;
			}
			const end = this.unclosed.has( tag.name ) ? -1 : endBehind( this.text, tag );
			if ( end < 0 ) {
				this.unclosed.add( tag.name );
				this.openFrom = tag.end;
			}
			this.floor = Math.max( tag.end, end );
			return this.floor;
		}

		/* Where code ends that a run of backticks opens in its line, or where the run ends. */
		code( at ) {
			const opening = behind( /`+/y, this.text, at );
			const line = this.lineOf( at );
			if ( ! line.last ) {
				line.last = {};
				for ( const run of this.text.slice( at, line.end ).matchAll( /`+/g ) ) {
					line.last[ run[ 0 ].length ] = at + run.index;
				}
			}
			const length = opening - at;
			if ( length >= LONGEST_RUN || ! ( line.last[ length ] > at ) ) {
				return opening;
			}
			const runs = /`+/g;
			runs.lastIndex = opening;
			let run = runs.exec( this.text );
			while ( run && run[ 0 ].length !== length ) {
				run = runs.exec( this.text );
			}
			return run ? runs.lastIndex : opening;
		}

		fence( at ) {
			const open = /(`{3,}|~{3,})(json)?\s*/iy;
			const alone = /`{3,}[\w+#.-]*[ \t\r]*\n/y;
			open.lastIndex = at;
			alone.lastIndex = at;
			const quote = this.quote( at );
			const begins = atLineStart( this.text, at ) || quote.end === at;
			const opens = begins || alone.test( this.text );
			const head = opens ? open.exec( this.text ) : null;
			if ( ! head ) {
				const backtick = this.text[ at ] === '`';
				return backtick ? this.code( at ) : behind( /~+/y, this.text, at );
			}
			// Text may follow the marker that closes a block, after white space.
			const marker = `${ head[ 1 ][ 0 ] }{${ head[ 1 ].length },}(?![^ \\t\\r\\n])`;
			// What a quote holds is shown.
			const found = quote.depth > 0 ? null : jsonCalls( this.text, open.lastIndex );
			const close = new RegExp( `\\s*(?:$|(${ marker }))`, 'y' );
			close.lastIndex = found ? found.end : 0;
			const tail = found && found.calls.length > 0 ? close.exec( this.text ) : null;
			if ( tail ) {
				return this.addShared( found.calls, at, tail[ 1 ] ? close.lastIndex : found.end );
			}
			const opening = at + head[ 1 ].length;
			const stop = head[ 1 ][ 0 ] === '`' ? /[`\r\n]/g : /[\r\n]/g;
			stop.lastIndex = opening;
			const stopped = stop.exec( this.text );
			if ( stopped && stopped[ 0 ] === '`' ) {
				return this.code( at );
			}
			const line = stopped ? stopped.index : this.text.length;
			if ( quote.depth > 0 ) {
				return this.quotedEnd( quote.depth, marker, line );
			}
			const last = new RegExp( `[\\r\\n][ \\t]*${ marker }`, 'g' );
			last.lastIndex = line;
			return last.exec( this.text ) ? last.lastIndex : this.text.length;
		}

		/* How deep the quotes are in which a place stands, and the end of their marks. */
		quote( at ) {
			const line = this.lineOf( at );
			if ( ! line.quote ) {
				const text = this.text.slice( line.start, line.end );
				const marks = /^(?:[ \t]*>)*/.exec( text )[ 0 ];
				const end = behind( /[ \t]*/y, this.text, line.start + marks.length );
				const depth = marks.replace( /[^>]/g, '' ).length;
				line.quote = { depth, end: marks === '' ? -1 : end };
			}
			return line.quote;
		}

		/* Where a block in quotes ends: behind its marker, or where a line stands in fewer quotes. */
		quotedEnd( depth, marker, line ) {
			const quoted = new RegExp( `(?:[ \\t]*>){${ depth }}`, 'y' );
			const close = new RegExp( `[ \\t]*${ marker }`, 'y' );
			for ( let end = this.text.indexOf( '\n', line ); end >= 0; ) {
				quoted.lastIndex = end + 1;
				if ( ! quoted.test( this.text ) ) {
					return end + 1;
				}
				close.lastIndex = quoted.lastIndex;
				if ( close.test( this.text ) ) {
					return close.lastIndex;
				}
				end = this.text.indexOf( '\n', quoted.lastIndex );
			}
			return this.text.length;
		}

		bracket( at ) {
			const object = this.text[ at ] === '{';
			if ( this.text[ behind( SPACE, this.text, at + 1 ) ] !== ( object ? '"' : '{' ) ) {
				return at + 1;
			}
			const found = jsonCalls( this.text, at );
			if ( found && found.calls.length > 0 ) {
				if ( isInObject( this.text, Math.max( this.lineOf( at ).start, this.floor ), at ) ) {
					return found.end;
				}
				return this.addShared( found.calls, at, found.end );
			}
			const looks = /\{\s*"(?:name|tool|function)"\s*:/y;
			looks.lastIndex = at;
			if ( ! found && looks.test( this.text ) ) {
				return this.breaks( at, false, at );
			}
			return found && object ? found.end : at + 1;
		}
	}

	return ( response ) =>
		new Detection( response === null || response === undefined ? '' : String( response ) ).run();
} )();

mpaiToolwire.add = ( toolCalls, response, wanted ) =>
	toolCalls.push( ...mpaiToolwire.detect( response ).filter( ( call ) => wanted( call.format ) ) );

/** The calls in a reply: name, parameters, original, span; format xml, json, json_legacy, html. */
function detectToolCalls( response ) {
	return mpaiToolwire.detect( response );
}

/** Adds to a list the calls that are written as tags, as JSON, as HTML. */
function detectXmlStyleToolCalls( response, toolCalls ) {
	mpaiToolwire.add( toolCalls, response, ( format ) => format === 'xml' );
}
function detectJsonToolCalls( response, toolCalls ) {
	mpaiToolwire.add( toolCalls, response, ( format ) => format.startsWith( 'json' ) );
}
function detectHtmlToolCalls( response, toolCalls ) {
	mpaiToolwire.add( toolCalls, response, ( format ) => format === 'html' );
}
