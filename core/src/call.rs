//! What detection hands out: calls, refusals, and where each stands in the text.
//!
//! Offsets are bytes into the searched text. Nothing here holds the text itself: a call knows its
//! [`Span`]s, and the methods that return text take the searched text as an argument. A host can
//! therefore keep the text in any string type.

pub use crate::call_id::CallId;
use crate::slug::slugs;

/// A range of bytes in the searched text, `start` included, `end` excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The position after the last byte.
    pub end: usize,
}

impl Span {
    /// Makes a span; an `end` before `start` gives an empty span at `start`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// The number of bytes covered.
    #[must_use]
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether no byte is covered.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether both cover a byte.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// The covered part of `text`; empty when the span does not lie in it.
    #[must_use]
    pub fn of(self, text: &[u8]) -> &[u8] {
        text.get(self.start..self.end).unwrap_or_default()
    }

    /// What is left of the span without those of `holes` that stand inside; they are in order.
    ///
    /// ```
    /// use toolwire::Span;
    ///
    /// let holes = [Span::new(0, 2), Span::new(4, 5)];
    /// assert_eq!(Span::new(2, 9).without(&holes), [Span::new(2, 4), Span::new(5, 9)]);
    /// ```
    #[must_use]
    pub fn without(self, holes: &[Self]) -> Vec<Self> {
        let first = holes.partition_point(|hole| hole.start < self.start);
        let inside = holes.iter().skip(first).take_while(|hole| hole.end <= self.end);
        let (mut parts, mut start) = (Vec::new(), self.start);
        for hole in inside {
            parts.push(Self::new(start, hole.start));
            start = start.max(hole.end);
        }
        parts.push(Self::new(start, self.end));
        parts.retain(|part| !part.is_empty());
        parts
    }
}

slugs! {
    /// How sound a call's markup was.
    pub enum Status {
        /// Accepted as written.
        Complete => "complete",
        /// Accepted after the repairs that its diagnostics list.
        Repaired => "repaired",
    }
}

slugs! {
    /// Why a candidate was refused.
    #[non_exhaustive]
    pub enum RejectionCode {
        /// The arguments are not JSON.
        BadJson => "bad_json",
        /// The arguments are JSON, but not an object.
        NotAnObject => "not_an_object",
        /// The markup names no tool.
        MissingName => "missing_name",
        /// The name is not of the form `[A-Za-z0-9_.:/-]{1,128}`.
        BadName => "bad_name",
        /// The markup holds no arguments.
        MissingArguments => "missing_arguments",
        /// The name is not among the known tools.
        UnknownTool => "unknown_tool",
        /// The name was retired; the message names its successor.
        LegacyTool => "legacy_tool",
        /// The text ends inside the call.
        Incomplete => "incomplete",
        /// The JSON nests deeper than `max_depth`.
        TooDeep => "too_deep",
        /// The arguments or the text exceed their limit.
        TooLarge => "too_large",
        /// The text holds more than `max_calls` calls; the rest of the text was not searched.
        TooManyCalls => "too_many_calls",
        /// The markup holds bytes that are not UTF-8.
        InvalidUtf8 => "invalid_utf8",
        /// The arguments do not match the tool's schema.
        SchemaMismatch => "schema_mismatch",
        /// The call was seen before.
        Duplicate => "duplicate",
        /// The call stands in the model's reasoning.
        InReasoning => "in_reasoning",
        /// The call stands in a code block or in code within a line.
        InCode => "in_code",
        /// A provider's object does not have the expected shape.
        BadShape => "bad_shape",
        /// The tool's schema cannot be applied to the arguments within the limits.
        SchemaLimit => "schema_limit",
        /// A provider's object asks for something of a kind that is not known.
        UnknownKind => "unknown_kind",
        /// A number is not finite, or exceeds a float and its digits are lost.
        BadNumber => "bad_number",
        /// A tag of the call is missing, or is one too many, though the text goes on.
        Malformed => "malformed",
        /// The markup is of a format that is not looked for; the message says what would read it.
        OtherFormat => "other_format",
        /// Behind the end of the message, the model made up another turn; none of it counts.
        AfterEnd => "after_end",
        /// The request offered no tools, so no call counts; its markup is not shown.
        NoTools => "no_tools",
    }
}

impl RejectionCode {
    /// Whether the model meant to call a tool, as far as its text says: it did not where it only
    /// thought, showed or repeated the call, or wrote it behind the end of its message.
    #[must_use]
    pub fn is_of_meant_call(self) -> bool {
        !matches!(self, Self::AfterEnd | Self::Duplicate | Self::InCode | Self::InReasoning)
    }
}

