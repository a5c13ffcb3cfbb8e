/**
 * Shows a conversation: what was said, what the assistant thought, and each call as a card.
 */
( function () {
	'use strict';

	const { __, sprintf } = wp.i18n;
	const visible = window.toolwireVisible;
	const WORDS = {
		seen: __( 'Running', 'toolwire' ),
		running: __( 'Running', 'toolwire' ),
		waiting: __( 'Waiting', 'toolwire' ),
		approved: __( 'Approved', 'toolwire' ),
		interrupted: __( 'Interrupted', 'toolwire' ),
		completed: __( 'Done', 'toolwire' ),
		failed: __( 'That did not work', 'toolwire' ),
		denied: __( 'Not approved', 'toolwire' ),
		expired: __( 'Nobody decided in time', 'toolwire' ),
		undone: __( 'Undone', 'toolwire' ),
		refused: __( 'Not run', 'toolwire' ),
	};
	const LOOKS = {
		completed: 'success',
		undone: 'success',
		waiting: 'pending',
		approved: 'pending',
		seen: 'processing',
		running: 'processing',
	};

	function element( name, className, text ) {
		const made = document.createElement( name );
		made.className = className || '';
		if ( text !== undefined ) {
			made.textContent = text;
		}
		return made;
	}

	function button( text, act ) {
		const made = element( 'button', '', text );
		made.type = 'button';
		made.addEventListener( 'click', act );
		return made;
	}

	/** What the assistant thought, folded. */
	function thought( text ) {
		const details = element( 'details', 'toolwire-reasoning' );
		const words = element( 'div', '', text );
		details.append( element( 'summary', '', __( 'What the assistant thought', 'toolwire' ) ) );
		details.append( words );
		return details;
	}

	function refused() {
		return element(
			'p',
			'toolwire-refused',
			__( 'The assistant asked for something unreadable. Nothing was run.', 'toolwire' )
		);
	}

	/** One line for each argument. */
	function argumentsOf( call ) {
		const lines = element( 'dl', 'toolwire-arguments' );
		for ( const [ name, value ] of Object.entries( call.arguments || {} ) ) {
			const text = typeof value === 'string' ? value : JSON.stringify( value );
			lines.append( element( 'dt', '', visible( name ) ), element( 'dd', '', visible( text ) ) );
		}
		return lines;
	}

	/** What a card says below the state of its call. */
	function notes( call ) {
		const reason = call.decision && call.decision.reason;
		const notice = element( 'p', 'toolwire-note' );
		if ( call.state === 'waiting' && call.decide_url ) {
			const link = element( 'a', '', __( 'Look and decide', 'toolwire' ) );
			link.href = call.decide_url;
			notice.append( link );
		} else if ( call.held ) {
			notice.textContent = call.held;
		} else if ( call.state === 'waiting' ) {
			notice.textContent = __( 'You can leave this page.', 'toolwire' );
		} else if ( call.error && call.error.code === 'only_reads' ) {
			notice.textContent = call.error.message;
		} else if ( call.state === 'denied' && reason ) {
			/* translators: %s: why a person denied a call. */
			notice.textContent = sprintf( __( 'Why: %s', 'toolwire' ), visible( reason ) );
		}
		// The site has marked what is invisible in the name.
		const changed = element( 'p', 'toolwire-note', call.changed || '' );
		return [ changed, notice ].filter( ( note ) => note.textContent !== '' );
	}

	/** A button that asks again for a call on which nobody has decided. */
	function again( call, act ) {
		const made = button( __( 'Ask again', 'toolwire' ), () => act.again( call ) );
		made.dataset.toolwire = 'again';
		return made;
	}

	/** A card for a call. It is made anew when the call stands in another way. */
	function card( call, act ) {
		const box = element( 'div', 'mpai-tool-call' );
		const header = element( 'div', 'mpai-tool-call-header' );
		const look = LOOKS[ call.state ] || 'error';
		box.id = call.id;
		box.dataset.state = call.state;
		header.append(
			element( 'span', 'mpai-tool-call-name', call.tool ),
			' ',
			element( 'span', `mpai-tool-call-status mpai-tool-call-${ look }`, WORDS[ call.state ] )
		);
		box.append( header, argumentsOf( call ), ...notes( call ) );
		if ( call.can_undo ) {
			box.append( button( __( 'Undo', 'toolwire' ), () => act.undo( call ) ) );
		}
		if ( call.html ) {
			const details = element( 'details', 'mpai-tool-call-result' );
			const result = element( 'div' );
			details.append( element( 'summary', '', __( 'Details', 'toolwire' ) ), result );
			// The site has escaped it.
			result.innerHTML = call.html;
			details.open = call.state === 'failed';
			box.append( details );
		}
		return box;
	}

	function said( text ) {
		const words = element( 'div', 'toolwire-said' );
		words.dir = 'auto';
		for ( const block of window.toolwireMarkdown( text ) ) {
			words.append( block );
		}
		return words;
	}

	/** The nodes of a part, but for calls. */
	function node( part ) {
		switch ( part.type ) {
			case 'reasoning':
				return thought( part.text );
			case 'text':
				return said( part.text );
			default:
				return refused();
		}
	}

	/** Lists conversations in a place, with a button each that opens it. */
	window.toolwireChatList = function ( place, conversations, open ) {
		const items = conversations.map( ( one ) => {
			const item = element( 'li' );
			item.append( button( one.title, () => open( one.id ) ) );
			return item;
		} );
		const none = element( 'li', '', __( 'There is none yet.', 'toolwire' ) );
		place.replaceChildren( ...( items.length ? items : [ none ] ) );
	};

	/**
	 * A view of a conversation.
	 *
	 * @param {Element} messages Where it is shown.
	 * @param {Object}  act      What buttons do with a call: `undo`, `again`.
	 * @return {Object} `show`, `live`, `ask`, `clear`.
	 */
	window.toolwireChatView = function ( messages, act ) {
		let body = null;
		let live = null;
		let ask = null;
		const places = new Map();

		function message( who, label ) {
			const box = element( 'div', `toolwire-message toolwire-${ who }` );
			const made = element( 'div', 'toolwire-body' );
			box.append( element( 'strong', '', label + ' ' ), made );
			messages.append( box );
			return made;
		}

		function answer() {
			body = body || message( 'assistant', __( 'Assistant:', 'toolwire' ) );
			return body;
		}

		function add( part ) {
			if ( part.type === 'user' ) {
				const words = message( 'user', __( 'You:', 'toolwire' ) );
				words.dir = 'auto';
				words.textContent = part.text;
				body = null;
				// What came of calls before is settled by what the user says now.
				messages.querySelectorAll( '[data-toolwire="again"]' ).forEach( drop );
				return;
			}
			if ( part.type === 'call' ) {
				const place = element( 'div', 'toolwire-call' );
				places.set( part.call, place );
				answer().append( place );
				return;
			}
			answer().append( node( part ) );
		}

		function showCall( call ) {
			const place = places.get( call.id );
			const shown = place && place.firstElementChild;
			const stands = JSON.stringify( call );
			if ( place && place.dataset.stands !== stands ) {
				const open = shown && shown.querySelector( 'details[open]' );
				place.dataset.stands = stands;
				place.replaceChildren( card( call, act ) );
				if ( call.can_ask && body && body.contains( place ) ) {
					place.firstElementChild.append( again( call, act ) );
				}
				const details = place.querySelector( 'details' );
				if ( open && details ) {
					details.open = true;
				}
			}
		}

		const drop = ( what ) => {
			if ( what ) {
				what.remove();
			}
			return null;
		};

		return {
			/** Adds what the site has told, and shows its calls as they stand. */
			show( told ) {
				live = drop( live );
				const atEnd =
					messages.scrollTop + messages.clientHeight >= messages.scrollHeight - 40;
				told.parts.forEach( add );
				told.calls.forEach( showCall );
				if ( told.parts.length && atEnd ) {
					messages.scrollTop = messages.scrollHeight;
				}
			},
			/** Shows the message that comes, in the place of what was shown of it before. */
			live( parts ) {
				ask = drop( ask );
				live = live || answer().appendChild( element( 'div', 'toolwire-live' ) );
				live.replaceChildren( ...parts.map( node ) );
				messages.scrollTop = messages.scrollHeight;
			},
			/** Says why there is no answer, with a button. */
			ask( words, label, go ) {
				drop( ask );
				ask = element( 'div', 'toolwire-ask' );
				ask.append( element( 'p', 'toolwire-refused', words ) );
				if ( label ) {
					ask.append( button( label, go ) );
				}
				answer().append( ask );
				messages.scrollTop = messages.scrollHeight;
			},
			/** Takes back what ask() said. */
			settle() {
				ask = drop( ask );
				if ( body && ! body.childNodes.length ) {
					body.parentElement.remove();
					body = null;
				}
			},
			clear() {
				messages.replaceChildren();
				places.clear();
				body = live = ask = null;
			},
		};
	};
} )();
