//! What is found in the rows of a piece, as a column.

use arrow_buffer::NullBufferBuilder;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Fields};
use toolwire::detect::Findings;
use toolwire::{Detector, Span};

use crate::batch::layout::{self, Found};
use crate::batch::strings::{Lists, Places, Strings, TooLong, Views, structs, text};
use crate::batch::texts::{Kind, Piece, Texts};
use crate::host::text::CodePoints;

/// The longest texts of calls, or of reasoning, that a column holds of one row.
const LONGEST: usize = i32::MAX as usize / 4;

/// The code of a row's only rejection if what was found in it is longer.
const TOO_LARGE: &str = toolwire::call::RejectionCode::TooLarge.slug();

/// The columns of a piece, as far as they are wanted.
pub struct Rows {
    nulls: NullBufferBuilder,
    calls: Option<Calls>,
    text: Option<Text>,
    reasoning: Option<Strings<i32>>,
    rejections: Option<Rejections>,
}

impl Rows {
    /// Finds the calls of a piece.
    ///
    /// # Errors
    /// If a column would be too long, which only a row of gigabytes can cause.
    pub fn detect(
        detector: &Detector,
        texts: &Texts,
        piece: &Piece<'_>,
        parts: &[Found],
    ) -> Result<ArrayData, TooLong> {
        let mut rows = Self::new(texts.kind, piece, parts);
        for row in piece.rows.clone() {
            if piece.chunk.is_null(row) {
                rows.push_null()?;
            } else {
                rows.push(detector, texts, piece, row)?;
            }
        }
        Ok(rows.finish(texts.kind, parts))
    }

    fn new(kind: Kind, piece: &Piece<'_>, parts: &[Found]) -> Self {
        let rows = piece.rows.len();
        let wants = |part| parts.contains(&part);
        Self {
            nulls: NullBufferBuilder::new(rows),
            calls: wants(Found::Calls).then(|| Calls::new(rows)),
            text: wants(Found::Text).then(|| Text::new(kind, piece)),
            reasoning: wants(Found::Reasoning).then(|| Strings::with_capacity(rows, 0)),
            rejections: wants(Found::Rejections).then(|| Rejections::new(rows)),
        }
    }

    fn push_null(&mut self) -> Result<(), TooLong> {
        self.nulls.append_null();
        if let Some(calls) = &mut self.calls {
            calls.end()?;
        }
        if let Some(text) = &mut self.text {
            text.push(b"")?;
        }
        if let Some(reasoning) = &mut self.reasoning {
            reasoning.push_any(None)?;
        }
        self.rejections.as_mut().map_or(Ok(()), Rejections::end)
    }

    fn push(
        &mut self,
        detector: &Detector,
        texts: &Texts,
        piece: &Piece<'_>,
        row: usize,
    ) -> Result<(), TooLong> {
        let input = piece.chunk.bytes(row);
        let found = detector.detect(input).into_findings();
        self.nulls.append_non_null();
        if is_too_long(&found, input) {
            return self.push_refused(texts, piece, row);
        }
        let places = Spans::in_row(&found, input, texts.kind);
        if let Some(calls) = &mut self.calls {
            calls.push(&found, input, &places)?;
        }
        if let Some(text) = &mut self.text {
            text.push_found(&found, texts, piece, row)?;
        }
        if let Some(reasoning) = &mut self.reasoning {
            reasoning.push_any(found.reasoning_text(input).as_deref())?;
        }
        self.rejections.as_mut().map_or(Ok(()), |all| all.push(&found, &places))
    }

    /// Adds a row whose calls are too long for a column: it stays text, with a rejection.
    fn push_refused(
        &mut self,
        texts: &Texts,
        piece: &Piece<'_>,
        row: usize,
    ) -> Result<(), TooLong> {
        let input = piece.chunk.bytes(row);
        if let Some(calls) = &mut self.calls {
            calls.end()?;
        }
        if let Some(text) = &mut self.text {
            text.push_found(&Findings::default(), texts, piece, row)?;
        }
        if let Some(reasoning) = &mut self.reasoning {
            reasoning.push_any(None)?;
        }
        let Some(rejections) = &mut self.rejections else { return Ok(()) };
        let places = Spans::new(input, texts.kind.is_text());
        rejections.add(TOO_LARGE, None, places.of(Span::new(0, input.len())))?;
        rejections.end()
    }

    fn finish(mut self, kind: Kind, parts: &[Found]) -> ArrayData {
        let mut columns = Vec::with_capacity(parts.len());
        columns.extend(self.calls.map(Calls::finish));
        columns.extend(self.text.map(|text| text.finish(kind.data_type())));
        columns.extend(self.reasoning.map(|texts| texts.finish(DataType::Utf8)));
        columns.extend(self.rejections.map(Rejections::finish));
        let DataType::Struct(fields) = layout::detections(parts, kind) else {
            return structs(Fields::empty(), 0, None, Vec::new());
        };
        let length = self.nulls.len();
        structs(fields, length, self.nulls.finish(), columns)
    }
}

/// Whether a column cannot be trusted to hold what was found in one row.
fn is_too_long(found: &Findings, input: &[u8]) -> bool {
    let calls = || found.calls.iter().map(|call| call.arguments_raw(input).len()).sum::<usize>();
    let thought = || found.reasoning.iter().map(|block| block.len()).sum::<usize>();
    input.len() > LONGEST / 8 && (calls() > LONGEST || thought() > LONGEST)
}

/// Where things stand in a row.
struct Spans<'t> {
    input: &'t [u8],
    /// The translation to code points; `None` where bytes are counted, or are the same.
    points: Option<CodePoints>,
}

