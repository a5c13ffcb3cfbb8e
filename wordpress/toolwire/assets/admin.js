/**
 * Sends decisions from the screen of a call without a reload. The forms also work without this
 * file.
 */
( function () {
	'use strict';

	const { __ } = wp.i18n;
	const { words } = window.toolwireSettings;

	function say( section, good, message ) {
		let notice = section.querySelector( '.notice' );
		if ( ! notice ) {
			notice = document.createElement( 'div' );
			notice.append( document.createElement( 'p' ) );
			section.append( notice );
		}
		notice.className = `notice inline ${ good ? 'notice-success' : 'notice-error' }`;
		notice.firstElementChild.textContent = window.toolwireVisible( message );
		notice.tabIndex = -1;
		notice.focus();
		wp.a11y.speak( message, good ? 'polite' : 'assertive' );
	}

	async function decide( form, granted ) {
		const settings = window.toolwireSettings;
		const { reason, seen, arguments: changed } = form.elements;
		const decision = { granted, reason: reason.value, seen: seen.value };
		if ( changed ) {
			decision.arguments = changed.value;
		}
		const address = settings.root + 'approvals/' + encodeURIComponent( form.dataset.id );
		const response = await fetch( address, {
			method: 'POST',
			credentials: 'same-origin',
			headers: { 'Content-Type': 'application/json', 'X-WP-Nonce': settings.nonce },
			body: JSON.stringify( decision ),
		} );
		const answer = await response.json();
		const refused = granted && answer.state === 'denied';
		const said = refused && answer.error ? answer.error.message : words[ answer.state ];
		return {
			good: response.ok && answer.state !== 'failed' && ! refused,
			ok: response.ok,
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
			const section = form.closest( 'section' );
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
} )();
