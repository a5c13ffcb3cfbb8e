//! What hostile texts, arguments and messages are made of, and tools for them.

use serde_json::{Map, Value, json};
use toolwire::detect::Tools;

/// Pieces that belong to no format and no profile.
pub const PIECES: &[&str] = &[
    "",
    "a",
    " ",
    "    ",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\t",
    "\0",
    "\u{1}",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "é",
    "😀",
    "\"",
    "'",
    "\\",
    "\\n",
    "\\u0041",
    "`",
    "```",
    "\n```\n",
    "```json\n",
    "~~~\n",
    "<",
    ">",
    "</",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "|",
    "&",
    "&lt;",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<div>",
    "</item>",
    "| - |\n",
    "- ",
    "null",
    "None",
    "true",
    "5",
    "-1.50",
    "{\"a\":1}",
    "[1]",
    ",",
    ";",
    ":",
    "=",
    "{word}",
    "{name}",
    "{number}",
    "{kind}",
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "{\"name\": \"f\", \"arguments\": {}}",
    "<tool:f>{}</tool>",
    "<|im_end|>",
    "</s>",
];

/// The pieces, and an example of a format, whole and cut.
pub fn pieces<'e>(examples: impl IntoIterator<Item = &'e str>) -> Vec<String> {
    let mut pieces: Vec<String> = PIECES.iter().map(|piece| (*piece).to_owned()).collect();
    for example in examples {
        pieces.push(example.to_owned());
        for character in ['<', '>', ']', '"', 'R', '\n'] {
            pieces.extend(example.split_inclusive(character).map(str::to_owned));
            pieces.push(example[example.rfind(character).unwrap_or_default()..].to_owned());
        }
    }
    pieces
}

/// Tools with these names, whose schemas name the types of these arguments.
pub fn tools<'a>(calls: impl Iterator<Item = (String, &'a Map<String, Value>)>) -> Tools {
    let definition = |(name, arguments): (String, &Map<String, Value>)| {
        let types =
            arguments.iter().map(|(key, value)| (key.clone(), json!({"type": kind(value)})));
        let properties: Map<String, Value> = types.collect();
        json!({"name": name, "parameters": {"properties": properties}})
    };
    Tools::from_json(&calls.map(definition).collect()).unwrap()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
