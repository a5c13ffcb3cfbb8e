//! Laws of comments: they hold for any text of a model, in linear time.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use toolwire::comment::{PublishOptions, publishable};
use toolwire::compat::issue_agent;
use toolwire::compat::issue_agent::{clean_comment, comment_from_reply};
use toolwire::redact::{Redaction, Redactor};
use toolwire::token::{ChunkOptions, chunk_text};

/// A function that reads a text, with its name.
type Reader = (&'static str, Box<dyn Fn(&str)>);

/// Every function that reads a comment, a reply or arguments.
fn readers() -> Vec<Reader> {
    let nested = Redactor::new((8..200).map(|length| "a".repeat(length)));
    let redactor = Redactor::new(["secret-secret".to_owned()]);
    vec![
        ("clean_comment", Box::new(|text| drop(clean_comment(text)))),
        ("comment_from_reply", Box::new(|text| drop(comment_from_reply(text)))),
        ("publishable", Box::new(publish)),
        ("redact", Box::new(move |text| drop(redactor.redact(text)))),
        ("redact nested secrets", Box::new(move |text| drop(nested.redact(text)))),
        ("masked_text", Box::new(|text| drop(Redaction::default().masked_text(text.as_bytes())))),
        ("chunk_text", Box::new(|text| drop(chunk_text(text, &ChunkOptions::default())))),
        ("json_candidates", Box::new(|text| drop(issue_agent::json_candidates(text)))),
        ("object_candidates", Box::new(|text| drop(issue_agent::object_candidates(text)))),
        ("comment_text", Box::new(|text| drop(issue_agent::comment_text(text)))),
        (
            "comment_field",
            Box::new(|text| {
                let _ = issue_agent::comment_field(text);
            }),
        ),
        ("comment_line", Box::new(|text| drop(issue_agent::comment_line(text)))),
        ("chunks", Box::new(|text| drop(issue_agent::chunks(text, 100, 10)))),
    ]
}

/// Publishes a text that is as long as it may be, so that changes of any text make it too long.
fn publish(text: &str) {
    let max_length = text.chars().count();
    drop(publishable(text, &PublishOptions { max_length, ..PublishOptions::default() }));
}

/// Secrets with characters that publishing removes, or beside a mark.
const SECRETS: [&str; 6] =
    ["secret-secret", "swordfish", "sword[fish", "!swordfish", "secret-[", "](redacted"];

fn any_comment() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "@",
        "ann",
        "<",
        "b>",
        "<!--",
        "-->",
        "`",
        "```",
        "\n",
        "\n\n",
        "    ",
        "![",
        "](",
        ")",
        "[",
        "&#64;",
        "&",
        "\\",
        "|",
        "-|-",
        "> ",
        "- ",
        "- [ ] ",
        "1` [x] ",
        "secret-secret",
        "secret-\u{200B}secret",
        "secret%2Dsecret",
        "secret-\\u200bsecret",
        "secret-&shy;secret",
        "!",
        "[",
        "](",
        "sword",
        "fish",
        "sword![fish",
        "ghp_AAAAAAAAAA",
        "BBBBBBBBBB",
        "[redacted]",
        "redacted",
        "/approve",
        "\n/a",
        "&#47;",
        "&shy;",
        "\u{200B}",
        "\u{202E}",
        "é",
        "{",
        "}",
        "\"user_comment\": \"",
        "\"",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn what_is_published_is_published_again_as_it_is(text in any_comment(), max_length in 1_usize..200) {
        let secrets = SECRETS.map(str::to_owned).to_vec();
        let redactor = Redactor::new(secrets.clone());
        let options = PublishOptions { secrets, max_length, ..PublishOptions::default() };
        let made = publishable(&text, &options);
        prop_assert!(made.text.chars().count() <= max_length);
        for secret in SECRETS {
            prop_assert!(!made.text.contains(secret), "{secret}: {}", made.text);
        }
        prop_assert_eq!(redactor.redact(&made.text).count, 0);
        let again = publishable(&made.text, &options);
        prop_assert_eq!(again.text, made.text);
        prop_assert_eq!(again.changes, []);
    }

    #[test]
    fn a_comment_says_something(text in any_comment()) {
        prop_assert!(!clean_comment(&text).trim().is_empty());
        prop_assert!(!comment_from_reply(&text).trim().is_empty());
    }
}

