//! Calls that are HTML elements: name and arguments in attributes of a start tag.
//!
//! Attributes are read by an HTML tokenizer, so quoting, order and entities are as in a browser.

use std::convert::Infallible;

use html5gum::{Error, Token, Tokenizer};

use crate::call::{Arguments, Diagnostic, RejectionCode, Span};
use crate::detect::body::class_sign::ClassSign;
use crate::detect::candidate::{Candidate, Found, Refusal};
use crate::detect::format::shape::Attributes;
use crate::json::arguments::read_arguments;
use crate::json::outcome::{BadArguments, Tolerance};
use crate::json::reason::Reason;

/// The syntax of element calls: the attributes, and the class that marks an element.
#[derive(Clone, Debug)]
pub(crate) struct ElementSyntax {
    pub(crate) slug: &'static str,
    pub(crate) attributes: Attributes,
    pub(crate) class: String,
    /// What shows that the class may stand in a text; `None` when any tag may have it.
    pub(crate) sign: Option<ClassSign>,
    pub(crate) tolerance: Tolerance,
}

/// The attributes of a start tag that matter to a call.
#[derive(Default)]
struct TagAttributes {
    marked: bool,
    name: Option<Vec<u8>>,
    arguments: Option<Vec<u8>>,
    id: Option<Vec<u8>>,
}

impl ElementSyntax {
    /// Reads the start tag at `span` as a call or a refusal; `None` for an element that is not
    /// marked.
    pub(crate) fn read(&self, input: &[u8], span: Span) -> Option<Found> {
        let tag = span.of(input);
        // Most tags cannot have the class, so the tokenizer does not look at them.
        if self.sign.as_ref().is_some_and(|sign| !sign.stands_in(tag)) {
            return None;
        }
        let attributes = self.attributes(tag);
        attributes.marked.then(|| self.evaluate(attributes, input, span))
    }

    /// The refusal of a marked start tag that the end of the text cuts off; `closed` is the tag
    /// with its missing end added.
    pub(crate) fn cut_off(&self, closed: &[u8], span: Span) -> Option<Refusal> {
        self.attributes(closed).marked.then(|| Refusal::incomplete(self.slug, span))
    }

    fn evaluate(&self, attributes: TagAttributes, input: &[u8], span: Span) -> Found {
        let refuse =
            |code, reason: Reason| Found::Refused(Refusal::new(self.slug, code, span, reason));
        let lacks = |name: &str| Reason::Naming("the element has no attribute ", name.into(), "");
        if std::str::from_utf8(span.of(input)).is_err() {
            return refuse(RejectionCode::InvalidUtf8, "the markup is not UTF-8".into());
        }
        let Some(name) = attributes.name else {
            return refuse(RejectionCode::MissingName, lacks(&self.attributes.name));
        };
        let Some(arguments) = attributes.arguments else {
            return refuse(RejectionCode::MissingArguments, lacks(&self.attributes.arguments));
        };
        let read = match read_arguments(&arguments, self.tolerance) {
            Ok(read) => read,
            Err(BadArguments { code, reason, .. }) => return refuse(code, reason),
        };
        let json = read.json(&arguments);
        let notes = read.notes.into_iter().map(|note| Diagnostic { offset: span.start, ..note });
        Found::Call(Candidate {
            format: self.slug,
            name,
            is_name_plain: false,
            id: attributes.id,
            arguments: Arguments::Made(json),
            span,
            diagnostics: notes.collect(),
            prose_if_unknown: false,
            number: None,
        })
    }

    fn attributes(&self, tag: &[u8]) -> TagAttributes {
        let mut found = TagAttributes::default();
        // A character that HTML does not like comes as an error before the tag that holds it. A tag
        // with any other error is no call.
        let of_character = |token: &Result<Token, Infallible>| {
            let Ok(Token::Error(error)) = token else { return false };
            matches!(
                error.value,
                Error::ControlCharacterInInputStream | Error::NoncharacterInInputStream
            )
        };
        let mut tokens = Tokenizer::new(tag).skip_while(of_character);
        let Some(Ok(Token::StartTag(tag))) = tokens.next() else { return found };
        for (key, value) in tag.attributes {
            let (key, value): (&[u8], &[u8]) = (key.as_ref(), value.as_ref());
            if key == b"class" {
                let mut tokens = value.split(u8::is_ascii_whitespace);
                found.marked = tokens.any(|token| token == self.class.as_bytes());
            } else if key == self.attributes.name.as_bytes() {
                found.name = Some(value.to_vec());
            } else if key == self.attributes.arguments.as_bytes() {
                found.arguments = Some(value.to_vec());
            } else if key == self.attributes.id.as_bytes() {
                found.id = Some(value.to_vec());
            }
        }
        found
    }
}
