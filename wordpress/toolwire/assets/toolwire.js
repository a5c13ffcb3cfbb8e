/**
 * Runs tool calls through the site, and shows their outcome.
 *
 *     const conversation = 'c1';
 *     const reply = await Toolwire.request( 'assistant', { message: 'Hello', conversation } );
 *     Toolwire.processReply( reply.body, { container: element, conversation } );
 *     Toolwire.call( 'list_posts', { number: 3 } );
 *
 * The site decides what is a call and what may run; this file only shows it. A call is sent once,
 * and the site runs it once even if it is sent again. A call runs with the rights of the user who
 * has the page open: never give a text of others to processToolCalls(), unless it is quoted.
 */
( function () {
	'use strict';

	const { __, sprintf } = wp.i18n;
	const POLL_SECONDS = 3;
	const MOST_POLLS = 400;
	// Stands round the number of a quote in the text that the site searches.
	const QUOTE = '\uFFFC';
	const FINISHED = [ 'completed', 'failed', 'denied', 'expired', 'interrupted', 'undone' ];
	const processed = new Map();
	let queue = Promise.resolve();

	const reference = ( character ) => '&#' + character.charCodeAt( 0 ) + ';';
	const escape = ( value ) => String( value ).replace( /[&<>"'`]/g, reference );

	const visible = window.toolwireVisible;

	// An id that no other call, message or conversation has.
	const random = () =>
		window.crypto.randomUUID ? window.crypto.randomUUID() : String( Math.random() ).slice( 2 );

	const wait = ( seconds ) => new Promise( ( done ) => setTimeout( done, seconds * 1000 ) );

	const { request, stream } = window.toolwireRoutes;

	const json = ( value ) => JSON.stringify( value, null, 2 );
	const text = ( value ) => ( typeof value === 'string' ? value : json( value ) );

	/**
	 * The markup of a call that has not run yet.
	 *
	 * @param {string}        name      The tool.
	 * @param {Object|string} parameters Its arguments, or the JSON text of them.
	 * @param {string}        id        The call's id.
	 * @param {?string}       shown     The arguments as they are shown, where the site has marked
	 *     what is invisible.
	 * @return {string} HTML in which every value is escaped.
	 */
	function createToolCallHTML( name, parameters, id, shown ) {
		return (
			`<div class="mpai-tool-call" id="${ escape( id ) }" ` +
			`data-tool-name="${ escape( name ) }" ` +
			`data-tool-parameters="${ escape( text( parameters ) ) }">` +
			'<div class="mpai-tool-call-header"><span class="mpai-tool-call-name">' +
			`${ escape( visible( name ) ) }</span> ` +
			'<span class="mpai-tool-call-status mpai-tool-call-processing">' +
			`${ escape( __( 'Processing', 'toolwire' ) ) }</span></div>` +
			'<div class="mpai-tool-call-parameters">' +
			`<pre>${ escape( shown ?? visible( text( parameters ) ) ) }</pre></div>` +
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
		label.textContent = visible( words );
		if ( html ) {
			box.querySelector( '.mpai-tool-call-result' ).innerHTML = html;
		}
	}

	function showCall( box, call ) {
		if ( call.state === 'waiting' || call.state === 'approved' ) {
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

	/**
	 * Sends a call. Sends it again only if the site said that it came too soon and was not taken.
	 */
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
	 * Runs a call once: the same id again gives the outcome of the first.
	 *
	 * @param {string}        name               The tool.
	 * @param {Object|string} parameters         Its arguments, or the JSON text of them.
	 * @param {string}        id                 The call's id.
	 * @param {Object}        options            What else is known.
	 * @param {?Element}      options.box        Where to show it: what createToolCallHTML() made.
	 * @param {string}        options.conversation In which the id counts.
	 * @param {string}        options.message    The id of the message that has the call, where the
	 *     model numbers the calls of each message from 0.
	 * @param {string}        options.reason     Why, in the assistant's words.
	 * @param {string}        options.binding    What the site gave with the call, where its
	 *     assistant asked for it.
	 * @param {string}        options.origin     `text` where the call was found in a text; who
	 *     decides sees it.
	 * @return {Promise<Object>} The call as the site tells of it, once it has ended; or the site's
	 *     error.
	 */
	function executeToolCall( name, parameters, id, options = {} ) {
		const place = [ options.conversation || '', options.message || '' ];
		const key = JSON.stringify( [ ...place, id ] );
		if ( ! processed.has( key ) ) {
			processed.set( key, execute( key, { name, arguments: parameters, id }, options ) );
		}
		return processed.get( key );
	}

	/**
	 * Runs a call that a script of the site makes. Each one is a new call.
	 *
	 * @param {string}        name       The tool.
	 * @param {Object|string} parameters Its arguments, or the JSON text of them.
	 * @param {Object}        options    What executeToolCall() takes.
	 * @return {Promise<Object>} What executeToolCall() gives.
	 */
	function call( name, parameters = {}, options = {} ) {
		return executeToolCall(
			name,
			parameters,
			random(),
			{ ...options, origin: 'script', binding: '' }
		);
	}

	async function execute(
		key,
		sending,
		{ box, conversation = '', message = '', reason = '', binding = '', origin = 'script' }
	) {
		// The calls run one after the other, in the order in which the assistant wrote them. None
		// waits for a person's decision.
		const sent = queue.then(
			() => send( { ...sending, conversation, message, reason, binding, origin } )
		);
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
		const words = answer.body.message || sprintf(
			/* translators: %d: status of an HTTP response. */
			__( 'The site answered with status %d.', 'toolwire' ),
			answer.status
		);
		show( box, 'error', words );
		// It is not known whether the site has taken the call: it is safe to send the same id
		// again.
		processed.delete( key );
		return answer.body;
	}

	/**
	 * Shows what the site found, each call in its place, and runs the calls in order.
	 *
	 * @param {Object}    found   What the site answered: `calls` and `segments`.
	 * @param {Element[]} quotes  What stands where the text has their numbers.
	 * @param {Object}    options What processToolCalls() takes.
	 * @return {Promise<{hasToolCalls: boolean, calls: Object[]}>} What was found, once all
	 *     have ended.
	 */
	async function process( found, quotes, { container = null, conversation = '' } ) {
		const boxes = found.calls.map(
			( one ) => element( createToolCallHTML( one.name, one.arguments, one.id, one.shown ) )
		);
		// The text since the last call; refused markup may stand in it.
		let said = '';
		let ended = false;
		const reasons = [];
		for ( const segment of found.segments ) {
			if ( segment.type === 'call' ) {
				reasons[ segment.index ] = said.trim().slice( -500 );
				ended = true;
			} else if ( segment.type === 'text' ) {
				said = ended ? segment.text : said + segment.text;
				ended = false;
			}
			if ( container ) {
				container.append( ...nodes( segment, boxes, quotes ) );
			}
		}
		const running = found.calls.map( ( { name, arguments: parameters, id, binding }, index ) =>
			executeToolCall(
				name,
				parameters,
				id,
				{
					box: boxes[ index ],
					conversation,
					reason: reasons[ index ],
					binding,
					origin: 'text',
				}
			)
		);
		return { hasToolCalls: running.length > 0, calls: await Promise.all( running ) };
	}

	/** The nodes of a part of a message. Only a text is shown as the model wrote it. */
	function nodes( segment, boxes, quotes ) {
		if ( segment.type === 'text' ) {
			return withQuotes( segment.shown, quotes );
		}
		if ( segment.type === 'call' ) {
			return [ boxes[ segment.index ] ];
		}
		if ( segment.type === 'reasoning' ) {
			const folded = document.createElement( 'details' );
			folded.className = 'toolwire-reasoning';
			const summary = document.createElement( 'summary' );
			summary.textContent = __( 'What the assistant thought', 'toolwire' );
			const words = document.createElement( 'div' );
			words.append( ...withQuotes( segment.shown, quotes ) );
			folded.append( summary, words );
			return [ folded ];
		}
		const refused = document.createElement( 'p' );
		refused.className = 'toolwire-refused';
		refused.textContent = __(
			'The assistant asked for something unreadable. Nothing was run.',
			'toolwire'
		);
		return [ refused ];
	}

	/** The nodes of a text, each quote in its place. */
	function withQuotes( words, quotes ) {
		return words.split( new RegExp( `(${ QUOTE }\\d+${ QUOTE })` ) ).map( ( part, index ) => {
			const quoted = index % 2 && quotes[ part.slice( 1, -1 ) ];
			return quoted || document.createTextNode( part );
		} );
	}

	/**
	 * Marks a text of others. It is shown with marks for invisible characters, and no call in it
	 * counts.
	 *
	 * @param {string} words What others wrote.
	 * @return {Element} An element for processToolCalls(), or for a page that it reads.
	 */
	function quote( words ) {
		const quoted = document.createElement( 'span' );
		quoted.dataset.toolwireQuote = '';
		quoted.textContent = visible( words );
		return quoted;
	}

	/**
	 * The text that is to be searched. Each quote is collected, and a number stands in its place.
	 *
	 * @param {string|Node|Array} given  A text, an element, or a list of these.
	 * @param {Element[]}         quotes Takes the quotes.
	 * @return {string} The text.
	 */
	function searched( given, quotes ) {
		if ( typeof given === 'string' || given instanceof window.Text ) {
			return String( given.data ?? given ).replaceAll( QUOTE, '\uFFFD' );
		}
		if ( given instanceof window.Element && given.closest( '[data-toolwire-quote]' ) ) {
			quotes.push( quote( given.textContent ) );
			return QUOTE + ( quotes.length - 1 ) + QUOTE;
		}
		const parts = given instanceof window.Node ? given.childNodes : given;
		return Array.from( parts || [], ( part ) => searched( part, quotes ) ).join( '' );
	}

	/**
	 * Finds the calls in a text, shows the text with each call in its place, and runs them in
	 * order. The site takes calls from text only where its settings say so; those of a reply of its
	 * assistant are for processReply().
	 *
	 * @param {string|Element|Array} response             The text; what bears
	 *     `data-toolwire-quote` in it is not searched.
	 * @param {Object}               options              Where and in what to look.
	 * @param {?Element}             options.container    Where to show it.
	 * @param {string}               options.conversation In which the calls' ids count.
	 * @param {string}               options.message      The text's id; one that comes again is not
	 *     run again. Without it each text is a new one.
	 * @return {Promise<{hasToolCalls: boolean, calls: Object[]}>} What was found, once all
	 *     have ended.
	 */
	async function processToolCalls( response, options = {} ) {
		const { container = null, conversation = '', message = '' } = options;
		const quotes = [];
		const whole = searched( response, quotes );
		const answer = await request( 'detect', { text: whole, conversation, message } );
		if ( answer.status !== 200 ) {
			if ( container ) {
				container.append( ...withQuotes( visible( whole ), quotes ) );
			}
			return { hasToolCalls: false, calls: [], error: answer.body };
		}
		return process( answer.body, quotes, options );
	}

	/**
	 * Shows a reply of the site's assistant with each call in its place, and runs the calls in
	 * order.
	 *
	 * @param {Object}   reply                What the route `assistant` answered.
	 * @param {Object}   options              Where to show it.
	 * @param {?Element} options.container    The element.
	 * @param {string}   options.conversation What was sent to that route.
	 * @return {Promise<{hasToolCalls: boolean, calls: Object[]}>} What was found, once all
	 *     have ended.
	 */
	const processReply = ( reply, options = {} ) => process( reply, [], options );

	window.Toolwire = {
		call,
		processReply,
		processToolCalls,
		executeToolCall,
		createToolCallHTML,
		quote,
		random,
		request,
		stream,
	};
} )();
