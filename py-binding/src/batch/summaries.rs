//! The results in the rows of a column, as text for a prompt.

use std::sync::Arc;

use arrow_buffer::NullBufferBuilder;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Fields};
use pyo3::prelude::*;
use toolwire::compat::stageflow::CONSTANTS;
use toolwire::result::{results_summary, results_summary_within};
use toolwire::tree::Failure;
use toolwire::{Error, ToolResult};

use crate::batch::layout::any;
use crate::batch::results::{Results, Rows};
use crate::batch::run::{in_threads, too_long};
use crate::batch::strings::{Strings, TooLong, structs, text};

/// The type of a column of summaries.
pub fn summaries() -> DataType {
    DataType::Struct(fields())
}

fn fields() -> Fields {
    Fields::from(vec![any("summary"), any("error")])
}

/// Sums the results of each row up.
///
/// # Errors
/// `invalid_option` if the texts of a chunk are too long for a column.
pub fn chunks(
    py: Python<'_>,
    results: &Results,
    max_tokens: Option<usize>,
    threads: usize,
) -> PyResult<Arc<[ArrayData]>> {
    let chunks = results.chunks();
    let made = py.detach(|| {
        let make = |at: usize| chunks.get(at).map_or(Err(TooLong), |rows| sum(rows, max_tokens));
        in_threads(threads, chunks.len(), make)
    });
    made.map(Into::into).map_err(|TooLong| too_long(py))
}

fn sum(rows: &Rows, max_tokens: Option<usize>) -> Result<ArrayData, TooLong> {
    let length = rows.ranges().len();
    let mut nulls = NullBufferBuilder::new(length);
    let [mut summaries, mut errors] = [(); 2].map(|()| Strings::<i32>::with_capacity(length, 0));
    for range in rows.ranges() {
        nulls.append(range.is_some());
        let results: Vec<_> = rows.results(range.clone().unwrap_or_default()).collect();
        let summary = range.as_ref().map(|_| summary(&results, max_tokens)).transpose();
        let error = summary.as_ref().err().map(|error| error.kind().slug());
        let summary = summary.as_ref().ok().and_then(Option::as_ref);
        summaries.push_any(summary.map(|summary| text(summary)).as_deref().map(str::as_bytes))?;
        errors.push_any(error.map(str::as_bytes))?;
    }
    let columns = vec![summaries.finish(DataType::Utf8), errors.finish(DataType::Utf8)];
    Ok(structs(fields(), length, nulls.finish(), columns))
}

fn summary(
    results: &[ToolResult<serde_json::Value>],
    most: Option<usize>,
) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    match most {
        None => results_summary(results, CONSTANTS, &mut out),
        Some(most) => {
            results_summary_within(results, CONSTANTS, most).map(|summary| out = summary.text)
        }
    }
    .map_err(|failure: Failure<_>| Error::from(failure))?;
    Ok(out)
}
