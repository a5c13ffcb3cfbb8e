//! The index of many sessions: a table with a link to the page of each, and a filter.

use std::fmt::Write;

use crate::transcript::about::TokenUsage;
use crate::transcript::dialect::DialectName;
use crate::transcript::entry::{CallStatus, Entry};
use crate::transcript::log::Transcript;
use crate::transcript::page::{escape, write_head};

const SCRIPT: &str = include_str!("page/index.js");
/// The hash of the script, which the policy names.
const SCRIPT_HASH: &str = "sha256-mJyjKDkkdKRAcivs5AbiwBqcWw0s2hbt4nid1PLT2TE=";
/// How many characters of the person's first message the index shows.
const LONGEST_QUESTION: usize = 160;

/// A session in an index, and the page that shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageLink {
    /// The path of the page from the index on.
    pub href: String,
    /// The session's id, or the path if the log names none.
    pub title: String,
    /// The start of the person's first message.
    pub question: String,
    /// Whose log it is.
    pub dialect: Option<DialectName>,
    /// The first time in the log, in milliseconds since 1970.
    pub at: Option<i64>,
    /// How many calls there are.
    pub calls: usize,
    /// How many calls failed.
    pub failed: usize,
    /// The tokens of all messages.
    pub tokens: TokenUsage,
}

impl PageLink {
    /// Sums up a session whose page is at a path.
    #[must_use]
    pub fn new(href: &str, session: &Transcript) -> Self {
        let entries = &session.entries;
        let question = entries.iter().find(|entry| entry.entry_type() == "user_message");
        let question = question.map(Entry::content).unwrap_or_default();
        let failed = session.calls().filter(|(_, call)| call.status == CallStatus::Failed);
        Self {
            href: href.to_owned(),
            title: session.session_id.as_deref().unwrap_or(href).to_owned(),
            question: question.trim().chars().take(LONGEST_QUESTION).collect(),
            dialect: session.dialect,
            at: entries.iter().find_map(Entry::at),
            calls: session.calls().count(),
            failed: failed.count(),
            tokens: session.account.usage.total(),
        }
    }
}

/// Writes the index of many sessions as one HTML page that loads no other file, the newest session
/// first.
///
/// ```
/// use toolwire::transcript::{PageLink, Transcript, index_html};
///
/// let index = index_html(&[PageLink::new("my log.html", &Transcript::default())]);
/// assert!(index.contains("<a href=\"./my%20log.html\">"));
/// ```
#[must_use]
pub fn index_html(links: &[PageLink]) -> String {
    let mut links: Vec<&PageLink> = links.iter().collect();
    links.sort_by_key(|link| std::cmp::Reverse(link.at));
    let mut page = String::new();
    write_head(&mut page, "Sessions", &format!("'{SCRIPT_HASH}'"));
    let calls: usize = links.iter().map(|link| link.calls).sum();
    let failed: usize = links.iter().map(|link| link.failed).sum();
    // Writing to a string cannot fail.
    let _ = writeln!(
        page,
        "<p class=\"totals\">{} sessions · {calls} calls · {failed} failed</p></header>\n\
         <div id=\"tools\" role=\"search\"><input id=\"filter\" type=\"search\" aria-label=\"text\" \
         placeholder=\"text (/)\"><output id=\"count\"></output></div>\n\
         <main><table><thead><tr><th scope=\"col\">session</th><th scope=\"col\">agent</th>\
         <th scope=\"col\">date</th><th scope=\"col\" class=\"number\">calls</th>\
         <th scope=\"col\" class=\"number\">failed</th><th scope=\"col\" class=\"number\">tokens\
         </th></tr></thead><tbody id=\"sessions\">",
        links.len()
    );
    for link in links {
        write_link(&mut page, link);
    }
    let _ = writeln!(page, "</tbody></table></main>\n<script>{SCRIPT}</script></body></html>");
    page
}

fn write_link(page: &mut String, link: &PageLink) {
    let (title, question) = (escape(&link.title), escape(&link.question));
    let agent = link.dialect.map(DialectName::slug).unwrap_or_default();
    let date = link.at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    let date = date.map(|date| date.strftime("%Y-%m-%d %H:%M").to_string()).unwrap_or_default();
    let tokens = link.tokens.input.saturating_add(link.tokens.output);
    let PageLink { calls, failed, .. } = link;
    let state = if *failed > 0 { " class=\"bad\"" } else { "" };
    let _ = writeln!(
        page,
        "<tr><td><a href=\"{}\">{title}</a><div class=\"question\">{question}</div></td>\
         <td>{agent}</td><td class=\"date\">{date}</td><td class=\"number\">{calls}</td>\
         <td class=\"number\"><span{state}>{failed}</span></td>\
         <td class=\"number\">{}</td></tr>",
        address(&link.href),
        if tokens > 0 { tokens.to_string() } else { String::new() },
    );
}

/// The address of a path beside the index. It begins with `./`, so it names no scheme and no host.
fn address(path: &str) -> String {
    let mut address = "./".to_owned();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            address.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::transcript::ReaderOptions;

    #[test]
    fn the_policy_names_the_script() {
        assert_eq!(format!("sha256-{}", STANDARD.encode(Sha256::digest(SCRIPT))), SCRIPT_HASH);
        assert!(!SCRIPT.contains("</script") && !SCRIPT.contains("innerHTML"));
    }

    #[test]
    fn a_path_is_no_scheme_and_no_markup() {
        assert_eq!(address("javascript:alert(1)"), "./javascript%3Aalert%281%29");
        assert_eq!(address("a b/ö\".html"), "./a%20b/%C3%B6%22.html");
    }

    #[test]
    fn the_newest_session_is_first_and_nothing_of_a_log_is_markup() {
        let read = |at: &str, text: &str| {
            let log = format!(
                "{{\"type\":\"user\",\"sessionId\":\"{at}\",\"timestamp\":\"{at}T10:00:00Z\",\
                 \"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}"
            );
            Transcript::read(log.as_bytes(), b"", ReaderOptions::default())
        };
        let old = PageLink::new("old.html", &read("2026-01-01", "<b>old</b>"));
        let new = PageLink::new("new.html", &read("2026-02-01", "new"));
        assert_eq!((&*old.title, &*old.question), ("2026-01-01", "<b>old</b>"));
        let page = index_html(&[old, new, PageLink::new("<i>", &Transcript::default())]);
        let places: Vec<_> =
            ["2026-02-01 10:00", "2026-01-01 10:00", "./%3Ci%3E"].map(|one| page.find(one)).into();
        assert!(places.is_sorted() && places.iter().all(Option::is_some), "{places:?}");
        assert!(!page.contains("<b>") && !page.contains("<i>"));
    }
}
