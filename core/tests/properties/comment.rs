//! Laws of comments: whatever a model writes, and in linear time.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use toolwire::{
    ChunkOptions, PublishOptions, Redactor, chunk_text, clean_comment, comment_from_reply, legacy,
    publishable,
};

/// Runs everything that reads a comment or a reply.
fn read(text: &str) {
    let _ = clean_comment(text);
    let _ = comment_from_reply(text);
    let _ = publishable(text, &PublishOptions::default());
    let _ = Redactor::new(["secret-secret".to_owned()]).redact(text);
    let _ = chunk_text(text, &ChunkOptions::default());
    let _ = legacy::json_candidates(text);
    let _ = legacy::object_candidates(text);
    let _ = legacy::comment_text(text);
    let _ = legacy::comment_field(text);
    let _ = legacy::comment_line(text);
    let _ = legacy::chunks(text, 100, 10);
}

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
        "secret-secret",
        "secret-\u{200B}secret",
        "secret%2Dsecret",
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
        let secrets = vec!["secret-secret".to_owned()];
        let options = PublishOptions { secrets, max_length, ..PublishOptions::default() };
        let made = publishable(&text, &options);
        prop_assert!(made.text.chars().count() <= max_length);
        prop_assert!(!made.text.contains("secret-secret"));
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
    ];
    for piece in hostile {
        let text = piece.repeat((1 << 19) / piece.len());
        let start = Instant::now();
        read(&text);
        let taken = start.elapsed();
        // It takes a fraction of a second; were it the square, hours.
        assert!(taken < Duration::from_mins(1), "{piece:?}: {taken:?}");
    }
}
