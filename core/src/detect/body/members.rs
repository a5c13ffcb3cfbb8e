//! The members of one JSON object that may be a call, collected from its tokens.

use crate::call::{Arguments, Diagnostic, DiagnosticCode, RejectionCode, Span};
use crate::detect::format::keys::{Keys, MOST_KEYS};
use crate::json::arguments::read_arguments;
use crate::json::outcome::{BadArguments, Tolerance, empty_array};
use crate::json::scanner::{Container, Quoted, Token};
use crate::json::text::decode;

/// A value that was read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberValue {
    Object(Span),
    EmptyArray(Span),
    Array(Span),
    Text(Quoted),
    Number(Span),
    Literal(Span),
}

/// The parts of a call that a member can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberRole {
    Name(usize),
    Arguments(usize),
    Id(usize),
    Type,
    Other,
}

/// What was found under the known keys of one object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Members {
    names: [Option<MemberValue>; MOST_KEYS],
    arguments: [Option<MemberValue>; MOST_KEYS],
    ids: [Option<MemberValue>; MOST_KEYS],
    kind: Option<MemberValue>,
    current: Option<MemberRole>,
    /// The value being read: its start, its container, and whether it is empty so far.
    open: Option<(usize, Container, bool)>,
    repeated: Option<usize>,
    /// The offset of a second name or of second arguments.
    contradiction: Option<usize>,
    /// The first key, which is the name in some formats.
    first_key: Option<Quoted>,
}

impl Members {
    /// Takes the next token; `level` is its depth in the object, 0 for the object's own members.
    pub(crate) fn observe(&mut self, token: Token, level: usize, keys: &Keys, input: &[u8]) {
        match token {
            Token::Key(key) if level == 0 => {
                self.first_key.get_or_insert(key);
                self.current = Some(role(&decode(input, key), keys));
            }
            Token::Text(text) if level == 0 => self.value(MemberValue::Text(text), text.start),
            Token::Number(start, end) if level == 0 => {
                self.value(MemberValue::Number(Span::new(start, end)), start);
            }
            Token::Literal(start, end) if level == 0 => {
                self.value(MemberValue::Literal(Span::new(start, end)), start);
            }
            Token::Open(container, at) if level == 0 => self.open = Some((at, container, true)),
            Token::Close(_, end) if level == 0 => {
                let Some((start, container, empty)) = self.open.take() else { return };
                let span = Span::new(start, end);
                let value = match container {
                    Container::Object => MemberValue::Object(span),
                    Container::Array if empty => MemberValue::EmptyArray(span),
                    Container::Array => MemberValue::Array(span),
                };
                self.value(value, start);
            }
            _ => self.holds_something(),
        }
    }

    /// Notes that the value being read is not empty.
    pub(crate) fn holds_something(&mut self) {
        if let Some((_, _, empty)) = &mut self.open {
            *empty = false;
        }
    }

    /// The start of the arguments, while they are being read.
    pub(crate) fn open_arguments(&self) -> Option<usize> {
        match (self.current, self.open) {
            (Some(MemberRole::Arguments(_)), Some((start, ..))) => Some(start),
            _ => None,
        }
    }

    /// The span of the arguments read so far, if they are an object.
    pub(crate) fn arguments_so_far(&self, pos: usize) -> Option<Span> {
        if let (Some(MemberRole::Arguments(_)), Some((start, Container::Object, _))) =
            (self.current, self.open)
        {
            return Some(Span::new(start, pos));
        }
        self.arguments.iter().flatten().find_map(|value| match value {
            MemberValue::Object(span) => Some(*span),
            _ => None,
        })
    }

    /// The offset of a second name or of second arguments between markers, where the first ones are
    /// already reported.
    pub(crate) fn contradiction(&self, marked: bool) -> Option<usize> {
        self.contradiction.filter(|_| marked)
    }

    /// Whether the value being read belongs to the key at `index` of the keys of the name.
    pub(crate) fn reads_name(&self, index: usize) -> bool {
        self.current == Some(MemberRole::Name(index)) && self.open.is_some()
    }

    /// Whether there is a name, and arguments have at least begun.
    pub(crate) fn looks_like_a_call(&self, keys: &Keys) -> bool {
        let Some(name) = self.name_key(keys) else { return false };
        let goes_with_name = |index: usize| keys.format("", name, index).is_some();
        let sure =
            |index: usize| keys.arguments.get(index).is_some_and(|key| !keys.weak.contains(key));
        let begun = match (self.current, self.open) {
            (Some(MemberRole::Arguments(index)), Some((_, Container::Object, _))) => {
                goes_with_name(index)
            }
            (Some(MemberRole::Arguments(index)), _) => sure(index) && goes_with_name(index),
            _ => false,
        };
        let complete = self.arguments.iter().enumerate().any(|(index, value)| {
            value.is_some_and(|value| sure(index) || matches!(value, MemberValue::Object(_)))
                && goes_with_name(index)
        });
        begun || complete
    }

    /// The index of the key of the name that counts.
    fn name_key(&self, keys: &Keys) -> Option<usize> {
        if keys.name_is_key {
            return self.first_key.map(|_| 0);
        }
        self.names.iter().position(|value| matches!(value, Some(MemberValue::Text(_))))
    }

