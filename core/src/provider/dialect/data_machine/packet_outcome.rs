//! The outcomes that data packets and their envelopes carry.

use serde_json::{Map, Value, json};

use crate::packet::{
    Projection, payload_entries, project_envelope, project_envelope_data, project_success,
};
use crate::provider::read::{at, shown};
use crate::result::ToolResult;
use crate::tree::{Hints, Name};

/// The keys of a Data Machine packet's metadata that carry a result.
pub const RESULT_KEYS: [&str; 3] = ["tool_result_envelope", "tool_result", "tool_result_data"];

/// The outcome that a packet's metadata carries, by Data Machine's own rules.
pub fn packet_outcome(packet: &Value, tool: &str) -> ToolResult<Value> {
    let mut hints = Hints::default();
    let Ok(success) = project_success(&packet, &mut hints);
    let Ok(envelope) = project_envelope(&packet, &mut hints);
    match envelope {
        Projection::Whole(envelope) => envelope_outcome(envelope, success, tool),
        Projection::Made { result, .. } if success => {
            ToolResult::success(tool, result.clone(), 0.0)
        }
        Projection::Made { result, .. } => ToolResult::failure(tool, result.clone(), ""),
        Projection::Payload(_) | Projection::Empty => {
            let bare = at_metadata(packet);
            if success {
                ToolResult::success(tool, bare, 0.0)
            } else {
                ToolResult::failure(tool, bare, "")
            }
        }
    }
}

/// The result in a packet that is not a container; Data Machine's own rules ignore it.
fn at_metadata(packet: &Value) -> Value {
    let found = packet.as_object().and_then(|packet| {
        RESULT_KEYS
            .iter()
            .find_map(|key| at(packet, &["metadata", key]).filter(|value| !value.is_null()))
    });
    found.cloned().unwrap_or_else(|| json!({}))
}

/// The outcome that an envelope describes.
pub fn envelope_outcome(envelope: &Value, success: bool, tool: &str) -> ToolResult<Value> {
    let Ok(projected) = project_envelope_data(&envelope, &mut Hints::default());
    let data = match projected {
        Projection::Whole(data) => data.clone(),
        Projection::Payload(payload) => payload_of(payload),
        Projection::Made { .. } | Projection::Empty => json!({}),
    };
    if success {
        return ToolResult::success(tool, data, 0.0);
    }
    let said =
        |key: &str| envelope.get(key).filter(|value| !value.is_null() && **value != json!(false));
    let message = said("error").or_else(|| said("message")).map(shown).unwrap_or_default();
    ToolResult::failure(tool, data, message)
}

/// The content of an envelope without its status keys; a lone `result` or `data` that is not a
/// container is the content itself.
fn payload_of(envelope: &Value) -> Value {
    let mut payload = Map::new();
    let _never = payload_entries(&envelope, |name, value| {
        if let Name::Text(name) = name {
            payload.insert(String::from_utf8_lossy(&name).into_owned(), value.clone());
        }
        Ok(())
    });
    if payload.len() == 1 {
        for key in ["result", "data"] {
            if let Some(data) = payload.shift_remove(key) {
                return data;
            }
        }
    }
    Value::Object(payload)
}
