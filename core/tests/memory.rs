//! Text without calls costs no memory, and hostile input costs a few times its size.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "these are tests"
)]

use std::hint::black_box;

use allocation_counter::measure;
use serde_json::json;
use toolwire::provider::{Accumulator, Provider};
use toolwire::transcript::{ReaderOptions, Transcript};
use toolwire::{Detector, Options};

/// How much memory an input may cost at once, in times of its size.
const MOST: u64 = 20;
/// The same for a log of lines of two or three bytes, each of which becomes an entry.
const MOST_OF_SHORT_LINES: u64 = 24;
/// The same for a single line of a log, which is read as a whole and is never longer than
/// `MAX_LINE`.
const MOST_OF_LINE: u64 = 50;
/// The same for calls of five bytes each; by default, a text gives 256 calls at most.
const MOST_OF_SHORT_CALLS: u64 = 74;
const MIB: usize = 1 << 20;

const CALL: &str = r#"{"type":"tool_call","id":"c","messageId":"m","toolId":"T","toolName":"T","parameters":{},"timestamp":1,"session_id":"s"}"#;
const RESULT: &str = r#"{"type":"tool_result","id":"c","messageId":"m","toolId":"","isError":false,"value":"","timestamp":1,"session_id":"s"}"#;

fn repeated(unit: &str, size: usize) -> Vec<u8> {
    unit.bytes().cycle().take(size).collect()
}

/// Expects that work takes at most so much memory at once.
fn expect_most(most: u64, name: &str, input: &[u8], work: impl FnOnce()) {
    let (bytes, length) = (measure(work).bytes_max, u64::try_from(input.len()).unwrap());
    println!("{:3} times: {name}", bytes.div_ceil(length));
    assert!(bytes <= most * length, "{name}: {bytes} bytes are more than {most} times the input");
}

fn expect_most_of_log(most: u64, name: &str, log: &[u8]) {
    expect_most(most, name, log, || {
        black_box(Transcript::read(log, b"", ReaderOptions::default()));
    });
}

#[test]
fn a_log_of_short_lines_costs_a_few_times_its_size() {
    let calls = [format!("{CALL}\n"), format!("{CALL}\n{RESULT}\n")];
    let short = ["x\n", "xy\n", "\u{e9}\n", "\n", "{}\n", "[]\n", "0\n", "{\"a\":1}\n"];
    for unit in short.into_iter().chain(calls.iter().map(String::as_str)) {
        expect_most_of_log(MOST_OF_SHORT_LINES, unit, &repeated(unit, 2 * MIB));
    }
}

#[test]
fn a_log_that_changes_costs_a_few_times_its_size() {
    let parts = ["x\n", "\n", "a line of an ordinary log, with a few words in it\n"];
    for before in parts {
        for behind in parts {
            let mut log = repeated(before, MIB);
            log.extend(repeated(behind, 2 * MIB));
            // The last line has no end, and comes when all others have their room.
            log.extend(b"x");
            expect_most_of_log(MOST_OF_SHORT_LINES, &format!("{before:?}, then {behind:?}"), &log);
        }
    }
}

#[test]
fn a_line_of_many_values_costs_a_few_times_its_size() {
    let todos = CALL.replace("\"T\"", "\"TodoWrite\"").replace("{}", r#"{"todos":[]}"#);
    let changes = r#"{"file_path":"a","changes":[]}"#;
    let edits = CALL.replace("\"T\"", "\"MultiEdit\"").replace("{}", changes);
    let calls = r#"{"role":"assistant","tool_calls":[]}"#;
    let parts = r#"{"role":"assistant","content":[]}"#;
    for (line, item) in [
        (&*todos, "{}"),
        (&todos, r#"{"content":"","status":""}"#),
        (&edits, "{}"),
        (calls, "{}"),
        (calls, r#"{"function":{"name":"a"}}"#),
        (parts, "{}"),
        (parts, r#"{"type":"text","text":"a"}"#),
        (parts, "0"),
    ] {
        let (head, tail) = line.split_once("[]").unwrap();
        let items = vec![item; MIB / (item.len() + 1)].join(",");
        let log = format!("{head}[{items}]{tail}\n");
        expect_most_of_log(MOST_OF_LINE, &format!("{line} of {item}"), log.as_bytes());
    }
}

#[test]
fn many_calls_cost_a_few_times_their_size() {
    let mut options = Options::default();
    options.set("formats", &json!("auto")).unwrap();
    for limit in ["max_calls", "max_rejections"] {
        options.set(limit, &json!(u32::MAX)).unwrap();
    }
    let detector = Detector::new(options).unwrap();
    for (unit, most) in [
        ("<tool:a>{}</tool>", MOST),
        ("<tool:a>{</tool>", MOST),
        ("[f()]", MOST_OF_SHORT_CALLS),
        ("{\"tool\":\"a\",\"arguments\":{}}\n", MOST),
        ("<tool_call>{\"name\":\"a\",\"arguments\":{}}</tool_call>", MOST),
        ("<think>a</think>", MOST),
    ] {
        let text = repeated(unit, MIB / 4);
        expect_most(most, &format!("{unit} as a whole"), &text, || {
            black_box(detector.detect(&text).calls.len());
        });
        expect_most(most, &format!("{unit} in pieces"), &text, || {
            let mut stream = detector.stream();
            for piece in text.chunks(4096) {
                black_box(stream.feed(piece).unwrap());
            }
            stream.finish().unwrap();
        });
    }
}

#[test]
fn a_providers_stream_of_many_calls_costs_a_few_times_its_size() {
    for arguments in ["", "{}"] {
        let mut events = Vec::new();
        for index in 0..4096 {
            let function = json!({"name": "f", "arguments": arguments});
            let call = json!({"index": index, "id": format!("c{index}"), "function": function});
            events.push(json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}));
        }
        let written = json!(events).to_string();
        let name = format!("calls with {arguments:?} of a provider");
        expect_most(MOST, &name, written.as_bytes(), || {
            let mut stream = Accumulator::new(Some(Provider::OpenAi));
            for event in &events {
                stream.feed(event).unwrap();
            }
            black_box(stream.finish().unwrap());
        });
    }
}

#[test]
fn prose_allocates_nothing() {
    let detector = Detector::default();
    let prose = "Set {color} in `theme` < 3, [see](x) and a <b title=\"x\">tag</b>.\n".repeat(1000);
    let allocated = measure(|| {
        black_box(detector.detect(black_box(prose.as_bytes())).calls.len());
    });
    assert_eq!(allocated.count_total, 0);
}

#[test]
fn a_call_is_what_costs() {
    let detector = Detector::default();
    let allocated = measure(|| {
        black_box(detector.detect(b"<tool:a>{}</tool>").calls.len());
    });
    assert!(allocated.count_total > 0);
}
