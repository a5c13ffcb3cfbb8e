//! Finds a handler's results by the rules of Data Machine's own class, so that it can be replaced.
//!
//! [`Rules::Live`] are those of its live `ToolResultFinder`, to the letter; [`Rules::Strict`] leave
//! out what that gets wrong. Both read fields in the order in which the class reads them, since a
//! host's object may answer with code of its own ([`Tree::runs_code`]).
//!
//! ```
//! use serde_json::json;
//! use toolwire::compat::data_machine::Rules;
//!
//! let packets = [
//!     json!({"type": "tool_result", "metadata": {"handler_tool": "x", "tool_result": {"success": true}}}),
//!     json!({"type": "tool_result", "metadata": {"handler_tool": "x", "tool_success": true}}),
//! ];
//! assert_eq!(Rules::Live.find(&packets, b"x")?, Some(&packets[1]));
//! assert_eq!(Rules::Strict.find(&packets, b"x")?, Some(&packets[0]));
//! # Ok::<(), std::convert::Infallible>(())
//! ```

mod handler;
mod live;
mod strict;

use crate::packet::{Projection, project_data, project_envelope, project_success};
use crate::tree::{Hints, Tree};

/// What counts as a handler's result, and as success.
///
/// | | live | strict |
/// |---|---|---|
/// | `ai_handler_complete` | is found | is found if the tool succeeded |
/// | `tool_result` | is found if `metadata.tool_success` is true | likewise |
/// | the empty handler | finds packets without one | finds none |
/// | an envelope that is empty | hides the next one | is passed over |
/// | an envelope with a true `error`, without `success` | says nothing | says that the tool failed |
/// | the text `false` as success | is true | is false |
/// | a handler that is named twice | has its packets twice | once |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// As the live class does it.
    #[default]
    Live,
    /// Without its slips.
    Strict,
}

impl Rules {
    /// The first packet of a handler that counts, in the order of the packets.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
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

    /// The packets of each handler in turn that count: all of the first one's, then all of the next
    /// one's.
    ///
    /// `packets` starts over at the first packet. Handlers may be of any type; `identical` tells
    /// whether two values are of one type and equal, as the host defines it.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolwire::compat::data_machine::Rules;
    ///
    /// let of = |handler| json!({"type": "ai_handler_complete", "metadata": {"handler_tool": handler}});
    /// let (packets, handlers) = ([of("a"), of("b"), of("a")], [json!("b"), json!("a"), json!("b")]);
    /// let found = |rules: Rules| rules.find_all(|| &packets, &handlers, |one, other| one == other);
    /// assert_eq!(found(Rules::Live)?, [&packets[1], &packets[0], &packets[2], &packets[1]]);
    /// assert_eq!(found(Rules::Strict)?, [&packets[1], &packets[0], &packets[2]]);
    /// # Ok::<(), std::convert::Infallible>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
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

    /// The envelope of a packet, as [`project_envelope`] but for the rules.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
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

    /// What a packet's tool gave, as [`project_data`] but for the rules.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    pub fn data<N: Tree>(self, packet: &N, hints: &mut Hints) -> Result<Projection<N>, N::Error> {
        match self {
            Self::Live => project_data(packet, hints),
            Self::Strict => strict::data(packet, hints),
        }
    }

    /// Whether a packet's tool succeeded, as [`project_success`] but for the rules.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    pub fn success<N: Tree>(self, packet: &N, hints: &mut Hints) -> Result<bool, N::Error> {
        match self {
            Self::Live => project_success(packet, hints),
            Self::Strict => strict::success(packet, hints),
        }
    }
}
