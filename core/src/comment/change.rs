//! What was done to a comment before it was posted, and why.

use crate::slug::slugs;

slugs! {
    /// Why a comment was changed.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum ChangeCode {
        /// A secret was struck out.
        SecretRedacted => "secret_redacted",
        /// A character that nobody sees, or that steers the display, was dropped.
        ControlRemoved => "control_removed",
        /// A mention was made one that pings nobody.
        MentionBroken => "mention_broken",
        /// A command for a program was made a text.
        CommandBroken => "command_broken",
        /// What begins a tag or a comment of HTML was escaped, or an entity of a character that
        /// nobody sees.
        HtmlEscaped => "html_escaped",
        /// An image was made a link.
        ImageUnlinked => "image_unlinked",
        /// The end was cut off.
        Shortened => "shortened",
    }
}

/// How often a comment was changed for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Why.
    pub code: ChangeCode,
    /// How often.
    pub count: usize,
}
