/**
 * The chat box of the shortcode and the block. The site keeps the conversation; the page shows it,
 * sends what the user writes, and has the assistant go on while it is open.
 */
( function () {
	'use strict';

	const { __, sprintf } = wp.i18n;
	const { request, random, stream } = window.Toolwire;
	const LIMITS = /^limit_/;
	const HIDDEN_SECONDS = 60;
	// After so many seconds it is tried to go on: a call may have expired, which nobody tells.
	const TRIED_SECONDS = 60;
	const MOST_SECONDS = 60;
	// A stream that tells nothing for this time is not relied on: a proxy may keep it back.
	const PATIENCE = 1.5;
	// What a page cannot go on after.
	const ENDS = [ 401, 403, 404 ];

	const failedWords = () =>
		__( 'The assistant did not answer. Nothing was lost.', 'toolwire' );

	const wait = ( seconds ) => new Promise( ( done ) => setTimeout( done, seconds * 1000 ) );

	/** After how many seconds the site is asked again. */
	function pause( state, began, failures ) {
		if ( failures ) {
			return Math.min( MOST_SECONDS, 2 ** failures );
		}
		if ( document.hidden ) {
			return HIDDEN_SECONDS;
		}
		if ( state === 'waiting' ) {
			return 3;
		}
		const seconds = ( Date.now() - began ) / 1000;
		return seconds < 10 ? 1 : seconds < 60 ? 2 : 5;
	}

	function chat( box ) {
		const part = ( name ) => box.querySelector( `[data-toolwire="${ name }"]` );
		const form = box.querySelector( 'form' );
		const field = form.elements.message;
		const messages = box.querySelector( '.toolwire-messages' );
		const status = part( 'status' );
		const none = () => ( {
			id: null, next: 0, version: 0, state: 'idle', tag: '', known: '', messages: 0,
			calls: new Map(), heard: 0,
		} );
		const held = { ...none(), turn: 0, began: 0, tried: 0 };
		const view = window.toolwireChatView( messages, { undo, again } );
		let demo = false;
		let timer = null;
		let looking = null;
		// Whether a stream has told nothing before its end.
		let isKeptBack = false;

		const say = ( words ) => {
			if ( status.textContent !== words ) {
				status.textContent = words;
			}
		};

		/** Whether the stream of a step tells what happens. */
		const isHeard = () => Date.now() - held.heard < PATIENCE * 1000;

		/** Takes what the site tells of the conversation. Some of it may be known by now. */
		function take( told ) {
			const known = Math.max( 0, held.next - ( told.next - told.parts.length ) );
			const parts = told.parts.slice( known );
			const said = parts.filter( ( one ) => one.type === 'text' );
			if ( told.next < held.next || told.version < held.version ) {
				return; // A newer answer came first.
			}
			if ( parts.length || told.state !== held.state ) {
				view.settle();
			}
			held.id = told.id;
			held.version = told.version;
			held.next = told.next;
			held.state = told.state;
			held.known = told.known;
			held.messages = told.messages;
			told.calls.forEach( ( call ) => held.calls.set( call.id, call.state ) );
			view.show( { parts, calls: told.calls } );
			if ( told.coming.length && ! isHeard() ) {
				view.live( told.coming );
			}
			part( 'demo' ).hidden = ! told.demo;
			stands( told, said );
		}

		/** Says how the conversation stands, and offers what can be done. */
		function stands( told, said ) {
			const thinking = told.state === 'thinking';
			part( 'send' ).hidden = thinking;
			part( 'stop' ).hidden = ! thinking && told.state !== 'waiting';
			messages.setAttribute( 'aria-busy', String( thinking ) );
			if ( thinking ) {
				say( __( 'The assistant is thinking.', 'toolwire' ) );
			} else if ( told.state === 'waiting' ) {
				say( __( 'Waiting for approval. You can leave this page.', 'toolwire' ) );
			} else if ( told.state === 'failed' ) {
				say( '' );
				view.ask( failedWords(), __( 'Try again', 'toolwire' ), retry );
			} else if ( LIMITS.test( told.reason || '' ) ) {
				say( '' );
				view.ask(
					__( 'The assistant has stopped after many steps.', 'toolwire' ),
					__( 'Go on', 'toolwire' ),
					() => send( __( 'Go on.', 'toolwire' ) )
				);
			} else {
				say( '' );
				part( 'spoken' ).textContent = said.map( ( one ) => one.text ).join( ' ' );
			}
		}

		/** Shows what the site answers; says why where it refuses. */
		function answered( answer, again ) {
			if ( answer.status >= 200 && answer.status < 300 ) {
				take( answer.body );
				return true;
			}
			const isOut = answer.status === 401 || answer.status === 403;
			const words = isOut
				? __( 'You are signed out. Your text is kept. Sign in and reload.', 'toolwire' )
				: window.toolwireVisible( answer.body.message || failedWords() );
			view.ask( words, again && ! isOut && __( 'Try again', 'toolwire' ), again );
			return false;
		}

		async function send( text, name = random() ) {
			const turn = ++held.turn;
			const path = held.id ? `conversations/${ held.id }/messages` : 'conversations';
			const sending = { message: text, client_id: name, after: held.next, demo };
			view.settle();
			form.setAttribute( 'aria-busy', 'true' );
			const answer = await request( path, sending );
			form.removeAttribute( 'aria-busy' );
			if ( turn !== held.turn ) {
				return;
			}
			if ( ! answered( answer, () => send( text, name ) ) ) {
				// What was said before goes on.
				if ( answer.status ) {
					field.value = field.value || text;
				}
			}
			held.began = Date.now();
			goOn( turn );
		}

		/** Has the assistant go on until it has answered, failed, or waits for a person. */
		async function goOn( turn ) {
			clearTimeout( timer );
			for ( let failures = 0; turn === held.turn && held.state === 'thinking'; ) {
				const answer = await step( turn );
				if ( turn !== held.turn ) {
					return;
				}
				if ( answer.status === 200 ) {
					failures = 0;
				} else if ( ENDS.includes( answer.status ) ) {
					lost( answer );
					return;
				} else {
					// Another page goes on with it, or the site did not answer: look how it stands.
					failures = answer.status === 409 ? 0 : failures + 1;
					await wait( pause( held.state, held.began, failures ) );
					await look( turn );
				}
			}
			if ( held.state === 'waiting' ) {
				timer = setTimeout( () => watch( turn ), pause( 'waiting', 0, 0 ) * 1000 );
			}
		}

		/** Says that this page cannot go on: its user is signed out, or the conversation is gone. */
		function lost( answer ) {
			held.state = 'idle';
			stands( { state: 'idle', reason: null }, [] );
			answered( answer );
		}

		/** Shows how the conversation stands by now. One request at a time looks. */
		async function look( turn ) {
			if ( looking ) {
				looking.again = true;
				return null;
			}
			looking = { again: false };
			const path = `conversations/${ held.id }?after=${ held.next }&known=${ held.known }`;
			const answer = await request( path, null, held.tag );
			const { again } = looking;
			looking = null;
			if ( turn === held.turn && answer.status === 200 ) {
				take( answer.body );
				held.tag = answer.tag;
			}
			if ( turn === held.turn && again ) {
				return look( turn );
			}
			return answer;
		}

		/** Goes on when a person has decided on a call. */
		async function watch( turn, failures = 0 ) {
			const answer = await look( turn );
			if ( turn !== held.turn ) {
				return;
			}
			if ( answer && ENDS.includes( answer.status ) ) {
				lost( answer );
				return;
			}
			if ( answer && ! [ 200, 304 ].includes( answer.status ) ) {
				const seconds = Math.max( answer.retryAfter, pause( 'waiting', 0, failures + 3 ) );
				timer = setTimeout( () => watch( turn, failures + 1 ), seconds * 1000 );
				return;
			}
			if ( answer ) {
				const waits = [ ...held.calls.values() ].some( ( state ) =>
					[ 'waiting', 'interrupted' ].includes( state )
				);
				const isLong = Date.now() - held.tried >= TRIED_SECONDS * 1000;
				if ( held.state === 'waiting' && ( ! waits || isLong ) ) {
					await step( turn );
				}
			}
			goOn( turn );
		}

		/** Has the assistant go on once, and shows what happens. */
		async function step( turn ) {
			const began = Date.now();
			held.tried = began;
			let first = 0;
			let isOver = false;
			const hear = ( parts, name, message ) => {
				first = first || Date.now();
				held.heard = Date.now();
				// What a proxy has kept back may be shown by now as what it has become.
				if ( turn === held.turn && parts && message >= held.messages ) {
					view.live( parts );
				} else if ( turn === held.turn && name === 'step' ) {
					look( turn );
				}
			};
			const beside = async () => {
				await wait( isKeptBack ? 1 : PATIENCE );
				while ( ! isOver && turn === held.turn ) {
					if ( ! isHeard() ) {
						await look( turn );
					}
					await wait( pause( 'thinking', began, 0 ) );
				}
			};
			// A stream that was kept back before is not waited for.
			held.heard = isKeptBack ? 0 : began;
			beside();
			const path = `conversations/${ held.id }/step`;
			const answer = await stream( path, { after: held.next }, hear );
			isOver = true;
			isKeptBack = ( first || Date.now() ) - began > PATIENCE * 1000;
			if ( turn === held.turn && answer.status === 200 ) {
				take( answer.body );
			}
			return answer;
		}

		async function retry() {
			const turn = ++held.turn;
			const answer = await request(
				`conversations/${ held.id }/retry`,
				{ after: held.next }
			);
			if ( turn === held.turn && answered( answer, retry ) ) {
				held.began = Date.now();
				goOn( turn );
			}
		}

		async function stop() {
			const turn = ++held.turn;
			const answer = await request(
				`conversations/${ held.id }/stop`,
				{ after: held.next }
			);
			if ( turn === held.turn ) {
				answered( answer, stop );
				field.focus();
			}
		}

		async function undo( call ) {
			const answer = await request( `log/${ encodeURIComponent( call.id ) }/undo`, {} );
			if ( answer.status !== 200 ) {
				view.ask( window.toolwireVisible( answer.body.message || failedWords() ) );
				return;
			}
			await look( held.turn );
			say( __( 'Undone', 'toolwire' ) );
		}

		/** Says that a call on which nobody has decided is wanted still. */
		function again( call ) {
			if ( held.state === 'thinking' || form.hasAttribute( 'aria-busy' ) ) {
				return;
			}
			const words = sprintf(
				/* translators: %s: name of a tool. */
				__( 'Nobody decided on %s in time. Please ask again.', 'toolwire' ),
				call.tool
			);
			send( words );
			field.focus();
		}

		function begin() {
			++held.turn;
			clearTimeout( timer );
			Object.assign( held, none() );
			view.clear();
			form.removeAttribute( 'aria-busy' );
			stands( { state: 'idle', reason: null }, [] );
			field.focus();
		}

		async function open( id ) {
			begin();
			const turn = ++held.turn;
			held.id = id;
			const answer = await request( `conversations/${ id }?after=0` );
			if ( turn === held.turn && answered( answer ) ) {
				messages.scrollTop = messages.scrollHeight;
				held.began = Date.now();
				if ( held.state === 'waiting' ) {
					// A call may have been decided, or have expired, with nobody to go on.
					await step( turn );
				}
				goOn( turn );
			}
		}

		/** Lists the conversations that there are. */
		async function past() {
			const list = part( 'list' );
			const opens = list.hidden;
			part( 'past' ).setAttribute( 'aria-expanded', String( opens ) );
			list.hidden = ! opens;
			if ( ! opens ) {
				return;
			}
			const answer = await request( 'conversations?per_page=20' );
			window.toolwireChatList( list, answer.status === 200 ? answer.body : [], ( id ) => {
				list.hidden = true;
				part( 'past' ).setAttribute( 'aria-expanded', 'false' );
				open( id );
			} );
		}

		form.addEventListener( 'submit', ( event ) => {
			event.preventDefault();
			const text = field.value.trim();
			const isBusy = held.state === 'thinking' || form.hasAttribute( 'aria-busy' );
			if ( text !== '' && ! isBusy ) {
				field.value = '';
				send( text );
			}
		} );
		field.addEventListener( 'keydown', ( event ) => {
			if ( event.isComposing ) {
				return; // The key is for the input method.
			}
			if ( event.key === 'Enter' && ! event.shiftKey ) {
				event.preventDefault();
				form.requestSubmit();
			} else if ( event.key === 'Escape' && ! part( 'stop' ).hidden ) {
				stop();
			}
		} );
		part( 'stop' ).addEventListener( 'click', stop );
		part( 'new' ).addEventListener( 'click', begin );
		part( 'past' ).addEventListener( 'click', past );
		if ( part( 'try' ) ) {
			part( 'try' ).addEventListener( 'click', () => {
				demo = true;
				part( 'empty' ).remove();
				form.hidden = false;
				field.focus();
			} );
		}
	}

	document.querySelectorAll( '[data-toolwire-chat]' ).forEach( chat );
} )();
