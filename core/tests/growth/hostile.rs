//! Hostile texts: what is written again and again.

/// Texts that make a detector which searches for ends look at everything again and again.
pub const HOSTILE: [(&str, &str); 37] = [
    ("```json {", "```json {"),
    ("fences, one a line", "```json\n{\n"),
    ("blocks in quotes, each ended by the next", "> ```\n> x\n>> ```\nx\n"),
    ("blocks in items, each ended by the next", "- a\n  ```\n  x\n"),
    ("marks of quotes before a backtick", "> ` "),
    ("marks of items before a backtick", "1. ` "),
    ("spaces behind an open fence", " "),
    ("<tool:x>{\"a\":", "<tool:x>{\"a\":"),
    ("<tool:x> without JSON", "<tool:x>"),
    ("[[[[", "["),
    ("{\"a\":{\"a\":", "{\"a\":"),
    ("{\"name\":\"x\",\"arguments\":{", "{\"name\":\"x\",\"arguments\":{"),
    ("open strings", "{\"name\":\""),
    (
        "elements never closed",
        "<div class='mpai-tool-call' data-tool-name='x' data-tool-parameters='{}'>",
    ),
    ("<div class=\" never closed", "<div class=\""),
    ("<!-- never closed", "<!--"),
    ("<script> never closed", "<script>"),
    ("<think> never closed", "<think><tool:x>{}"),
    ("{\"a\":1} again and again", "{\"a\":1} "),
    ("{\"arguments\":{}} without a name", "{\"arguments\":{}} "),
    ("{\"name\":\"x\"} without arguments", "{\"name\":\"x\"} "),
    ("\"arguments\": in prose", "\"arguments\": and "),
    ("{ and then a key", "{ \"parameters\" "),
    ("a key far behind each brace", "{\"a\":{}} {\"b\": the \"args\""),
    ("brackets in open strings", "{\"a {"),
    ("objects that are none, with code in them", "{\"a\" x {\"b\":\"`\"} "),
    ("objects that are none, with brackets in strings", "{\"a\" x \"{\" {\"b\":1}} "),
    ("class-like attributes", "<p class=\"mpai-tool-cal\" data-tool-name=\"x\">"),
    ("-t in attributes", "<p class=\"a-t\" id=b-t>"),
    ("references that could spell a class", "<p class=\"mpai&#45;tool&#45;cal\">"),
    ("calls whose string never ends", "<tool:x>{\"a\":\"b "),
    ("calls without an end", "<tool:x>{\"a\":1} "),
    ("functools[", "functools[{"),
    ("llama4, a string that holds quotes", "<|python_start|>[f(a=\""),
    ("lfm2, a string that holds quotes", "<|tool_call_start|>[f(a=\""),
    ("olmo3, a string that holds quotes", "<function_calls>f(a=\""),
    ("blocks of other languages, one not closed", "```php\n{}\n``` ```php\n"),
];

/// Texts that make a quote look back again and again; each is its own name.
#[allow(dead_code, reason = "the benchmarks include this file too")]
pub const QUOTED: [&str; 11] = [
    "<tool:a>",
    "{\"name\":\"a\",\"arguments\":",
    "[TOOL_CALLS]",
    "[[[[",
    "[ a",
    "]<]minimax[>[<",
    "<<<<",
    "[a(",
    ", arguments:",
    "\n\n input /",
    "\n\n\n ",
];

/// Texts in which tokens and assignments reach into those behind them; each is its own name.
#[allow(dead_code, reason = "the benchmarks include this file too")]
pub const MASKED: [&str; 12] = [
    "-eyJaaaaaaaa-ghp_aaaaaaaaaaaaaaaaaaaa",
    "-xoxb-aaaaaaa-eyJaaaaaaaa_",
    "-eyJaaaaaaaa.aaaaaaaa.aaaaaaaa-cookie:a=",
    "SG.aaaaaaaaaaaaaaaa-ghp_aaaaaaaaaaaaaaaaaaaa-",
    "-eyJ",
    "token:",
    "authorization:",
    "token=[",
    "<token>",
    "define('token', '",
    "b'token': b",
    "%2525eyJaaaaaaaa-",
];

/// Texts in which bracket after bracket opens something that is to be repaired; each is its own
/// name.
#[allow(dead_code, reason = "the benchmarks include this file too")]
pub const REPAIRED: [&str; 15] = [
    "{a:",
    "{a:{a:",
    "{'a':",
    "[{a:",
    "{\"a\":",
    "{\"a\":[{\"a\":",
    "{a:[",
    "{a:[{",
    "{a:1,b:",
    "{/**/a:",
    "{a:[\",{a:[\",",
    "{a:['\n',{",
    "{\"b\":True,\"a\":",
    "{\"a\":[1,],\"b\":",
    "[{a:[{'b':2}],c:",
];
