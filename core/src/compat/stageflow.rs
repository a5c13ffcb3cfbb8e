//! The texts of stageflow's errors and its notation of values, for code that reads these texts.
//!
//! A failure that stageflow does not have is told by [`RunFailure::message`]. Some messages show
//! values as Python does: a tuple of behaviors, `None` for no behavior.
//!
//! ```
//! use toolwire::compat::stageflow;
//! use toolwire::lifecycle::RunFailure;
//!
//! let denied = RunFailure::ModeNotAllowed { mode: None, allowed: vec!["edit".into()] };
//! assert_eq!(
//!     stageflow::failure_message(&denied, "save"),
//!     "Tool 'save' denied: current behavior 'None' not in allowed behaviors ('edit',)"
//! );
//! ```

use std::fmt::Write as _;

use crate::lifecycle::{EventKind, FailureCode, FieldName, RunFailure};
use crate::registry::CallProblem;
use crate::tree::Constants;
use crate::visible::made_visible;

/// The notation of a constant in a summary, or in place of a call's id or name.
pub const CONSTANTS: Constants<'static> = Constants { null: "None", yes: "True", no: "False" };

/// The message of a failure, for the tool with this name.
#[must_use]
pub fn failure_message(failure: &RunFailure, tool: &str) -> String {
    match failure {
        RunFailure::ModeNotAllowed { mode, allowed } => {
            let behavior = mode.as_deref().unwrap_or(CONSTANTS.null);
            let allowed = tuple(allowed);
            made_visible(format!(
                "Tool '{tool}' denied: current behavior '{behavior}' not in \
                 allowed behaviors {allowed}"
            ))
        }
        RunFailure::ApprovalDenied { reason, .. } => approval_denied(tool, reason),
        RunFailure::ApprovalTimeout { .. } => approval_denied(tool, "timeout"),
        RunFailure::Raised { message, .. } if message.is_empty() => {
            made_visible(format!("Tool '{tool}' execution failed"))
        }
        RunFailure::Raised { message, .. } => {
            made_visible(format!("Tool '{tool}' execution failed: {message}"))
        }
        RunFailure::ToolNotFound => not_found_message(tool),
        other => other.message(tool),
    }
}

fn approval_denied(tool: &str, reason: &str) -> String {
    made_visible(format!("Tool '{tool}' approval denied: {reason}"))
}

/// The name of an event's field.
#[must_use]
pub fn field_name(name: FieldName) -> &'static str {
    match name {
        FieldName::RunId => "action_id",
        FieldName::Mode => "behavior",
        FieldName::AllowedModes => "allowed_behaviors",
        FieldName::ParentId => "pipeline_run_id",
        FieldName::RanAt => "original_action_timestamp",
        other => other.slug(),
    }
}

/// The text of an event's field.
#[must_use]
pub fn field_text(event: EventKind, name: FieldName, text: &str) -> &str {
    let is_code = (event, name) == (EventKind::Denied, FieldName::Reason);
    match FailureCode::from_slug(text).filter(|_| is_code) {
        Some(code) => failure_code(code),
        None => text,
    }
}

/// The code of a failure, as the reason of a denial has it.
fn failure_code(code: FailureCode) -> &'static str {
    match code {
        FailureCode::ModeNotAllowed => "behavior_not_allowed",
        other => other.slug(),
    }
}

/// The message for an action that no tool runs.
#[must_use]
pub fn not_found_message(action_type: &str) -> String {
    made_visible(problem_message(&CallProblem::UnknownTool, action_type))
}

/// The message for a call that was not resolved, which asked for a tool by this name.
#[must_use]
pub fn problem_message(problem: &CallProblem, name: &str) -> String {
    match problem {
        CallProblem::UnknownTool => format!("No tool registered for action type: {name}"),
        other => other.message(name),
    }
}

/// The message for an action that could not be undone.
#[must_use]
pub fn undo_message(tool: &str, action_id: &str, reason: &str) -> String {
    made_visible(format!("Failed to undo action '{action_id}' for tool '{tool}': {reason}"))
}

