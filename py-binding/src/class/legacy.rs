//! The texts that the live issue agent tries in a reply; `legacy=True` in `toolwire.issue_agent`
//! uses them.

use std::borrow::Cow;

use pyo3::prelude::*;
use toolwire::compat::issue_agent;

use crate::class::comment::with_text;
use crate::class::token::TextChunk;

/// The texts that `extract_json_from_llm_response` tries to read.
#[pyfunction]
pub fn legacy_json_candidates(text: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    with_text(text, |text| {
        issue_agent::json_candidates(text).into_iter().map(Cow::into_owned).collect()
    })
}

/// The texts that `extract_and_parse_json_response` tries: texts of any type, and objects.
#[pyfunction]
pub fn legacy_object_candidates(text: &Bound<'_, PyAny>) -> PyResult<(Vec<String>, Vec<String>)> {
    with_text(text, |text| {
        let candidates = issue_agent::object_candidates(text);
        let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
        (owned(candidates.any), owned(candidates.with_keys))
    })
}

/// The text of a comment that is not a JSON object.
#[pyfunction]
pub fn legacy_comment_text(text: &Bound<'_, PyAny>) -> PyResult<String> {
    with_text(text, |text| issue_agent::comment_text(text).into_owned())
}

/// The text between the quotes of the first `"user_comment"`.
#[pyfunction]
pub fn legacy_comment_field(text: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    with_text(text, |text| issue_agent::comment_field(text).map(str::to_owned))
}

/// The first line of a reply that can be a comment.
#[pyfunction]
pub fn legacy_comment_line(text: &Bound<'_, PyAny>) -> PyResult<String> {
    with_text(text, |text| issue_agent::comment_line(text).into_owned())
}

/// The chunks that `smart_chunk_text` returns.
#[pyfunction]
pub fn legacy_chunks(text: &Bound<'_, PyAny>, size: i64, overlap: i64) -> PyResult<Vec<TextChunk>> {
    with_text(text, |text| {
        let chunks = issue_agent::chunks(text, size, overlap).into_iter();
        let made = chunks.map(|chunk| TextChunk {
            text: chunk.text,
            start_pos: chunk.start,
            end_pos: chunk.end,
            token_count: chunk.token_count,
        });
        made.collect()
    })
}
