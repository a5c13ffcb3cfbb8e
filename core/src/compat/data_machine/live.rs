//! The exact rules of Data Machine's live class.
//!
//! A packet of type `tool_result` counts only if its `metadata.tool_success` is true. A handler
//! that is missing or null counts as the empty text. The fields are read in the same order as the
//! class reads them.

use super::handler::handler_in;
use crate::packet::{PacketKind, names_another};
use crate::tree::{Hints, Key, Tree, View};

/// The first packet of a handler, in the order of the packets.
pub(super) fn find<N: Tree>(
    packets: impl IntoIterator<Item = N>,
    handler: &[u8],
) -> Result<Option<N>, N::Error> {
    let mut hints = Hints::default();
    for packet in packets {
        if names_another(&packet, &mut hints, |name| name == handler)? {
            continue;
        }
        let Some(kind) = PacketKind::of(&packet, &mut hints)? else { continue };
        let metadata = hints.get(&packet, Key::Metadata)?;
        let named = handler_in(metadata.as_ref(), &mut hints)?;
        let matches = match named.as_ref().and_then(Tree::text) {
            Some(name) => *name == *handler,
            None => handler.is_empty() && is_missing(named.as_ref()),
        };
        let counts = match kind {
            PacketKind::AiHandlerComplete => matches,
            // The class reads the success of every such packet; this is visible only where reading
            // runs code.
            PacketKind::ToolResult if matches || runs_code(&packet, metadata.as_ref()) => {
                succeeded(&packet, &mut hints)? && matches
            }
            PacketKind::ToolResult => false,
        };
        if counts {
            return Ok(Some(packet));
        }
    }
    Ok(None)
}

/// The packets of each handler in turn. A handler that is named twice has its packets twice.
pub(super) fn find_all<N: Tree, P: IntoIterator<Item = N>>(
    packets: impl Fn() -> P,
    handlers: impl IntoIterator<Item = N>,
    identical: impl Fn(&N, &N) -> bool,
) -> Result<Vec<N>, N::Error> {
    let (mut hints, mut found) = (Hints::default(), Vec::new());
    for handler in handlers {
        let slug = handler.text();
        let blank = slug.as_ref().is_some_and(|name| name.is_empty());
        for packet in packets() {
            if let Some(slug) = &slug
                && names_another(&packet, &mut hints, |name| *name == **slug)?
            {
                continue;
            }
            let kind = PacketKind::of(&packet, &mut hints)?;
            // The class reads the metadata of every packet type, and an object may refuse to be
            // read.
            let metadata = hints.get(&packet, Key::Metadata)?;
            let named = handler_in(metadata.as_ref(), &mut hints)?;
            let matches = match &named {
                Some(name) if !is_missing(named.as_ref()) => identical(name, &handler),
                _ => blank,
            };
            if !matches {
                continue;
            }
            if match kind {
                Some(PacketKind::AiHandlerComplete) => true,
                Some(PacketKind::ToolResult) => succeeded(&packet, &mut hints)?,
                None => false,
            } {
                found.push(packet);
            }
        }
    }
    Ok(found)
}

/// Whether a handler counts as the empty text: it is missing or null.
fn is_missing<N: Tree>(handler: Option<&N>) -> bool {
    handler.is_none_or(|handler| handler.view() == View::Null)
}

/// Whether reading a packet's metadata, or a field of them, runs the host's code.
#[inline]
fn runs_code<N: Tree>(packet: &N, metadata: Option<&N>) -> bool {
    packet.runs_code() || metadata.is_some_and(Tree::runs_code)
}

/// Whether a packet says that its tool succeeded. The metadata are read again, as the class does.
fn succeeded<N: Tree>(packet: &N, hints: &mut Hints) -> Result<bool, N::Error> {
    let Some(metadata) = hints.get(packet, Key::Metadata)? else { return Ok(false) };
    hints.get(&metadata, Key::ToolSuccess)?.map_or(Ok(false), |success| success.truthy())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn packet(kind: &str, metadata: &Value) -> Value {
        json!({"type": kind, "metadata": metadata})
    }

    #[test]
    fn a_tool_result_counts_when_its_tool_succeeded() {
        let packets = [
            packet("tool_result", &json!({"handler_tool": "a"})),
            packet("tool_result", &json!({"handler_tool": "a", "tool_success": 0})),
            packet("fetch", &json!({"handler_tool": "a", "tool_success": true})),
            packet("tool_result", &json!({"handler_tool": "a", "tool_success": 1})),
            packet("ai_handler_complete", &json!({"handler_tool": "b", "tool_success": false})),
        ];
        assert_eq!(find(&packets, b"a"), Ok(Some(&packets[3])));
        assert_eq!(find(&packets, b"b"), Ok(Some(&packets[4])));
        assert_eq!(find(&packets, b"c"), Ok(None));
    }

    #[test]
    fn a_handler_that_is_missing_or_null_is_the_empty_text() {
        for metadata in
            [json!({}), json!({"handler_tool": null}), json!({"handler_tool": ""}), json!(5)]
        {
            let packets = [packet("ai_handler_complete", &metadata)];
            assert_eq!(find(&packets, b""), Ok(Some(&packets[0])), "{metadata}");
            let same = |one: &&Value, other: &&Value| one == other;
            assert_eq!(find_all(|| &packets, &[json!("")], same).unwrap().len(), 1, "{metadata}");
            assert_eq!(
                find_all(|| &packets, &[json!(null), json!(0)], same),
                Ok(Vec::new()),
                "{metadata}"
            );
        }
        let packets = [packet("ai_handler_complete", &json!({"handler_tool": 0}))];
        assert_eq!(find(&packets, b""), Ok(None));
        assert_eq!(find(&packets, b"0"), Ok(None));
    }
}
