// Runs the JavaScript of a drop-in, a file, on the texts of another, a JSON list; prints the calls of each.
const { readFileSync } = require( 'node:fs' );

const [ , , script, texts ] = process.argv;
const code = readFileSync( script, 'utf8' );
const detect = new Function( `${ code }\nreturn detectToolCalls;` )();
const start = performance.now();
const found = JSON.parse( readFileSync( texts, 'utf8' ) ).map( ( text ) => detect( text ) );
console.log( JSON.stringify( { found, milliseconds: performance.now() - start } ) );
