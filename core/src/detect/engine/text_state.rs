//! What is known of the text so far.

use super::reasoning::SearchedThought;
use super::sought_marker::StandingMark;
use super::unclosed::Unclosed;
use crate::call::Span;
use crate::detect::block::closing::FenceMarker;
use crate::detect::block::code_span::BacktickRuns;
use crate::detect::candidate::Refusal;

/// A code block whose content is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenFence {
    pub(super) start: usize,
    /// The offset of the first byte in the content that is not white space, as far as it is known.
    /// Only a call that starts here can fill the block.
    pub(super) content: usize,
    pub(super) marker: FenceMarker,
}

impl OpenFence {
    pub(super) fn skip_blank(&mut self, input: &[u8]) {
        while input.get(self.content).is_some_and(u8::is_ascii_whitespace) {
            self.content += 1;
        }
    }
}

/// What is known of code in the text so far.
#[derive(Debug, Default)]
pub(super) struct CodeState {
    /// The code block that is open and whose content is searched.
    pub(super) fence: Option<OpenFence>,
    /// The end of the last code that is no call: no marker begins before it.
    pub(super) end: usize,
    pub(super) backtick_runs: BacktickRuns,
    /// Whether a fence so far was taken for one, or for none, where `CommonMark` does not. Calls
    /// behind it get a note.
    pub(super) read_otherwise: bool,
    /// The reasoning that is being searched, where its calls count.
    pub(super) thought: Option<SearchedThought>,
}

/// What is known of calls between markers in the text so far.
#[derive(Debug, Default)]
pub(super) struct MarkingState {
    /// The place of a marker that was read and opened no call, so that it is not read again.
    pub(super) passed: Option<usize>,
    /// The format whose wrapper is still open after a refused call, and the offset up to which the
    /// wrapper is known not to close.
    pub(super) open_wrapper: Option<(usize, usize)>,
    pub(super) cut_off: Option<CutOff>,
    pub(super) unclosed: Unclosed,
    /// Whether the text is for a person, so that no call of it counts.
    pub(super) in_answer: bool,
    /// The format of a call in a message that was refused, while its end marker may follow.
    pub(super) refused: Option<&'static str>,
    /// The last call that was refused, while calls may stand inside of it.
    pub(super) broken_call: Option<Box<BrokenCall>>,
    /// The wrapper of another format that has opened, while it is not known what stands in it.
    pub(super) foreign: Option<ForeignOpening>,
    /// The wrapper of another format around the last call.
    pub(super) foreign_wrapper: Option<ForeignWrapper>,
    /// The end of the last markup that no call owns.
    pub(super) stray: Option<usize>,
    /// The offset up to which complete calls were searched in vain.
    ///
    /// No call that begins before it is read in one go: many calls that fail would each read the
    /// same text.
    pub(super) not_whole: usize,
}

/// Markers of formats that are not looked for, behind which nothing but white space stands so far.
#[derive(Debug)]
pub(super) struct ForeignOpening {
    pub(super) formats: Vec<&'static str>,
    pub(super) first: StandingMark,
    pub(super) end: usize,
}

/// A call that was refused, or a result that the model made up, and what is known of where it ends.
#[derive(Debug, Default)]
pub(super) struct BrokenCall {
    pub(super) start: usize,
    /// The offset up to which the text was passed.
    pub(super) pos: usize,
    /// The braces that are open there, and the parentheses around them.
    pub(super) braces: usize,
    pub(super) parens: usize,
    /// The markers of its format that are open.
    pub(super) nested: usize,
    /// Whether any of these was open.
    pub(super) opened: bool,
    /// The index of its format, if that has end markers.
    pub(super) format: Option<usize>,
    /// Where the text ends that could be read of it.
    pub(super) fault: usize,
    /// Whether the whole text ends inside of it.
    pub(super) to_end: bool,
    /// The tag that ends a result.
    pub(super) close: Option<Box<[u8]>>,
}

/// A wrapper of these formats, and the end of the last call or end marker in it.
#[derive(Debug)]
pub(super) struct ForeignWrapper {
    pub(super) formats: Vec<&'static str>,
    pub(super) end: usize,
}

/// What a search found that hands out nothing.
#[derive(Debug, Default)]
pub(super) struct Probed {
    /// The format and the place of each call.
    pub(super) calls: Vec<(&'static str, Span)>,
    pub(super) refusals: Vec<Refusal>,
}

/// A call inside which the text ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct CutOff {
    pub(super) start: usize,
    /// Whether its start was reported.
    pub(super) reported: bool,
}
