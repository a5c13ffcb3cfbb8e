//! The parts of a format, checked and ready for the body scanners.

use std::borrow::Cow;
use std::sync::Arc;

use crate::detect::format::keys::Keys;
use crate::detect::format::marker::Marker;
use crate::detect::format::reference::decoded;

/// The kinds of syntax that the body scanners read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// A JSON object with the name and the arguments under known keys, anywhere in the text.
    Bare(Arc<Keys>),
    /// An HTML element with the name and the arguments in attributes.
    Element(Attributes),
    /// Calls between markers.
    Marked(Box<Marked>),
}

/// Calls between markers: alone, or several in a wrapper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Marked {
    pub(crate) wrapper: Option<Wrapper>,
    pub(crate) call: CallShape,
    /// Whether calls may also stand without their wrapper.
    pub(crate) bare: bool,
    /// Whether the format is so plain that a call of an unknown tool is prose.
    pub(crate) plain: bool,
    /// Whether it is what servers leave of another form, so that no template writes it.
    pub(crate) leak: bool,
    pub(crate) body: Body,
}

/// The markers around several calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrapper {
    pub(crate) open: Vec<Marker>,
    pub(crate) close: Vec<Marker>,
    pub(crate) end: EndRule,
    /// Whether models write a wrapper for each call. Several calls in one are read all the same.
    pub(crate) single: bool,
    /// What is written between two calls; `None` for what the example suggests.
    pub(crate) between: Option<Box<str>>,
}

/// What happens when the end marker of a complete call or wrapper is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndRule {
    /// The call is refused, unless the text ends there.
    Required,
    /// The call counts, with a diagnostic.
    Lenient,
    /// The call counts.
    Optional,
}

/// The markers and the name around the arguments of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallShape {
    pub(crate) open: Vec<Marker>,
    /// The markers that open a call only where the message begins.
    pub(super) open_first: Vec<Marker>,
    /// Whether `open` too counts only there, and right behind such a call.
    pub(crate) only_first: bool,
    pub(crate) name: NameShape,
    /// Where the tag of a call is the name of its tool: the names that open one, in order. Empty
    /// where the markers say that a name follows.
    pub(crate) names: Arc<[Box<str>]>,
    /// The markers between the name and the arguments; empty when there are none.
    pub(crate) name_end: Vec<Marker>,
    /// Whether the marker between the name and the arguments may be missing.
    pub(crate) name_end_optional: bool,
    pub(crate) close: Vec<Marker>,
    pub(crate) end: EndRule,
    /// What begins a result behind a call, which only the program may write.
    pub(crate) turns: Vec<Marker>,
}

/// Where the name of a call stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameShape {
    pub(crate) place: NamePlace,
    /// Text in front of the name that does not belong to the name.
    pub(crate) prefix: Box<str>,
    /// Whether `:` and a number may follow the name and make the whole the call's id.
    pub(crate) numbered: bool,
}

/// Where a name or a key stands in the opening of a call or parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NamePlace {
    /// Right after the opening marker.
    Inline,
    /// In this attribute.
    Attribute(Box<str>),
    /// After this text, somewhere before the end of the opening.
    After(Box<str>),
    /// In the opening marker, which is a tag of nothing but this name.
    Tag,
}

impl NamePlace {
    /// The name or key that is written there.
    pub(crate) fn read<'t>(&self, written: &'t [u8]) -> Cow<'t, [u8]> {
        match self {
            Self::Attribute(_) => decoded(written),
            Self::Inline | Self::After(_) | Self::Tag => Cow::Borrowed(written),
        }
    }
}

/// How the arguments are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// A JSON object or array with the names in it.
    Json(Arc<Keys>),
    /// A JSON object after the name.
    Named,
    /// A marker and a value for each parameter.
    Tagged(Parameter),
    /// A literal such as `f(a=1)`.
    Literal(LiteralDialect),
}

/// The attributes of an element that is a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub(crate) name: Box<str>,
    pub(crate) arguments: Box<str>,
    pub(crate) id: Box<str>,
    /// The class that marks the element as a call.
    pub(crate) class: Option<Box<str>>,
}

