/**
 * The chat box of the shortcode.
 */
( function () {
	'use strict';

	const { __ } = wp.i18n;

	function add( messages, who, label ) {
		const message = document.createElement( 'div' );
		message.className = `toolwire-message toolwire-${ who }`;
		const name = document.createElement( 'strong' );
		name.textContent = label + ' ';
		const body = document.createElement( 'div' );
		body.className = 'toolwire-body';
		message.append( name, body );
		messages.append( message );
		message.scrollIntoView( { block: 'nearest' } );
		return body;
	}

	async function talk( messages, text, conversation ) {
		const said = add( messages, 'user', __( 'You:', 'toolwire' ) );
		said.textContent = window.toolwireVisible( text );
		const body = add( messages, 'assistant', __( 'Assistant:', 'toolwire' ) );
		const sending = { message: text, conversation };
		const answer = await window.Toolwire.request( 'assistant', sending );
		if ( answer.status !== 200 ) {
			body.textContent = window.toolwireVisible(
				answer.body.message || __( 'The assistant did not answer.', 'toolwire' )
			);
			return;
		}
		const toEnd = new MutationObserver( () => ( messages.scrollTop = messages.scrollHeight ) );
		toEnd.observe( body, { childList: true, subtree: true } );
		await window.Toolwire.processReply( answer.body, { container: body, conversation } );
		toEnd.disconnect();
	}

	for ( const box of document.querySelectorAll( '[data-toolwire-chat]' ) ) {
		const form = box.querySelector( 'form' );
		const field = form.elements.message;
		const conversation = window.Toolwire.random();
		form.addEventListener( 'submit', ( event ) => {
			event.preventDefault();
			const text = field.value.trim();
			if ( text !== '' ) {
				field.value = '';
				talk( box.querySelector( '.toolwire-messages' ), text, conversation );
			}
		} );
	}
} )();
