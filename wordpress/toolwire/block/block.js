/**
 * The block in the editor: it says where the chat will be. The site renders the chat itself.
 */
( function () {
	'use strict';

	const { createElement } = wp.element;
	const { __ } = wp.i18n;

	wp.blocks.registerBlockType( 'toolwire/chat', {
		edit: () =>
			createElement(
				'p',
				wp.blockEditor.useBlockProps(),
				__( 'The chat with the assistant is shown here to users who may use it.', 'toolwire' )
			),
		save: () => null,
	} );
} )();
