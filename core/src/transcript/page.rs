//! A session as one HTML page to look at.
//!
//! The page holds no script and loads nothing, and its security policy forbids both. Everything
//! from a log is text: markup is escaped, and invisible characters are shown as marks
//! ([`visible`](crate::visible::visible)).

use std::fmt::Write;

use crate::html::entity;
use crate::json::value::value;
use crate::transcript::action::CallAction;
use crate::transcript::entry::{Entry, ToolUse};
use crate::visible::visible;

const STYLE: &str = "\
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}\
article{border-left:4px solid #bbb;margin:1rem 0;padding:.2rem .8rem}\
h1{font-size:1.3rem;overflow-wrap:anywhere}h2{font-size:.85rem;margin:0;color:#555;font-weight:600}\
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.3rem 0;font:13px/1.45 ui-monospace,monospace}\
.user_message{border-color:#36c}.assistant_message{border-color:#639}.error_message,.failed{border-color:#c33}\
.success{border-color:#2a7}.created{border-color:#d90}.thinking{opacity:.7}details{margin:.3rem 0}\
@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}h2{color:#aaa}}";

/// Writes the page of some entries.
pub(super) fn write(title: &str, entries: &[Entry]) -> String {
    let title = escape(title);
    let mut page = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n"
    );
    for (index, entry) in entries.iter().enumerate() {
        write_entry(&mut page, index, entry);
    }
    page.push_str("</body></html>\n");
    page
}

fn write_entry(page: &mut String, index: usize, entry: &Entry) {
    let kind = entry.entry_type();
    let Some(call) = entry.tool_use() else {
        let (head, text) = (kind.replace('_', " "), escape(&entry.content()));
        let _ = writeln!(
            page,
            "<article id=\"entry-{index}\" class=\"{kind}\"><h2>{head}</h2><pre>{text}</pre></article>"
        );
        return;
    };
    let (status, content) = (call.status.slug(), escape(&entry.content()));
    let took = call.duration().map(|duration| format!(", {duration} ms")).unwrap_or_default();
    let name = escape(call.tool_name());
    let _ = write!(
        page,
        "<article id=\"entry-{index}\" class=\"{kind} {status}\"><h2>{name}: {status}{took}</h2><pre>{content}</pre>"
    );
    for (head, text) in details(call) {
        if !text.is_empty() {
            let _ = write!(
                page,
                "<details><summary>{head}</summary><pre>{}</pre></details>",
                escape(&text)
            );
        }
    }
    page.push_str("</article>\n");
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
    use super::*;

    #[test]
    fn nothing_out_of_a_log_is_markup() {
        assert_eq!(
            escape("<a href=\"x\">'&\u{1b}[0m\r\u{202e}\u{9b}"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;⟨U+001B⟩[0m⟨U+000D⟩⟨U+202E⟩⟨U+009B⟩"
        );
    }
}
