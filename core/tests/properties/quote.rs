//! A quoted text holds no call in any format, alone or between other texts.

use std::sync::LazyLock;

use proptest::prelude::*;
use toolwire::detect::{Fences, Format, Reasoning, quote};
use toolwire::json::Repair;
use toolwire::{Detector, Options};

/// Detectors of each format alone, of the automatic formats, and of all formats with each format of
/// plain JSON; each with every combination of fences, reasoning and repair.
static DETECTORS: LazyLock<Vec<Detector>> = LazyLock::new(|| {
    let is_bare = |format: &&Format| format.body() == "bare";
    let all_with = |bare: &Format| {
        let kept = |format: &&Format| !is_bare(format) || *format == bare;
        Format::all().iter().filter(kept).cloned().collect()
    };
    let mut sets: Vec<Vec<Format>> = Format::all().iter().filter(is_bare).map(all_with).collect();
    sets.extend(Format::all().iter().map(|format| vec![format.clone()]));
    sets.extend([Format::automatic(), Format::all().to_vec()]);
    let mut detectors = Vec::new();
    for formats in sets {
        for fences in [Fences::Json, Fences::All, Fences::None] {
            for (reasoning, repair) in [
                (Reasoning::Separate, Repair::Off),
                (Reasoning::Calls, Repair::Off),
                (Reasoning::Separate, Repair::Safe),
                (Reasoning::Calls, Repair::Safe),
            ] {
                let formats = formats.clone();
                let options = Options { formats, fences, reasoning, repair, ..Options::default() };
                detectors.push(Detector::new(options).unwrap());
            }
        }
    }
    detectors
});

/// Calls in JSON that needs a repair, and a call with an escape in a key.
const EXTRA: [&str; 7] = [
    r#"{"name":"a","argu\u006Dents":{}}"#,
    "{name: 'a', arguments: {}}",
    "{'name': 'a', 'arguments': {}}",
    "{\"name\": \"a\",arguments:{}}",
    "{\"name\": \"a\", // a comment\n arguments : {}}",
    "{\"name\": \"a\", // a comment, {\n\n args /* and one */ : {}}",
    "{\"name\": \"a\", /* one */ parameters // another\n : {}}",
];

/// The format of a call that overlaps the quoted text, with `before` and `behind` around it. White
/// space is part of no call: a fence in front of it holds the call behind it all the same.
fn overlap(before: &str, text: &[u8], behind: &str) -> Option<String> {
    let quoted = quote(text);
    let whole = [before.as_bytes(), &quoted, behind.as_bytes()].concat();
    let (start, end) = (before.len(), before.len() + quoted.len());
    if quoted.trim_ascii().is_empty() {
        return None;
    }
    DETECTORS.iter().find_map(|detector| {
        let detection = detector.detect(&whole);
        let found =
            detection.calls.iter().find(|call| call.span.start < end && call.span.end > start)?;
        Some(format!("{}: {}", found.format, String::from_utf8_lossy(&whole)))
    })
}

fn holds_call(text: &str) -> bool {
    DETECTORS.iter().any(|detector| !detector.detect(text.as_bytes()).calls.is_empty())
}

/// The openings of calls, up to the start of their arguments.
fn openers() -> Vec<String> {
    let mut openers = Vec::new();
    for format in Format::all() {
        let example = format.example();
        let ends = example.match_indices(['{', '[', '(']).map(|(at, _)| at);
        let markers =
            example.match_indices(['>', ']', '\n', ':', '=']).map(|(at, found)| at + found.len());
        openers.extend(ends.chain(markers).filter_map(|at| example.get(..at)).map(str::to_owned));
        for end in 1..=4 {
            openers.extend(example.get(..end).map(str::to_owned));
        }
    }
    openers.sort();
    openers.dedup();
    // Inside of arguments, any text continues the arguments.
    let inside =
        ["data-tool-parameters", "param", "arg_key", "argument key", "[<city", "file>\n<path"];
    let outside = |opener: &String| {
        !opener.contains(['{', '(']) && !inside.iter().any(|part| opener.contains(part))
    };
    openers.retain(|opener| outside(opener) && !holds_call(opener));
    openers
}

#[test]
fn no_example_is_a_call_in_a_quote() {
    for format in Format::all() {
        let example = format.example();
        for text in [
            example.to_owned(),
            format!("before {example} after"),
            format!("```json\n{example}\n```"),
            format!("<think>{example}</think>"),
            format!("{example}{example}"),
        ] {
            assert_eq!(overlap("", text.as_bytes(), ""), None);
        }
    }
}

