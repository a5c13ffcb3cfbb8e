/**
 * Sends decisions from the list of calls and from the screen of a call without a reload. The forms
 * also work without this file.
 */
( function () {
	'use strict';

	const { __, sprintf } = wp.i18n;
	const { words } = window.toolwireSettings;

	function note( section, good, message ) {
		let notice = section.querySelector( ':scope > .notice' );
		if ( ! notice ) {
			notice = document.createElement( 'div' );
			notice.append( document.createElement( 'p' ) );
			section.append( notice );
		}
		notice.className = `notice inline ${ good ? 'notice-success' : 'notice-error' }`;
		notice.firstElementChild.textContent = window.toolwireVisible( message );
		return notice;
	}

	function say( section, good, message ) {
		const notice = note( section, good, message );
		notice.tabIndex = -1;
		notice.focus();
		wp.a11y.speak( message, good ? 'polite' : 'assertive' );
	}

	async function post( path, body ) {
		const settings = window.toolwireSettings;
		const response = await fetch( settings.root + path, {
			method: 'POST',
			credentials: 'same-origin',
			headers: { 'Content-Type': 'application/json', 'X-WP-Nonce': settings.nonce },
			body: JSON.stringify( body ),
		} );
		return { ok: response.ok, answer: await response.json() };
	}

	async function decide( form, granted ) {
		const { reason, seen, arguments: changed } = form.elements;
		const decision = { granted, reason: reason.value, seen: seen.value };
		if ( changed ) {
			decision.arguments = changed.value;
		}
		const path = 'approvals/' + encodeURIComponent( form.dataset.id );
		const { ok, answer } = await post( path, decision );
		const refused = granted && answer.state === 'denied';
		const said = refused && answer.error ? answer.error.message : words[ answer.state ];
		return {
			good: ok && answer.state !== 'failed' && ! refused,
			ok,
			message: said || answer.message,
		};
	}

	for ( const form of document.querySelectorAll( '.toolwire-decide' ) ) {
		form.addEventListener( 'submit', async ( event ) => {
			if ( ! event.submitter ) {
				return;
			}
			event.preventDefault();
			const buttons = form.querySelectorAll( 'button' );
			buttons.forEach( ( button ) => ( button.disabled = true ) );
			const section = form.closest( 'article' );
			try {
				const outcome = await decide( form, event.submitter.value === '1' );
				say( section, outcome.good, outcome.message );
				if ( outcome.ok ) {
					section.querySelectorAll( '.toolwire-change' ).forEach( ( way ) => way.remove() );
					form.remove();
					return;
				}
			} catch ( error ) {
				say( section, false, __( 'The site did not answer. Try again.', 'toolwire' ) );
			}
			buttons.forEach( ( button ) => ( button.disabled = false ) );
		} );
	}

	const boxes = ( form ) => [ ...form.querySelectorAll( '.toolwire-choose input' ) ];
	const chosen = ( form ) => boxes( form ).filter( ( box ) => box.checked );

	function count( form ) {
		const number = chosen( form ).length;
		const [ approve, deny ] = form.querySelectorAll( '.toolwire-bar button' );
		/* translators: %d: a number of calls. */
		approve.textContent = sprintf( __( 'Approve %d', 'toolwire' ), number );
		/* translators: %d: a number of calls. */
		deny.textContent = sprintf( __( 'Deny %d', 'toolwire' ), number );
		approve.disabled = deny.disabled = number === 0;
		const all = form.querySelector( '.toolwire-all input' );
		all.checked = number > 0 && number === boxes( form ).length;
		all.indeterminate = number > 0 && ! all.checked;
	}

	// What came of a decision stands at its call. A call that was decided loses its link and box; a
	// call that was not has to be looked at again, so it loses its box alone.
	function show( box, outcome ) {
		const section = box.closest( 'article' );
		const { call, error } = outcome;
		const refused = call && call.state === 'denied' && call.error;
		const message = error ? error.message : words[ call.state ] || call.state;
		const good = call && call.state !== 'failed' && ! refused;
		note( section, good, ( refused && call.error.message ) || message );
		box.closest( 'p' ).remove();
		if ( call ) {
			section.querySelector( 'a.button' ).remove();
		}
	}

	async function decideSeveral( form, granted ) {
		const ticked = chosen( form );
		const reason = form.elements.reason.value;
		const decisions = ticked.map( ( box ) => {
			const id = box.name.slice( 'seen['.length, -1 );
			return { id, granted, reason, seen: box.value };
		} );
		const { ok, answer } = await post( 'approvals/decide', { decisions } );
		if ( ok ) {
			answer.outcomes.forEach( ( outcome, at ) => show( ticked[ at ], outcome ) );
		}
		return { good: ok && answer.good, message: answer.message };
	}

	function addAll( form ) {
		const label = document.createElement( 'label' );
		const box = document.createElement( 'input' );
		label.className = 'toolwire-all';
		box.type = 'checkbox';
		label.append( box, ' ', __( 'Choose all that can be decided here', 'toolwire' ) );
		box.addEventListener( 'change', () => {
			boxes( form ).forEach( ( one ) => ( one.checked = box.checked ) );
		} );
		form.querySelector( '.toolwire-bar' ).prepend( label );
	}

	for ( const form of document.querySelectorAll( '.toolwire-several' ) ) {
		const bar = form.querySelector( '.toolwire-bar' );
		let busy = false;
		addAll( form );
		count( form );
		form.addEventListener( 'change', () => count( form ) );
		form.addEventListener( 'submit', async ( event ) => {
			event.preventDefault();
			// Enter in a field names no decision.
			if ( ! event.submitter?.value || busy ) {
				return;
			}
			busy = true;
			try {
				const outcome = await decideSeveral( form, event.submitter.value === '1' );
				say( bar, outcome.good, outcome.message );
			} catch ( error ) {
				say( bar, false, __( 'The site did not answer. Try again.', 'toolwire' ) );
			}
			busy = false;
			count( form );
		} );
	}
} )();