/// How long it takes to read each of some texts, one after the other.
fn time(read: &dyn Fn(&str), texts: &[String]) -> Duration {
    let start = Instant::now();
    for text in texts {
        read(text);
    }
    start.elapsed()
}

/// Whether a text of four times the length takes sixteen times as long, or nearly; with the
/// shortest times of short texts and of the long one.
///
/// The long text has the maximum length of a comment. It is compared with four short texts: in
/// linear time both take equally long, so that other work of the machine counts equally for both.
/// They are read in turn until the shortest times of both are like those of linear work. A very
/// short time is not compared: quadratic work would take seconds.
fn is_quadratic(read: &dyn Fn(&str), piece: &str) -> Option<(Duration, Duration)> {
    const LONG: usize = 65_536;
    const TRIES: usize = 10;
    let [short, long] = [LONG / 4, LONG].map(|length| piece.repeat(length / piece.len()));
    let (short, long) = (vec![short; 4], [long]);
    let mut shortest = (Duration::MAX, Duration::MAX);
    for _ in 0..TRIES {
        shortest.1 = shortest.1.min(time(read, &long));
        if shortest.1 < Duration::from_millis(100) {
            return None;
        }
        shortest.0 = shortest.0.min(time(read, &short));
        if shortest.1 * 2 <= shortest.0 * 5 {
            return None;
        }
    }
    Some(shortest)
}

#[test]
fn hostile_comments_take_linear_time() {
    let hostile = [
        " ",
        "@",
        "@a",
        "<",
        "<a",
        "`",
        "``` ",
        "```\n",
        "![",
        "[",
        "![](",
        "&#64;a",
        "{",
        "{}",
        "{{}",
        "\"",
        "'",
        "'a':",
        ", ",
        "\"user_comment\": \"",
        "\"user_comment\":",
        "```json {",
        "-----BEGIN PRIVATE KEY-----",
        "eyJ-",
        "eyJaaaaaaaa.",
        "://a:",
        "Bearer ",
        "ghp_",
        "a. ",
        "secret-",
        "> ",
        "- ",
        "|a",
        "*a",
        "_a",
        "\n\n    ",
        "\\",
        "\\u0041",
        "%41",
        "%25",
        "&amp;",
        "\u{200B}",
        "\n/a",
        "|/",
        "&a;",
        "[^1]: ",
        "@a\\",
        "Cookie: a=",
        "app password: ",
        "a",
        ":",
        "=",
        "password=",
        "password='",
        "\"password\":\"",
        "\"password\":[",
        "{password:{",
        ">password: a ",
        "a\nb: ",
        "!",
        "!\\",
        "\\![",
        "&shy;",
        "\\ud83d",
        "[redacted]",
        "- [ ] ",
        "- [ ] [",
        "1 [ ] ",
        "\n- [ ] | a |\n",
        "|-\n",
        "\n:",
    ];
    let readers = readers();
    for (piece, (name, read)) in
        hostile.iter().flat_map(|piece| readers.iter().map(move |reader| (piece, reader)))
    {
        let measured = is_quadratic(read, piece);
        assert_eq!(measured, None, "{name} of {piece:?}");
    }
}

#[test]
fn quadratic_time_is_noticed() {
    let squared = |text: &str| {
        let bytes = text.as_bytes();
        let later = |one: &u8| {
            bytes.iter().step_by(8).filter(|other| *std::hint::black_box(*other) >= *one).count()
        };
        let sum: usize = bytes.iter().map(later).sum();
        std::hint::black_box(sum);
    };
    // A busy machine may make one measurement look like linear time, but not all of them.
    assert!((0..10).any(|_| is_quadratic(&squared, "ab").is_some()));
}