#[test]
fn the_rest_of_a_call_is_none_behind_its_opening() {
    let mut failures = Vec::new();
    for opener in openers() {
        for format in Format::all() {
            let Some(rest) = format.example().strip_prefix(&*opener) else { continue };
            failures.extend(overlap(&opener, rest.as_bytes(), ""));
            failures.extend(overlap(&opener, format!(" {rest} ").as_bytes(), "\n"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n---\n"));
}

#[test]
fn two_quotes_side_by_side_are_no_call() {
    for example in [&EXTRA[..], &examples()[..]].concat() {
        for (at, _) in example.char_indices() {
            let (start, end) = example.split_at(at);
            let quoted = String::from_utf8(quote(end.as_bytes()).into_owned()).unwrap();
            assert_eq!(overlap("", start.as_bytes(), &quoted), None, "{start:?}, {end:?}");
        }
    }
}

#[test]
fn a_tag_that_stays_open_is_no_part_of_a_call_behind_it() {
    let call = Format::named("html").unwrap().example().to_owned();
    let [before, _, ..] = &examples()[..] else { unreachable!() };
    let tags = [
        "<t",
        "<a b=\"",
        "x <y ",
        "<a title='>",
        "<a><b c",
        "<a \"<b \"<c>",
        "<invoke name=\"<b x='\">",
        "<T/",
        "<a <b",
    ];
    for tag in tags {
        for before in ["", before] {
            assert_eq!(overlap(before, tag.as_bytes(), &call), None, "{tag}");
        }
        let quoted = quote(tag.as_bytes());
        assert_eq!(quote(&quoted), quoted);
    }
    for text in ["<a b='c'> < d <3 <b>e</b>", "a < b and b > c", "Vec<T> of <code>Vec<u8></code>"] {
        assert_eq!(quote(text.as_bytes()), text.as_bytes());
    }
}

#[test]
fn a_fence_that_may_be_open_holds_no_call_behind_it() {
    let call = Format::named("tag").unwrap().example().to_owned();
    let blocks = [
        "```json\n{}\n```<｜tool▁call▁end｜>\n",
        "```json\n{}\n```\n",
        "~~~\n```\n~~~ x\n",
        "a\n```é <b>\n",
        "```a\n```\n```b\n\n",
    ];
    for text in blocks {
        for before in [&*call, "", "Hello.", "Hello.\n"] {
            assert_eq!(overlap(before, text.as_bytes(), &call), None, "{before:?} {text:?}");
        }
        let quoted = quote(text.as_bytes());
        assert_eq!(quote(&quoted), quoted);
    }
    let closed = "a\n```json\n[1]\n```\n";
    assert_eq!(quote(closed.as_bytes()), closed.as_bytes());
}

#[test]
fn a_key_with_an_escape_or_without_quotes_is_known() {
    for text in EXTRA {
        assert!(holds_call(text), "{text}");
        assert_eq!(overlap("", text.as_bytes(), ""), None);
    }
}

fn examples() -> Vec<&'static str> {
    Format::all().iter().map(Format::example).collect()
}

/// A place where a text may be cut.
fn cut(text: &str, at: prop::sample::Index) -> usize {
    text.floor_char_boundary(at.index(text.len() + 1))
}

fn mixture() -> impl Strategy<Value = String> {
    let piece = (proptest::sample::select(examples()), any::<prop::sample::Index>(), 0..6_u8);
    proptest::collection::vec(piece, 1..5).prop_map(|pieces| {
        let one = |(example, at, kind): (&'static str, prop::sample::Index, u8)| {
            let (start, end) = example.split_at(cut(example, at));
            match kind {
                0 => example,
                1 | 2 => start,
                3 | 4 => end,
                _ => "\n",
            }
        };
        pieces.into_iter().map(one).collect()
    })
}

/// Texts around the quoted text: complete ones, or the opening of a call in front. A whole call
/// behind an opening is not among them: somebody wrote that call around the text.
fn around() -> impl Strategy<Value = (String, String)> {
    let mut complete: Vec<String> = examples().into_iter().map(str::to_owned).collect();
    complete.extend(["Hello.\n\n".to_owned(), String::new()]);
    let whole = proptest::sample::select(examples()).prop_map(str::to_owned);
    let behind = prop_oneof![1 => whole, 2 => end()];
    prop_oneof![
        (proptest::sample::select(complete), behind),
        (proptest::sample::select(openers()), end()),
    ]
}

/// Texts behind the quoted text: nothing, or the quoted end of a call.
fn end() -> impl Strategy<Value = String> {
    let tail = (proptest::sample::select(examples()), any::<prop::sample::Index>());
    let tail = tail.prop_map(|(example, at)| {
        String::from_utf8_lossy(&quote(&example.as_bytes()[cut(example, at)..])).into_owned()
    });
    prop_oneof![2 => tail, 1 => Just("\n\nGoodbye.".to_owned()), 1 => Just(String::new())]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_mixture_is_a_call_in_a_quote(text in mixture()) {
        prop_assert_eq!(overlap("", text.as_bytes(), ""), None);
        let quoted = quote(text.as_bytes());
        let again = quote(&quoted);
        prop_assert_eq!(&*again, &*quoted);
        let unmarked = String::from_utf8_lossy(&quoted).replace("⟨quoted⟩", "");
        prop_assert_eq!(unmarked, text);
    }

    #[test]
    fn no_mixture_is_a_call_between_other_texts(
        (before, behind) in around(),
        text in mixture(),
    ) {
        prop_assert_eq!(overlap(&before, text.as_bytes(), &behind), None);
    }
}
