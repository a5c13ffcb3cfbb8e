//! What was done to a comment before it was posted, and why.

/// Why a comment was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ChangeCode {
    /// A secret was struck out.
    SecretRedacted,
    /// A character that nobody sees, or that steers the display, was dropped.
    ControlRemoved,
    /// A mention was made one that pings nobody.
    MentionBroken,
    /// A command for a program was made a text.
    CommandBroken,
    /// What begins a tag or a comment of HTML was escaped, or an entity of a character that nobody
    /// sees.
    HtmlEscaped,
    /// An image was made a link.
    ImageUnlinked,
    /// The end was cut off.
    Shortened,
}

impl ChangeCode {
    /// The code as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SecretRedacted => "secret_redacted",
            Self::ControlRemoved => "control_removed",
            Self::MentionBroken => "mention_broken",
            Self::CommandBroken => "command_broken",
            Self::HtmlEscaped => "html_escaped",
            Self::ImageUnlinked => "image_unlinked",
            Self::Shortened => "shortened",
        }
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
