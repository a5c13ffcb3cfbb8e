//! Calls that are JSON objects, alone or in an array: `{"name": "…", "arguments": {…}}`.
//!
//! Only the outermost object counts. An array counts as a whole when each of its elements is a
//! call; otherwise its elements are read one by one.
//!
//! Depth does not stop a reader: JSON that is too deep for a call may still be prose, which is
//! skipped as a whole. A reader that fails lists the brackets that were open. A reader that starts
//! at one of these would fail at the same byte, so none is started there. Otherwise nested brackets
//! would take quadratic time. With repairs, those brackets are listed that the repairer had open;
//! if only a limit has stopped it, it goes on at the next of these brackets instead.

mod object_so_far;
mod refusal;

use std::borrow::Cow;
use std::sync::Arc;

use crate::call::{Arguments, RejectionCode, Span};
use crate::detect::body::outcome::ReadSoFar;
use crate::detect::candidate::{Candidate, Found, Refusal, Verdict};
use crate::detect::format::keys::Keys;
use crate::json::observer::TokenObserver;
use crate::json::outcome::{BadArguments, Repair, Tolerance};
use crate::json::repair::Repairer;
use crate::json::repair::kept::KeptRepair;
use crate::json::scanner::{Container, ScanFault, Scanned, Scanner, Token};
use crate::json::text::decode;
use crate::progress::{NeedMore, Progress};
use object_so_far::ObjectSoFar;

/// The number of levels at which a token may belong to a member: the level of the object and that
/// of the wrapped form. One level more shows whether a value is empty.
const MEMBER_LEVELS: usize = 2;

/// The index of the wrapper's key among the keys of the name.
fn wrapper_index(keys: &Keys) -> usize {
    keys.name.iter().position(|key| *key == keys.wrapper).unwrap_or(usize::MAX)
}

/// How the calls of a format are written.
#[derive(Clone, Debug)]
struct JsonSyntax {
    slug: &'static str,
    keys: Arc<Keys>,
    tolerance: Tolerance,
    /// The marker that may end the JSON. `None` in prose, where JSON that is not a complete call is
    /// text.
    end_marker: Option<Box<[u8]>>,
}

/// Reads one object or array.
#[derive(Clone, Debug)]
pub(crate) struct JsonReader {
    syntax: JsonSyntax,
    start: usize,
    scanner: Scanner,
    observer: TokenObserver,
    array: bool,
    object: ObjectSoFar,
    found: Vec<Found>,
    open: Vec<usize>,
    /// The least number of brackets that are open while the arguments are being read.
    arguments_depth: Option<usize>,
    /// The repair that is under way, and the fault that called for it.
    repair: Option<KeptRepair>,
    /// The repairer that goes on here, once there is a fault.
    next_repairer: Option<Box<Repairer>>,
}

impl JsonReader {
    /// Starts at a `{` or `[` between markers.
    pub(crate) fn marked(
        slug: &'static str,
        keys: &Arc<Keys>,
        start: usize,
        tolerance: Tolerance,
        end_marker: &[u8],
    ) -> Self {
        let mut reader = Self::new(slug, keys, start, tolerance);
        reader.syntax.end_marker = Some(end_marker.into());
        reader
    }

    /// Starts at a `{` or `[` in prose.
    pub(crate) fn new(
        slug: &'static str,
        keys: &Arc<Keys>,
        start: usize,
        tolerance: Tolerance,
    ) -> Self {
        Self {
            syntax: JsonSyntax { slug, keys: Arc::clone(keys), tolerance, end_marker: None },
            start,
            scanner: Scanner::new(start, usize::MAX),
            observer: TokenObserver::default(),
            array: false,
            object: ObjectSoFar { start, ..ObjectSoFar::default() },
            found: Vec::new(),
            open: Vec::new(),
            arguments_depth: None,
            repair: None,
            next_repairer: None,
        }
    }

    /// The first byte.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Moves the calls of an array that were read since the last time to `found`.
    ///
    /// Only calls between markers are handed on before the array ends.
    pub(crate) fn hand_found_to(&mut self, found: &mut Vec<Found>) {
        if !self.found.is_empty() {
            found.append(&mut self.found);
        }
    }

