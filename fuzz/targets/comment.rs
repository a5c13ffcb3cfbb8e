//! Comments: what is published is short enough, without secrets, and published again as it is.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toolwire::comment::{PublishOptions, publishable};
use toolwire::compat::issue_agent;
use toolwire::compat::issue_agent::{clean_comment, comment_from_reply};
use toolwire::redact::Redactor;
use toolwire::token::{ChunkOptions, chunk_text};
use toolwire::visible::visible;

fuzz_target!(|data: &[u8]| {
    let [length, text @ ..] = data else { return };
    let text = &*String::from_utf8_lossy(text);
    let options = PublishOptions {
        secrets: vec!["swordfish".to_owned()],
        mentions: vec!["ann".to_owned()],
        commands: vec!["deploy".to_owned()],
        max_length: usize::from(*length) + 1,
    };
    let published = publishable(text, &options);
    assert!(published.text.chars().count() <= options.max_length);
    assert!(!published.text.contains("swordfish"));
    // Nothing that nobody sees is published, but what keeps a mention or a command broken.
    let seen = published.text.replace('\u{200B}', "");
    assert_eq!(visible(&seen), seen);
    let shown = visible(text);
    assert_eq!(visible(&shown), shown);
    let redactor = Redactor::new(options.secrets.clone());
    assert!(!redactor.redact(text).text.contains("swordfish"));
    assert_eq!(redactor.redact("swo\u{200B}rdfish").text, "[redacted]");
    let again = publishable(&published.text, &options);
    assert_eq!(again.text, published.text);
    assert!(!clean_comment(text).is_empty());
    assert!(!comment_from_reply(text).is_empty());
    let chunks =
        ChunkOptions { max_tokens: usize::from(*length) + 1, min_tokens: 1, overlap_tokens: 3 };
    let reach = chunk_text(text, &chunks).iter().fold(0, |reach, chunk| {
        assert!(chunk.span.start <= reach && chunk.span.end > reach);
        chunk.span.end
    });
    assert!(reach == text.len() || reach == 0);
    let _ = (
        issue_agent::json_candidates(text),
        issue_agent::object_candidates(text),
        issue_agent::comment_text(text),
    );
});
