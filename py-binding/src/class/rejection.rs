//! Refused candidates, as detection returns them.
//!
//! Immutable, comparable, hashable and picklable. Spans are code points.

use std::borrow::Cow;

use pyo3::prelude::*;
use toolwire::provider::{RefusedAt, RefusedCall};

use crate::class::call::fields;
use crate::host::text::{CodePoints, Span};

/// Something that looked like a call and was refused. Its text stays part of the text.
///
/// ```pycon
/// >>> rejection = toolwire.detect("<tool:echo>nothing</tool>").rejections[0]
/// >>> rejection.code, rejection.line, rejection.column
/// ('bad_json', 1, 1)
///
/// ```
#[pyclass(frozen, eq, hash, get_all, module = "toolwire")]
#[derive(PartialEq, Eq, Hash)]
pub struct Rejection {
    /// The reason; a stable slug.
    code: Cow<'static, str>,
    /// The reason in words, for a person.
    message: String,
    /// The range from the candidate's start to the place of the refusal.
    span: Span,
    /// The line of the candidate's start, from 1.
    line: usize,
    /// The column of the candidate's start, in code points from 1.
    column: usize,
    /// At most the first 120 characters of the candidate.
    excerpt: String,
    /// The format in which the candidate seemed to be written; None for a limit of the whole text.
    format: Option<Cow<'static, str>>,
}

type RejectionFields<'a> = (&'a str, &'a str, Span, usize, usize, &'a str, Option<&'a str>);

impl Rejection {
    /// What the model is told of it.
    pub fn as_refused(&self) -> RefusedCall<'_> {
        let Self { line, column, .. } = *self;
        RefusedCall {
            code: &self.code,
            message: &self.message,
            place: RefusedAt::Text { line, column, excerpt: &self.excerpt },
            format: self.format.as_deref(),
        }
    }

    /// Whether the text ends inside the call that was refused.
    pub(super) fn is_cut_off(&self) -> bool {
        self.code == toolwire::call::RejectionCode::Incomplete.slug()
    }
}

#[pymethods]
impl Rejection {
    #[new]
    #[pyo3(signature = (code, message, span, line, column, excerpt, format=None))]
    #[allow(clippy::too_many_arguments, reason = "a Python constructor has an argument a field")]
    fn new(
        code: String,
        message: String,
        span: Span,
        line: usize,
        column: usize,
        excerpt: String,
        format: Option<String>,
    ) -> Self {
        let format = format.map(Cow::Owned);
        Self { code: code.into(), message, span, line, column, excerpt, format }
    }

    fn __getnewargs__(&self) -> RejectionFields<'_> {
        let Self { code, message, span, line, column, excerpt, format } = self;
        (code, message, *span, *line, *column, excerpt, format.as_deref())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names = ["code", "message", "span", "line", "column", "excerpt", "format"];
        fields(py, "Rejection", &names, self.__getnewargs__())
    }
}

impl Rejection {
    /// Converts core's rejection.
    pub fn of(rejection: &toolwire::Rejection, points: &CodePoints, text: &[u8]) -> Self {
        Self {
            code: rejection.code.slug().into(),
            message: rejection.message.clone(),
            span: points.span(text, rejection.span),
            line: rejection.line,
            column: rejection.column,
            excerpt: rejection.excerpt.clone(),
            format: rejection.format.map(Cow::Borrowed),
        }
    }

    /// The range from the candidate's start to the place of the refusal.
    pub fn span(&self) -> Span {
        self.span
    }
}