    /// The part of the arguments that is read so far, once the name of the call is known.
    pub(crate) fn read_so_far(&self) -> Option<ReadSoFar<'static>> {
        // Arguments that may still be repaired are not reported before the repair.
        if !self.object.is_open
            || self.object.inner.is_some()
            || self.syntax.tolerance.repair == Repair::Safe
        {
            return None;
        }
        self.object.outer.name(&self.syntax.keys)?;
        self.object.outer.arguments_so_far(self.scanner.pos()).map(ReadSoFar::Verbatim)
    }

    /// The name of the call being read, once it is known.
    pub(crate) fn sure_name<'t>(&self, input: &'t [u8]) -> Option<Cow<'t, [u8]>> {
        Some(decode(input, self.object.outer.name(&self.syntax.keys)?))
    }

    /// The id of the call being read, if the text has written it.
    pub(crate) fn id_so_far(&self, input: &[u8]) -> Option<Vec<u8>> {
        self.object.outer.id(input)
    }

    /// Reads on; `finished` says that no more text will come.
    pub(crate) fn step(&mut self, input: &[u8], finished: bool) -> Progress<Verdict> {
        loop {
            if let Some(KeptRepair { repairer, fault }) = &mut self.repair {
                let (repaired, fault) = (repairer.step(input), *fault);
                return self.settle_repair(repaired, fault, input, finished);
            }
            let limit = self.arguments_limit();
            let text = input.get(..limit).unwrap_or(input);
            let step = match self.arguments_depth {
                Some(least) => self.step_inside(least, text),
                None => self.scanner.next(text),
            };
            match step {
                Ok(Scanned::Token(token)) => {
                    if let Some(verdict) = self.token(token, input) {
                        return Ok(verdict);
                    }
                }
                Ok(Scanned::Fault(fault)) if self.may_repair() => self.start_repair(fault),
                Ok(Scanned::Fault(fault)) => return Ok(self.fault(fault, input)),
                Err(NeedMore) if input.len() > limit => return Ok(self.oversized(limit, input)),
                Err(NeedMore) if finished => return Ok(self.cut_off(input)),
                Err(NeedMore) => return Err(NeedMore),
            }
        }
    }

    /// Skips JSON that is too large, up to its end or its first fault.
    pub(crate) fn skip(&mut self, input: &[u8], finished: bool) -> Progress<usize> {
        loop {
            match self.scanner.next(input) {
                Ok(Scanned::Token(Token::Close(_, end))) if self.scanner.done() => return Ok(end),
                Ok(Scanned::Token(_)) => {}
                Ok(Scanned::Fault(ScanFault::Syntax(at, _) | ScanFault::TooDeep(at))) => {
                    return Ok(at.max(self.start + 1));
                }
                Err(NeedMore) if finished => return Ok(input.len()),
                Err(NeedMore) => return Err(NeedMore),
            }
        }
    }

    /// Goes on with the repairer of an object around this one. Up to its fault, the text is read.
    pub(crate) fn going_on(mut self, kept: KeptRepair) -> Self {
        if kept.fault.at() > self.start {
            self.repair = Some(kept);
        } else {
            self.next_repairer = Some(kept.repairer);
        }
        self
    }

    /// The brackets that were open when the JSON failed and at which no call can start.
    pub(crate) fn open_brackets(&self) -> &[usize] {
        // An element of an array is read again on its own.
        self.open.get(1 + usize::from(self.array)..).unwrap_or_default()
    }

    /// The byte that the arguments being read must not reach.
    fn arguments_limit(&self) -> usize {
        self.object
            .open_arguments()
            .map_or(usize::MAX, |start| start.saturating_add(self.syntax.tolerance.bytes))
    }

    #[expect(clippy::inline_always, reason = "a call would cost as much as its work")]
    #[inline(always)]
    fn token(&mut self, token: Token, input: &[u8]) -> Option<Verdict> {
        match token {
            Token::Open(_, at) => self.open.push(at),
            Token::Close(..) => drop(self.open.pop()),
            _ => {}
        }
        let base = usize::from(self.array);
        let depth = self.scanner.depth();
        self.arguments_depth = None;
        match token {
            Token::Open(Container::Array, at) if at == self.start => self.array = true,
            Token::Open(Container::Object, at) if depth == base + 1 => self.object_starts(at),
            Token::Close(Container::Object, end) if depth == base => {
                return self.object_ends(end, input);
            }
            Token::Close(Container::Array, end) if depth == 0 => return Some(self.array_ends(end)),
            Token::Open(Container::Array, _) if depth == base + 1 => {
                return Some(self.of_something_else());
            }
            _ if depth == base => return Some(self.of_something_else()),
            _ => self.member(token, depth - base, input),
        }
        None
    }

    /// Reads on inside the arguments, up to the token that ends them.
    ///
    /// Most tokens stand there, and none of them is a member of the call.
    fn step_inside(&mut self, least: usize, text: &[u8]) -> Progress<Scanned> {
        let base = usize::from(self.array);
        loop {
            let scanned = self.scanner.next(text);
            let Ok(Scanned::Token(token)) = scanned else { return scanned };
            let depth = self.scanner.depth();
            if depth < least {
                return scanned;
            }
            match token {
                Token::Open(_, at) => self.open.push(at),
                Token::Close(..) => drop(self.open.pop()),
                Token::Text(_) | Token::Literal(..) | Token::Key(_) | Token::Number(..) => {}
            }
            self.object.outer.holds_something();
            if let Some(inner) = &mut self.object.inner {
                inner.holds_something();
            }
            self.observe_arguments(token, depth - base, text);
        }
    }

    fn object_starts(&mut self, at: usize) {
        self.object = ObjectSoFar { start: at, is_open: true, ..ObjectSoFar::default() };
    }

    /// Takes a token inside the object; `depth` counts the brackets that are open after it.
    fn member(&mut self, token: Token, depth: usize, input: &[u8]) {
        // A bracket belongs to the level around it, whether it opens or closes.
        let level = match token {
            Token::Open(..) => depth.saturating_sub(2),
            _ => depth.saturating_sub(1),
        };
        let in_arguments = self.in_arguments();
        if level > MEMBER_LEVELS {
            if in_arguments {
                self.observe_arguments(token, depth, input);
            }
            return;
        }
        self.object.outer.observe(token, level, &self.syntax.keys, input);
        let in_wrapper = self.object.outer.reads_name(wrapper_index(&self.syntax.keys));
        if in_wrapper && matches!(token, Token::Open(Container::Object, _)) && level == 0 {
            self.object.inner = Some(Box::default());
        } else if let Some(inner) = self.object.inner.as_mut().filter(|_| in_wrapper && level > 0) {
            inner.observe(token, level - 1, &self.syntax.keys, input);
        }
        let in_arguments_now = self.in_arguments();
        if in_arguments_now && matches!(token, Token::Open(..)) {
            self.arguments_depth = Some(self.scanner.depth());
        }
        if in_arguments || in_arguments_now {
            self.observe_arguments(token, depth, input);
        }
    }

    fn observe_arguments(&mut self, token: Token, depth: usize, input: &[u8]) {
        self.observer.observe(token, input);
        if let Token::Open(_, at) = token
            && depth > self.syntax.tolerance.depth
        {
            self.object.too_deep = self.object.too_deep.or(Some(at));
        }
    }

    fn in_arguments(&self) -> bool {
        self.object.open_arguments().is_some()
    }

    fn object_ends(&mut self, end: usize, input: &[u8]) -> Option<Verdict> {
        let span = Span::new(self.object.start, end);
        self.object.is_open = false;
        let Some(found) = self.evaluate(span, input) else {
            return Some(if self.array { self.prose() } else { Verdict::Prose { resume: end } });
        };
        if self.array {
            self.found.push(found);
            return None;
        }
        Some(match found {
            Found::Refused(refusal) => Verdict::Refused { refusal, resume: end },
            call @ Found::Call(_) => Verdict::Calls { calls: vec![call], end },
        })
    }

    fn array_ends(&mut self, end: usize) -> Verdict {
        let calls = std::mem::take(&mut self.found);
        let prose = calls.is_empty() && !self.is_marked();
        if prose { Verdict::Prose { resume: end } } else { Verdict::Calls { calls, end } }
    }

    /// Reads the object as a call or a refusal; `None` when it is prose.
    #[inline(never)]
    fn evaluate(&mut self, span: Span, input: &[u8]) -> Option<Found> {
        let members = match &self.object.inner {
            Some(inner) if self.object.outer.name(&self.syntax.keys).is_none() => {
                if self.object.outer.is_of_other_type(input) {
                    return self.lacks(
                        span,
                        RejectionCode::MissingName,
                        "the object is of another type",
                    );
                }
                inner
            }
            _ => &self.object.outer,
        };
        let Some(name) = members.name(&self.syntax.keys) else {
            return self.lacks(span, RejectionCode::MissingName, "the object names no tool");
        };
        let name = decode(input, name).into_owned();
        let format = members.format(self.syntax.slug, &self.syntax.keys);
        let arguments = members.arguments(&self.syntax.keys, self.syntax.tolerance, input);
        let (Some(format), Some(arguments)) = (format, arguments) else {
            return self.lacks(
                span,
                RejectionCode::MissingArguments,
                "the object holds no arguments",
            );
        };
        let arguments = match members.contradiction(self.is_marked()) {
            Some(at) => Err(BadArguments::new(
                RejectionCode::BadJson,
                at,
                "the object holds the name or the arguments twice",
            )),
            None => arguments,
        };
        let (arguments, notes) =
            match self.object.too_deep.map_or(arguments, |at| Err(BadArguments::too_deep(at))) {
                Ok(arguments) => arguments,
                Err(bad) => {
                    let refusal = Refusal::from_arguments(format, span.start, bad);
                    return Some(Found::Refused(self.claim(refusal, name)));
                }
            };
        let mut diagnostics = members.repetition().into_iter().collect::<Vec<_>>();
        diagnostics.extend(notes);
        if let Arguments::Verbatim(place) = &arguments {
            diagnostics.extend(self.observer.between(place.start, place.end));
        }
        diagnostics.sort_by_key(|note| note.offset);
        let id = self.object.outer.id(input).or_else(|| members.id(input));
        Some(Found::Call(Candidate {
            format,
            name,
            is_name_plain: false,
            id,
            arguments,
            span,
            diagnostics,
            prose_if_unknown: !self.is_marked(),
            number: None,
        }))
    }
}
