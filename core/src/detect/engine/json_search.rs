//! JSON in the text: calls of its own, or what is left of calls that have lost their opening.

use std::sync::Arc;

use crate::call::Span;
use crate::detect::engine::sign::{Sign, SignKind};
use crate::detect::format::Format;
use crate::detect::format::keys::{Keys, SoughtKeys};
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{Body, EndRule, Marked, Syntax};
use crate::error::{Error, ErrorKind};
use crate::json::outcome::{Repair, Tolerance};
use crate::json::scanner::{Scanned, Scanner};
use crate::progress::{NeedMore, Progress};

/// The most white space between an object and an end marker.
const MOST_SPACE: usize = 16;

/// Which JSON in the text is looked at.
#[derive(Clone, Debug)]
pub(crate) struct JsonSearch {
    pub(crate) slug: &'static str,
    pub(crate) keys: Arc<Keys>,
    pub(crate) tolerance: Tolerance,
    /// Whether an object that is a call counts. Otherwise its format has markers, and one is
    /// missing.
    pub(crate) counts: bool,
    /// What ends a call behind its object: without an opening, the call is lost.
    ends: Vec<EndMarker>,
    /// The keys of arguments and the end markers, ready to be searched for.
    sought: SoughtKeys,
    end_texts: Vec<Box<str>>,
}

/// The end marker of a format.
#[derive(Clone, Debug)]
struct EndMarker {
    format: &'static str,
    marker: Marker,
}

impl JsonSearch {
    /// The search for these formats, if there is one, and what is wrong with them; `knows_tools`
    /// says whether the names of the tools are known.
    pub(crate) fn new(
        formats: &[Format],
        tolerance: Tolerance,
        knows_tools: bool,
    ) -> (Option<Self>, Option<Error>) {
        let (counted, problem) = plain_json(formats);
        (Self::of(formats, counted, tolerance, knows_tools), problem)
    }

    fn of(
        formats: &[Format],
        counted: Option<(&'static str, Arc<Keys>)>,
        tolerance: Tolerance,
        knows_tools: bool,
    ) -> Option<Self> {
        let counts = counted.is_some();
        let ends: Vec<_> = formats.iter().flat_map(ends_of).collect();
        let lost = formats.iter().filter(|_| knows_tools);
        let lost = lost.filter_map(|format| Some((format, unopened(&format.data.syntax)?)));
        let (format, keys) = match counted {
            Some(counted) => counted,
            None => match lost.map(|(format, keys)| (format.slug(), Arc::clone(keys))).next() {
                Some(lost) => lost,
                None => (ends.first()?.format, Arc::default()),
            },
        };
        let repair = if keys.python { Repair::Safe } else { tolerance.repair };
        let text = |end: &EndMarker| String::from_utf8_lossy(end.marker.lead()).into();
        let mut end_texts: Vec<Box<str>> = ends.iter().map(text).collect();
        end_texts.dedup();
        Some(Self {
            slug: format,
            keys,
            tolerance: Tolerance { repair, ..tolerance },
            counts,
            ends,
            sought: SoughtKeys::default(),
            end_texts,
        })
    }

    /// The same search with other limits.
    pub(crate) fn with_limits_of(self, tolerance: Tolerance) -> Self {
        let repair = self.tolerance.repair;
        Self { tolerance: Tolerance { repair, ..tolerance }, ..self }
    }

    /// Whether calls of the format are read here.
    pub(crate) fn reads(&self, format: &str) -> bool {
        self.counts && self.keys.are_of(self.slug, format)
    }

    /// Whether a text holds a key of arguments.
    pub(crate) fn holds_arguments(&self, text: &[u8]) -> bool {
        self.keys.find_arguments(text).is_some()
    }

    /// The offset of the first key of arguments, or of an end marker that may stand behind an
    /// object.
    pub(crate) fn find(&self, text: &[u8]) -> Option<usize> {
        if self.ends.is_empty() {
            return self.keys.find_arguments(text);
        }
        self.sought.find(&self.keys, &self.end_texts, text)
    }

    /// The texts of which one stands in each text that [`Self::find`] finds something in; `None` if
    /// it may find something in any text.
    pub(crate) fn signs(&self) -> Option<impl Iterator<Item = Sign>> {
        if self.keys.name_is_key || self.keys.python {
            return None;
        }
        let ends = self.end_texts.iter().map(ToString::to_string);
        let sign = |text: String| Sign { text: text.into_bytes().into(), kind: SignKind::Json };
        let written = self.keys.argument_signs().chain(ends).map(sign);
        let repaired = (self.tolerance.repair == Repair::Safe).then_some(&self.keys.arguments);
        let repaired = repaired.into_iter().flatten().flat_map(move |key| {
            let bare = Sign { text: key.as_bytes().into(), kind: SignKind::BareKey };
            [sign(format!("'{key}'")), bare]
        });
        Some(written.chain(repaired))
    }

    /// Whether there are end markers that may stand behind an object.
    pub(crate) fn has_ends(&self) -> bool {
        !self.ends.is_empty()
    }

    /// Whether an end marker may stand behind an object that ends here.
    #[inline]
    pub(crate) fn may_end_call(&self, end: usize, input: &[u8]) -> bool {
        let next = input.get(end);
        !self.ends.is_empty()
            && next.is_none_or(|byte| *byte == b'<' || byte.is_ascii_whitespace())
            && input.get(end.wrapping_sub(1)) == Some(&b'}')
    }

    /// The end marker behind an object, if that is JSON. Code is full of empty objects, so the
    /// marker must touch such an object.
    pub(crate) fn end_behind(
        &self,
        object: Span,
        input: &[u8],
        finished: bool,
    ) -> Progress<Option<(&'static str, Span)>> {
        let rest = input.get(object.end..).unwrap_or_default();
        let space = rest.iter().take(MOST_SPACE).take_while(|byte| byte.is_ascii_whitespace());
        let start = object.end + space.count();
        let is_empty = object.of(input).get(1..).is_some_and(|inside| {
            inside.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'}')
        });
        if is_empty && (object.of(input) != b"{}" || start > object.end) {
            return Ok(None);
        }
        let rest = input.get(start..).unwrap_or_default();
        if rest.is_empty() {
            return if finished { Ok(None) } else { Err(NeedMore) };
        }
        let mut cut = false;
        for EndMarker { format, marker } in &self.ends {
            match marker.at(rest, b"", finished) {
                Ok(Some(length)) => {
                    let end = Span::new(start, start + length);
                    return Ok(is_json(object.of(input)).then_some((*format, end)));
                }
                Ok(None) => {}
                Err(NeedMore) => cut = true,
            }
        }
        if cut { Err(NeedMore) } else { Ok(None) }
    }
}

