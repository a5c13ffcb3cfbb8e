/*
 * Runs each tool call once, and shows its outcome.
 * Part of Toolwire, under MIT or Apache-2.0, as you like. See docs/dropins.md there.
 */
var mpaiToolwire = mpaiToolwire || {};

mpaiToolwire.run = ( function () {
	'use strict';

	const { isObject } = mpaiToolwire.json;
	const { escape } = mpaiToolwire.html;

	/** A result as HTML, every value escaped. */
	function result( name, status, value, id ) {
		const shown = typeof value === 'string' ? value : JSON.stringify( value, null, 2 );
		const kind = status.toLowerCase();
		const named = id ? ` id="${ escape( id ) }"` : '';
		return `<div${ named } class="mpai-tool-result mpai-tool-${ kind }">` +
			'<div class="mpai-tool-result-header">' +
			`<span class="mpai-tool-result-name">${ escape( name ) }</span> ` +
			`<span class="mpai-tool-result-status">${ status }</span></div>` +
			'<pre class="mpai-tool-result-content">' +
			`${ escape( shown === undefined ? '' : shown ) }</pre></div>`;
	}

	const success = ( name, value ) => result( name, 'Success', value );
	const failure = ( name, error ) =>
		result( name, 'Error', error instanceof Error ? error.message : error );

	/** The offsets of calls: their span, or where their text first occurs; none overlap. */
	function locate( calls, text ) {
		const taken = [];
		const free = ( start, end ) =>
			! taken.some( ( span ) => start < span.end && span.start < end );
		const places = calls.map( ( call ) => {
			const { start, end } = call.span || {};
			const same = start >= 0 && text.slice( start, end ) === call.original;
			const here = same && free( start, end );
			return here ? taken[ taken.push( { start, end } ) - 1 ] : null;
		} );
		calls.forEach( ( call, index ) => {
			let start = places[ index ] || call.original === '' ? -1 : text.indexOf( call.original );
			while ( start >= 0 && ! free( start, start + call.original.length ) ) {
				start = text.indexOf( call.original, start + call.original.length );
			}
			if ( start >= 0 ) {
				places[ index ] = { start, end: start + call.original.length };
				taken.push( places[ index ] );
			}
		} );
		return places;
	}

	const ran = mpaiToolwire.ran = mpaiToolwire.ran || new WeakSet();
	let pending = 0;

	/** Starts a call, and returns the HTML for its place. A late answer fills it on the page. */
	function start( call, run ) {
		const id = `mpai-toolwire-${ Date.now().toString( 36 ) }-${ ++pending }`;
		const slot = { html: result( call.name, 'Processing', '', id ), answered: false };
		function answer( value, error ) {
			if ( slot.answered ) {
				return;
			}
			slot.answered = true;
			slot.html = error ? failure( call.name, error ) : success( call.name, value );
			const shown = typeof document === 'undefined' ? null : document.getElementById( id );
			if ( shown ) {
				shown.outerHTML = slot.html;
			}
		}
		try {
			run( call.name, call.parameters, answer );
		} catch ( error ) {
			answer( null, error || 'The tool failed.' );
		}
		return slot;
	}

	/** Runs each call once, and gives the text with each result, as HTML, in the place of its call. */
	function execute( toolCalls, response, run ) {
		const text = response === null || response === undefined ? '' : String( response );
		const isCall = ( call ) =>
			isObject( call ) && typeof call.name === 'string' && typeof call.original === 'string';
		const fresh = ( call ) => isCall( call ) && ! ran.has( call );
		const calls = Array.from( toolCalls || [] ).filter( fresh );
		const places = locate( calls, text );
		const slots = calls.map( ( call ) => {
			ran.add( call );
			return start( call, run );
		} );
		const results = slots.map( ( slot, index ) => ( { place: places[ index ], html: slot.html } ) );
		const inside = results.filter( ( item ) => item.place );
		inside.sort( ( one, other ) => one.place.start - other.place.start );
		let shown = '';
		let from = 0;
		for ( const { place, html } of inside ) {
			shown += text.slice( from, place.start ) + html;
			from = place.end;
		}
		const rest = results.filter( ( item ) => ! item.place ).map( ( item ) => item.html );
		return shown + text.slice( from ) + rest.join( '' );
	}

	return { execute, success, failure };
} )();

/** Runs each call once, by executeToolCallback( name, parameters, ( result, error ) => … ). */
function executeToolCalls( toolCalls, response, executeToolCallback ) {
	return mpaiToolwire.run.execute( toolCalls, response, executeToolCallback );
}

/** The HTML of a result, and of an error. */
function formatSuccessResult( toolName, result ) {
	return mpaiToolwire.run.success( toolName, result );
}
function formatErrorResult( toolName, errorMessage ) {
	return mpaiToolwire.run.failure( toolName, errorMessage );
}
