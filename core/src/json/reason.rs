//! The reason for a refusal in words, put together only when somebody reads it.
//!
//! A text may be refused many times more than the refusals that are kept, so a reason is cheap to
//! make.

use std::fmt;

/// Why something was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Words(&'static str),
    /// What failed, and how.
    Failed(&'static str, &'static str),
    /// Something named by the text, between words.
    Naming(&'static str, Box<str>, &'static str),
    /// A name, and the one that took its place.
    Retired(Box<str>, Box<str>),
    /// Words that another part of the program has made.
    Made(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => formatter.write_str(words),
            Self::Failed(what, how) => write!(formatter, "{what}: {how}"),
            Self::Naming(before, name, after) => write!(formatter, "{before}{name}{after}"),
            Self::Retired(name, successor) => {
                write!(formatter, "\"{name}\" was retired; use \"{successor}\"")
            }
            Self::Made(words) => formatter.write_str(words),
        }
    }
}

impl From<&'static str> for Reason {
    fn from(words: &'static str) -> Self {
        Self::Words(words)
    }
}

impl From<Reason> for String {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Made(words) => words,
            other => other.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_a_sentence() {
        assert_eq!(Reason::Failed("not JSON", "it ends").to_string(), "not JSON: it ends");
        assert_eq!(Reason::Naming("no \"", "f".into(), "\"").to_string(), "no \"f\"");
        assert_eq!(Reason::from("empty").to_string(), "empty");
    }
}
