//! A session as one HTML page to look at.
//!
//! The page loads nothing. Its entries are data, and its script makes elements of those near the
//! screen, so that a session of 100,000 entries opens at once. The page's security policy lets no
//! other script and no other style run than its own, which it knows by their hash. Everything from a
//! log is text, both here and in the script: markup is escaped, and invisible characters are shown as
//! marks ([`visible`](crate::visible::visible)).

use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::html::entity;
use crate::json::value::value;
use crate::transcript::account::LogAccount;
use crate::transcript::action::CallAction;
use crate::transcript::entry::{Entry, ToolUse};
use crate::visible::visible;

const STYLE: &str = include_str!("page.css");
/// The hash of the style, which the policy names.
const STYLE_HASH: &str = "sha256-rlvJTzmeD7LngVhcB35HNmybU+z6ijNysmx3WAGRgrQ=";
const SCRIPTS: [&str; 2] = [include_str!("page.js"), include_str!("markdown.js")];
/// The hashes of the scripts, which the policy names.
const SCRIPT_HASHES: [&str; 2] = [
    "sha256-lnA2+yiAKkzYO0a+IcZtY7o7ULJXyuvE3Zjsy6nfUXY=",
    "sha256-uN7fF+0GXPPY78LlVblaWxwp4c7neVPpXLoo3Nx7vSw=",
];
/// How many entries one block of data has.
const AT_ONCE: usize = 1000;

/// A session that a page shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownSession<'a> {
    pub(super) title: &'a str,
    /// Whose log it is.
    pub(super) dialect: Option<&'a str>,
    pub(super) entries: &'a [Entry],
    pub(super) account: &'a LogAccount,
}

/// Writes the page of a session.
pub(super) fn write(session: ShownSession<'_>) -> String {
    let title = escape(session.title);
    let [first, second] = SCRIPT_HASHES;
    let mut page = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
         '{STYLE_HASH}'; script-src '{first}' '{second}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{STYLE}</style></head><body>\n<header><h1>{title}</h1>\n"
    );
    write_sums(&mut page, session);
    page.push_str(
        "<noscript><p>The entries are shown by a script, which this browser does not run.</p>\
         </noscript>\n<canvas id=\"time\" role=\"img\"></canvas></header>\n\
         <div id=\"tools\" role=\"search\"></div>\n<main id=\"feed\" role=\"feed\"></main>\n",
    );
    for entries in session.entries.chunks(AT_ONCE) {
        let data: Vec<Value> = entries.iter().map(entry_value).collect();
        let data = Value::Array(data).to_string().replace('<', "\\u003c");
        let _ =
            writeln!(page, "<script type=\"application/json\" class=\"entries\">{data}</script>");
    }
    for script in SCRIPTS {
        let _ = writeln!(page, "<script>{script}</script>");
    }
    page.push_str("</body></html>\n");
    page
}

/// Writes the totals and the account, which stand above the entries.
fn write_sums(page: &mut String, session: ShownSession<'_>) {
    let ShownSession { dialect, entries, account, .. } = session;
    let calls = || entries.iter().filter_map(Entry::tool_use);
    let failed = calls().filter(|call| call.status.slug() == "failed").count();
    let times: Vec<u64> = calls().filter_map(ToolUse::duration).collect();
    let tokens = account.usage.total();
    let mut totals = vec![
        format!("{} entries", entries.len()),
        format!("{} calls", account.calls),
        format!("{failed} failed"),
    ];
    let counts = [(account.denied, "denied"), (account.pending(), "without result")];
    totals.extend(
        counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}")),
    );
    if !times.is_empty() {
        let total: u64 = times.iter().fold(0, |total, time| total.saturating_add(*time));
        totals.push(format!("{}.{:02} s in tools", total / 1000, total % 1000 / 10));
    }
    if tokens != Default::default() {
        totals.push(format!(
            "{} tokens in, {} out, {} cached",
            tokens.input, tokens.output, tokens.cached
        ));
    }
    let mut records = vec![format!("{} records", account.records)];
    let counts = [
        (account.understood, "understood"),
        (account.all_skipped(), "skipped"),
        (account.unknown(), "unknown"),
        (account.repaired, "repaired"),
        (account.repeated, "repeated"),
        (account.damaged.count, "damaged"),
        (account.orphaned.count, "results without call"),
        (account.as_text, "calls written as text"),
        (account.cancelled, "cancelled"),
    ];
    records.extend(
        counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}")),
    );
    let whose = dialect.map(|dialect| format!("{dialect}: ")).unwrap_or_default();
    let (totals, records) = (totals.join(" · "), records.join(" · "));
    let verdict = account.verdict().slug();
    let _ = writeln!(
        page,
        "<p class=\"totals\">{totals}</p>\n<p class=\"account\">{whose}{records} · {verdict}</p>"
    );
}