impl<'t> Spans<'t> {
    /// The places of what was found.
    fn in_row(found: &Findings, input: &'t [u8], kind: Kind) -> Self {
        let is_asked = !found.calls.is_empty() || !found.rejections.is_empty();
        Self::new(input, kind.is_text() && is_asked)
    }

    fn new(input: &'t [u8], in_points: bool) -> Self {
        let points = (in_points && !input.is_ascii()).then(|| {
            let mut points = CodePoints::default();
            points.extend(input, 0);
            points
        });
        Self { input, points }
    }

    fn of(&self, span: Span) -> (usize, usize) {
        match &self.points {
            Some(points) => points.span(self.input, span),
            None => (span.start, span.end),
        }
    }
}

/// The calls of the rows.
struct Calls {
    lists: Lists,
    count: usize,
    names: Strings<i32>,
    arguments: Strings<i32>,
    ids: Strings<i32>,
    formats: Strings<i32>,
    places: Places,
    states: Strings<i32>,
}

impl Calls {
    fn new(rows: usize) -> Self {
        let strings = || Strings::with_capacity(0, 0);
        Self {
            lists: Lists::with_capacity(rows),
            count: 0,
            names: strings(),
            arguments: strings(),
            ids: strings(),
            formats: strings(),
            places: Places::default(),
            states: strings(),
        }
    }

    fn push(&mut self, found: &Findings, input: &[u8], places: &Spans<'_>) -> Result<(), TooLong> {
        for call in &found.calls {
            self.count += 1;
            self.names.push(call.name.as_bytes())?;
            self.arguments.push_text(call.arguments_raw(input))?;
            // One that was made anew would differ at each try of a task.
            self.ids.push_any(call.id_given.then_some(call.id.as_bytes()))?;
            self.formats.push(call.format.as_bytes())?;
            self.places.push(places.of(call.span));
            self.states.push(call.status.slug().as_bytes())?;
        }
        self.end()
    }

    fn end(&mut self) -> Result<(), TooLong> {
        self.lists.push(self.count)
    }

    fn finish(self) -> ArrayData {
        let [starts, ends] = self.places.finish();
        let strings = |strings: Strings<i32>| strings.finish(DataType::Utf8);
        let columns = vec![
            strings(self.names),
            strings(self.arguments),
            strings(self.ids),
            strings(self.formats),
            starts,
            ends,
            strings(self.states),
        ];
        self.lists.finish(layout::calls(), columns)
    }
}

/// The rejections of the rows.
struct Rejections {
    lists: Lists,
    count: usize,
    codes: Strings<i32>,
    formats: Strings<i32>,
    places: Places,
}

impl Rejections {
    fn new(rows: usize) -> Self {
        Self {
            lists: Lists::with_capacity(rows),
            count: 0,
            codes: Strings::with_capacity(0, 0),
            formats: Strings::with_capacity(0, 0),
            places: Places::default(),
        }
    }

    fn push(&mut self, found: &Findings, places: &Spans<'_>) -> Result<(), TooLong> {
        for rejection in &found.rejections {
            self.add(rejection.code.slug(), rejection.format, places.of(rejection.span))?;
        }
        self.end()
    }

    fn add(
        &mut self,
        code: &str,
        format: Option<&str>,
        place: (usize, usize),
    ) -> Result<(), TooLong> {
        self.count += 1;
        self.codes.push(code.as_bytes())?;
        self.formats.push_any(format.map(str::as_bytes))?;
        self.places.push(place);
        Ok(())
    }

    fn end(&mut self) -> Result<(), TooLong> {
        self.lists.push(self.count)
    }

    fn finish(self) -> ArrayData {
        let [starts, ends] = self.places.finish();
        let strings = |strings: Strings<i32>| strings.finish(DataType::Utf8);
        let columns = vec![strings(self.codes), strings(self.formats), starts, ends];
        self.lists.finish(layout::rejections(), columns)
    }
}

/// The texts that are left of the rows, kept as the input is.
enum Text {
    Small(Strings<i32>),
    Large(Strings<i64>),
    Views(Views),
}

impl Text {
    fn new(kind: Kind, piece: &Piece<'_>) -> Self {
        let rows = piece.rows.len();
        match kind {
            Kind::Text | Kind::Binary => Self::Small(Strings::with_capacity(rows, piece.bytes)),
            Kind::LargeText | Kind::LargeBinary => {
                Self::Large(Strings::with_capacity(rows, piece.bytes))
            }
            // A copy would ship the bytes twice; a view of them ships the whole buffer.
            Kind::TextView | Kind::BinaryView => {
                Self::Views(Views::new(rows, piece.chunk.view_buffers()))
            }
        }
    }

    /// Adds what is left of a row.
    fn push_found(
        &mut self,
        found: &Findings,
        texts: &Texts,
        piece: &Piece<'_>,
        row: usize,
    ) -> Result<(), TooLong> {
        let input = piece.chunk.bytes(row);
        let left = found.text(input);
        if let (Self::Views(views), Some(view)) = (&mut *self, piece.chunk.view(row))
            && left.len() == input.len()
        {
            views.push_view(view);
            return Ok(());
        }
        if texts.has_surrogates { self.push(text(&left).as_bytes()) } else { self.push(&left) }
    }

    fn push(&mut self, value: &[u8]) -> Result<(), TooLong> {
        match self {
            Self::Small(strings) => strings.push(value),
            Self::Large(strings) => strings.push(value),
            Self::Views(views) => views.push(value),
        }
    }

    fn finish(self, data_type: DataType) -> ArrayData {
        match self {
            Self::Small(strings) => strings.finish(data_type),
            Self::Large(strings) => strings.finish(data_type),
            Self::Views(views) => views.finish(data_type),
        }
    }
}
