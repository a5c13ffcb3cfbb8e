//! A session as one HTML page to look at.
//!
//! The page loads nothing. Its entries are data, and its script makes elements of those near the
//! screen, so that a session of 100,000 entries opens at once. The page's security policy lets no
//! other script and no other style run than its own, which it knows by their hash. Everything from
//! a log is text, both here and in the script: markup is escaped, and invisible characters are
//! shown as marks ([`visible`](crate::visible::visible)).

use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::html::entity;
use crate::json::value::value;
use crate::transcript::about::TokenUsage;
use crate::transcript::account::LogAccount;
use crate::transcript::action::CallAction;
use crate::transcript::entry::{CallStatus, Entry, ToolUse};
use crate::visible::visible;

const STYLE: &str = include_str!("page.css");
/// The hash of the style, which the policy names.
const STYLE_HASH: &str = "sha256-7jseaj/r4nyA7X/kHV4HAlhJz276eiS92vHrGoXXfcs=";
const SCRIPTS: [&str; 3] =
    [include_str!("page.js"), include_str!("timeline.js"), include_str!("markdown.js")];
/// The hashes of the scripts, which the policy names.
const SCRIPT_HASHES: [&str; 3] = [
    "sha256-0SdsMWgiQ+7yuXjsW1HywPRnTxxk2yU0gzRfO/YOo7k=",
    "sha256-SCVjE3qXKiSWmw9MnD6AHBMztAsSrSphVYAXzoy8NZs=",
    "sha256-D2yZHY7qrBVw1UYYQLEDro+wPLjCU+HgSQV4qpsyeYQ=",
];
/// How many entries one block of data has.
const AT_ONCE: usize = 1000;
/// How many entries a browser without scripts shows, and how many characters of each.
const FIRST: usize = 100;
const FIRST_TEXT: usize = 2000;

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
    let mut page = String::new();
    let scripts = SCRIPT_HASHES.map(|hash| format!("'{hash}'")).join(" ");
    write_head(&mut page, session.title, &scripts);
    write_sums(&mut page, session);
    page.push_str(
        "<canvas id=\"time\" role=\"slider\"></canvas></header>\n\
         <div id=\"tools\" role=\"search\"></div>\n\
         <main id=\"feed\" role=\"feed\" aria-label=\"entries\"></main>\n",
    );
    write_first(&mut page, session.entries);
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

/// Writes the start of a page, to the end of its heading.
pub(super) fn write_head(page: &mut String, title: &str, scripts: &str) {
    let title = escape(title);
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
         '{STYLE_HASH}'; script-src {scripts}; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{STYLE}</style></head><body>\n<header><h1>{title}</h1>\n"
    );
}

/// Writes the first entries for a browser that runs no script.
fn write_first(page: &mut String, entries: &[Entry]) {
    let shown = entries.len().min(FIRST);
    let _ = writeln!(
        page,
        "<noscript><p>This browser runs no script: the first {shown} of {} entries are shown, each \
         at most {FIRST_TEXT} characters long.</p>",
        entries.len()
    );
    for entry in entries.iter().take(FIRST) {
        let name = entry.tool_use().map_or(entry.entry_type(), ToolUse::tool_name);
        let text: String = entry.content().chars().take(FIRST_TEXT).collect();
        let (name, text) = (escape(name), escape(&text));
        let _ = writeln!(page, "<article><h2>{name}</h2><pre>{text}</pre></article>");
    }
    page.push_str("</noscript>\n");
}

/// What the messages cost, if the log says so. The entries of one message name its cost together.
fn cost(entries: &[Entry]) -> Option<f64> {
    let (mut total, mut before) = (None::<f64>, None);
    for about in entries.iter().filter_map(Entry::about) {
        let Some(cost) = about.cost.as_deref() else { continue };
        let message = Some((about.at, about.tokens, cost));
        if message != before {
            before = message;
            total = Some(total.unwrap_or_default() + cost.parse().unwrap_or(0.0));
        }
    }
    total.filter(|total| total.is_finite())
}