/// An entry as the script reads it; what it does not have is left out.
fn entry_value(entry: &Entry) -> Value {
    let mut data = Map::new();
    let mut add = |name: &str, value: Value| {
        if !value.is_null() {
            data.insert(name.to_owned(), value);
        }
    };
    let text = |text: &str| Value::String(visible(text).into());
    let given = |given: Option<&str>| given.map_or(Value::Null, text);
    let kind = entry.entry_type();
    add("k", kind.strip_suffix("_message").unwrap_or(kind).into());
    add("t", text(&entry.content()));
    let about = entry.about();
    let mut at = about.and_then(|about| about.at);
    if let Some(call) = entry.tool_use() {
        add("n", text(call.tool_name()));
        add("s", call.status.slug().into());
        add("d", call.duration().into());
        add("i", given(Some(&*call.call.id).filter(|id| !id.is_empty())));
        add("e", given(call.error().as_ref().map(|(kind, _)| &**kind)));
        let details = details(call).into_iter().filter(|(_, text)| !text.is_empty());
        let details: Vec<Value> =
            details.map(|(head, detail)| json!([head, text(&detail)])).collect();
        add("x", if details.is_empty() { Value::Null } else { details.into() });
        at = call.call.started.or(at);
    }
    add("a", at.into());
    if let Some(about) = about {
        add("m", given(about.model.as_deref()));
        add("g", given(about.agent.as_deref()));
        add("p", given(about.parent.as_deref()));
    }
    Value::Object(data)
}

/// The details of a call: its changes or arguments, and what the tool gave.
fn details(call: &ToolUse) -> Vec<(&'static str, String)> {
    let changes = call.changes();
    let given = match &call.call.action {
        CallAction::Command { .. } => String::new(),
        _ if !changes.is_empty() => String::new(),
        _ => serde_json::to_string_pretty(&value(&call.call.arguments, call.form.numbers))
            .unwrap_or_default(),
    };
    let result = call.result.as_ref().map(|result| result.given.text(call.form).into_owned());
    let mut details: Vec<_> =
        changes.iter().map(|change| ("changes", change.text().to_owned())).collect();
    details.extend([("arguments", given), ("result", result.unwrap_or_default())]);
    details
}

/// A text as it may stand in the page; invisible characters are shown as marks.
fn escape(text: &str) -> String {
    let text = visible(text);
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match entity(character) {
            Some(entity) => escaped.push_str(entity),
            None => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use proptest::prelude::*;
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::transcript::{ReaderOptions, Transcript};

    #[test]
    fn nothing_out_of_a_log_is_markup() {
        assert_eq!(
            escape("<a href=\"x\">'&\u{1b}[0m\r\u{202e}\u{9b}"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;⟨U+001B⟩[0m⟨U+000D⟩⟨U+202E⟩⟨U+009B⟩"
        );
    }

    #[test]
    fn the_policy_names_the_style_and_the_scripts() {
        let hash = |text: &str| format!("sha256-{}", STANDARD.encode(Sha256::digest(text)));
        assert_eq!(hash(STYLE), STYLE_HASH);
        assert_eq!(SCRIPTS.map(hash), SCRIPT_HASHES);
        for script in SCRIPTS {
            assert!(!script.contains("</script") && !script.contains("innerHTML"));
        }
    }

    proptest! {
        #[test]
        fn no_text_of_a_log_ends_its_block(text in "[<>/!a-z\"'&\\\\\u{2028}\n -]{0,60}") {
            let record = json!({"role": "user", "content": format!("<x>{text}")});
            let call = json!({"id": text, "function": {"name": text, "arguments": text}});
            let call = json!({"role": "assistant", "content": text, "tool_calls": [call]});
            let log = format!("{record}\n{call}\n");
            let page = Transcript::read(log.as_bytes(), b"", ReaderOptions::default()).to_html();
            let blocks: Vec<&str> = page.split("class=\"entries\">").collect();
            prop_assert_eq!(blocks.len(), 2);
            let (data, rest) = blocks[1].split_once("</script>").unwrap();
            prop_assert!(!data.contains('<'));
            prop_assert!(serde_json::from_str::<Value>(data).is_ok());
            prop_assert!(rest.trim_start().starts_with("<script>//"));
        }
    }
}
