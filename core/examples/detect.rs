//! Prints the calls and refusals of the text on standard input, a JSON line each.
//!
//! `cargo run --release -p toolwire --example detect < reply.txt`

use std::io::{Read, Write, stdin, stdout};

use serde_json::{Value, json};
use toolwire::Detector;

fn main() -> std::io::Result<()> {
    let mut text = Vec::new();
    stdin().read_to_end(&mut text)?;
    let detection = Detector::default().detect(&text);
    let mut output = stdout().lock();
    for call in &detection.calls {
        let notes: Vec<_> = call.diagnostics.iter().map(|note| note.code.slug()).collect();
        let line = json!({
            "call": call.name,
            "arguments": Value::Object(detection.arguments(call)),
            "format": call.format,
            "span": [call.span.start, call.span.end],
            "notes": notes,
        });
        writeln!(output, "{line}")?;
    }
    for rejection in &detection.rejections {
        let line = json!({
            "refused": rejection.code.slug(),
            "message": rejection.message,
            "line": rejection.line,
            "column": rejection.column,
            "excerpt": rejection.excerpt,
        });
        writeln!(output, "{line}")?;
    }
    writeln!(output, "{}", json!({"text": String::from_utf8_lossy(&detection.text())}))
}