/// Writes texts as Python shows a tuple of them.
fn tuple(texts: &[String]) -> String {
    let mut out = String::from("(");
    for (place, text) in texts.iter().enumerate() {
        if place > 0 {
            out.push_str(", ");
        }
        quote(text, &mut out);
    }
    out.push_str(if texts.len() == 1 { ",)" } else { ")" });
    out
}

/// Appends a text in quotes, with Python's choice of quotes and escapes.
fn quote(text: &str, out: &mut String) {
    let mark = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(mark);
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other if other == mark => out.extend(['\\', other]),
            other if is_printable(other) => out.push(other),
            other => {
                // Writing to a String cannot fail.
                let _ = match u32::from(other) {
                    code @ ..=0xff => write!(out, "\\x{code:02x}"),
                    code @ ..=0xffff => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push(mark);
}

/// Whether a character is shown as it is, by the standard library's own table.
///
/// The character stands after a letter, since the library escapes an accent that stands alone.
fn is_printable(character: char) -> bool {
    character.is_ascii_graphic()
        || character == ' '
        || !['a', character].iter().collect::<String>().escape_debug().any(|shown| shown == '\\')
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::registry::{CallFields, Resolution, resolve_call};

    #[test]
    fn a_denial_names_behaviour_and_list_as_python_does() {
        let denied = |behavior: Option<&str>, allowed: &[&str]| {
            let allowed = allowed.iter().map(|name| (*name).to_owned()).collect();
            let mode = behavior.map(str::to_owned);
            failure_message(&RunFailure::ModeNotAllowed { mode, allowed }, "edit")
        };
        let start = "Tool 'edit' denied: current behavior";
        assert_eq!(
            denied(Some("chat"), &["one"]),
            format!("{start} 'chat' not in allowed behaviors ('one',)")
        );
        assert_eq!(denied(None, &[]), format!("{start} 'None' not in allowed behaviors ()"));
        assert_eq!(
            denied(None, &["a", "it's"]),
            format!("{start} 'None' not in allowed behaviors ('a', \"it's\")")
        );
        assert_eq!(
            denied(None, &["e\u{301}\u{a0}\u{200b}\u{e0001}\u{7f}é"]),
            format!(
                "{start} 'None' not in allowed behaviors ('e\u{301}\\xa0\\u200b\\U000e0001\\x7fé',)"
            )
        );
    }

    #[test]
    fn events_have_names_and_codes_of_stageflow() {
        let own = FieldName::ALL.iter().filter(|name| field_name(**name) != name.slug());
        assert_eq!(own.count(), 5);
        let denied = |name, text| field_text(EventKind::Denied, name, text);
        assert_eq!(denied(FieldName::Reason, "mode_not_allowed"), "behavior_not_allowed");
        assert_eq!(denied(FieldName::Reason, "rate_limited"), "rate_limited");
        assert_eq!(denied(FieldName::Detail, "mode_not_allowed"), "mode_not_allowed");
    }

    #[test]
    fn messages_have_marks_for_characters_that_nobody_sees() {
        let name = "a\0\u{202e}";
        let raised = RunFailure::Raised { class: "E".into(), message: name.into() };
        for message in [
            failure_message(&raised, "t"),
            failure_message(&RunFailure::ToolNotFound, name),
            undo_message(name, "a", "b"),
        ] {
            assert!(message.contains("a⟨U+0000⟩⟨U+202E⟩"), "{message:?}");
        }
        let silent = RunFailure::Raised { class: "E".into(), message: String::new() };
        assert_eq!(failure_message(&silent, "t"), "Tool 't' execution failed");
    }

    #[test]
    fn a_constant_for_an_id_or_a_name_is_shown_as_python_does() {
        for (value, shown) in
            [(json!(null), "None"), (json!(true), "True"), (json!(false), "False")]
        {
            let call = json!({"id": value, "name": value});
            let fields = CallFields { constants: CONSTANTS, ..CallFields::default() };
            let look_up = |name: &str| (name == shown).then_some(());
            let found = resolve_call(&&call, &fields, look_up, |_| None::<Value>);
            let Ok(Resolution::Resolved { call_id, .. }) = found else { panic!("not {shown}") };
            assert_eq!(call_id.text(), shown);
        }
    }
}