/// How one parameter is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) open: Vec<Marker>,
    pub(crate) key: NamePlace,
    /// The attribute that gives the type: `string="true"`, `type="number"`.
    pub(crate) type_attribute: Option<Box<str>>,
    /// The markers that end the opening.
    pub(crate) key_end: Vec<Marker>,
    pub(crate) close: Vec<Marker>,
    /// Whether a line break right after the opening is markup, and then one right before the end.
    pub(crate) trim_lines: bool,
    /// Whether elements in a value are read as objects and arrays.
    pub(crate) nested: bool,
    /// The tags of which the markers of a call are made, where these have several.
    pub(crate) pieces: Vec<Box<[u8]>>,
}

impl Parameter {
    /// Whether elements in a value have a name and a type as the parameter has.
    pub(crate) fn has_typed_elements(&self) -> bool {
        self.nested && self.type_attribute.is_some()
    }
}

/// How literals are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LiteralDialect {
    /// As in a Python call: `(a=1, b='x')`.
    Python,
    /// As an object whose strings stand between this marker: `{a:<|"|>x<|"|>,b:1}`.
    Braces(Box<str>),
}

impl Syntax {
    /// The keys of calls that are JSON without markers, where the format has such calls.
    pub(crate) fn bare_json(&self) -> Option<&Arc<Keys>> {
        match self {
            Self::Bare(keys) => Some(keys),
            Self::Marked(marked) if marked.bare => match &marked.body {
                Body::Json(keys) => Some(keys),
                _ => None,
            },
            _ => None,
        }
    }

    /// The word for how the arguments are written.
    pub(crate) fn body_word(&self) -> &'static str {
        match self {
            Self::Bare(_) => "bare",
            Self::Element(_) => "element",
            Self::Marked(marked) => match marked.body {
                Body::Json(_) => "json",
                Body::Named => "named",
                Body::Tagged(_) => "tagged",
                Body::Literal(_) => "literal",
            },
        }
    }
}

impl CallShape {
    /// The markers that open a call wherever one may stand.
    pub(crate) fn opens_anywhere(&self) -> &[Marker] {
        if self.only_first { &[] } else { &self.open }
    }

    /// The markers that open a call only where the message begins.
    pub(crate) fn opens_first(&self) -> &[Marker] {
        if self.only_first { &self.open } else { &self.open_first }
    }

    /// Whether the tag that opens a call is the name of its tool.
    pub(crate) fn is_tool_tag(&self) -> bool {
        self.name.place == NamePlace::Tag
    }

    /// Whether a call of this name can be opened.
    pub(crate) fn knows(&self, name: &[u8]) -> bool {
        self.names.binary_search_by(|known| known.as_bytes().cmp(name)).is_ok()
    }

    /// Whether the arguments stand in a code fence.
    pub(crate) fn is_fenced(&self) -> bool {
        self.name_end.iter().any(|marker| marker.lead().starts_with(b"```"))
    }
}

impl Marked {
    /// Whether the opening of a call may open other text too, so that a word after it proves
    /// nothing.
    pub(crate) fn is_vague(&self) -> bool {
        let is_token = |open: &Marker| open.lead().starts_with(b"<|");
        let unmistakable = !self.call.open.is_empty() && self.call.open.iter().all(is_token);
        let names_at_once = self.call.name.place == NamePlace::Inline;
        self.plain
            || self.call.only_first
            || self.call.is_tool_tag()
            || (names_at_once && self.call.name_end.is_empty() && !unmistakable)
            || self.call.name_end_optional
    }

    /// Whether a chat template that writes the form shows it.
    pub(crate) fn is_of_templates(&self) -> bool {
        !self.plain && !self.leak && !self.call.only_first && self.call.names.is_empty()
    }

    /// Whether also a name behind the opening, with what follows a name, proves nothing.
    pub(crate) fn is_vague_behind_name(&self) -> bool {
        let proves = self.plain && self.body == Body::Named && !self.call.name_end.is_empty();
        self.is_vague() && (!proves || self.call.name_end_optional)
    }
}
