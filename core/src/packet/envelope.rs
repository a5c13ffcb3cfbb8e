//! Reads what a tool gave from a data packet.
//!
//! A packet's metadata carries a tool's outcome in one of several shapes: an envelope `{success,
//! result | data, error, …}` under `tool_result_envelope` or `tool_result`, or bare data under
//! `tool_result_data` beside `tool_success`.
//!
//! Nothing is built here. A [`Projection`] says which of the host's nodes to hand out. If the
//! outcome is a new map, it says what goes into that map.
//!
//! ```
//! use serde_json::json;
//! use toolwire::packet::{Projection, project_data, project_success};
//! use toolwire::tree::Hints;
//!
//! let packet = json!({"metadata": {"tool_result": {"success": true, "data": {"post_id": 7}}}});
//! let mut hints = Hints::default();
//! assert_eq!(project_success(&&packet, &mut hints)?, true);
//! assert_eq!(project_data(&&packet, &mut hints)?, Projection::Whole(&json!({"post_id": 7})));
//! # Ok::<(), std::convert::Infallible>(())
//! ```

use super::kind::PacketKind;
use crate::tree::{Failure, Hints, Key, Name, Tree, View};

/// The keys of an envelope that describe the run, not its outcome.
pub const STATUS_KEYS: [Key; 9] = [
    Key::Success,
    Key::Error,
    Key::Message,
    Key::Code,
    Key::ToolName,
    Key::Ability,
    Key::Executor,
    Key::WpErrorCode,
    Key::WpErrorData,
];

/// What to hand out, in terms of the host's own nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projection<N> {
    /// The node as it is.
    Whole(N),
    /// A copy of the map without its [`STATUS_KEYS`]; [`payload_entries`] visits what stays.
    Payload(N),
    /// A new map `{"success": …, "result": …}`, in this order; see [`made_entries`].
    Made {
        /// Whether the tool succeeded.
        success: bool,
        /// What the tool gave.
        result: N,
    },
    /// The empty map.
    Empty,
}

