//! Formats: how a call is written in text, as data.
//!
//! A format is a slug and a [`Syntax`]; a few body scanners serve all formats of a syntax.
//!
//! ```
//! use toolwire::Format;
//!
//! let names: Vec<_> = Format::seeds().iter().map(Format::slug).collect();
//! assert_eq!(names, ["tag", "json", "html"]);
//! ```

use crate::error::{Error, ErrorKind};

/// How a call is written in text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    slug: &'static str,
    pub(crate) syntax: Syntax,
}

/// The ways of writing that the body scanners read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// A start marker, a name, and JSON arguments up to an end marker.
    Named(Named),
    /// A JSON object with the name and the arguments under known keys.
    Json(Keys),
    /// An HTML element with the name and the arguments in attributes.
    Element(Attributes),
}

/// The markers of a [`Syntax::Named`] format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) start: &'static str,
    pub(crate) name_end: u8,
    pub(crate) end: &'static str,
    /// What stands before and behind the name in the other allowed end marker.
    pub(crate) echo_end: (&'static str, &'static str),
}

/// The keys of a [`Syntax::Json`] format, the first that is there counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Keys {
    pub(crate) name: &'static [&'static str],
    pub(crate) arguments: &'static [&'static str],
    /// Those of `arguments` that mean arguments whatever their value; the others are common words,
    /// and an object in which one of them holds no arguments is prose.
    pub(crate) sure_arguments: &'static [&'static str],
    pub(crate) id: &'static [&'static str],
    /// The key of an object that holds name and arguments in the wrapped form.
    pub(crate) wrapper: &'static str,
}

/// The attributes of a [`Syntax::Element`] format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub(crate) name: &'static str,
    pub(crate) arguments: &'static str,
    pub(crate) id: &'static str,
}

const TAG: Format = Format {
    slug: "tag",
    syntax: Syntax::Named(Named {
        start: "<tool:",
        name_end: b'>',
        end: "</tool>",
        echo_end: ("</tool:", ">"),
    }),
};

const JSON: Format = Format {
    slug: "json",
    syntax: Syntax::Json(Keys {
        name: &["name", "tool", "function"],
        arguments: &["parameters", "arguments", "input", "args"],
        sure_arguments: &["parameters", "arguments"],
        id: &["id", "call_id", "tool_call_id"],
        wrapper: "function",
    }),
};

const HTML: Format = Format {
    slug: "html",
    syntax: Syntax::Element(Attributes {
        name: "data-tool-name",
        arguments: "data-tool-parameters",
        id: "id",
    }),
};

impl Format {
    /// The formats of the MemberPress AI Assistant: `tag`, `json`, `html`.
    #[must_use]
    pub fn seeds() -> Vec<Self> {
        vec![TAG, JSON, HTML]
    }

    /// The format with this slug.
    ///
    /// # Errors
    /// `unknown_format`; the message lists the known ones.
    pub fn named(slug: &str) -> Result<Self, Error> {
        let known = Self::seeds();
        known.iter().find(|format| format.slug == slug).cloned().ok_or_else(|| {
            let names: Vec<_> = known.iter().map(Self::slug).collect();
            let message = format!("unknown format \"{}\"; known: {}", slug.escape_debug(), names.join(", "));
            Error::new(ErrorKind::UnknownFormat, message)
        })
    }

    /// The name of the format, as calls carry it.
    #[must_use]
    pub fn slug(&self) -> &'static str {
        self.slug
    }
}
