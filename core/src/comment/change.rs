//! The changes that were made to a comment before it was posted, and the reasons.

use crate::slug::slugs;

slugs! {
    /// Why a comment was changed.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum ChangeCode {
        /// A secret was struck out.
        SecretRedacted => "secret_redacted",
        /// A character that is invisible, or that steers the display, was removed.
        ControlRemoved => "control_removed",
        /// A mention was changed so that it notifies nobody.
        MentionBroken => "mention_broken",
        /// A command for a program was changed into text.
        CommandBroken => "command_broken",
        /// The start of an HTML tag or comment, or an entity of an invisible character, was
        /// escaped.
        HtmlEscaped => "html_escaped",
        /// An image was changed into a link.
        ImageUnlinked => "image_unlinked",
        /// The end was cut off.
        Shortened => "shortened",
    }
}

/// The number of changes for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommentChange {
    /// The reason.
    pub code: ChangeCode,
    /// The number of changes.
    pub count: usize,
}
