//! Finds a handler's tool results among a pipeline's data packets.
//!
//! A packet counts when its `type` is one of [`PacketKind`] and its `metadata.handler_tool` is the
//! handler.
//! An entry is skipped if it is not a map, lacks a field or has a field of another type.
//! The result is the host's own packet; [`find`] allocates nothing.
//!
//! ```
//! use serde_json::json;
//! use toolwire::packet::{FindOptions, find};
//!
//! let packets = [
//!     json!({"type": "fetch", "metadata": {"handler_tool": "twitter"}}),
//!     json!({"type": "tool_result", "metadata": {"handler_tool": "twitter"}}),
//! ];
//! let found = find(&packets, b"twitter", FindOptions::default())?;
//! assert_eq!(found, Some(&packets[1]));
//! # Ok::<(), std::convert::Infallible>(())
//! ```

use std::collections::HashSet;

use memchr::memmem::Finder;

use super::envelope::{metadata, project_success};
use super::kind::PacketKind;
use crate::tree::{Hints, Key, Tree};

/// What counts as found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FindOptions {
    /// Whether a packet's handler only needs to contain the one asked for. An empty text then
    /// matches nothing, so that a handler left blank does not find the first packet.
    pub partial: bool,
    /// The only type of packets that counts; if none, both types count.
    pub kind: Option<PacketKind>,
    /// Whether only packets whose tool succeeded count, as [`project_success`] tells.
    pub success_only: bool,
}

/// A packet that carries a tool's result, with what a finder compares.
#[derive(Clone, Copy, Debug)]
pub struct ResultPacket<N> {
    /// The packet's type.
    pub kind: PacketKind,
    /// The packet's metadata, if it is a container.
    pub metadata: Option<N>,
    /// The value under `metadata.handler_tool`, of any type.
    pub handler: Option<N>,
}

impl<N: Tree> ResultPacket<N> {
    /// Reads a packet; none if it is not of a type that carries a tool's result.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    #[allow(
        clippy::inline_always,
        reason = "a packet is some 40 instructions; a call would double it"
    )]
    #[inline(always)]
    pub fn of(packet: &N, hints: &mut Hints) -> Result<Option<Self>, N::Error> {
        let Some(kind) = PacketKind::of(packet, hints)? else { return Ok(None) };
        let metadata = metadata(packet, hints)?;
        let handler = match &metadata {
            Some(metadata) => hints.get(metadata, Key::HandlerTool)?,
            None => None,
        };
        Ok(Some(Self { kind, metadata, handler }))
    }
}

/// Whether a packet's handler alone says that the packet is none of a sought handler, whatever the
/// type of the packet is; `sought` tells whether a name is sought.
///
/// Most packets belong to other handlers, and to read their types as well would cost half as much
/// again. A packet without a handler counts as one with an empty name. No code of the host runs
/// ([`Tree::runs_code`]): where reading runs code, the answer is `false`, and the fields must be
/// read in their usual order.
///
/// ```
/// use serde_json::json;
/// use toolwire::packet::names_another;
/// use toolwire::tree::Hints;
///
/// let packet = json!({"type": "fetch", "metadata": {"handler_tool": "rss"}});
/// let names_other_than =
///     |handler: &[u8]| names_another(&&packet, &mut Hints::default(), |name| name == handler);
/// assert_eq!(names_other_than(b"twitter"), Ok(true));
/// assert_eq!(names_other_than(b"rss"), Ok(false));
/// ```
///
/// # Errors
///
/// Whatever the host raised.
#[allow(clippy::inline_always, reason = "a packet is some 40 instructions; a call would double it")]
#[inline(always)]
pub fn names_another<N: Tree>(
    packet: &N,
    hints: &mut Hints,
    sought: impl Fn(&[u8]) -> bool,
) -> Result<bool, N::Error> {
    if packet.runs_code() {
        return Ok(false);
    }
    let Some(metadata) = hints.get(packet, Key::Metadata)? else { return Ok(!sought(b"")) };
    if metadata.runs_code() {
        return Ok(false);
    }
    let handler = hints.get(&metadata, Key::HandlerTool)?;
    Ok(match handler.as_ref().and_then(Tree::text) {
        Some(name) => !sought(&name),
        None => !sought(b""),
    })
}

/// The first packet of a handler, in the order of the packets.
///
/// # Errors
///
/// Whatever the host raised.
pub fn find<N: Tree>(
    packets: impl IntoIterator<Item = N>,
    handler: &[u8],
    options: FindOptions,
) -> Result<Option<N>, N::Error> {
    let mut hints = Hints::default();
    if !options.partial {
        return first_match(packets, options, &mut hints, |name| name == handler);
    }
    if handler.is_empty() {
        return Ok(None);
    }
    let needle = Finder::new(handler);
    first_match(packets, options, &mut hints, |name| needle.find(name).is_some())
}

