//! The texts of stageflow's errors and its notation of values, for code that reads these texts.
//!
//! Its messages show some values as Python does: a tuple of behaviors, `None` for no behavior. All
//! other messages are equal to [`RunFailure::message`].
//!
//! ```
//! use toolwire::compat::stageflow;
//! use toolwire::lifecycle::RunFailure;
//!
//! let denied = RunFailure::BehaviorNotAllowed { behavior: None, allowed: vec!["edit".into()] };
//! assert_eq!(
//!     stageflow::failure_message(&denied, "save"),
//!     "Tool 'save' denied: current behavior 'None' not in allowed behaviors ('edit',)"
//! );
//! ```

use std::fmt::Write as _;

use crate::lifecycle::RunFailure;
use crate::tree::Constants;
use crate::visible::made_visible;

/// The notation of a constant in a summary, or in place of a call's id or name.
pub const CONSTANTS: Constants<'static> = Constants { null: "None", yes: "True", no: "False" };

/// The message of a failure, for the tool with this name.
#[must_use]
pub fn failure_message(failure: &RunFailure, tool: &str) -> String {
    match failure {
        RunFailure::BehaviorNotAllowed { behavior, allowed } => {
            let behavior = behavior.as_deref().unwrap_or(CONSTANTS.null);
            let allowed = tuple(allowed);
            made_visible(format!(
                "Tool '{tool}' denied: current behavior '{behavior}' not in \
                 allowed behaviors {allowed}"
            ))
        }
        other => other.message(tool),
    }
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
            let behavior = behavior.map(str::to_owned);
            failure_message(&RunFailure::BehaviorNotAllowed { behavior, allowed }, "edit")
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
