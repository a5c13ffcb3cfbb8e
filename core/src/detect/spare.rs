//! The memory of findings that a host is done with, for the next text of the thread.
//!
//! Most texts have few calls. To grow the lists for them and to free the lists again would take as
//! long as to read a short call.

use std::cell::RefCell;

use crate::call::ToolCall;
use crate::json::argument_tape::{ArgumentTape, TapeEntry};

/// The most calls and the most entries of a tape for which memory is kept.
const MOST_CALLS: usize = 64;
const MOST_ENTRIES: usize = 1024;
/// The number of calls and of entries for which there is room at first.
const CALLS: usize = 4;
const ENTRIES: usize = 32;

/// Lists without content.
struct Spare {
    calls: Vec<ToolCall>,
    tape: ArgumentTape,
}

thread_local! {
    static SPARE: RefCell<Spare> = const {
        RefCell::new(Spare { calls: Vec::new(), tape: ArgumentTape::new() })
    };
}

/// Gives the lists of a text room for its first calls.
#[inline]
pub(super) fn make_room(calls: &mut Vec<ToolCall>, tape: &mut ArgumentTape) {
    if calls.capacity() == 0 {
        fill(calls, tape);
    }
}

#[inline(never)]
fn fill(calls: &mut Vec<ToolCall>, tape: &mut ArgumentTape) {
    let lend = |spare: &RefCell<Spare>| {
        let mut spare = spare.borrow_mut();
        std::mem::swap(calls, &mut spare.calls);
        if tape.entries.is_empty() {
            std::mem::swap(tape, &mut spare.tape);
        }
    };
    // At the end of a thread there is nothing to lend.
    let _ = SPARE.try_with(lend);
    calls.reserve(CALLS);
    if tape.entries.is_empty() {
        tape.entries.reserve(ENTRIES);
    }
}

/// Keeps the lists of a text, if they are not too large.
pub(super) fn keep(calls: &mut Vec<ToolCall>, tape: &mut ArgumentTape) {
    if calls.capacity() == 0 || calls.capacity() > MOST_CALLS {
        return;
    }
    // What the calls hold is freed before the lists are lent, so that nothing can ask for them.
    calls.clear();
    tape.clear();
    if tape.entries.capacity() > MOST_ENTRIES {
        *tape = ArgumentTape::new();
    }
    let keep = |spare: &RefCell<Spare>| {
        let mut spare = spare.borrow_mut();
        std::mem::swap(calls, &mut spare.calls);
        std::mem::swap(tape, &mut spare.tape);
    };
    let _ = SPARE.try_with(keep);
}

// A thread keeps a few KB.
const _: () = assert!(size_of::<TapeEntry>() * MOST_ENTRIES <= 16 * 1024);
const _: () = assert!(size_of::<ToolCall>() * MOST_CALLS <= 16 * 1024);

#[cfg(test)]
mod tests {
    use crate::detect::{Detector, Options};
    use serde_json::json;

    #[test]
    fn findings_with_the_memory_of_others_are_the_same() {
        let mut options = Options::default();
        options.set("formats", &json!(["tag"])).unwrap();
        let detector = Detector::new(options).unwrap();
        let texts = [
            r#"<tool:a>{"b":[1,{"c":"d"}]}</tool> <tool:e>{}</tool>"#.to_owned(),
            r#"<tool:f>{"g":"h"}</tool>"#.to_owned(),
            "no call".to_owned(),
            r#"<tool:a>{"b":[1,2,3]}</tool>"#.repeat(100),
        ];
        for text in texts.iter().chain(&texts).chain(texts.iter().rev()) {
            let mut found = detector.detect(text).into_findings();
            let calls = text.matches("</tool>").count();
            assert_eq!(found.calls.len(), calls);
            assert!(found.calls.iter().all(|call| {
                found.argument_parts(call, text.as_bytes()).unwrap().next().is_some()
            }));
            found.give_back();
        }
    }
}
