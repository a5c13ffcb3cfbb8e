/**
 * Asks the routes of the site.
 */
( function () {
	'use strict';

	const { __ } = wp.i18n;

	/** Sends a request, with a new nonce if the page is older than its own. */
	async function ask( path, body, accept, tag ) {
		const settings = window.toolwireSettings;
		const send = () => fetch( settings.root + path, {
			method: body ? 'POST' : 'GET',
			credentials: 'same-origin',
			headers: {
				Accept: accept,
				'Content-Type': 'application/json',
				'X-WP-Nonce': settings.nonce,
				...( tag ? { 'If-None-Match': tag } : {} ),
			},
			body: body ? JSON.stringify( body ) : undefined,
		} );
		const response = await send();
		if ( response.status !== 403 || ! settings.renew ) {
			return response;
		}
		const told = await response.clone().json().catch( () => ( {} ) );
		if ( told.code !== 'rest_cookie_invalid_nonce' ) {
			return response;
		}
		const renewed = await fetch( settings.renew, { credentials: 'same-origin' } );
		const nonce = renewed.ok ? ( await renewed.text() ).trim() : '';
		if ( ! /^[0-9a-f]{10}$/.test( nonce ) ) {
			return response;
		}
		settings.nonce = nonce;
		return send();
	}

	const unanswered = () => ( {
		status: 0,
		body: { message: __( 'The site did not answer. Try again.', 'toolwire' ) },
		retryAfter: 0,
	} );

	/** A response that is no stream. */
	const whole = async ( response ) => ( {
		status: response.status,
		body: await response.json().catch( () => ( {} ) ),
		retryAfter: Number( response.headers.get( 'Retry-After' ) ) || 0,
		tag: response.headers.get( 'ETag' ) || '',
	} );

	/**
	 * Asks the site.
	 *
	 * @param {string}  path The route, without `toolwire/v1/`.
	 * @param {?Object} body What is posted; nothing for GET.
	 * @param {string}  tag  The `tag` of an answer that is known: if it has not changed, the status
	 *     is 304.
	 * @return {Promise<{status: number, body: Object, retryAfter: number, tag: string}>} What it
	 *     answers; status 0 when it does not.
	 */
	async function request( path, body, tag = '' ) {
		try {
			return await whole( await ask( path, body, 'application/json', tag ) );
		} catch ( error ) {
			return unanswered();
		}
	}

	/**
	 * Asks the site for a step of a conversation, and hears what happens.
	 *
	 * @param {string}   path The route.
	 * @param {Object}   body What is posted.
	 * @param {Function} hear Gets the parts of the message that comes, each time they change, and
	 *     the number of the message; null when something else has happened, or the stream has begun.
	 * @return {Promise<{status: number, body: Object}>} What request() gives.
	 */
	async function stream( path, body, hear ) {
		let answer = unanswered();
		try {
			const response = await ask( path, body, 'text/event-stream' );
			const type = response.headers.get( 'Content-Type' ) || '';
			if ( ! type.startsWith( 'text/event-stream' ) ) {
				return await whole( response );
			}
			const reader = response.body.pipeThrough( new TextDecoderStream() ).getReader();
			let left = '';
			for ( let piece = await reader.read(); ! piece.done; piece = await reader.read() ) {
				const events = ( left + piece.value ).split( '\n\n' );
				left = events.pop();
				for ( const event of events ) {
					const [ , name, message, data ] =
						/^event: (\w+)\n(?:id: (\d+)\n)?data: (.*)$/s.exec( event ) || [];
					if ( name === 'said' ) {
						hear( JSON.parse( data ), name, Number( message ) );
					} else if ( name === 'step' || name === 'open' ) {
						hear( null, name );
					} else if ( name === 'end' ) {
						answer = { status: 200, body: JSON.parse( data ), retryAfter: 0 };
					} else if ( name === 'failed' ) {
						answer = { status: 409, body: JSON.parse( data ), retryAfter: 0 };
					}
				}
			}
		} catch ( error ) {
			return unanswered();
		}
		return answer;
	}

	window.toolwireRoutes = { request, stream };
} )();