/// The keys of calls that are plain JSON: those of the formats that are nothing else, or of the
/// first one that may be.
fn plain_json(formats: &[Format]) -> (Option<(&'static str, Arc<Keys>)>, Option<Error>) {
    let mut bare: Vec<(&'static str, &Arc<Keys>)> = Vec::new();
    for format in formats {
        match &format.data.syntax {
            Syntax::Bare(keys) if !bare.contains(&(format.slug(), keys)) => {
                bare.push((format.slug(), keys));
            }
            _ => {}
        }
    }
    let Some((slug, keys)) = bare.first() else {
        let mut others = formats.iter().filter_map(|format| {
            Some((format.slug(), Arc::clone(format.data.syntax.bare_json()?)))
        });
        return (others.next(), None);
    };
    if bare.len() == 1 {
        return (Some((slug, Arc::clone(keys))), None);
    }
    let all: Vec<_> = bare.iter().map(|(slug, keys)| (*slug, &***keys)).collect();
    if let Some(joined) = Keys::joining(&all) {
        return (Some((slug, Arc::new(joined))), None);
    }
    let message = "the formats of plain JSON cannot be read together: their keys are too many, or \
                   written in different ways";
    let error = Error::new(ErrorKind::InvalidOption, message);
    (Some((slug, Arc::clone(keys))), Some(error))
}

/// Whether an object is JSON. One that was passed by its brackets need not be.
fn is_json(object: &[u8]) -> bool {
    let mut scanner = Scanner::new(0, usize::MAX);
    loop {
        match scanner.next(object) {
            Ok(Scanned::Token(_)) if scanner.done() => return scanner.pos() == object.len(),
            Ok(Scanned::Token(_)) => {}
            Ok(Scanned::Fault(_)) | Err(NeedMore) => return false,
        }
    }
}

/// The markers of a format that close a call without a wrapper behind its object, and always stand
/// there.
fn ends_of(format: &Format) -> impl Iterator<Item = EndMarker> {
    let shape = match &format.data.syntax {
        Syntax::Marked(marked) => Some(&**marked),
        Syntax::Bare(_) | Syntax::Element(_) => None,
    };
    let is_closed =
        |shape: &&Marked| shape.body == Body::Named && shape.call.end == EndRule::Required;
    let shape = shape.filter(|shape| shape.wrapper.is_none()).filter(is_closed);
    let close = shape.into_iter().flat_map(|shape| &shape.call.close);
    let plain = close.filter(|marker| !marker.echoes());
    let format = format.slug();
    plain.map(move |marker| EndMarker { format, marker: marker.clone() })
}

/// The keys of the calls of a format that nothing but JSON is left of when the marker that opens
/// them is missing.
fn unopened(syntax: &Syntax) -> Option<&Arc<Keys>> {
    let Syntax::Marked(marked) = syntax else { return None };
    let Body::Json(keys) = &marked.body else { return None };
    let wrapper = marked.wrapper.as_ref()?;
    let tells = wrapper.end == EndRule::Lenient && wrapper.close.iter().any(Marker::names_calls);
    (!tells).then_some(keys)
}