slugs! {
    /// A note on an accepted call.
    #[non_exhaustive]
    pub enum DiagnosticCode {
        /// The end of the markup was missing at the end of the text.
        MissingEnd => "missing_end",
        /// The arguments were a string that holds JSON; they were unwrapped once.
        DoubleEncoded => "double_encoded",
        /// An object repeats a key; the last one counts.
        DuplicateKey => "duplicate_key",
        /// The arguments were written `[]` and count as the empty object.
        EmptyArray => "empty_array",
        /// An integer exceeds 64 bits; a host without big integers gives its digits as a string.
        BigInteger => "big_integer",
        /// A number exceeds a float; its digits are given as a string.
        BigNumber => "big_number",
        /// The name was an alias and was replaced by the tool's current name.
        Renamed => "renamed",
        /// The arguments do not match the tool's schema.
        SchemaMismatch => "schema_mismatch",
        /// A comma before a closing bracket was dropped.
        TrailingComma => "trailing_comma",
        /// A string in single quotes was rewritten with double quotes.
        SingleQuotes => "single_quotes",
        /// A raw control character inside a string was escaped.
        ControlCharacter => "control_character",
        /// A missing closing bracket was added at the end of the markup.
        MissingBracket => "missing_bracket",
        /// A key without quotes was quoted.
        UnquotedKey => "unquoted",
        /// A comment was dropped.
        Comment => "comment",
        /// `True`, `False`, `None` or a set was read as its JSON counterpart.
        PythonLiteral => "python_literal",
        /// Leading zeros of a number were dropped.
        LeadingZero => "leading_zero",
        /// A string holds its own quotes; only one of them can end it.
        InnerQuotes => "inner_quotes",
        /// A parameter's value holds its own end tag as text.
        EndTagInValue => "end_tag_in_value",
        /// A parameter's value is not of the type that the schema or the markup names; it is kept
        /// as a string.
        NotOfType => "not_of_type",
        /// A value was converted to the type that the schema names.
        Coerced => "coerced",
        /// `CommonMark` reads a code fence in front of the call in another way, and may take the
        /// call for code.
        FenceDiffers => "fence_differs",
        /// The provider's call carries no arguments, or an empty text; both count as the empty
        /// object.
        NoArguments => "no_arguments",
        /// The tool's schema cannot be applied to the arguments within the limits.
        SchemaLimit => "schema_limit",
        /// The provider's call carries a free text; it is the argument `input`.
        FreeText => "free_text",
        /// The model's reasoning was never closed, and nothing but calls stands at its end: they
        /// count, and the reasoning ends in front of them.
        InOpenReasoning => "in_open_reasoning",
        /// The end tag of a parameter's value was missing; the value ends where the next parameter
        /// opens.
        MissingTag => "missing_tag",
        /// A backslash in a string begins no escape that JSON knows; it was taken for a backslash.
        UnknownEscape => "unknown_escape",
        /// The version of the model that was named is not known: the call is read as those of the
        /// nearest version.
        NearestVersion => "nearest_version",
    }
}

impl DiagnosticCode {
    /// Whether the note is about a repair.
    #[must_use]
    pub fn is_repair(self) -> bool {
        matches!(
            self,
            Self::TrailingComma
                | Self::SingleQuotes
                | Self::ControlCharacter
                | Self::MissingBracket
                | Self::UnquotedKey
                | Self::Comment
                | Self::PythonLiteral
                | Self::LeadingZero
                | Self::InnerQuotes
                | Self::MissingTag
                | Self::UnknownEscape
        )
    }
}

/// A note on an accepted call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// What the note is about.
    pub code: DiagnosticCode,
    /// The note for a person.
    pub message: String,
    /// The offset of the byte that the note is about.
    pub offset: usize,
}

/// Where a call's arguments are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arguments {
    /// Verbatim in the searched text.
    Verbatim(Span),
    /// Made from the markup: unwrapped, decoded or repaired.
    Made(Box<str>),
}

impl Arguments {
    /// The JSON text, read from the searched text.
    #[must_use]
    pub fn of<'t>(&'t self, text: &'t [u8]) -> &'t [u8] {
        match self {
            Self::Verbatim(span) => span.of(text),
            Self::Made(json) => json.as_bytes(),
        }
    }
}

/// A request by a model to run a tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ToolCall {
    /// The id written in the text; without one, a new id: `call_` and a UUID v7 without dashes.
    pub id: CallId,
    /// Whether the id was written in the text.
    pub id_given: bool,
    /// The position among the text's calls, from 0.
    pub index: usize,
    /// The tool's name.
    pub name: String,
    /// The arguments: a JSON object, or `[]`, which counts as the empty object.
    pub arguments: Arguments,
    /// The slug of the format it was written in.
    pub format: &'static str,
    /// Where the whole markup stands.
    pub span: Span,
    /// How sound the markup was.
    pub status: Status,
    /// Notes on what was overlooked or repaired, by offset.
    pub diagnostics: Vec<Diagnostic>,
    /// What the provider wrote beside the call and wants back with it, such as a signature: the
    /// JSON text of an object.
    pub provider_data: Option<Box<str>>,
}

impl ToolCall {
    /// The whole markup, verbatim from the searched text.
    #[must_use]
    pub fn original<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        self.span.of(text)
    }

    /// The JSON text of the arguments, read from the searched text.
    #[must_use]
    pub fn arguments_raw<'t>(&'t self, text: &'t [u8]) -> &'t [u8] {
        self.arguments.of(text)
    }
}

/// Something that looked like a call and was refused.
///
/// Its text stays part of the surrounding text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rejection {
    /// Why the candidate was refused.
    pub code: RejectionCode,
    /// The reason in words, for a person.
    pub message: String,
    /// The range from the candidate's first byte to the byte that decided.
    pub span: Span,
    /// The line of the first byte, from 1.
    pub line: usize,
    /// The column of the first byte, in code points from 1.
    pub column: usize,
    /// At most the first 120 characters of the candidate; bytes that are not UTF-8 become U+FFFD.
    pub excerpt: String,
    /// The slug of the format that the candidate seemed to be written in; `None` for a limit of the
    /// whole text.
    pub format: Option<&'static str>,
}

/// A part of the searched text; the parts are in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// Text for a person.
    Text(Span),
    /// What the model thought.
    Reasoning(Span),
    /// Tokens that frame the message, and the white space around reasoning.
    Frame(Span),
    /// The markup of the call with this index.
    Call(usize, Span),
}

impl Segment {
    /// Where it stands.
    #[must_use]
    pub fn span(self) -> Span {
        match self {
            Self::Text(span) | Self::Reasoning(span) | Self::Frame(span) | Self::Call(_, span) => {
                span
            }
        }
    }
}
