//! What a run would change, as the person sees it who approves the run.
//!
//! A program reports its changes as any JSON value. A change that names its two sides becomes a
//! diff, made after the secrets of both sides are masked. A finished diff is taken over. Any other
//! value is shown as it is. All texts together are bounded, and what is left out is counted.
//!
//! ```
//! use serde_json::json;
//! use toolwire::lifecycle::{ApprovalChange, ChangeKind};
//! use toolwire::redact::Redaction;
//!
//! let reported = json!([{"label": "title", "old": "Red", "new": "Blue"}]);
//! let changes = ApprovalChange::all(&reported, &Redaction::default());
//! assert_eq!(changes[0].label.as_deref(), Some("title"));
//! assert_eq!((changes[0].additions, changes[0].deletions), (1, 1));
//! assert!(changes[0].text.starts_with("@@ -1 +1 @@\n-Red\n"));
//! ```

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::diff::{TextDiff, diff_text};
use crate::redact::{REDACTED, Redaction};
use crate::slug::slugs;

/// The most changes that are shown.
const MOST_CHANGES: usize = 100;

/// The most bytes of one text, and of all texts together.
const LONGEST: usize = 64 * 1024;
const LONGEST_OF_ALL: usize = 256 * 1024;

/// The most bytes of a label.
const LONGEST_LABEL: usize = 400;

/// How deep the lists and maps may be nested in which a program reports its changes.
const DEEPEST: usize = 8;

/// The keys under which a change tells what it changes.
const LABELS: [&str; 5] = ["label", "field", "path", "name", "title"];

slugs! {
    /// How a change is shown.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum ChangeKind {
        /// The text is the lines of a unified diff.
        Diff => "diff",
        /// The text is what the program reported.
        Value => "value",
        /// The text says how many more changes there are, which are not shown.
        LeftOut => "left_out",
    }
}

/// One change that a run would make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalChange {
    /// What changes, in the program's words.
    pub label: Option<String>,
    /// How the change is shown.
    pub kind: ChangeKind,
    /// The change without its secrets. Control characters are as the program gave them.
    pub text: String,
    /// How many lines a diff adds.
    pub additions: usize,
    /// How many lines a diff removes.
    pub deletions: usize,
    /// Whether secrets are left out of the text. A diff without lines changes only secrets then.
    pub has_secrets: bool,
    /// How many bytes of the text are left out at its end.
    pub left_out: usize,
}

impl ApprovalChange {
    /// Returns the changes of the value that a program reported.
    #[must_use]
    pub fn all(reported: &Value, redaction: &Redaction) -> Vec<Self> {
        let masked = redaction.masked(reported);
        let mut reader =
            ChangeReader { redaction, changes: Vec::new(), more: 0, room: LONGEST_OF_ALL };
        reader.read(None, reported, Some(&masked), 0);
        let ChangeReader { mut changes, more, .. } = reader;
        if more > 0 {
            let text = format!("{more} more change{}", if more == 1 { "" } else { "s" });
            changes.push(Self { text, ..Self::empty(None, ChangeKind::LeftOut) });
        }
        changes
    }

    fn empty(label: Option<String>, kind: ChangeKind) -> Self {
        let (additions, deletions) = (0, 0);
        Self {
            label,
            kind,
            text: String::new(),
            additions,
            deletions,
            has_secrets: false,
            left_out: 0,
        }
    }
}

/// Collects the changes of a reported value.
struct ChangeReader<'r> {
    redaction: &'r Redaction,
    changes: Vec<ApprovalChange>,
    /// How many changes there are beside those that are shown.
    more: usize,
    /// How many bytes the texts of further changes may have.
    room: usize,
}