    /// The format of the call, as far as the keys of its name and its arguments tell; `slug` where
    /// the keys are those of one format.
    pub(crate) fn format(&self, slug: &'static str, keys: &Keys) -> Option<&'static str> {
        let arguments = self.arguments.iter().position(Option::is_some);
        let begun = match self.current {
            Some(MemberRole::Arguments(index)) => Some(index),
            _ => None,
        };
        keys.format(slug, self.name_key(keys)?, arguments.or(begun)?)
    }

    /// The name: the first of its keys that holds a string counts.
    pub(crate) fn name(&self, keys: &Keys) -> Option<Quoted> {
        if keys.name_is_key {
            return self.first_key;
        }
        self.names.iter().find_map(|value| match value {
            Some(MemberValue::Text(text)) => Some(*text),
            _ => None,
        })
    }

    /// The id, if it is a string or a number.
    pub(crate) fn id(&self, input: &[u8]) -> Option<Vec<u8>> {
        self.ids.iter().flatten().find_map(|value| match value {
            MemberValue::Text(text) => Some(decode(input, *text).into_owned()),
            MemberValue::Number(span) => Some(span.of(input).to_vec()),
            _ => None,
        })
    }

    /// Whether the object says that it is something other than a function call.
    pub(crate) fn is_of_other_type(&self, input: &[u8]) -> bool {
        self.kind.is_some_and(|kind| match kind {
            MemberValue::Text(text) => decode(input, text).as_ref() != b"function",
            _ => true,
        })
    }

    /// The diagnostic of a key that appears twice.
    pub(crate) fn repetition(&self) -> Option<Diagnostic> {
        let message = "a key is repeated; the last value counts".to_owned();
        self.repeated.map(|offset| Diagnostic {
            code: DiagnosticCode::DuplicateKey,
            message,
            offset,
        })
    }

    /// The arguments; `None` when there are none, so that the object is prose.
    pub(crate) fn arguments(
        &self,
        keys: &Keys,
        tolerance: Tolerance,
        input: &[u8],
    ) -> Option<Result<(Arguments, Vec<Diagnostic>), BadArguments>> {
        let found = self
            .arguments
            .iter()
            .zip(&keys.arguments)
            .find_map(|(value, key)| Some(((*value)?, key)));
        let (value, key) = found?;
        let sure = !keys.weak.contains(key);
        match value {
            MemberValue::Object(span) => Some(Ok((Arguments::Verbatim(span), Vec::new()))),
            MemberValue::EmptyArray(span) => {
                Some(Ok((Arguments::Verbatim(span), vec![empty_array(span.start)])))
            }
            MemberValue::Text(text) => encoded(text, tolerance, input, sure),
            MemberValue::Literal(span) if sure && span.of(input) == b"null" => {
                Some(Err(BadArguments::new(
                    RejectionCode::MissingArguments,
                    span.start,
                    "the arguments are null",
                )))
            }
            MemberValue::Array(span) | MemberValue::Number(span) | MemberValue::Literal(span) => {
                sure.then(|| Err(BadArguments::not_an_object(span.start)))
            }
        }
    }

    fn value(&mut self, value: MemberValue, start: usize) {
        let part = self.current.take();
        let others = match part {
            Some(MemberRole::Name(_)) => &self.names,
            Some(MemberRole::Arguments(_)) => &self.arguments,
            _ => &[None; MOST_KEYS],
        };
        if others.iter().any(Option::is_some) {
            self.contradiction = self.contradiction.or(Some(start));
        }
        let place = match part {
            Some(MemberRole::Name(index)) => self.names.get_mut(index),
            Some(MemberRole::Arguments(index)) => self.arguments.get_mut(index),
            Some(MemberRole::Id(index)) => self.ids.get_mut(index),
            Some(MemberRole::Type) => Some(&mut self.kind),
            Some(MemberRole::Other) | None => None,
        };
        if let Some(place) = place {
            if place.is_some() {
                self.repeated = self.repeated.or(Some(start));
            }
            *place = Some(value);
        }
    }
}

/// The part of a call that a member of this key is.
pub(crate) fn role(key: &[u8], keys: &Keys) -> MemberRole {
    if keys.name_is_key {
        return MemberRole::Arguments(0);
    }
    let at = |names: &[Box<str>]| names.iter().position(|name| name.as_bytes() == key);
    if let Some(index) = at(&keys.name) {
        MemberRole::Name(index)
    } else if let Some(index) = at(&keys.arguments) {
        MemberRole::Arguments(index)
    } else if let Some(index) = at(&keys.id) {
        MemberRole::Id(index)
    } else if key == b"type" {
        MemberRole::Type
    } else {
        MemberRole::Other
    }
}

/// Unwraps arguments that are JSON in a string, once.
fn encoded(
    text: Quoted,
    tolerance: Tolerance,
    input: &[u8],
    sure: bool,
) -> Option<Result<(Arguments, Vec<Diagnostic>), BadArguments>> {
    let inner = decode(input, text);
    let object = inner.trim_ascii_start().first() == Some(&b'{');
    match read_arguments(&inner, tolerance) {
        Ok(read) => {
            let json = read.json(&inner);
            let message = "the arguments were a string that holds JSON".to_owned();
            let offset = text.start;
            let mut notes =
                vec![Diagnostic { code: DiagnosticCode::DoubleEncoded, message, offset }];
            notes.extend(read.notes.into_iter().map(|note| Diagnostic { offset, ..note }));
            Some(Ok((Arguments::Made(json), notes)))
        }
        Err(bad) if sure || object => Some(Err(BadArguments { at: text.start, ..bad })),
        Err(_) => None,
    }
}
