//! Data Machine's packets and envelopes.

mod packet_outcome;

use serde_json::{Value, json};

use self::packet_outcome::{RESULT_KEYS, envelope_outcome, packet_outcome};
use crate::provider::dialect::form::ProviderDialect;
use crate::provider::kind::Provider;
use crate::provider::read::{
    FoundResult, JsonObject, ProviderResult, SeenObject, Shape, id_of, text,
};
use crate::provider::write::{PlainCall, insert, insert_some, object_of, typed};
use crate::result::ToolResult;

const PROVIDER: Provider = Provider::DataMachine;

/// The call that a packet's metadata holds.
pub const METADATA: Shape =
    Shape::new(PROVIDER, &["tool_call_id"], &["tool_name"], &["tool_parameters"]);

/// The keys that its envelopes have and stageflow's outputs do not.
const ENVELOPE_KEYS: [&str; 8] = [
    "result",
    "tool_name",
    "message",
    "code",
    "ability",
    "executor",
    "wp_error_code",
    "wp_error_data",
];

/// An envelope alone.
pub fn result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    let success = seen.get("success")?.as_bool()?;
    let is_own = || {
        let is_other = seen.near == Some(Provider::Stageflow);
        !is_other && ENVELOPE_KEYS.iter().any(|key| seen.has(key))
    };
    if seen.near != Some(PROVIDER) && !is_own() {
        return None;
    }
    let tool = seen.text("tool_name").unwrap_or_default();
    let envelope = Value::Object(seen.object.clone());
    Some(FoundResult::of(PROVIDER, None, envelope_outcome(&envelope, success, tool)))
}

/// A packet, which may carry a call and its result.
pub struct Packet<'v> {
    pub metadata: &'v JsonObject,
    packet: &'v Value,
}

impl<'v> Packet<'v> {
    /// The packet; none for any other value.
    pub fn of(packet: &'v Value) -> Option<Self> {
        let metadata = packet.get("metadata")?.as_object()?;
        let found = Self { metadata, packet };
        let is_packet =
            found.has_result() || found.has_call() || metadata.contains_key("handler_tool");
        is_packet.then_some(found)
    }

    pub fn has_call(&self) -> bool {
        self.metadata.contains_key("tool_parameters")
    }

    pub fn call_id(&self) -> Option<String> {
        self.metadata.get("tool_call_id").and_then(id_of)
    }

    /// The outcome of the call; none if the packet carries no result.
    pub fn outcome(&self) -> Option<ToolResult<Value>> {
        let tool = ["tool_name", "handler_tool"].iter().find_map(|key| text(self.metadata, key));
        self.has_result().then(|| packet_outcome(self.packet, tool.unwrap_or_default()))
    }

    fn has_result(&self) -> bool {
        let has = |key: &str| self.metadata.contains_key(key);
        RESULT_KEYS.iter().any(|key| has(key)) || has("tool_success")
    }
}

pub const DIALECT: ProviderDialect = ProviderDialect::new(dump_call, dump_result);

fn dump_call(call: &PlainCall<'_>) -> Value {
    let mut metadata =
        object_of([("tool_name", call.name.into()), ("tool_parameters", call.value())]);
    insert_some(&mut metadata, "tool_call_id", call.id);
    typed("tool_call", "metadata", metadata)
}

/// An envelope names no call.
fn dump_result(result: &ProviderResult) -> Value {
    let ProviderResult { outcome, .. } = result;
    let mut envelope = json!({"success": outcome.success, "tool_name": outcome.tool});
    if outcome.success {
        insert(&mut envelope, "result", outcome.data.clone());
        return envelope;
    }
    insert(&mut envelope, "error", outcome.error_message.as_deref().unwrap_or_default());
    if outcome.data.as_object().is_none_or(|data| !data.is_empty()) {
        insert(&mut envelope, "data", outcome.data.clone());
    }
    envelope
}
