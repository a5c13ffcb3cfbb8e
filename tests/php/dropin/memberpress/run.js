// Runs calls with the JavaScript of the drop-in, a file; prints `fine`.
const assert = require( 'node:assert' );
const { readFileSync } = require( 'node:fs' );

const code = readFileSync( process.argv[ 2 ], 'utf8' );
const exported = [
	'detectToolCalls', 'detectXmlStyleToolCalls', 'detectJsonToolCalls', 'detectHtmlToolCalls',
	'executeToolCalls', 'formatSuccessResult', 'formatErrorResult',
];
// As a page that has the code twice.
const page = new Function( `${ code }\n${ code }\nreturn { ${ exported } };` )();

const reply = 'A <tool:wpcli>{"do":"<b>"}</tool> B <tool:wpcli>{"do":"<b>"}</tool> ' +
	'{"tool":"lazy","parameters":{"n":12345678901234567890}} ' +
	'<p class=mpai-tool-call data-tool-name=lazy data-tool-parameters="{&quot;a&quot;:1}"></p> ' +
	'<tool:unknown>{}</tool>';
const calls = page.detectToolCalls( reply );
assert.deepEqual( calls.map( ( call ) => [ call.name, call.format ] ),
	[ [ 'wpcli', 'xml' ], [ 'wpcli', 'xml' ], [ 'lazy', 'json_legacy' ], [ 'lazy', 'html' ] ] );
assert.deepEqual( calls[ 2 ].parameters, { n: '12345678901234567890' } );
assert.deepEqual( page.detectToolCalls( null ), [] );
for ( const [ detect, count ] of [ [ 'Xml', 2 ], [ 'Json', 1 ], [ 'Html', 1 ] ] ) {
	const some = [];
	page[ `detect${ detect }${ detect === 'Xml' ? 'Style' : '' }ToolCalls` ]( reply, some );
	assert.equal( some.length, count, detect );
}

// Each call runs once. Two equal calls have each their place. Results are escaped and never read
// for calls again.
const ran = [];
const answer = ( name, parameters, done ) => {
	ran.push( name );
	done( ran.length === 1 ? '$& <tool:wpcli>{"do":"<b>"}</tool>' : { n: ran.length } );
	done( 'a second answer' );
};
const shown = page.executeToolCalls( calls, reply, answer );
assert.deepEqual( ran, [ 'wpcli', 'wpcli', 'lazy', 'lazy' ] );
assert.equal( shown.split( 'mpai-tool-success' ).length, 5 );
const first = page.formatSuccessResult( 'wpcli', '$& <tool:wpcli>{"do":"<b>"}</tool>' );
assert.ok( shown.startsWith( `A ${ first } B <div` ) );
assert.ok( shown.endsWith( '</div> <tool:unknown>{}</tool>' ) && ! shown.includes( 'second' ) );
assert.equal( page.executeToolCalls( calls, reply, answer ), reply );
assert.equal( ran.length, 4 );
assert.deepEqual( page.detectToolCalls( shown ), [] );

// What PHP ran is not found again, also where the page gives it back with its quotes.
const call = '{"name":"wpcli","parameters":{}}';
for ( const done of [
	`<div class="mpai-tool-result mpai-tool-success"><pre>${ call } <tool:wpcli>{}</tool></pre></div>`,
	'<div class="mpai-tool-call" data-tool-name="wpcli" data-tool-parameters="{}">' +
		`<span class="mpai-tool-call-status mpai-tool-call-success">Success</span>${ call }</div>`,
] ) {
	assert.deepEqual( page.detectToolCalls( done ), [] );
	assert.equal( page.detectToolCalls( `${ done } ${ call }` ).length, 1 );
}

// Failures, late answers, and what is no call.
const wrong = ( error ) => page.executeToolCalls( page.detectToolCalls( call ), call, error );
assert.equal( wrong( () => {
	throw new Error( '<i>' );
} ), page.formatErrorResult( 'wpcli', '<i>' ) );
const refusal = wrong( ( name, parameters, done ) => done( null, 'no' ) );
assert.equal( refusal, page.formatErrorResult( 'wpcli', 'no' ) );
const begun = /^<div id="mpai-toolwire-\S+" class="mpai-tool-result mpai-tool-processing">/;
assert.match( wrong( () => {} ), begun );
assert.equal( page.executeToolCalls( [ null, 5, { name: 'wpcli' } ], 'x', answer ), 'x' );
const nowhere = { name: 'wpcli', original: 'none' };
assert.ok( page.executeToolCalls( [ nowhere ], 'x', answer ).startsWith( 'x<div' ) );
assert.ok( ! page.formatErrorResult( '<img src=x>', '"\'&<' ).match( /<img|"'|&</ ) );

// Hostile text is read in linear time: four times the text takes at most eight times as long, where
// quadratic reading takes sixteen times. This is the process's own time, however busy the machine is;
// what takes less than a fifth of a second is too short to be compared.
function took( unit, length ) {
	const start = process.cpuUsage();
	page.detectToolCalls( unit.repeat( length / unit.length ) );
	page.detectToolCalls( `${ unit.repeat( length / unit.length ) }">` );
	const used = process.cpuUsage( start );
	return used.user + used.system;
}
for ( const unit of [
	'```json {', '```json\n{', '<tool:wpcli>{"do":"', '{"a":{', '[{', '{"":":{",', '<div ', '<!--',
	'<p class="mpai-tool-call" ',
	'<p class=mpai-tool-call data-tool-name=lazy data-tool-parameters={}>', '` ', '~~~\n',
	'<script>', '<think>', '\n   ```', '&quot;', '<tool:',
] ) {
	const few = took( unit, 45000 );
	const many = took( unit, 180000 );
	assert.ok( many < 8 * few + 2e5, `${ unit }: ${ many } µs after ${ few } µs` );
}
page.detectToolCalls( `\`\`\`json\n{${ ' '.repeat( 16384 ) }` );
const large = `<tool:wpcli>{"do":"${ 'x'.repeat( 1000001 ) }"}</tool>`;
assert.equal( page.detectToolCalls( large ).length, 1 );
console.log( 'fine' );
