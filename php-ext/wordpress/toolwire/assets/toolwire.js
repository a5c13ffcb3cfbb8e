/**
 * Finds the tool calls in what an assistant wrote, runs them through the site, and shows what became of them.
 *
 *     Toolwire.processToolCalls( reply, { container: element, conversation: 'c1', message: 'm1' } );
 *
 * The site decides what is a call and what may run; this file shows. A call is sent once, and the site runs it
 * once even if it is sent again.
 */
( function () {
	'use strict';

	const { __, sprintf } = wp.i18n;
	const POLL_SECONDS = 3;
	const MOST_POLLS = 400;
	const FINISHED = [ 'completed', 'failed', 'denied', 'undone' ];
	const processed = new Map();
	let queue = Promise.resolve();

	const escape = ( value ) =>
		String( value ).replace( /[&<>"'`]/g, ( character ) => '&#' + character.charCodeAt( 0 ) + ';' );

	const wait = ( seconds ) => new Promise( ( done ) => setTimeout( done, seconds * 1000 ) );

	/**
	 * Asks the site.
	 *
	 * @param {string}  path The route, without `toolwire/v1/`.
	 * @param {?Object} body What is posted; nothing for GET.
	 * @return {Promise<{status: number, body: Object, retryAfter: number}>} What it answers; status 0 when it does not.
	 */
	async function request( path, body ) {
		const settings = window.toolwireSettings;
		let response;
		try {
			response = await fetch( settings.root + path, {
				method: body ? 'POST' : 'GET',
				credentials: 'same-origin',
				headers: { 'Content-Type': 'application/json', 'X-WP-Nonce': settings.nonce },
				body: body ? JSON.stringify( body ) : undefined,
			} );
		} catch ( error ) {
			return { status: 0, body: { message: __( 'The site did not answer. Try again.', 'toolwire' ) }, retryAfter: 0 };
		}
		return {
			status: response.status,
			body: await response.json().catch( () => ( {} ) ),
			retryAfter: Number( response.headers.get( 'Retry-After' ) ) || 0,
		};
	}

	const text = ( value ) => ( typeof value === 'string' ? value : JSON.stringify( value, null, 2 ) );

	/**
	 * The markup of a call that has not run yet.
	 *
	 * @param {string}        name      The tool.
	 * @param {Object|string} parameters Its arguments, or the JSON text of them.
	 * @param {string}        id        The call's id.
	 * @return {string} HTML in which every value is escaped.
	 */
	function createToolCallHTML( name, parameters, id ) {
		return (
			`<div class="mpai-tool-call" id="${ escape( id ) }" data-tool-name="${ escape( name ) }" data-tool-parameters="${ escape( text( parameters ) ) }">` +
			`<div class="mpai-tool-call-header"><span class="mpai-tool-call-name">${ escape( name ) }</span> ` +
			`<span class="mpai-tool-call-status mpai-tool-call-processing">${ escape( __( 'Processing', 'toolwire' ) ) }</span></div>` +
			`<div class="mpai-tool-call-parameters"><pre>${ escape( text( parameters ) ) }</pre></div>` +
			'<div class="mpai-tool-call-result"></div></div>'
		);
	}

	function element( html ) {
		const template = document.createElement( 'template' );
		template.innerHTML = html;
		return template.content.firstElementChild;
	}

	/**
	 * Shows where a call stands.
	 *
	 * @param {?Element} box    What createToolCallHTML() made.
	 * @param {string}   status `processing`, `pending`, `success` or `error`.
	 * @param {string}   words  What is said.
	 * @param {?string}  html   What came of it, escaped by the site.
	 */
	function show( box, status, words, html ) {
		if ( ! box ) {
			return;
		}
		const label = box.querySelector( '.mpai-tool-call-status' );
		label.className = `mpai-tool-call-status mpai-tool-call-${ status }`;
		label.textContent = words;
		if ( html ) {
			box.querySelector( '.mpai-tool-call-result' ).innerHTML = html;
		}
	}

	function showCall( box, call ) {
		if ( call.state === 'pending' ) {
			show( box, 'pending', __( 'Waiting for approval', 'toolwire' ) );
		} else if ( call.state === 'completed' ) {
			show( box, 'success', __( 'Success', 'toolwire' ), call.html );
		} else if ( call.state === 'undone' ) {
			show( box, 'success', __( 'Undone', 'toolwire' ), call.html );
		} else if ( FINISHED.includes( call.state ) ) {
			show( box, 'error', __( 'Error', 'toolwire' ), call.html );
		}
	}

	/** Looks again until the call has ended. */
	async function follow( call, box ) {
		for ( let polls = 0; ! FINISHED.includes( call.state ) && polls < MOST_POLLS; polls++ ) {
			showCall( box, call );
			await wait( POLL_SECONDS );
			const answer = await request( `calls/${ encodeURIComponent( call.id ) }` );
			if ( answer.status === 200 ) {
				call = answer.body;
			}
		}
		showCall( box, call );
		return call;
	}

	/** Sends a call, again only where the site has said that it came too soon and has not taken it. */
	async function send( body ) {
		for ( let tries = 0; ; tries++ ) {
			const answer = await request( 'calls', body );
			const taken = answer.body.data && answer.body.data.call;
			if ( answer.status !== 429 || taken || tries === 2 || answer.retryAfter > 60 ) {
				return answer;
			}
			await wait( answer.retryAfter );
		}
	}

	/**
	 * Runs a call, once: the same id again gives what the first gave.
	 *
	 * @param {string}        name               The tool.
	 * @param {Object|string} parameters         Its arguments, or the JSON text of them.
	 * @param {string}        id                 The call's id.
	 * @param {Object}        options            What else is known.
	 * @param {?Element}      options.box        Where to show it: what createToolCallHTML() made.
	 * @param {string}        options.conversation In which the id counts.
	 * @param {string}        options.reason     Why, in the assistant's words.
	 * @return {Promise<Object>} The call as the site tells of it, once it has ended; or the site's error.
	 */
	function executeToolCall( name, parameters, id, options = {} ) {
		const key = JSON.stringify( [ options.conversation || '', id ] );
		if ( ! processed.has( key ) ) {
			processed.set( key, execute( key, { name, arguments: parameters, id }, options ) );
		}
		return processed.get( key );
	}

	async function execute( key, call, { box, conversation = '', reason = '' } ) {
		// One after the other, in the order in which the assistant wrote them; none waits for a person's decision.
		const sent = queue.then( () => send( { ...call, conversation, reason } ) );
		queue = sent.catch( () => {} );
		const answer = await sent;
		if ( answer.status === 200 || answer.status === 202 ) {
			return follow( answer.body, box );
		}
		const refused = answer.body.data && answer.body.data.call;
		if ( refused ) {
			showCall( box, refused );
			return refused;
		}
		/* translators: %d: status of an HTTP response. */
		const message = answer.body.message || sprintf( __( 'The site answered with status %d.', 'toolwire' ), answer.status );
		show( box, 'error', message );
		// The site has not taken it, or it may have: to send the same id again is safe.
		processed.delete( key );
		return answer.body;
	}

	/**
	 * Finds the calls in a reply, shows the reply with each call in its place, and runs them in order.
	 *
	 * @param {string}   response             What the assistant wrote.
	 * @param {Object}   options              Where and in what to look.
	 * @param {?Element} options.container    Where to show it.
	 * @param {string}   options.conversation In which the calls' ids count.
	 * @param {string}   options.message      The reply's id; one that comes again is not run again.
	 * @return {Promise<{hasToolCalls: boolean, calls: Object[]}>} What was found, once all have ended.
	 */
	async function processToolCalls( response, options = {} ) {
		const { container = null, conversation = '', message = '' } = options;
		const answer = await request( 'detect', { text: response, conversation, message } );
		if ( answer.status !== 200 ) {
			if ( container ) {
				container.append( document.createTextNode( response ) );
			}
			return { hasToolCalls: false, calls: [], error: answer.body };
		}
		const boxes = answer.body.calls.map( ( call ) => element( createToolCallHTML( call.name, call.arguments, call.id ) ) );
		let said = '';
		const reasons = [];
		for ( const segment of answer.body.segments ) {
			if ( segment.type === 'call' ) {
				reasons[ segment.index ] = said.trim().slice( -500 );
			} else {
				said = segment.text;
			}
			if ( container ) {
				container.append( segment.type === 'call' ? boxes[ segment.index ] : document.createTextNode( segment.text ) );
			}
		}
		const running = [];
		for ( const [ index, call ] of answer.body.calls.entries() ) {
			running.push( executeToolCall( call.name, call.arguments, call.id, { box: boxes[ index ], conversation, reason: reasons[ index ] } ) );
		}
		return { hasToolCalls: running.length > 0, calls: await Promise.all( running ) };
	}

	window.Toolwire = { processToolCalls, executeToolCall, createToolCallHTML, request };
} )();
