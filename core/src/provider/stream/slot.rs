//! A call that is still being streamed.

use serde_json::Value;

use crate::call::RejectionCode;
use crate::json::Repair;
use crate::provider::dialect::gemini::partial::PartialArguments;
use crate::provider::kind::Provider;
use crate::provider::read::arguments::{self, Read, Refused, Spelling};
use crate::provider::read::free_text::{self, FreeText};
use crate::provider::read::shape::JsonObject;

/// Whether a call is known to have come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::provider) enum EndMark {
    /// The provider does not mark the end.
    Untold,
    /// The provider marks the end, and has not yet done so.
    Open,
    /// The provider has marked the end.
    Told,
}

/// A call in pieces, as far as they have come.
#[derive(Clone, Debug)]
pub(in crate::provider) struct Slot {
    pub(in crate::provider) provider: Provider,
    /// The index of the choice that holds the call.
    pub(in crate::provider) choice_index: usize,
    pub(in crate::provider) id: Option<String>,
    pub(in crate::provider) name: String,
    pub(in crate::provider) end: EndMark,
    /// The pointer to where the call began.
    pub(in crate::provider) path: String,
    /// The arguments that came as a value, at the beginning or as a whole.
    pub(in crate::provider) value: Option<Value>,
    /// What stands beside the call in its pieces.
    pub(in crate::provider) beside: JsonObject,
    /// How the call is written, if its arguments are a free text.
    pub(in crate::provider) free_text: Option<FreeText>,
    /// The arguments that come in parts with paths.
    pub(in crate::provider) partial: Option<PartialArguments>,
    text: String,
    progress: BracketCount,
}

impl Slot {
    /// Begins a call.
    pub(in crate::provider) fn new(provider: Provider, choice_index: usize, path: String) -> Self {
        Self {
            provider,
            choice_index,
            id: None,
            name: String::new(),
            end: EndMark::Untold,
            path,
            value: None,
            beside: JsonObject::new(),
            free_text: None,
            partial: None,
            text: String::new(),
            progress: BracketCount::default(),
        }
    }

    /// Whether no part of the arguments has arrived.
    pub(in crate::provider) fn is_bare(&self) -> bool {
        self.text.is_empty() && self.value.is_none()
    }

    /// Whether the arguments are an object that has been closed.
    pub(in crate::provider) fn is_closed(&self) -> bool {
        self.progress.closed || self.value.as_ref().is_some_and(|_| self.text.is_empty())
    }

    /// Takes the next piece of the arguments.
    pub(in crate::provider) fn push(&mut self, piece: &str) {
        // Some servers send a whole call again, under the next index.
        if self.progress.closed && piece == self.text {
            return;
        }
        if self.free_text.is_none() {
            self.progress.follow(piece);
        }
        self.text.push_str(piece);
    }

    /// Takes the whole arguments, in place of the pieces that have come.
    pub(in crate::provider) fn replace(&mut self, whole: &str) {
        self.text.clear();
        self.progress = BracketCount::default();
        self.push(whole);
        self.end = EndMark::Told;
    }

    /// Takes a piece of the name, or the whole name again.
    pub(in crate::provider) fn push_name(&mut self, piece: &str) {
        if piece.starts_with(&self.name) {
            piece.clone_into(&mut self.name);
        } else if self.is_bare() {
            self.name.push_str(piece);
        }
    }

    /// The arguments; `cut` is true if the provider cut the choice off and this is its last call.
    pub(in crate::provider) fn arguments(
        &self,
        cut: bool,
        repair: Repair,
    ) -> Result<Read, Refused> {
        if let Some(partial) = &self.partial
            && self.end != EndMark::Open
        {
            return partial.read();
        }
        if self.free_text.is_some() && self.end != EndMark::Open && !cut {
            return Ok(free_text::read(&self.text));
        }
        if self.free_text.is_some() {
            return Err(cut_off("the stream ends before the end of the text"));
        }
        if !self.text.trim_ascii().is_empty() {
            return arguments::read_text(&self.text, RejectionCode::Incomplete, repair);
        }
        // An empty value at the beginning is a placeholder.
        let placeholder = match &self.value {
            None => true,
            Some(Value::Object(entries)) => entries.is_empty(),
            Some(Value::Array(items)) => items.is_empty(),
            Some(_) => false,
        };
        if placeholder && (cut || self.end == EndMark::Open) {
            return Err(cut_off("the stream ends before the arguments"));
        }
        match &self.value {
            Some(value) => arguments::read(Some(value), Spelling::Either, repair),
            None => arguments::read_text(&self.text, RejectionCode::Incomplete, repair),
        }
    }
}

fn cut_off(message: &str) -> Refused {
    Refused { code: RejectionCode::Incomplete, message: message.to_owned() }
}

/// How far the JSON text of an object has come.
#[derive(Clone, Copy, Debug, Default)]
struct BracketCount {
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// Whether the outermost bracket has been closed.
    closed: bool,
}

impl BracketCount {
    /// Reads the next piece, each byte once.
    fn follow(&mut self, piece: &str) {
        for byte in piece.bytes() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_text => self.escaped = true,
                b'"' => self.in_text = !self.in_text,
                _ if self.in_text => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.closed |= self.depth == 0;
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_closed_by_its_own_bracket_however_it_is_cut() {
        for text in [r#"{"a":"}","b":[{}],"c\"}":1}"#, "[]"] {
            for size in 1..text.len() {
                let mut slot = Slot::new(Provider::OpenAi, 0, String::new());
                let mut rest = text;
                while !rest.is_empty() {
                    assert!(!slot.is_closed(), "{rest}");
                    let (piece, behind) = rest.split_at(size.min(rest.len()));
                    slot.push(piece);
                    rest = behind;
                }
                assert!(slot.is_closed(), "{text}");
            }
        }
    }
}
