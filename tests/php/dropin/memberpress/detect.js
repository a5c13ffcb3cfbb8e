// Runs the JavaScript of a drop-in on texts and prints the calls of each. Its arguments are the
// file of the script and a file with a JSON list of texts.
const { readFileSync } = require( 'node:fs' );

const [ , , script, texts ] = process.argv;
const code = readFileSync( script, 'utf8' );
const detect = new Function( `${ code }\nreturn detectToolCalls;` )();
const start = performance.now();
const found = JSON.parse( readFileSync( texts, 'utf8' ) ).map( ( text ) => detect( text ) );
console.log( JSON.stringify( { found, milliseconds: performance.now() - start } ) );
