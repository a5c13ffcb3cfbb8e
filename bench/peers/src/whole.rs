//! Whole texts in the Hermes form.

use std::path::Path;

use memchr::memchr3_iter;
use serde_json::Value;
use tool_parser::QwenParser;
use toolwire::Detector;

use crate::call::{call, ours, same};
use crate::detector;
use crate::measure::{Way, samples};
use crate::parse;
use crate::row::{sampled, text};

const GROUP: &str = "Rust Hermes";

/// Prints the rows.
pub fn run(directory: &Path) {
    for (name, file) in [("64 KB, 8 calls", "hermes-64k-8"), ("1 MB, 100 calls", "hermes-1m-100")] {
        let text = String::from_utf8(text(directory, file)).expect("it is UTF-8");
        Texts::new(&text).rows(name);
    }
}

/// All that works on a text.
struct Texts<'t> {
    text: &'t str,
    named: Detector,
    every: Detector,
    parser: QwenParser,
    arguments: Vec<String>,
}

impl<'t> Texts<'t> {
    /// Every side has to find the same calls.
    fn new(text: &'t str) -> Self {
        let (named, every, parser) = (detector("hermes"), detector("auto"), QwenParser::new());
        let detection = named.detect(text.as_bytes());
        let calls = ours(&detection);
        same("auto", &calls, &ours(&every.detect(text.as_bytes())));
        let theirs = parse::dynamo(text);
        let theirs: Vec<_> =
            theirs.iter().map(|c| call(&c.function.name, &c.function.arguments)).collect();
        same("dynamo-parsers", &calls, &theirs);
        let theirs = parse::tool_parser(&parser, text);
        let theirs: Vec<_> =
            theirs.iter().map(|c| call(&c.function.name, &c.function.arguments)).collect();
        same("tool-parser", &calls, &theirs);
        let raw = |call: &toolwire::ToolCall| {
            String::from_utf8_lossy(call.arguments_raw(text.as_bytes())).into_owned()
        };
        let arguments = detection.calls.iter().map(raw).collect();
        Self { text, named, every, parser, arguments }
    }

    fn rows(&self, name: &str) {
        self.found(name);
        self.read(name);
    }

    /// Names, and arguments as JSON text.
    fn found(&self, name: &str) {
        let bytes = self.text.as_bytes();
        let detect = |detector: &Detector| {
            let detection = detector.detect(bytes);
            let calls = detection.calls.iter();
            calls.map(|call| call.name.len() + call.arguments_raw(bytes).len()).sum::<usize>()
        };
        let taken = samples(&mut [
            Way::new("named", || detect(&self.named)),
            Way::new("auto", || detect(&self.every)),
            Way::new("dynamo-parsers", || {
                let calls = parse::dynamo(self.text);
                calls
                    .iter()
                    .map(|call| call.function.name.len() + call.function.arguments.len())
                    .sum::<usize>()
            }),
            Way::new("tool-parser", || {
                let calls = parse::tool_parser(&self.parser, self.text);
                calls
                    .iter()
                    .map(|call| call.function.name.len() + call.function.arguments.len())
                    .sum::<usize>()
            }),
            Way::new("search", || memchr3_iter(b'<', b'{', b'`', bytes).count()),
        ]);
        let [(_, named), (_, every), (dynamo, dynamos), (tool_parser, tool_parsers), (_, search)] =
            &taken[..]
        else {
            unreachable!("there are five ways")
        };
        let note = "limit: memchr3 of < { `";
        for (peer, theirs) in [(dynamo, dynamos), (tool_parser, tool_parsers)] {
            let name = format!("{name}, against {peer}");
            sampled(
                GROUP,
                &name,
                bytes.len(),
                note,
                &[("ours", named), ("theirs", theirs), ("limit", search)],
            );
        }
        let name = format!("{name}, all formats");
        let note = "limit: the named format alone";
        sampled(GROUP, &name, bytes.len(), note, &[("ours", every), ("limit", named)]);
    }

    /// Names, and arguments as values: what a program does next.
    fn read(&self, name: &str) {
        let bytes = self.text.as_bytes();
        let parsed =
            |json: &str| serde_json::from_str::<Value>(json).is_ok_and(|value| value.is_object());
        let taken = samples(&mut [
            Way::new("named", || {
                let detection = self.named.detect(bytes);
                detection.calls.iter().map(|call| detection.arguments(call).len()).sum::<usize>()
            }),
            Way::new("dynamo-parsers", || {
                let calls = parse::dynamo(self.text);
                calls.iter().filter(|call| parsed(&call.function.arguments)).count()
            }),
            Way::new("tool-parser", || {
                let calls = parse::tool_parser(&self.parser, self.text);
                calls.iter().filter(|call| parsed(&call.function.arguments)).count()
            }),
            Way::new("parse", || {
                self.arguments.iter().filter(|arguments| parsed(arguments)).count()
            }),
        ]);
        let [(_, named), peers @ .., (_, parse)] = &taken[..] else {
            unreachable!("there are four ways")
        };
        let note = "limit: serde_json on the arguments alone";
        for (peer, theirs) in peers {
            let name = format!("{name}, arguments read, against {peer}");
            sampled(
                GROUP,
                &name,
                bytes.len(),
                note,
                &[("ours", named), ("theirs", theirs), ("limit", parse)],
            );
        }
    }
}
