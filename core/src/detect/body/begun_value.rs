//! The text of a parameter that is reported before its value ends.
//!
//! Only a value that must be text is reported early, and only as far as no tag of the format stands
//! in it: what such a tag means is decided later. White space at the end waits too, since it may
//! belong to the markup.

use crate::call::Span;
use crate::detect::format::shape::Parameter;
use crate::detect::rule::schema::Schema;
use crate::detect::rule::typed;

/// What wraps text that is written as it is.
const CDATA: &[u8] = b"<![CDATA[";
/// The length of the longest word for null.
const LONGEST_NULL: usize = 4;

/// What a value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MayBe {
    Text,
    TextOrNull,
    /// Its end decides what it is.
    Anything,
}

/// A value that has begun.
#[derive(Clone, Debug)]
pub(super) struct BegunValue {
    may_be: MayBe,
    start: usize,
    /// The offset up to which the value was looked at.
    seen: usize,
    /// The end of the last byte before that which is no white space.
    solid: usize,
    written: Option<BegunText>,
}

/// How far the value is in the JSON.
#[derive(Clone, Copy, Debug)]
struct BegunText {
    /// The length of the JSON in front of the parameter.
    front: usize,
    /// The offset of the text that comes next.
    next: usize,
}

impl BegunValue {
    /// Begins a value at an offset, of a parameter with this key and the type that its tag gives.
    pub(super) fn new(
        start: usize,
        key: &[u8],
        kind: Option<&[u8]>,
        schema: Option<&Schema>,
    ) -> Self {
        let may_be = match kind {
            Some(kind) if typed::is_text_kind(kind) => MayBe::Text,
            Some(_) => MayBe::Anything,
            None => schema.map_or(MayBe::Text, |schema| of_schema(schema, key)),
        };
        Self { may_be, start, seen: start, solid: start, written: None }
    }

    /// Appends to the JSON what is sure of the value, which reaches at least up to `sure`.
    pub(super) fn write(
        &mut self,
        json: &mut String,
        key: &[u8],
        (input, sure): (&[u8], usize),
        parameter: &Parameter,
    ) {
        if self.may_be == MayBe::Anything {
            return;
        }
        let new = input.get(self.seen..sure).unwrap_or_default();
        if let Some(last) = new.iter().rposition(|byte| !byte.is_ascii_whitespace()) {
            self.solid = self.seen + last + 1;
        }
        self.seen = self.seen.max(sure);
        let Some(written) = self.written.or_else(|| self.begin(json, key, input, parameter)) else {
            return;
        };
        let piece = Span::new(written.next, self.solid.max(written.next)).of(input);
        let valid = match std::str::from_utf8(piece) {
            Ok(text) => text,
            Err(error) => {
                if error.error_len().is_some() {
                    // How damaged bytes are read shows at the end of the value.
                    self.may_be = MayBe::Anything;
                }
                let valid = piece.get(..error.valid_up_to()).unwrap_or_default();
                std::str::from_utf8(valid).unwrap_or_default()
            }
        };
        let text = typed::text(valid.as_bytes());
        json.push_str(text.get(1..text.len().saturating_sub(1)).unwrap_or_default());
        self.written = Some(BegunText { next: written.next + valid.len(), ..written });
    }

    /// Takes out of the JSON what was written of the value, which has ended.
    pub(super) fn take_back(self, json: &mut String) {
        if let Some(BegunText { front, .. }) = self.written {
            json.truncate(front);
        }
    }

    /// Writes what stands in front of the text, once the text is sure to be one.
    fn begin(
        &mut self,
        json: &mut String,
        key: &[u8],
        input: &[u8],
        parameter: &Parameter,
    ) -> Option<BegunText> {
        let text = Span::new(self.start, self.solid).of(input);
        let trimmed = text.trim_ascii_start();
        if trimmed.is_empty() || trimmed.len() < CDATA.len() && CDATA.starts_with(trimmed) {
            return None;
        }
        if trimmed.starts_with(CDATA) {
            self.may_be = MayBe::Anything;
            return None;
        }
        if self.may_be == MayBe::TextOrNull && trimmed.len() <= LONGEST_NULL {
            return None;
        }
        let line = if text.starts_with(b"\r\n") { 2 } else { usize::from(text.starts_with(b"\n")) };
        let line = if parameter.trim_lines { line } else { 0 };
        let front = json.len();
        if front > 1 {
            json.push(',');
        }
        typed::push_text(json, key);
        json.push_str(":\"");
        Some(BegunText { front, next: self.start + line })
    }
}

/// What a property of a schema may be.
fn of_schema(schema: &Schema, key: &[u8]) -> MayBe {
    let kinds = schema.kinds(&String::from_utf8_lossy(key));
    let is_other = kinds.boolean
        || kinds.integer
        || kinds.number
        || kinds.array
        || kinds.object
        || !kinds.words.is_empty();
    match (kinds.unknown(), is_other, kinds.null) {
        (true, ..) | (false, false, false) => MayBe::Text,
        (false, false, true) => MayBe::TextOrNull,
        (false, true, _) => MayBe::Anything,
    }
}