/// Writes the totals and the account, which stand above the entries.
fn write_sums(page: &mut String, session: ShownSession<'_>) {
    let whose = session.dialect.map(|dialect| format!("{dialect}: ")).unwrap_or_default();
    let totals = totals(session.entries, session.account).join(" · ");
    let records = records(session.account).join(" · ");
    let _ = writeln!(
        page,
        "<p class=\"totals\">{totals}</p>\n<p class=\"account\">{whose}{records}</p>"
    );
}

/// The totals of a session.
fn totals(entries: &[Entry], account: &LogAccount) -> Vec<String> {
    let calls = || entries.iter().filter_map(Entry::tool_use);
    let failed = calls().filter(|call| call.status == CallStatus::Failed).count();
    let times: Vec<u64> = calls().filter_map(ToolUse::duration).collect();
    let mut totals = vec![
        format!("{} entries", entries.len()),
        format!("{} calls", account.calls),
        format!("{failed} failed"),
    ];
    totals.extend(counted([(account.denied, "denied"), (account.pending(), "without result")]));
    if !times.is_empty() {
        let total: u64 = times.iter().fold(0, |total, time| total.saturating_add(*time));
        totals.push(format!("{}.{:02} s in tools", total / 1000, total % 1000 / 10));
    }
    let TokenUsage { input, output, cached } = account.usage.total();
    if input > 0 || output > 0 {
        totals.push(format!("{input} tokens in, {output} out, {cached} cached"));
    }
    totals.extend(cost(entries).map(|cost| format!("cost {cost:.4}")));
    totals
}

/// What was in a log, and its verdict.
fn records(account: &LogAccount) -> Vec<String> {
    let mut records = vec![format!("{} records", account.records)];
    records.extend(counted([
        (account.understood, "understood"),
        (account.all_skipped(), "skipped"),
        (account.unknown(), "unknown"),
        (account.repaired, "repaired"),
        (account.repeated, "repeated"),
        (account.damaged.count, "damaged"),
        (account.orphaned.count, "results without call"),
        (account.as_text, "calls written as text"),
        (account.cancelled, "cancelled"),
    ]));
    records.push(account.verdict().slug().to_owned());
    records
}

/// The counts that are not zero, each with what it counts.
fn counted<const N: usize>(counts: [(u64, &str); N]) -> impl Iterator<Item = String> {
    counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
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
    let about = entry.about();
    let folder = about.and_then(|about| about.folder.as_deref());
    add("t", text(inside(&entry.content(), folder)));
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
    }
    add("a", entry.at().into());
    if let Some(about) = about {
        add("m", given(about.model.as_deref()));
        add("g", given(about.agent.as_deref()));
        add("p", given(about.parent.as_deref()));
        add("c", given(about.cost.as_deref()));
    }
    Value::Object(data)
}

/// A text without the working folder that it begins with: a path.
fn inside<'a>(text: &'a str, folder: Option<&str>) -> &'a str {
    let rest =
        folder.filter(|folder| folder.len() > 1).and_then(|folder| text.strip_prefix(folder));
    rest.and_then(|rest| rest.strip_prefix('/')).filter(|rest| !rest.is_empty()).unwrap_or(text)
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
pub(super) fn escape(text: &str) -> String {
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
    fn a_path_is_shown_without_the_working_folder() {
        assert_eq!(inside("/srv/site/a.rs", Some("/srv/site")), "a.rs");
        for (text, folder) in [("/srv/site2/a", Some("/srv/site")), ("/a", Some("/")), ("/a", None)]
        {
            assert_eq!(inside(text, folder), text);
        }
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
            let known = ["<article>", "</article>", "<h2>", "</h2>", "<pre>", "</pre>"];
            let (_, rest) = page.split_once("<noscript>").unwrap();
            let (first, _) = rest.split_once("</noscript>").unwrap();
            let mut first = first.replace("<p>", "").replace("</p>", "");
            for tag in known {
                first = first.replace(tag, "");
            }
            prop_assert!(!first.contains('<'));
            let blocks: Vec<&str> = page.split("class=\"entries\">").collect();
            prop_assert_eq!(blocks.len(), 2);
            let (data, rest) = blocks[1].split_once("</script>").unwrap();
            prop_assert!(!data.contains('<'));
            prop_assert!(serde_json::from_str::<Value>(data).is_ok());
            prop_assert!(rest.trim_start().starts_with("<script>//"));
        }
    }
}
