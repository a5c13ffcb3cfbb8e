//! Adds the results that providers' objects carry.

use serde_json::Value;

use super::content;
use super::exchange::ProviderResult;
use super::found_result::FoundResult;
use super::place::ObjectPlace;
use super::shape::SeenObject;
use super::walk::ObjectWalk;
use crate::call::RejectionCode;
use crate::provider::dialect::data_machine::{METADATA, Packet};
use crate::provider::dialect::order;
use crate::provider::kind::Provider;
use crate::result::ToolResult;

impl ObjectWalk {
    /// Reads an object that is a result; false if it is not one.
    pub(in crate::provider) fn result(
        &mut self,
        seen: &SeenObject<'_>,
        place: &ObjectPlace<'_>,
    ) -> bool {
        let Some(found) = order::result(seen) else { return false };
        let FoundResult { provider, call_id, outcome, key } = found;
        let inner = key.map(|key| place.key(key));
        let place = inner.as_ref().unwrap_or(place);
        match outcome {
            Ok(outcome) => self.add(provider, call_id, outcome, place),
            Err(problem) => self.misshapen(place, problem, Some(provider)),
        }
        true
    }

    fn add(
        &mut self,
        provider: Provider,
        call_id: Option<String>,
        outcome: ToolResult<Value>,
        place: &ObjectPlace<'_>,
    ) {
        if content::is_too_deep(&outcome.data) {
            let message = "the result nests too deep";
            return self.reject(RejectionCode::TooDeep, message, place.pointer(), Some(provider));
        }
        let format = provider.slug();
        self.exchange.results.push(ProviderResult { call_id, format, outcome });
    }

    /// Reads a Data Machine packet, which may carry a call and its result; false if it is not one.
    pub(in crate::provider) fn packet(&mut self, value: &Value, place: &ObjectPlace<'_>) -> bool {
        let Some(packet) = Packet::of(value) else { return false };
        let mut id = packet.call_id();
        if packet.has_call() {
            let before = self.exchange.calls.len();
            self.call(packet.metadata, METADATA, &place.key("metadata"));
            if let Some(call) = self.exchange.calls.get(before) {
                id = Some(call.id.to_string());
            }
        }
        if let Some(outcome) = packet.outcome() {
            self.add(METADATA.provider, id, outcome, place);
        }
        true
    }
}
