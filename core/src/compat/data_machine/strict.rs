//! The rules of Data Machine's live class, with its errors corrected.

use std::collections::HashSet;

use super::handler::handler_in;
use crate::packet::{
    PacketKind, Projection, container, metadata, names_another, project_envelope_data,
};
use crate::tree::{Hints, Key, Tree};

/// The first packet of a handler in which the tool succeeded.
pub(super) fn find<N: Tree>(
    packets: impl IntoIterator<Item = N>,
    handler: &[u8],
) -> Result<Option<N>, N::Error> {
    let mut hints = Hints::default();
    if handler.is_empty() {
        return Ok(None);
    }
    for packet in packets {
        if is_result(&packet, handler, &mut hints)? {
            return Ok(Some(packet));
        }
    }
    Ok(None)
}

/// The packets of each handler in turn in which the tool succeeded; a repeated handler adds none.
pub(super) fn find_all<N: Tree, P: IntoIterator<Item = N>>(
    packets: impl Fn() -> P,
    handlers: impl IntoIterator<Item = N>,
) -> Result<Vec<N>, N::Error> {
    let (mut hints, mut found, mut done) = (Hints::default(), Vec::new(), HashSet::new());
    for handler in handlers {
        let Some(name) = handler.text().filter(|name| !name.is_empty()) else { continue };
        if !done.insert(name.to_vec()) {
            continue;
        }
        for packet in packets() {
            if is_result(&packet, &name, &mut hints)? {
                found.push(packet);
            }
        }
    }
    Ok(found)
}

/// Whether a packet carries a result of the handler and the tool succeeded.
fn is_result<N: Tree>(packet: &N, handler: &[u8], hints: &mut Hints) -> Result<bool, N::Error> {
    if names_another(packet, hints, |name| name == handler)?
        || PacketKind::of(packet, hints)?.is_none()
    {
        return Ok(false);
    }
    let metadata = hints.get(packet, Key::Metadata)?;
    let named = handler_in(metadata.as_ref(), hints)?;
    let matches = named.as_ref().and_then(Tree::text).is_some_and(|name| *name == *handler);
    Ok(matches && success(packet, hints)?)
}

/// The first envelope that is not empty, else an envelope made of bare data.
pub(super) fn envelope<N: Tree>(packet: &N, hints: &mut Hints) -> Result<Projection<N>, N::Error> {
    let Some(metadata) = metadata(packet, hints)? else { return Ok(Projection::Empty) };
    for key in [Key::ToolResultEnvelope, Key::ToolResult] {
        if let Some(envelope) = container(&metadata, key, hints)?
            && envelope.truthy()?
        {
            return Ok(Projection::Whole(envelope));
        }
    }
    let Some(result) = container(&metadata, Key::ToolResultData, hints)? else {
        return Ok(Projection::Empty);
    };
    let success =
        hints.get(&metadata, Key::ToolSuccess)?.map_or(Ok(false), |success| is_yes(&success))?;
    Ok(Projection::Made { success, result })
}

/// Bare data if they are not empty, else the data of the envelope.
pub(super) fn data<N: Tree>(packet: &N, hints: &mut Hints) -> Result<Projection<N>, N::Error> {
    let Some(metadata) = metadata(packet, hints)? else { return Ok(Projection::Empty) };
    if let Some(data) = container(&metadata, Key::ToolResultData, hints)?
        && data.truthy()?
    {
        return Ok(Projection::Whole(data));
    }
    match envelope(packet, hints)? {
        Projection::Whole(envelope) => project_envelope_data(&envelope, hints),
        Projection::Made { result, .. } => Ok(Projection::Whole(result)),
        projection => Ok(projection),
    }
}

/// The success in the envelope, else the success in the metadata, else whether the packet has the
/// older form.
pub(super) fn success<N: Tree>(packet: &N, hints: &mut Hints) -> Result<bool, N::Error> {
    match envelope(packet, hints)? {
        Projection::Made { success, .. } => return Ok(success),
        Projection::Whole(envelope) => {
            if let Some(success) = hints.get(&envelope, Key::Success)? {
                return is_yes(&success);
            }
            if let Some(error) = hints.get(&envelope, Key::Error)?
                && error.truthy()?
            {
                return Ok(false);
            }
        }
        Projection::Payload(_) | Projection::Empty => {}
    }
    if let Some(metadata) = hints.get(packet, Key::Metadata)?
        && let Some(success) = hints.get(&metadata, Key::ToolSuccess)?
    {
        return is_yes(&success);
    }
    Ok(PacketKind::of(packet, hints)? == Some(PacketKind::AiHandlerComplete))
}

/// Whether a value means yes: it is true, and is not a text that means no.
fn is_yes<N: Tree>(value: &N) -> Result<bool, N::Error> {
    let no = value.text().is_some_and(|text| text.eq_ignore_ascii_case(b"false"));
    Ok(!no && value.truthy()?)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn packet(kind: &str, metadata: &Value) -> Value {
        let mut packet = json!({"type": kind, "metadata": {"handler_tool": "a"}});
        for (key, value) in metadata.as_object().unwrap() {
            packet["metadata"][key] = value.clone();
        }
        packet
    }

    fn counts(kind: &str, metadata: &Value) -> bool {
        let packet = packet(kind, metadata);
        find([&packet], b"a").unwrap().is_some()
    }

    #[test]
    fn a_packet_counts_if_its_tool_succeeded() {
        for (kind, metadata, expected) in [
            ("ai_handler_complete", json!({}), true),
            ("ai_handler_complete", json!({"tool_success": false}), false),
            ("ai_handler_complete", json!({"tool_result": {"error": "x"}}), false),
            ("ai_handler_complete", json!({"tool_result": {"error": ""}}), true),
            ("tool_result", json!({}), false),
            ("tool_result", json!({"tool_success": true}), true),
            ("tool_result", json!({"tool_success": "False"}), false),
            ("tool_result", json!({"tool_result": {"success": true}}), true),
            (
                "tool_result",
                json!({"tool_result": {"success": "false"}, "tool_success": true}),
                false,
            ),
            (
                "tool_result",
                json!({"tool_result_envelope": [], "tool_result": {"success": 1}}),
                true,
            ),
            ("tool_result", json!({"tool_result_data": {"a": 1}, "tool_success": "false"}), false),
            ("fetch", json!({"tool_success": true}), false),
        ] {
            assert_eq!(counts(kind, &metadata), expected, "{kind} {metadata}");
        }
    }

    #[test]
    fn no_packet_is_of_the_empty_handler() {
        let packets =
            [json!({"type": "ai_handler_complete"}), packet("ai_handler_complete", &json!({}))];
        assert_eq!(find(&packets, b""), Ok(None));
        let handlers = [json!(""), json!(null), json!("a"), json!("a")];
        assert_eq!(find_all(|| &packets, &handlers), Ok(vec![&packets[1]]));
    }

    #[test]
    fn data_are_those_of_the_first_envelope_that_holds_any() {
        let of = |metadata: &Value| match data(&&packet("x", metadata), &mut Hints::default())
            .unwrap()
        {
            Projection::Whole(data) => data.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            of(&json!({"tool_result_envelope": {}, "tool_result": {"data": [1]}})),
            json!([1])
        );
        assert_eq!(of(&json!({"tool_result": {}, "tool_result_data": {"b": 2}})), json!({"b": 2}));
    }
}
