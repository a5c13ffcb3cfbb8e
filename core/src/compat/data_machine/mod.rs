//! Finds a handler's results by the rules of Data Machine's own class, so that it can replace the
//! class.
//!
//! [`FinderRules::Live`] are the exact rules of its live `ToolResultFinder`.
//! [`FinderRules::Strict`] correct the errors of that class. Both read fields in the same order as
//! the class, since a host's object may run code of its own when it is read ([`Tree::runs_code`]).
//!
//! ```
//! use serde_json::json;
//! use toolwire::compat::data_machine::FinderRules;
//!
//! let packet = |metadata| json!({"type": "tool_result", "metadata": metadata});
//! let packets = [
//!     packet(json!({"handler_tool": "x", "tool_result": {"success": true}})),
//!     packet(json!({"handler_tool": "x", "tool_success": true})),
//! ];
//! assert_eq!(FinderRules::Live.find(&packets, b"x")?, Some(&packets[1]));
//! assert_eq!(FinderRules::Strict.find(&packets, b"x")?, Some(&packets[0]));
//! # Ok::<(), std::convert::Infallible>(())
//! ```

mod handler;
mod live;
mod strict;

use crate::packet::{Projection, project_data, project_envelope, project_success};
use crate::tree::{Hints, Tree};

/// The rules for a handler's result, and for success.
///
/// | | live | strict |
/// |---|---|---|
/// | `ai_handler_complete` | is found | is found if the tool succeeded |
/// | `tool_result` | is found if `metadata.tool_success` is true | the same |
/// | the empty handler | finds packets without a handler | finds none |
/// | an envelope that is empty | hides the next envelope | is skipped |
/// | an envelope with a true `error` and no `success` | says nothing | says that the tool failed |
/// | the text `false` as success | is true | is false |
/// | a handler that is named twice | gives its packets twice | gives its packets once |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FinderRules {
    /// The rules of the live class.
    #[default]
    Live,
    /// The rules without the errors of the live class.
    Strict,
}

impl FinderRules {
    /// The first packet that counts as the handler's result, in the order of the packets.
    ///
    /// # Errors
    ///
    /// Any error that the host raises.
    #[inline]
    pub fn find<N: Tree>(
        self,
        packets: impl IntoIterator<Item = N>,
        handler: &[u8],
    ) -> Result<Option<N>, N::Error> {
        match self {
            Self::Live => live::find(packets, handler),
            Self::Strict => strict::find(packets, handler),
        }
    }

    /// The packets that count as results: all packets of the first handler, then all of the next
    /// one.
    ///
    /// `packets` starts again at the first packet for each pass. Handlers may be of any type.
    /// `identical` tells whether two values are of one type and equal, as the host defines it.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolwire::compat::data_machine::FinderRules;
    ///
    /// let of = |handler| {
    ///     json!({"type": "ai_handler_complete", "metadata": {"handler_tool": handler}})
    /// };
    /// let packets = [of("a"), of("b"), of("a")];
    /// let handlers = [json!("b"), json!("a"), json!("b")];
    /// let found = |rules: FinderRules| {
    ///     rules.find_all(|| &packets, &handlers, |one, other| one == other)
    /// };
    /// assert_eq!(found(FinderRules::Live)?, [&packets[1], &packets[0], &packets[2], &packets[1]]);
    /// assert_eq!(found(FinderRules::Strict)?, [&packets[1], &packets[0], &packets[2]]);
    /// # Ok::<(), std::convert::Infallible>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Any error that the host raises.
    pub fn find_all<N: Tree, P: IntoIterator<Item = N>>(
        self,
        packets: impl Fn() -> P,
        handlers: impl IntoIterator<Item = N>,
        identical: impl Fn(&N, &N) -> bool,
    ) -> Result<Vec<N>, N::Error> {
        match self {
            Self::Live => live::find_all(packets, handlers, identical),
            Self::Strict => strict::find_all(packets, handlers),
        }
    }

    /// The envelope of a packet: [`project_envelope`] with these rules.
    ///
    /// # Errors
    ///
    /// Any error that the host raises.
    pub fn envelope<N: Tree>(
        self,
        packet: &N,
        hints: &mut Hints,
    ) -> Result<Projection<N>, N::Error> {
        match self {
            Self::Live => project_envelope(packet, hints),
            Self::Strict => strict::envelope(packet, hints),
        }
    }

    /// The data of a packet's tool: [`project_data`] with these rules.
    ///
    /// # Errors
    ///
    /// Any error that the host raises.
    pub fn data<N: Tree>(self, packet: &N, hints: &mut Hints) -> Result<Projection<N>, N::Error> {
        match self {
            Self::Live => project_data(packet, hints),
            Self::Strict => strict::data(packet, hints),
        }
    }

    /// Whether a packet's tool succeeded: [`project_success`] with these rules.
    ///
    /// # Errors
    ///
    /// Any error that the host raises.
    pub fn success<N: Tree>(self, packet: &N, hints: &mut Hints) -> Result<bool, N::Error> {
        match self {
            Self::Live => project_success(packet, hints),
            Self::Strict => strict::success(packet, hints),
        }
    }
}
