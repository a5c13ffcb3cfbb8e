//! The topic `transcript`.

use serde::Deserialize;
use serde_json::{Value, json};
use toolwire::Error;
use toolwire::compat::vibe_kanban;
use toolwire::transcript::{
    About, CallStatus, DialectName, Entry, Form, ReaderOptions, ToolUse, Transcript,
};

use crate::case::{Case, Text, identical};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    log: Text,
    stderr: Option<String>,
    worktree: Option<String>,
    dialect: Option<String>,
    #[serde(default)]
    faithful: bool,
}

impl Input {
    fn read(&self) -> Result<Transcript, Error> {
        let dialect = DialectName::named(self.dialect.as_deref().unwrap_or("auto"))?;
        let form = if self.faithful { vibe_kanban::FORM } else { Form::default() };
        let options =
            ReaderOptions { worktree: self.worktree.as_ref().map(Into::into), dialect, form };
        Ok(Transcript::read(
            &self.log.0,
            self.stderr.as_deref().unwrap_or_default().as_bytes(),
            options,
        ))
    }
}

fn parsed(write: impl FnOnce(&mut Vec<u8>)) -> Value {
    let mut out = Vec::new();
    write(&mut out);
    serde_json::from_slice(&out).unwrap()
}

/// An entry in short: its type and content, and the tool and status of a call.
fn told(entry: &Entry) -> Value {
    match entry.tool_use() {
        None => json!([entry.entry_type(), entry.content()]),
        Some(call) => {
            json!([entry.entry_type(), entry.content(), call.tool_name(), call.status.slug()])
        }
    }
}

fn result(call: &ToolUse) -> Option<Value> {
    let data: Value = serde_json::from_str(&call.data()?).unwrap();
    let mut result = json!({"tool": call.call.name, "success": call.status == CallStatus::Success, "data": data});
    if let Some((_, message)) = call.error() {
        result["error_message"] = json!(message);
    }
    Some(result)
}

/// The value that a field of the output is compared with.
fn found(field: &str, transcript: &Transcript) -> Option<Value> {
    let of_calls =
        |each: &dyn Fn(&ToolUse) -> Value| transcript.calls().map(|(_, call)| each(call)).collect();
    Some(match field {
        "told" => transcript.entries.iter().map(told).collect(),
        "entries" => {
            transcript.entries.iter().map(|entry| parsed(|out| entry.write_json(out))).collect()
        }
        "patches" => {
            let word = |patch: &Value| {
                format!("{} {}", patch["op"].as_str().unwrap(), patch["path"].as_str().unwrap())
            };
            let written = transcript.patches().map(|patch| parsed(|out| patch.write_json(out)));
            written.map(|patch| Value::from(word(&patch))).collect()
        }
        "actions" => of_calls(&|call| parsed(|out| call.write_action(out))),
        "arguments_raw" => of_calls(&|call| json!(call.call.arguments)),
        "durations" => of_calls(&|call| json!(call.duration())),
        "results" => transcript.calls().filter_map(|(_, call)| result(call)).collect(),
        "pending" => transcript.pending().map(|(_, call)| json!(call.call.id)).collect(),
        "session_id" => json!(transcript.session_id),
        "dialect" => json!(transcript.dialect.map(DialectName::slug)),
        "account" => transcript.account.to_value(),
        "about" => transcript
            .entries
            .iter()
            .map(|entry| entry.about().map_or(Value::Null, About::to_value))
            .collect(),
        _ => return None,
    })
}

pub fn transcript(case: &Case) -> Result<(), String> {
    let input: Input = case.input()?;
    let Some((transcript, expected)) = case.outcome(input.read())? else { return Ok(()) };
    let expected = expected
        .as_object()
        .filter(|output| output.contains_key("told"))
        .ok_or("told is missing")?;
    for (field, expected) in expected {
        let mut found =
            found(field, &transcript).ok_or_else(|| format!("an unknown field {field}"))?;
        if let ("account", Some(all), Some(some)) =
            (&**field, found.as_object_mut(), expected.as_object())
        {
            all.retain(|name, _| some.contains_key(name));
        }
        if !identical(&found, expected) {
            return Err(format!("{field}: expected {expected}\n    but got {found}"));
        }
    }
    Ok(())
}