/// Every packet of any of the handlers, in the order of the packets, each once.
///
/// # Errors
///
/// Whatever the host raised.
pub fn find_all<N: Tree, H: AsRef<[u8]>>(
    packets: impl IntoIterator<Item = N>,
    handlers: &[H],
    options: FindOptions,
) -> Result<Vec<N>, N::Error> {
    let names = || handlers.iter().map(AsRef::as_ref);
    if options.partial {
        let needles: Vec<_> = names().filter(|name| !name.is_empty()).map(Finder::new).collect();
        let contained = |name: &[u8]| needles.iter().any(|needle| needle.find(name).is_some());
        return all_matches(packets, options, contained);
    }
    if handlers.len() <= FEW {
        return all_matches(packets, options, |name| names().any(|handler| handler == name));
    }
    let set: HashSet<&[u8]> = names().collect();
    all_matches(packets, options, |name| set.contains(name))
}

/// How many handlers are compared one by one at most; more are looked up in a hash table.
const FEW: usize = 16;

/// The first packet whose handler `matches`.
#[inline]
fn first_match<N: Tree>(
    packets: impl IntoIterator<Item = N>,
    options: FindOptions,
    hints: &mut Hints,
    matches: impl Fn(&[u8]) -> bool,
) -> Result<Option<N>, N::Error> {
    for packet in packets {
        if counts(&packet, options, hints, &matches)? {
            return Ok(Some(packet));
        }
    }
    Ok(None)
}

/// Every packet whose handler `matches`.
#[inline]
fn all_matches<N: Tree>(
    packets: impl IntoIterator<Item = N>,
    options: FindOptions,
    matches: impl Fn(&[u8]) -> bool,
) -> Result<Vec<N>, N::Error> {
    let (mut hints, mut found) = (Hints::default(), Vec::new());
    for packet in packets {
        if counts(&packet, options, &mut hints, &matches)? {
            found.push(packet);
        }
    }
    Ok(found)
}

/// Whether a packet is one that was asked for.
#[allow(clippy::inline_always, reason = "a packet is some 40 instructions; a call would double it")]
#[inline(always)]
fn counts<N: Tree>(
    packet: &N,
    options: FindOptions,
    hints: &mut Hints,
    matches: impl Fn(&[u8]) -> bool,
) -> Result<bool, N::Error> {
    if names_another(packet, hints, &matches)? {
        return Ok(false);
    }
    let Some(result) = ResultPacket::of(packet, hints)? else { return Ok(false) };
    let named = result.handler.as_ref().and_then(Tree::text).is_some_and(|name| matches(&name));
    if !named || options.kind.is_some_and(|kind| kind != result.kind) {
        return Ok(false);
    }
    Ok(!options.success_only || project_success(packet, hints)?)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::error::ErrorKind;

    fn packets(handlers: &[&str]) -> Vec<Value> {
        let packet =
            |handler| json!({"type": "tool_result", "metadata": {"handler_tool": handler}});
        handlers.iter().map(packet).collect()
    }

    #[test]
    fn the_packet_itself_is_handed_out() {
        let packets = packets(&["a", "b", "b"]);
        let found = find(&packets, b"b", FindOptions::default()).unwrap().unwrap();
        assert!(std::ptr::eq(found, &raw const packets[1]));
    }

    #[test]
    fn many_handlers_find_what_few_find() {
        let names: Vec<String> = (0..50).map(|number| format!("h{number}")).collect();
        let packets = packets(&["h3", "x", "h49", "h3", "", "h"]);
        let options = FindOptions::default();
        let hashed = find_all(&packets, &names, options).unwrap();
        assert_eq!(hashed, find_all(&packets, &["h3", "h49"], options).unwrap());
        assert_eq!(hashed.len(), 3);
    }

    #[test]
    fn an_empty_handler_is_equal_to_the_empty_text_and_contained_in_none() {
        let packets = packets(&["a", ""]);
        let exact = FindOptions::default();
        let partial = FindOptions { partial: true, ..exact };
        assert_eq!(find(&packets, b"", exact).unwrap(), Some(&packets[1]));
        assert_eq!(find(&packets, b"", partial).unwrap(), None);
        assert_eq!(find_all(&packets, &["", "a"], partial).unwrap(), [&packets[0]]);
        assert!(find_all(&packets, &[""; 20], partial).unwrap().is_empty());
    }

    #[test]
    fn an_unknown_type_is_an_error_that_lists_the_known_ones() {
        let error = PacketKind::named("fetch").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownPacketType);
        assert_eq!(
            error.to_string(),
            "unknown packet type \"fetch\"; known: tool_result, ai_handler_complete"
        );
    }
}