impl ChangeReader<'_> {
    /// Reads a value with its masked copy, which is missing where the copy has another form.
    fn read(&mut self, label: Option<&str>, raw: &Value, masked: Option<&Value>, depth: usize) {
        match raw {
            Value::Null => {}
            Value::Array(items) if depth < DEEPEST => {
                for (place, item) in items.iter().enumerate() {
                    self.read(label, item, masked.and_then(|masked| masked.get(place)), depth + 1);
                }
            }
            Value::Object(fields) => {
                let own = LABELS.iter().find_map(|key| fields.get(*key)?.as_str());
                self.object(own.or(label), fields, raw, masked, depth);
            }
            _ => self.value(label, raw, masked),
        }
    }

    fn object(
        &mut self,
        label: Option<&str>,
        fields: &Map<String, Value>,
        raw: &Value,
        masked: Option<&Value>,
        depth: usize,
    ) {
        let part = |key: &str| masked.and_then(|masked| masked.get(key));
        let is_change = |value: &Value| is_sides(value) || finished(value).is_some();
        if let (Some(old), Some(new)) = (fields.get("old"), fields.get("new")) {
            self.sides(label, (old, part("old")), (new, part("new")));
        } else if let Some(diff) = finished(raw) {
            self.finished(label, diff, masked.and_then(finished));
        } else if depth < DEEPEST && !fields.is_empty() && fields.values().all(is_change) {
            for (name, value) in fields {
                self.read(Some(name), value, part(name), depth + 1);
            }
        } else {
            self.value(label, raw, masked);
        }
    }

    /// Compares the two sides of a change.
    fn sides(
        &mut self,
        label: Option<&str>,
        (old, shown_old): (&Value, Option<&Value>),
        (new, shown_new): (&Value, Option<&Value>),
    ) {
        let is_secret = label.is_some_and(|label| self.redaction.hides(label));
        let shown = |value: Option<&Value>| match value.filter(|_| !is_secret) {
            Some(value) => side(value).into_owned(),
            None => REDACTED.to_owned(),
        };
        let (shown_old, shown_new) = (shown(shown_old), shown(shown_new));
        let diff = diff_text(shown_old.as_bytes(), shown_new.as_bytes(), &TextDiff::default());
        let text = String::from_utf8_lossy(&diff.diff_output);
        // The head names files, and a change has a label instead.
        let text = text.find("@@ ").and_then(|start| text.get(start..)).unwrap_or_default();
        self.add(ApprovalChange {
            text: text.to_owned(),
            additions: diff.additions,
            deletions: diff.deletions,
            has_secrets: shown_old != side(old) || shown_new != side(new),
            ..ApprovalChange::empty(label.map(str::to_owned), ChangeKind::Diff)
        });
    }

    /// Takes over a diff that the program made.
    fn finished(&mut self, label: Option<&str>, diff: &str, masked: Option<&str>) {
        let is_secret = label.is_some_and(|label| self.redaction.hides(label));
        let text = masked.filter(|_| !is_secret).unwrap_or(REDACTED);
        let (additions, deletions) = counts(diff);
        self.add(ApprovalChange {
            text: text.to_owned(),
            additions,
            deletions,
            has_secrets: text != diff,
            ..ApprovalChange::empty(label.map(str::to_owned), ChangeKind::Diff)
        });
    }

    fn value(&mut self, label: Option<&str>, raw: &Value, masked: Option<&Value>) {
        let text = masked.map_or_else(|| REDACTED.into(), side);
        self.add(ApprovalChange {
            has_secrets: masked != Some(raw),
            text: text.into_owned(),
            ..ApprovalChange::empty(label.map(str::to_owned), ChangeKind::Value)
        });
    }

    /// Adds a change as far as there is room.
    fn add(&mut self, change: ApprovalChange) {
        if self.changes.len() == MOST_CHANGES {
            self.more += 1;
            return;
        }
        let whole = change.text.len();
        let text = lines_within(change.text, self.room.min(LONGEST));
        self.room -= text.len();
        let label = change.label.map(|label| {
            let masked = self.redaction.masked_text(label.as_bytes());
            let masked = String::from_utf8_lossy(&masked);
            masked.get(..masked.floor_char_boundary(LONGEST_LABEL)).unwrap_or_default().to_owned()
        });
        let left_out = whole - text.len();
        self.changes.push(ApprovalChange { label, text, left_out, ..change });
    }
}

/// Whether a value has the two sides of a change.
fn is_sides(value: &Value) -> bool {
    value.get("old").is_some() && value.get("new").is_some()
}

/// Returns the text of a finished diff: `diff_output` of a diff's result, or `diff`, which is a
/// text or such a result.
fn finished(value: &Value) -> Option<&str> {
    let of_result = |value: &'_ Value| value.get("diff_output").is_some_and(Value::is_string);
    let diff = value.get("diff").unwrap_or(value);
    if of_result(diff) { diff.get("diff_output")?.as_str() } else { value.get("diff")?.as_str() }
}

/// Returns one side of a change as text: a text as it is, nothing for null, else indented JSON.
fn side(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => "".into(),
        Value::String(text) => text.into(),
        value => format!("{value:#}").into(),
    }
}

/// Counts the lines that a unified diff adds and removes. Its head does not count.
fn counts(diff: &str) -> (usize, usize) {
    let body = diff.find("@@").and_then(|start| diff.get(start..)).unwrap_or(diff);
    let begin_with = |mark| body.lines().filter(|line| line.starts_with(mark)).count();
    (begin_with('+'), begin_with('-'))
}

