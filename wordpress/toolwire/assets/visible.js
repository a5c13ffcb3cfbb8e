/**
 * Shows characters that nobody sees as marks such as ⟨U+202E⟩. The site marks the texts that it
 * sends; this is for texts that only the page has. visible.php writes this file from what the
 * extension does.
 */
( function () {
	'use strict';

	const HIDDEN =
		'\\u{0}-\\u{8}\\u{B}-\\u{1F}\\u{7F}-\\u{9F}\\u{AD}\\u{34F}\\u{61C}\\u{115F}-\\u{1160}' +
		'\\u{17B4}-\\u{17B5}\\u{180B}-\\u{180F}\\u{200B}-\\u{200F}\\u{2028}-\\u{202E}' +
		'\\u{2060}-\\u{206F}\\u{2800}\\u{3164}\\u{D800}-\\u{DFFF}\\u{FDD0}-\\u{FDEF}' +
		'\\u{FE00}-\\u{FE0F}\\u{FEFF}\\u{FFA0}\\u{FFF0}-\\u{FFFB}\\u{FFFE}-\\u{FFFF}' +
		'\\u{13430}-\\u{1343F}\\u{1BCA0}-\\u{1BCA3}\\u{1D173}-\\u{1D17A}\\u{1FFFE}-\\u{1FFFF}' +
		'\\u{2FFFE}-\\u{2FFFF}\\u{3FFFE}-\\u{3FFFF}\\u{4FFFE}-\\u{4FFFF}\\u{5FFFE}-\\u{5FFFF}' +
		'\\u{6FFFE}-\\u{6FFFF}\\u{7FFFE}-\\u{7FFFF}\\u{8FFFE}-\\u{8FFFF}\\u{9FFFE}-\\u{9FFFF}' +
		'\\u{AFFFE}-\\u{AFFFF}\\u{BFFFE}-\\u{BFFFF}\\u{CFFFE}-\\u{CFFFF}\\u{DFFFE}-\\u{E0FFF}' +
		'\\u{EFFFE}-\\u{EFFFF}\\u{FFFFE}-\\u{FFFFF}\\u{10FFFE}-\\u{10FFFF}';
	const JOINED =
		'\\u{600}-\\u{604}\\u{606}-\\u{60B}\\u{60D}-\\u{61A}\\u{61D}-\\u{61E}\\u{620}-\\u{63F}' +
		'\\u{641}-\\u{64A}\\u{656}-\\u{66F}\\u{671}-\\u{6DC}\\u{6DE}-\\u{70D}\\u{70F}-\\u{74A}' +
		'\\u{74D}-\\u{77F}\\u{7C0}-\\u{7FA}\\u{7FD}-\\u{7FF}\\u{860}-\\u{86A}\\u{870}-\\u{88E}' +
		'\\u{890}-\\u{891}\\u{897}-\\u{8E1}\\u{8E3}-\\u{950}\\u{955}-\\u{963}\\u{966}-\\u{983}' +
		'\\u{985}-\\u{98C}\\u{98F}-\\u{990}\\u{993}-\\u{9A8}\\u{9AA}-\\u{9B0}\\u{9B2}' +
		'\\u{9B6}-\\u{9B9}\\u{9BC}-\\u{9C4}\\u{9C7}-\\u{9C8}\\u{9CB}-\\u{9CE}\\u{9D7}' +
		'\\u{9DC}-\\u{9DD}\\u{9DF}-\\u{9E3}\\u{9E6}-\\u{9FE}\\u{A01}-\\u{A03}\\u{A05}-\\u{A0A}' +
		'\\u{A0F}-\\u{A10}\\u{A13}-\\u{A28}\\u{A2A}-\\u{A30}\\u{A32}-\\u{A33}\\u{A35}-\\u{A36}' +
		'\\u{A38}-\\u{A39}\\u{A3C}\\u{A3E}-\\u{A42}\\u{A47}-\\u{A48}\\u{A4B}-\\u{A4D}\\u{A51}' +
		'\\u{A59}-\\u{A5C}\\u{A5E}\\u{A66}-\\u{A76}\\u{A81}-\\u{A83}\\u{A85}-\\u{A8D}' +
		'\\u{A8F}-\\u{A91}\\u{A93}-\\u{AA8}\\u{AAA}-\\u{AB0}\\u{AB2}-\\u{AB3}\\u{AB5}-\\u{AB9}' +
		'\\u{ABC}-\\u{AC5}\\u{AC7}-\\u{AC9}\\u{ACB}-\\u{ACD}\\u{AD0}\\u{AE0}-\\u{AE3}' +
		'\\u{AE6}-\\u{AF1}\\u{AF9}-\\u{AFF}\\u{B01}-\\u{B03}\\u{B05}-\\u{B0C}\\u{B0F}-\\u{B10}' +
		'\\u{B13}-\\u{B28}\\u{B2A}-\\u{B30}\\u{B32}-\\u{B33}\\u{B35}-\\u{B39}\\u{B3C}-\\u{B44}' +
		'\\u{B47}-\\u{B48}\\u{B4B}-\\u{B4D}\\u{B55}-\\u{B57}\\u{B5C}-\\u{B5D}\\u{B5F}-\\u{B63}' +
		'\\u{B66}-\\u{B77}\\u{B82}-\\u{B83}\\u{B85}-\\u{B8A}\\u{B8E}-\\u{B90}\\u{B92}-\\u{B95}' +
		'\\u{B99}-\\u{B9A}\\u{B9C}\\u{B9E}-\\u{B9F}\\u{BA3}-\\u{BA4}\\u{BA8}-\\u{BAA}' +
		'\\u{BAE}-\\u{BB9}\\u{BBE}-\\u{BC2}\\u{BC6}-\\u{BC8}\\u{BCA}-\\u{BCD}\\u{BD0}\\u{BD7}' +
		'\\u{BE6}-\\u{BFA}\\u{C00}-\\u{C0C}\\u{C0E}-\\u{C10}\\u{C12}-\\u{C28}\\u{C2A}-\\u{C39}' +
		'\\u{C3C}-\\u{C44}\\u{C46}-\\u{C48}\\u{C4A}-\\u{C4D}\\u{C55}-\\u{C56}\\u{C58}-\\u{C5A}' +
		'\\u{C5D}\\u{C60}-\\u{C63}\\u{C66}-\\u{C6F}\\u{C77}-\\u{C8C}\\u{C8E}-\\u{C90}' +
		'\\u{C92}-\\u{CA8}\\u{CAA}-\\u{CB3}\\u{CB5}-\\u{CB9}\\u{CBC}-\\u{CC4}\\u{CC6}-\\u{CC8}' +
		'\\u{CCA}-\\u{CCD}\\u{CD5}-\\u{CD6}\\u{CDD}-\\u{CDE}\\u{CE0}-\\u{CE3}\\u{CE6}-\\u{CEF}' +
		'\\u{CF1}-\\u{CF3}\\u{D00}-\\u{D0C}\\u{D0E}-\\u{D10}\\u{D12}-\\u{D44}\\u{D46}-\\u{D48}' +
		'\\u{D4A}-\\u{D4F}\\u{D54}-\\u{D63}\\u{D66}-\\u{D7F}\\u{D81}-\\u{D83}\\u{D85}-\\u{D96}' +
		'\\u{D9A}-\\u{DB1}\\u{DB3}-\\u{DBB}\\u{DBD}\\u{DC0}-\\u{DC6}\\u{DCA}\\u{DCF}-\\u{DD4}' +
		'\\u{DD6}\\u{DD8}-\\u{DDF}\\u{DE6}-\\u{DEF}\\u{DF2}-\\u{DF4}\\u{1000}-\\u{109F}' +
		'\\u{1780}-\\u{17B3}\\u{17B6}-\\u{17DD}\\u{17E0}-\\u{17E9}\\u{17F0}-\\u{17F9}' +
		'\\u{1800}-\\u{1801}\\u{1804}\\u{1806}-\\u{180A}\\u{1810}-\\u{1819}\\u{1820}-\\u{1878}' +
		'\\u{1880}-\\u{18AA}\\u{19E0}-\\u{19FF}\\u{A8E0}-\\u{A8FF}\\u{A9E0}-\\u{A9FE}' +
		'\\u{AA60}-\\u{AA7F}\\u{FB50}-\\u{FBC2}\\u{FBD3}-\\u{FD3D}\\u{FD40}-\\u{FD8F}' +
		'\\u{FD92}-\\u{FDC7}\\u{FDCF}\\u{FDF0}-\\u{FDFF}\\u{FE70}-\\u{FE74}\\u{FE76}-\\u{FEFC}' +
		'\\u{10E60}-\\u{10E7E}\\u{10EC2}-\\u{10EC4}\\u{10EFC}-\\u{10EFF}\\u{111E1}-\\u{111F4}' +
		'\\u{11660}-\\u{1166C}\\u{116D0}-\\u{116E3}\\u{11B00}-\\u{11B09}\\u{11FC0}-\\u{11FF1}' +
		'\\u{11FFF}\\u{1EE00}-\\u{1EE03}\\u{1EE05}-\\u{1EE1F}\\u{1EE21}-\\u{1EE22}\\u{1EE24}' +
		'\\u{1EE27}\\u{1EE29}-\\u{1EE32}\\u{1EE34}-\\u{1EE37}\\u{1EE39}\\u{1EE3B}\\u{1EE42}' +
		'\\u{1EE47}\\u{1EE49}\\u{1EE4B}\\u{1EE4D}-\\u{1EE4F}\\u{1EE51}-\\u{1EE52}\\u{1EE54}' +
		'\\u{1EE57}\\u{1EE59}\\u{1EE5B}\\u{1EE5D}\\u{1EE5F}\\u{1EE61}-\\u{1EE62}\\u{1EE64}' +
		'\\u{1EE67}-\\u{1EE6A}\\u{1EE6C}-\\u{1EE72}\\u{1EE74}-\\u{1EE77}\\u{1EE79}-\\u{1EE7C}' +
		'\\u{1EE7E}\\u{1EE80}-\\u{1EE89}\\u{1EE8B}-\\u{1EE9B}\\u{1EEA1}-\\u{1EEA3}' +
		'\\u{1EEA5}-\\u{1EEA9}\\u{1EEAB}-\\u{1EEBB}\\u{1EEF0}-\\u{1EEF1}';
	const PICTURE =
		'\\u{A9}\\u{AE}\\u{203C}\\u{2049}\\u{2122}\\u{2139}\\u{2194}-\\u{2199}\\u{21A9}-\\u{21AA}' +
		'\\u{231A}-\\u{231B}\\u{2328}\\u{2388}\\u{23CF}\\u{23E9}-\\u{23F3}\\u{23F8}-\\u{23FA}' +
		'\\u{24C2}\\u{25AA}-\\u{25AB}\\u{25B6}\\u{25C0}\\u{25FB}-\\u{25FE}\\u{2600}-\\u{2605}' +
		'\\u{2607}-\\u{2612}\\u{2614}-\\u{2685}\\u{2690}-\\u{2705}\\u{2708}-\\u{2712}\\u{2714}' +
		'\\u{2716}\\u{271D}\\u{2721}\\u{2728}\\u{2733}-\\u{2734}\\u{2744}\\u{2747}\\u{274C}' +
		'\\u{274E}\\u{2753}-\\u{2755}\\u{2757}\\u{2763}-\\u{2767}\\u{2795}-\\u{2797}\\u{27A1}' +
		'\\u{27B0}\\u{27BF}\\u{2934}-\\u{2935}\\u{2B05}-\\u{2B07}\\u{2B1B}-\\u{2B1C}\\u{2B50}' +
		'\\u{2B55}\\u{3030}\\u{303D}\\u{3297}\\u{3299}\\u{1F000}-\\u{1F0FF}\\u{1F10D}-\\u{1F10F}' +
		'\\u{1F12F}\\u{1F16C}-\\u{1F171}\\u{1F17E}-\\u{1F17F}\\u{1F18E}\\u{1F191}-\\u{1F19A}' +
		'\\u{1F1AD}-\\u{1F1E5}\\u{1F201}-\\u{1F20F}\\u{1F21A}\\u{1F22F}\\u{1F232}-\\u{1F23A}' +
		'\\u{1F23C}-\\u{1F23F}\\u{1F249}-\\u{1F3FA}\\u{1F400}-\\u{1F53D}\\u{1F546}-\\u{1F64F}' +
		'\\u{1F680}-\\u{1F6FF}\\u{1F774}-\\u{1F77F}\\u{1F7D5}-\\u{1F7FF}\\u{1F80C}-\\u{1F80F}' +
		'\\u{1F848}-\\u{1F84F}\\u{1F85A}-\\u{1F85F}\\u{1F888}-\\u{1F88F}\\u{1F8AE}-\\u{1F8FF}' +
		'\\u{1F90C}-\\u{1F93A}\\u{1F93C}-\\u{1F945}\\u{1F947}-\\u{1FAFF}\\u{1FC00}-\\u{1FFFD}';
	const TONE = '\\u{1F3FB}-\\u{1F3FF}';
	// What shows as what it is, and then what does not.
	const sequence = new RegExp(
		'\\r\\n|[0-9#*]\\uFE0F\\u20E3' +
			'|\\u{1F3F4}\\u{E0067}\\u{E0062}' +
			'(?:\\u{E0065}\\u{E006E}\\u{E0067}|\\u{E0073}\\u{E0063}\\u{E0074}' +
			'|\\u{E0077}\\u{E006C}\\u{E0073})\\u{E007F}' +
			`|[${ PICTURE }][\\uFE0E\\uFE0F${ TONE }]?` +
			`(?:\\u200D[${ PICTURE }][\\uFE0F${ TONE }]?)*` +
			`|[${ JOINED }](?:[\\u200C\\u200D][${ JOINED }])+` +
			`|([${ HIDDEN }])`,
		'gu'
	);
	const hex = ( character ) => character.codePointAt( 0 ).toString( 16 ).toUpperCase();
	const mark = ( whole, hidden ) =>
		hidden ? `⟨U+${ hex( hidden ).padStart( 4, '0' ) }⟩` : whole;

	/**
	 * A text as people are to see it.
	 *
	 * @param {string} text The text.
	 * @return {string} The text with marks, to be escaped.
	 */
	window.toolwireVisible = ( text ) => String( text ).replace( sequence, mark );
} )();