/// The entries of the map that [`Projection::Made`] stands for, in order.
///
/// ```
/// use toolwire::packet::made_entries;
///
/// assert_eq!(made_entries("true", "[7]"), [("success", "true"), ("result", "[7]")]);
/// ```
#[must_use]
pub fn made_entries<V>(success: V, result: V) -> [(&'static str, V); 2] {
    [(Key::Success.slug(), success), (Key::Result.slug(), result)]
}

/// The envelope of a packet.
///
/// This is the first of `metadata.tool_result_envelope` and `metadata.tool_result` that is a
/// container, even an empty one. Otherwise it is made from `tool_success` and a container
/// `tool_result_data`. Otherwise it is empty.
///
/// # Errors
///
/// Whatever the host raised.
pub fn project_envelope<N: Tree>(packet: &N, hints: &mut Hints) -> Result<Projection<N>, N::Error> {
    match metadata(packet, hints)? {
        Some(metadata) => envelope_in(&metadata, hints),
        None => Ok(Projection::Empty),
    }
}

/// What an envelope carries.
///
/// This is a container `result`, even an empty one. Otherwise it is a container `data`. Otherwise
/// it is the envelope without its [`STATUS_KEYS`], with the others in the same order.
///
/// # Errors
///
/// Whatever the host raised.
pub fn project_envelope_data<N: Tree>(
    envelope: &N,
    hints: &mut Hints,
) -> Result<Projection<N>, N::Error> {
    if !envelope.is_container() {
        return Ok(Projection::Empty);
    }
    for key in [Key::Result, Key::Data] {
        if let Some(carried) = container(envelope, key, hints)? {
            return Ok(Projection::Whole(carried));
        }
    }
    Ok(match envelope.view() {
        View::List(_) => Projection::Whole(envelope.clone()),
        _ => Projection::Payload(envelope.clone()),
    })
}

/// What a packet's tool gave.
///
/// This is `metadata.tool_result_data` if it is a container that is not empty. Otherwise it is what
/// the envelope carries, if that is not empty. Otherwise it is empty.
///
/// # Errors
///
/// Whatever the host raised.
pub fn project_data<N: Tree>(packet: &N, hints: &mut Hints) -> Result<Projection<N>, N::Error> {
    let Some(metadata) = metadata(packet, hints)? else { return Ok(Projection::Empty) };
    if let Some(data) = container(&metadata, Key::ToolResultData, hints)?
        && data.truthy()?
    {
        return Ok(Projection::Whole(data));
    }
    match envelope_in(&metadata, hints)? {
        Projection::Whole(envelope) if envelope.truthy()? => {
            project_envelope_data(&envelope, hints)
        }
        Projection::Made { result, .. } => Ok(Projection::Whole(result)),
        _ => Ok(Projection::Empty),
    }
}

/// Whether a packet's tool succeeded.
///
/// If the envelope has the key `success`, its truth value decides. Otherwise the truth value of
/// `metadata.tool_success` decides, if that key is there. Otherwise the tool succeeded if the
/// packet's type is `ai_handler_complete`. A null under either key is there, and false.
///
/// # Errors
///
/// Whatever the host raised.
pub fn project_success<N: Tree>(packet: &N, hints: &mut Hints) -> Result<bool, N::Error> {
    if let Some(metadata) = metadata(packet, hints)? {
        match envelope_in(&metadata, hints)? {
            Projection::Made { success, .. } => return Ok(success),
            Projection::Whole(envelope) => {
                if let Some(success) = hints.get(&envelope, Key::Success)? {
                    return success.truthy();
                }
            }
            Projection::Payload(_) | Projection::Empty => {}
        }
        if let Some(success) = hints.get(&metadata, Key::ToolSuccess)? {
            return success.truthy();
        }
    }
    Ok(PacketKind::of(packet, hints)? == Some(PacketKind::AiHandlerComplete))
}

/// What a tool's return value says about its failure; none if it does not say that the tool failed.
///
/// A value says so if its `success` is false, or if it has no `success` and its `error` is true.
/// The result is the text that says why: `error`, the `message` in it, or `message`. If the value
/// has none of these, the result is the value itself.
///
/// ```
/// use serde_json::json;
/// use toolwire::packet::failure_in;
///
/// let denied = json!({"success": false, "message": "You may not do that."});
/// assert_eq!(failure_in(&&denied)?, Some(&denied["message"]));
/// assert_eq!(failure_in(&&json!({"success": true, "error": "x"}))?, None);
/// # Ok::<(), std::convert::Infallible>(())
/// ```
///
/// # Errors
///
/// Whatever the host raised.
pub fn failure_in<N: Tree>(returned: &N) -> Result<Option<N>, N::Error> {
    let error = returned.member("error")?;
    let failed = match (returned.member("success")?, &error) {
        (Some(success), _) => !success.truthy()?,
        (None, Some(error)) => error.truthy()?,
        (None, None) => false,
    };
    if !failed {
        return Ok(None);
    }
    let inner = match &error {
        Some(error) => error.member("message")?,
        None => None,
    };
    for reason in [error, inner, returned.member("message")?].into_iter().flatten() {
        if reason.text().is_some_and(|text| !text.is_empty()) {
            return Ok(Some(reason));
        }
    }
    Ok(Some(returned.clone()))
}

/// Visits the entries of an envelope that [`Projection::Payload`] keeps, in order.
///
/// # Errors
///
/// What the visitor returned, which ends the visit, or what the host raised.
pub fn payload_entries<N, F>(envelope: &N, mut visit: F) -> Result<(), Failure<N::Error>>
where
    N: Tree,
    F: FnMut(Name<'_, N>, N) -> Result<(), Failure<N::Error>>,
{
    envelope.entries(|name, value| {
        let status = match &name {
            Name::Text(text) => STATUS_KEYS.iter().any(|key| key.slug().as_bytes() == &**text),
            Name::Number(_) | Name::Node(_) => false,
        };
        if status { Ok(()) } else { visit(name, value) }
    })
}

/// A packet's metadata, if it is a container.
#[inline]
pub(crate) fn metadata<N: Tree>(packet: &N, hints: &mut Hints) -> Result<Option<N>, N::Error> {
    container(packet, Key::Metadata, hints)
}

/// The envelope that metadata carries, whole or made.
fn envelope_in<N: Tree>(metadata: &N, hints: &mut Hints) -> Result<Projection<N>, N::Error> {
    for key in [Key::ToolResultEnvelope, Key::ToolResult] {
        if let Some(envelope) = container(metadata, key, hints)? {
            return Ok(Projection::Whole(envelope));
        }
    }
    let Some(result) = container(metadata, Key::ToolResultData, hints)? else {
        return Ok(Projection::Empty);
    };
    let success = match hints.get(metadata, Key::ToolSuccess)? {
        Some(success) => success.truthy()?,
        None => false,
    };
    Ok(Projection::Made { success, result })
}

/// The value under a key, if it is a container.
#[inline]
pub(crate) fn container<N: Tree>(
    node: &N,
    key: Key,
    hints: &mut Hints,
) -> Result<Option<N>, N::Error> {
    Ok(hints.get(node, key)?.filter(N::is_container))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn data(metadata: &Value) -> Projection<Value> {
        let packet = json!({ "metadata": metadata });
        match project_data(&&packet, &mut Hints::default()).unwrap() {
            Projection::Whole(node) => Projection::Whole(node.clone()),
            Projection::Payload(node) => Projection::Payload(node.clone()),
            Projection::Made { success, result } => {
                Projection::Made { success, result: result.clone() }
            }
            Projection::Empty => Projection::Empty,
        }
    }

    #[test]
    fn an_empty_map_and_an_empty_list_are_both_empty_containers() {
        for empty in [json!({}), json!([])] {
            assert_eq!(data(&json!({"tool_result_data": empty})), Projection::Whole(empty.clone()));
            assert_eq!(data(&json!({"tool_result": empty})), Projection::Empty);
            assert_eq!(data(&json!({"tool_result": {"result": empty}})), Projection::Whole(empty));
        }
    }

    #[test]
    fn a_failure_says_why_as_well_as_it_can() {
        let said = |returned: &Value| failure_in(&returned).unwrap().cloned();
        for fine in
            [json!(null), json!("error"), json!([1]), json!({"error": ""}), json!({"success": 1})]
        {
            assert_eq!(said(&fine), None, "{fine}");
        }
        for (returned, reason) in [
            (json!({"success": false, "error": "e", "message": "m"}), json!("e")),
            (json!({"success": 0, "error": {"message": "inner"}, "message": "m"}), json!("inner")),
            (json!({"error": ["x"], "message": "m"}), json!("m")),
            (json!({"error": true}), json!({"error": true})),
            (json!({"success": null}), json!({"success": null})),
        ] {
            assert_eq!(said(&returned), Some(reason), "{returned}");
        }
    }

    #[test]
    fn a_made_envelope_has_its_success_first() {
        assert_eq!(made_entries(1, 2), [("success", 1), ("result", 2)]);
    }

    #[test]
    fn a_list_as_envelope_is_handed_out_as_it_is() {
        assert_eq!(data(&json!({"tool_result": [0]})), Projection::Whole(json!([0])));
    }

    #[test]
    fn the_payload_leaves_out_every_status_key_and_keeps_the_order() {
        let mut envelope = serde_json::Map::new();
        envelope.insert("z".into(), json!(1));
        for key in STATUS_KEYS {
            envelope.insert(key.slug().into(), json!("x"));
        }
        envelope.insert("Success".into(), json!(2));
        envelope.insert("a".into(), json!(3));
        let envelope = Value::Object(envelope);
        let mut kept = Vec::new();
        payload_entries(&&envelope, |name, value| {
            let Name::Text(name) = name else { unreachable!("JSON keys are texts") };
            kept.push((String::from_utf8(name.into_owned()).unwrap(), value.clone()));
            Ok(())
        })
        .unwrap();
        assert_eq!(
            kept,
            [("z".into(), json!(1)), ("Success".into(), json!(2)), ("a".into(), json!(3))]
        );
    }
}