/// Returns the longest beginning of a text with at most so many bytes. It ends with a line if it
/// has a whole one.
fn lines_within(mut text: String, most: usize) -> String {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        if let Some(end) = text.rfind('\n') {
            text.truncate(end + 1);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(reported: &Value) -> Vec<ApprovalChange> {
        ApprovalChange::all(reported, &Redaction::default())
    }

    fn shown(reported: &Value) -> Vec<(Option<String>, &'static str, String)> {
        let changes = of(reported).into_iter();
        changes.map(|change| (change.label, change.kind.slug(), change.text)).collect()
    }

    #[test]
    fn two_sides_become_a_diff() {
        let text = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n".to_owned();
        let sides = json!({"old": "a\nb\n", "new": "a\nc\n"});
        let labelled = |label: &str| vec![(Some(label.to_owned()), "diff", text.clone())];
        assert_eq!(shown(&sides), [(None, "diff", text.clone())]);
        assert_eq!(
            shown(&json!([{"field": "body", "old": "a\nb\n", "new": "a\nc\n"}])),
            labelled("body")
        );
        assert_eq!(shown(&json!({"body": sides})), labelled("body"));
        let values = json!({"old": {"n": 1}, "new": {"n": 2}});
        assert_eq!(shown(&values)[0].2, "@@ -1,3 +1,3 @@\n {\n-  \"n\": 1\n+  \"n\": 2\n }");
        let made = of(&json!({"old": null, "new": "x\ny\n"}));
        assert_eq!((made[0].additions, made[0].deletions), (2, 0));
        assert_eq!(of(&json!({"old": "same", "new": "same"}))[0].text, "");
    }

    #[test]
    fn a_finished_diff_is_taken_over() {
        let text = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n";
        for reported in [
            json!({"diff_type": "unified", "diff_output": text, "additions": 1}),
            json!({"diff": text}),
            json!([{"diff": {"diff_output": text}}]),
        ] {
            let changes = of(&reported);
            assert_eq!((changes[0].kind, &*changes[0].text), (ChangeKind::Diff, text));
            assert_eq!((changes[0].additions, changes[0].deletions), (1, 1));
        }
    }

    #[test]
    fn any_other_value_is_shown_as_it_is() {
        assert_eq!(shown(&json!(null)), []);
        assert_eq!(shown(&json!([])), []);
        assert_eq!(shown(&json!("a → b")), [(None, "value", "a → b".to_owned())]);
        assert_eq!(shown(&json!([1, ["two"]])).len(), 2);
        assert_eq!(shown(&json!({"title": ["x", "y"]}))[0].1, "value");
        assert_eq!(shown(&json!({"diff": 7, "new": 1}))[0].1, "value");
        let mut deep = json!("end");
        for _ in 0..100 {
            deep = json!([deep]);
        }
        assert_eq!(shown(&deep).len(), 1);
    }

    #[test]
    fn secrets_are_masked_before_the_sides_are_compared() {
        let token = format!("ghp_{}", "Aa0".repeat(12));
        for reported in [
            json!({"label": "user_pass", "old": "one", "new": "two"}),
            json!({"api_key": {"old": "one", "new": "two"}}),
            json!({"old": token, "new": format!("ghp_{}", "Bb1".repeat(12))}),
            json!({"label": "user_pass", "diff": "-one\n+two\n"}),
        ] {
            let change = of(&reported).remove(0);
            assert!(change.has_secrets, "{reported}");
            let text = serde_json::to_string(&change).unwrap();
            assert!(
                !text.contains("one") && !text.contains("two") && !text.contains("Aa0"),
                "{text}"
            );
        }
        let kept = of(&json!({"old": format!("x {token}\n"), "new": format!("y {token}\n")}));
        assert_eq!(kept[0].text, "@@ -1 +1 @@\n-x [redacted]\n+y [redacted]\n");
        assert!(kept[0].has_secrets);
        assert!(!of(&json!({"old": "a", "new": "b"}))[0].has_secrets);
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let long = "line\n".repeat(100_000);
        let changes = of(&json!(vec![json!({"old": "", "new": long}); 130]));
        assert_eq!(changes.len(), MOST_CHANGES + 1);
        assert_eq!(changes[0].additions, 100_000);
        assert!(changes[0].text.ends_with("+line\n") && changes[0].text.len() <= LONGEST);
        assert!(changes[0].left_out > 500_000);
        let all: usize = changes.iter().map(|change| change.text.len()).sum();
        assert!(all <= LONGEST_OF_ALL + 100, "{all}");
        let last = changes.last().unwrap();
        assert_eq!((last.kind, &*last.text), (ChangeKind::LeftOut, "30 more changes"));
        let wide = of(&json!({"label": "ä".repeat(5000), "old": "", "new": "ä".repeat(200_000)}));
        assert!(wide[0].left_out > 0 && wide[0].label.as_ref().unwrap().len() <= LONGEST_LABEL);
    }
}
