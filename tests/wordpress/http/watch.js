( {
	// Runs in every frame before any script of the page. It replaces each function that hostile
	// texts call by a report.
	init() {
		const tell = ( what ) => window.scriptRan( String( what ).slice( 0, 300 ) );
		for ( const name of [ 'alert', 'confirm', 'prompt', 'print', 'open' ] ) {
			const value = ( ...given ) => {
				tell( name + ' ' + given[ 0 ] );
				return null;
			};
			Object.defineProperty( window, name, { value } );
		}
		for ( const name of [ 'attacked', 'xss', 'XSS', 'pwned' ] ) {
			const set = ( value ) => tell( 'window.' + name + ' = ' + value );
			Object.defineProperty( window, name, { set, get: () => undefined } );
		}
		document.addEventListener( 'securitypolicyviolation', ( event ) =>
			tell( `policy ${ event.violatedDirective } ${ event.blockedURI }` )
		);
	},

	// Does to every element what a person does: the pointer comes and goes, keys, focus, a click.
	touch( root ) {
		const stop = ( event ) => {
			const link = event.target.closest && event.target.closest( 'a' );
			const runs = link && /^\s*j\s*a\s*v\s*a/i.test( link.getAttribute( 'href' ) || '' );
			if ( event.type === 'submit' || ( link && ! runs ) ) {
				event.preventDefault();
			}
		};
		document.addEventListener( 'click', stop, true );
		document.addEventListener( 'submit', stop, true );
		const names = [
			'mouseover', 'mouseenter', 'mousemove', 'mousedown', 'pointerover',
			'focus', 'focusin', 'blur', 'keydown', 'keyup', 'input', 'wheel',
			'toggle', 'animationstart', 'load', 'error',
		];
		let touched = 0;
		for ( const element of document.querySelectorAll( root + ', ' + root + ' *' ) ) {
			for ( const name of names ) {
				element.dispatchEvent( new Event( name, { bubbles: true, cancelable: true } ) );
			}
			if ( element.matches( 'a, summary, label, span, div, td, pre, code, b, img, svg' ) ) {
				element.dispatchEvent(
					new MouseEvent( 'click', { bubbles: true, cancelable: true } )
				);
			}
			touched++;
		}
		// A click on a summary may have closed its details.
		for ( const element of document.querySelectorAll( root + ' details' ) ) {
			element.open = true;
		}
		document.removeEventListener( 'click', stop, true );
		document.removeEventListener( 'submit', stop, true );
		return touched;
	},

	// Finds markup that no text may bring into a page, and attributes that are code.
	foreign( root ) {
		const elements = 'script, iframe, object, embed, svg, math, img:not(.emoji), ' +
			'video, audio, base, meta, style, marquee';
		const code = ( one ) =>
			/^on|^srcdoc$/i.test( one.name ) ||
			( /(href|src|action|data|background|poster)$/i.test( one.name ) &&
				/^[\s\0-\x20]*(j\s*a\s*v\s*a|data:|vb)/i.test( one.value ) );
		return [ ...document.querySelectorAll( root + ' *' ) ]
			.filter( ( element ) =>
				element.matches( elements ) || [ ...element.attributes ].some( code ) )
			.map( ( element ) => element.outerHTML.slice( 0, 200 ) );
	},
} )
