//! Strings that hold their own quotes: `[bash(command='sed -n '1,2p' f')]`.
//!
//! Such a string is read only when a single quote of it can end it, seen from what follows the
//! quotes up to the marker that ends the call. With two such quotes, the call could be read in two
//! ways, and it is refused.

use memchr::memmem;

use crate::call::DiagnosticCode;
use crate::detect::body::literal::{LiteralReader, PartialLiteral, QuotedEnd};
use crate::json::outcome::Stop;
use crate::progress::{NeedMore, Progress};

/// The most bytes after a quote that decide whether it ends a string.
const MOST_AFTER: usize = 1024;

impl QuotedEnd {
    /// Starts at a quote that does not end the string.
    pub(super) fn new(quote: u8, first: usize) -> Self {
        Self { quote, first, pos: first + 1, end: None }
    }
}

impl LiteralReader {
    /// Looks for the one quote that can end the string.
    pub(super) fn find_end(&mut self, input: &[u8], mut search: QuotedEnd) -> Result<(), Stop> {
        let bound = self.bound(input, search.pos);
        let text = input.get(..bound.unwrap_or(input.len())).unwrap_or(input);
        while let Some(rest) = text.get(search.pos..)
            && let Some(at) = memchr::memchr2(search.quote, b'\\', rest)
        {
            if rest.get(at) == Some(&b'\\') {
                search.pos += at + 2;
                continue;
            }
            let after = rest.get(at + 1..).unwrap_or_default();
            let ends = match ends_argument(after.get(..MOST_AFTER).unwrap_or(after)) {
                Err(NeedMore) if bound.is_none() && after.len() < MOST_AFTER => {
                    search.pos += at;
                    self.partial = PartialLiteral::Quoting(search);
                    return Err(NeedMore.into());
                }
                ends => ends == Ok(true),
            };
            if ends && search.end.is_some() {
                return Err(self.bad("a string that holds its own quotes can end at two of them"));
            }
            search.end = search.end.or(ends.then_some(search.pos + at));
            search.pos += at + 1;
        }
        if bound.is_none() {
            search.pos = search.pos.max(input.len());
            self.partial = PartialLiteral::Quoting(search);
            return Err(NeedMore.into());
        }
        let Some(end) = search.end else { return Err(self.bad("a string does not end")) };
        self.partial = PartialLiteral::UpTo(end);
        let message = "a string holds its own quotes; only one of them can end it";
        self.diagnostics.add(DiagnosticCode::InnerQuotes, search.first, message);
        Ok(())
    }

    /// Where the first marker begins beyond which the call cannot reach.
    ///
    /// Each marker is searched for only up to the one that is known. The opening markers come
    /// first, so that of many calls that are opened, none looks beyond the next one.
    fn bound(&self, input: &[u8], from: usize) -> Option<usize> {
        let mut first = None;
        for bound in &self.syntax.bounds {
            // The marker may begin in the text that was looked at before.
            let from = from.saturating_sub(bound.len());
            let last =
                first.map_or(input.len(), |first: usize| input.len().min(first + bound.len()));
            let text = input.get(from..last).unwrap_or_default();
            let found = memmem::find(text, bound).map(|at| from + at);
            first = first.into_iter().chain(found).min();
        }
        first
    }
}

/// Whether a string can end in front of `rest`: another argument follows, or the end of the call.
fn ends_argument(rest: &[u8]) -> Progress<bool> {
    let (first, rest) = next_sign(rest)?;
    match first {
        b',' => name_before(rest, b'='),
        b')' => match next_sign(rest)? {
            (b']', _) => Ok(true),
            (b',', rest) => name_before(rest, b'('),
            _ => Ok(false),
        },
        _ => Ok(false),
    }
}

/// The first byte that is not white space, and the text after it.
fn next_sign(rest: &[u8]) -> Progress<(u8, &[u8])> {
    let (first, rest) = rest.trim_ascii_start().split_first().ok_or(NeedMore)?;
    Ok((*first, rest))
}

/// Whether a name and this sign stand at the start of `rest`.
fn name_before(rest: &[u8], sign: u8) -> Progress<bool> {
    let of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let rest = rest.trim_ascii_start();
    let length = rest.iter().take_while(of_name).count();
    let (next, _) = next_sign(rest.get(length..).unwrap_or_default())?;
    Ok(length > 0 && next == sign)
}
