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

	function talk( messages, text, conversation ) {
		const said = add( messages, 'user', __( 'You:', 'toolwire' ) );
		said.textContent = window.toolwireVisible( text );
		const body = add( messages, 'assistant', __( 'Assistant:', 'toolwire' ) );
		return ask( messages, body, text, conversation );
	}

	/** Shows why there is no answer, with a button that asks once more. */
	function failed( body, words, again ) {
		const message = document.createElement( 'p' );
		message.className = 'toolwire-refused';
		message.textContent = window.toolwireVisible(
			words || __( 'The assistant did not answer.', 'toolwire' )
		);
		const button = document.createElement( 'button' );
		button.type = 'button';
		button.textContent = __( 'Try again', 'toolwire' );
		button.addEventListener( 'click', again );
		body.replaceChildren( message, button );
	}

	async function ask( messages, body, text, conversation ) {
		body.replaceChildren();
		const sending = { message: text, conversation };
		const answer = await window.Toolwire.request( 'assistant', sending );
		if ( answer.status !== 200 ) {
			failed( body, answer.body.message, () => ask( messages, body, text, conversation ) );
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
